package lockscope

import (
	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// checker is one run over one package.
type checker struct {
	*judge.Reporter

	// What is known of functions and parameters already.
	committing map[*ssa.Function][]commit
	endables   map[string]bool
	reacting   map[atDepth]bool
	waiting    map[atDepth]bool
}

// atDepth is a function that is looked at from so far away.
type atDepth struct {
	fn    *ssa.Function
	depth int
}

func newChecker(r *judge.Reporter) *checker {
	return &checker{Reporter: r, committing: map[*ssa.Function][]commit{}, endables: map[string]bool{},
		reacting: map[atDepth]bool{}, waiting: map[atDepth]bool{}}
}

// section is one critical section with one release of it.
type section struct {
	fn       *ssa.Function
	release  ssa.CallInstruction // of fn; for a helper that runs a function under its lock, the helper's call
	deferred bool
	at       lockfacts.Site // of the release
	acquire  lockfacts.Site
	class    string
	covers   func(ssa.Instruction) bool
	run      *ssa.Function // the function that the helper runs
}

// sections lists the package's, one for each release.
func (c *checker) sections() []section {
	var out []section
	for i := range c.Res.Locks {
		l := &c.Res.Locks[i]
		for j := range l.Releases {
			e := &l.Releases[j]
			if e.Async || e.OnError {
				continue
			}
			out = append(out, section{fn: l.Fn, release: e.Instr, deferred: e.Deferred, at: lockfacts.Innermost(l.Fn, &e.Effect),
				acquire: c.Res.Site(l.Acquire.Instr), class: l.Acquire.Key.Class(), covers: l.Covers})
		}
	}
	for _, fn := range c.Res.Functions {
		for _, run := range c.Res.RunsUnder(fn) {
			if call, ok := run.Call.(*ssa.Call); ok {
				at := c.Res.Site(call)
				out = append(out, section{fn: run.By, release: call, at: at, acquire: run.Under[0].Acquire,
					class: run.Under[0].Key.Class(), covers: func(ssa.Instruction) bool { return false }, run: fn})
			}
		}
	}
	return out
}

// uses reports whether the section does something with a value, or with what was made of it.
func (s *section) uses(v ssa.Value) bool {
	found := false
	look := func(i ssa.Instruction) {
		call, ok := i.(ssa.CallInstruction)
		if !ok || found {
			return
		}
		if ssa.Value(call.Value()) == v && call.Value() != nil {
			found = true // begun inside
			return
		}
		for _, a := range operands(call) {
			o := origin(a, 0)
			if o == v || madeOf(o, v) {
				found = true
			}
		}
	}
	s.each(look)
	return found
}

// each visits the instructions of the section, with those of function literals that are made in it.
func (s *section) each(visit func(ssa.Instruction)) {
	if s.run != nil {
		everywhere(s.run, visit)
		return
	}
	for _, b := range s.fn.Blocks {
		for _, i := range b.Instrs {
			if !s.covers(i) {
				continue
			}
			visit(i)
			if mc, ok := i.(*ssa.MakeClosure); ok {
				everywhere(mc.Fn.(*ssa.Function), visit)
			}
		}
	}
}

func everywhere(fn *ssa.Function, visit func(ssa.Instruction)) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			visit(i)
		}
	}
	for _, inner := range fn.AnonFuncs {
		everywhere(inner, visit)
	}
}

func operands(c ssa.CallInstruction) []ssa.Value {
	common := c.Common()
	if common.IsInvoke() {
		return append([]ssa.Value{common.Value}, common.Args...)
	}
	return common.Args
}

// madeOf reports whether a value is what a call made of another one: queries of a transaction, a repository in it.
func madeOf(o, v ssa.Value) bool {
	call, ok := o.(*ssa.Call)
	if !ok {
		return false
	}
	for _, a := range operands(call) {
		if origin(a, 0) == v {
			return true
		}
	}
	return false
}
