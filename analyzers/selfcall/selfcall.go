package selfcall

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/lockfacts"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// Analyzer finds calls that go past the wrapper which takes the lock.
var Analyzer *analysis.Analyzer = judge.Analyzer("selfcall", doc, check)

// check first finds out which functions are protected: some wrapper calls them under a lock and otherwise stands for
// them (passes/lockfacts finds them). Then it looks at all calls of those functions that reach nothing but the bare function and hold
// no such lock.
//
// What closes the world: a protected function counts as such if one wrapper calls it under one class. Calls from
// packages that are not in sight are not judged here; the facts name the guarded functions, so that importing packages
// judge their own calls, and the link names them to the package that declares them.
func check(r *judge.Reporter) {
	c := &checker{r: r, guards: map[string]lockfacts.Guard{}, unsure: map[string]bool{}, lockers: map[*ssa.Function]bool{}}
	c.collect()
	if len(c.guards) == 0 {
		return
	}
	c.findLockers()
	for _, fn := range r.Res.Functions {
		c.judge(fn)
	}
}

type checker struct {
	r *judge.Reporter
	// guards are the protected functions by name; unsure are those that are protected by several classes.
	guards map[string]lockfacts.Guard
	unsure map[string]bool
	// lockers are the functions that lock for themselves, see findLockers.
	lockers map[*ssa.Function]bool
}

// collect takes over what this package, imported packages and the link say.
func (c *checker) collect() {
	for _, g := range c.r.Res.Guards {
		c.add(g)
	}
	facts := c.r.Res.Facts()
	for _, path := range slices.Sorted(maps.Keys(facts)) {
		for _, g := range facts[path].Guards {
			c.add(g)
		}
	}
	if p := c.r.Res.Program; p != nil {
		for _, g := range p.Guards {
			c.add(g)
		}
	}
}

// add notes a guard. A function that is wrapped under two classes has no protecting class: which one would it be?
func (c *checker) add(g lockfacts.Guard) {
	old, ok := c.guards[g.Function]
	if ok && old.Class != g.Class {
		c.unsure[g.Function] = true
		return
	}
	if !ok {
		c.guards[g.Function] = g
	}
}

// judge looks at the calls of one function.
func (c *checker) judge(fn *ssa.Function) {
	if c.r.Res.Wrappers[fn] || c.lockers[lockflow.Outermost(fn)] || handedOut(fn) {
		return
	}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if call, ok := i.(ssa.CallInstruction); ok {
				c.call(fn, call)
			}
		}
	}
}

// call reports a call that certainly goes past a wrapper.
func (c *checker) call(fn *ssa.Function, call ssa.CallInstruction) {
	g, ok := c.bypassed(call)
	if !ok || c.held(call, g) || g.Wrapper == fn.String() || c.sets(fn, g) || !c.applies(g) || nothingThere(call) {
		return
	}
	at := c.r.Res.Site(call)
	level := finding.Error
	if asked(call) {
		level = finding.Note
	}
	scope := finding.Unit
	if p := c.r.Res.Program; p != nil && fromProgram(p, g) {
		scope = finding.Program
	}
	c.r.Report(judge.Fault{
		Kind: "self-call", Level: level, At: at, Class: g.Class, Scope: scope,
		Path: []lockfacts.Site{at, g.At},
		Message: fmt.Sprintf("%s is called directly here and goes past %s (%s), which holds %s meanwhile: this path runs without the "+
			"lock although the code looks protected; call the wrapper, or take the same lock",
			short(g.Function), short(g.Wrapper), judge.Brief(g.At), className(g.Class)),
		Related: []finding.Related{judge.Related(g.At, "called under the lock here"), judge.Related(g.Acquire, "acquired here")},
	})
}

// findLockers lists the functions that take a lock in their own text, or in that of a literal: their authors have chosen
// what they do under which lock, and what happens when it is not acquired is judged as that.
func (c *checker) findLockers() {
	for i := range c.r.Res.Locks {
		c.lockers[lockflow.Outermost(c.r.Res.Locks[i].Fn)] = true
	}
	own := c.r.Res.Own()
	for i := range own {
		if own[i].Op.Acquires() {
			c.lockers[lockflow.Outermost(own[i].Fn)] = true
		}
	}
}

// handedOut reports whether a function literal is kept in a field or returned: who runs it, and under which lock, is not
// known.
func handedOut(fn *ssa.Function) bool {
	if fn.Parent() == nil {
		return false
	}
	return slices.ContainsFunc(*fn.Referrers(), func(i ssa.Instruction) bool {
		if made, ok := i.(*ssa.MakeClosure); ok {
			return slices.ContainsFunc(*made.Referrers(), escapes)
		}
		return escapes(i)
	})
}

// escapes reports whether an instruction puts a value where others find it.
func escapes(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.Return:
		return true
	case *ssa.Store:
		_, field := i.Addr.(*ssa.FieldAddr)
		return field
	}
	return false
}

