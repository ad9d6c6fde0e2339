package lockscope

import (
	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/lockfacts"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// A transaction that is written under a lock becomes visible to others when it is committed. If the lock is free by
// then, another replica reads the old row in between.

// beforeCommit reports releases of a lock after which a transaction is committed that the section used.
func (c *checker) beforeCommit(s *section) {
	for _, k := range c.commits(s.fn) {
		if born(k.tx, s.fn) && s.uses(k.tx) && s.endsBefore(k) {
			c.early(s, c.Res.Site(k.instr), "")
			return
		}
	}
	if at, ok := c.openTx(s); ok {
		c.early(s, at, " at the earliest")
	}
}

func (c *checker) early(s *section, commit lockfacts.Site, when string) {
	c.Report(judge.Fault{
		Kind: "release-before-commit", Level: finding.Error, At: s.at, Class: s.class,
		Message: "this releases the lock before the transaction is committed at " + judge.Brief(commit) + when + ": another replica " +
			"takes the lock and reads the old rows in between; take the lock outside of the transaction, and release after the commit",
		Related: []finding.Related{judge.Related(commit, "committed here%s", when), judge.Related(s.acquire, "acquired here")},
	})
}

// born reports whether the function begins the transaction itself.
func born(tx ssa.Value, fn *ssa.Function) bool {
	_, ok := tx.(*ssa.Call)
	return ok && tx.Parent() == fn
}

// endsBefore reports whether the lock is released before a commit of a transaction that began before: on some path both
// where they stand, or by the order in which they were deferred.
func (s *section) endsBefore(k commit) bool {
	birth := k.tx.(*ssa.Call)
	if !leadsTo(birth, s.release) {
		return false
	}
	_, deferred := k.instr.(*ssa.Defer)
	if _, async := k.instr.(*ssa.Go); async {
		return false
	}
	switch {
	case deferred:
		return k.instr != s.release && leadsTo(k.instr, s.release) // the last that was deferred runs first
	case s.deferred:
		return false
	}
	reach := lockflow.Walk(lockflow.Options{Start: s.release, Stop: func(i ssa.Instruction) bool { return i == ssa.Instruction(birth) }})
	return !reach.Cut && k.instr != s.release && reach.Has(k.instr)
}

// openTx looks for a transaction that the function was given and leaves open, although it has released the lock under
// which it used it: whoever began it commits later.
func (c *checker) openTx(s *section) (lockfacts.Site, bool) {
	for _, tx := range c.given(s.fn) {
		if !s.uses(tx) || c.endsItself(s.fn, tx) {
			continue
		}
		at := c.Res.Site(s.release)
		at.Pos = c.Res.FuncPos(s.fn)
		if call := c.runner(s.fn); call != nil {
			at = c.Res.Site(call)
		}
		return at, true
	}
	return lockfacts.Site{}, false
}

// given are the open transactions that a function gets from its callers, and those that a literal captures of the
// functions around it.
func (c *checker) given(fn *ssa.Function) []ssa.Value {
	var out []ssa.Value
	for f := fn; f != nil; f = f.Parent() {
		for _, p := range f.Params {
			if isTx(p.Type()) || mayBeTx(p.Type()) && c.inTransaction(f) || c.committedBy(f) {
				out = append(out, p)
			}
		}
	}
	return out
}

// committedBy reports whether a function literal is handed to a function of the package that runs it and then commits.
func (c *checker) committedBy(fn *ssa.Function) bool {
	call := c.runner(fn)
	if call == nil {
		return false
	}
	runner := call.Call.StaticCallee()
	if runner == nil || len(runner.Blocks) == 0 {
		return false
	}
	for _, b := range runner.Blocks {
		for _, i := range b.Instrs {
			run, ok := i.(*ssa.Call)
			if !ok || !c.runsParameter(run, call, fn) {
				continue
			}
			for _, k := range c.commits(runner) {
				_, deferred := k.instr.(*ssa.Defer)
				if born(k.tx, runner) && (deferred || leadsTo(run, k.instr)) {
					return true
				}
			}
		}
	}
	return false
}

// runsParameter reports whether a call inside the runner is of the parameter that the literal is handed in for.
func (c *checker) runsParameter(run, call *ssa.Call, fn *ssa.Function) bool {
	p, ok := origin(run.Call.Value, 0).(*ssa.Parameter)
	if !ok || run.Call.IsInvoke() {
		return false
	}
	for i, a := range call.Call.Args {
		if literal(a) == fn && i < len(p.Parent().Params) && p.Parent().Params[i] == p {
			return true
		}
	}
	return false
}

// inTransaction reports whether a function is the body of a transaction of a library whose handles may be in one or not.
func (c *checker) inTransaction(fn *ssa.Function) bool {
	call := c.runner(fn)
	if call == nil || call.Call.StaticCallee() == nil {
		return false
	}
	switch call.Call.StaticCallee().String() {
	case "(*gorm.io/gorm.DB).Transaction", "(*github.com/jinzhu/gorm.DB).Transaction", "(*xorm.io/xorm.Engine).Transaction":
		return true
	}
	return false
}

// runner is the call that a function literal is handed to, or nil.
func (c *checker) runner(fn *ssa.Function) *ssa.Call {
	if fn.Parent() == nil {
		return nil
	}
	for _, b := range fn.Parent().Blocks {
		for _, i := range b.Instrs {
			call, ok := i.(*ssa.Call)
			if !ok {
				continue
			}
			for _, a := range call.Call.Args {
				if mc, ok := a.(*ssa.MakeClosure); ok && mc.Fn == fn || a == ssa.Value(fn) {
					return call
				}
			}
		}
	}
	return nil
}

// endsItself reports whether the function commits or rolls back a transaction that it was given.
func (c *checker) endsItself(fn *ssa.Function, tx ssa.Value) bool {
	for f := fn; f != nil; f = f.Parent() {
		for _, k := range c.commits(f) {
			if k.tx == tx {
				return true
			}
		}
		if f == tx.Parent() {
			break
		}
	}
	return false
}