// nothingThere reports whether the call only runs where something other than an error is nil: a locker or a client that
// is not configured.
func nothingThere(call ssa.CallInstruction) bool {
	for b := call.Block(); b != nil && b.Idom() != nil; b = b.Idom() {
		dom := b.Idom()
		i, ok := dom.Instrs[len(dom.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		cond, ok := i.Cond.(*ssa.BinOp)
		if !ok || lockflow.IsError(cond.X.Type()) {
			continue
		}
		if n, ok := cond.Y.(*ssa.Const); !ok || !n.IsNil() {
			continue
		}
		side := dom.Succs[0]
		if cond.Op == token.NEQ {
			side = dom.Succs[1]
		}
		if len(side.Preds) == 1 && side.Dominates(b) {
			return true
		}
	}
	return false
}

func fromProgram(p *lockfacts.Program, g lockfacts.Guard) bool {
	for _, x := range p.Guards {
		if x == g {
			return true
		}
	}
	return false
}

// bypassed is the guard of the function that a call certainly reaches: every function that it can reach is guarded, and
// none of them is a wrapper. What a wrapper's field holds is guarded as that, whatever it is.
func (c *checker) bypassed(call ssa.CallInstruction) (lockfacts.Guard, bool) {
	if through := c.r.Res.ThroughField(call); through != "" {
		if g, ok := c.guards[through]; ok && !c.unsure[through] {
			return g, true
		}
	}
	var found lockfacts.Guard
	names := c.r.Res.Reaches(call)
	for _, n := range names {
		g, ok := c.guards[n]
		if !ok || c.unsure[n] {
			return lockfacts.Guard{}, false
		}
		found = g
	}
	return found, len(names) > 0
}

// held reports whether the call runs under the protecting class, or under a lock whose class is not known.
func (c *checker) held(call ssa.CallInstruction, g lockfacts.Guard) bool {
	if covers(c.r.Res.HeldAt(call), g) {
		return true
	}
	// A literal that some helper may run under the lock: whether it does may depend on what the context holds.
	for fn := call.Parent(); fn != nil; fn = fn.Parent() {
		if slices.ContainsFunc(c.r.Res.RunsUnder(fn), func(r lockfacts.RunUnder) bool { return covers(r.Under, g) }) {
			return true
		}
	}
	return false
}

func covers(held []lockfacts.Held, g lockfacts.Guard) bool {
	return slices.ContainsFunc(held, func(h lockfacts.Held) bool {
		class := h.Key.Class()
		return class == "" || g.Class == "" || class == g.Class
	})
}

// sets reports whether a function makes the wrapper: what it calls before the wrapper goes live is no bypass.
func (c *checker) sets(fn *ssa.Function, g lockfacts.Guard) bool {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			switch v := i.(type) {
			case *ssa.Alloc:
				if wraps(v.Type().String(), g.Wrapper) {
					return true
				}
			case *ssa.Call:
				if wraps(v.Type().String(), g.Wrapper) {
					return true
				}
			}
		}
	}
	return false
}

// wraps reports whether a type is the receiver of the wrapper.
func wraps(typ, wrapper string) bool {
	open, end := strings.IndexByte(wrapper, '('), strings.LastIndex(wrapper, ").")
	if open != 0 || end < 0 {
		return false
	}
	return strings.TrimPrefix(typ, "*") == strings.TrimPrefix(wrapper[1:end], "*")
}

// asked reports whether a branch on a parameter leads to the call: the bypass is asked for by name.
func asked(call ssa.CallInstruction) bool {
	for b := call.Block(); b != nil && b.Idom() != nil; b = b.Idom() {
		dom := b.Idom()
		i, ok := dom.Instrs[len(dom.Instrs)-1].(*ssa.If)
		if ok && ofParameter(i.Cond, 0) {
			return true
		}
	}
	return false
}

// ofParameter reports whether a flag is a boolean parameter, or one of a variadic list of them: `force ...bool`.
func ofParameter(v ssa.Value, depth int) bool {
	if depth > 6 {
		return false
	}
	switch v := v.(type) {
	case *ssa.Parameter:
		return isFlag(v.Type())
	case *ssa.UnOp:
		return ofParameter(v.X, depth+1)
	case *ssa.IndexAddr:
		return ofParameter(v.X, depth+1)
	case *ssa.Phi:
		for _, e := range v.Edges {
			if _, fixed := e.(*ssa.Const); !fixed && !ofParameter(e, depth+1) {
				return false
			}
		}
		return true
	}
	return false
}

func isFlag(t types.Type) bool {
	if s, ok := t.Underlying().(*types.Slice); ok {
		t = s.Elem()
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Bool
}

// short is a function's name without the directories of its import path.
func short(name string) string {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		prefix := ""
		if strings.HasPrefix(name, "(*") {
			prefix = "(*"
		} else if strings.HasPrefix(name, "(") {
			prefix = "("
		}
		return prefix + name[i+1:]
	}
	return name
}

func className(class string) string {
	if class == "" {
		return "its lock"
	}
	return fmt.Sprintf("the lock %q", class)
}
