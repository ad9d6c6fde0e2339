package lockkey

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// underOneKey judges the calls of helpers that choose the key themselves and run what they are given under it.
func (c *checker) underOneKey(fn *ssa.Function) {
	c.each(fn, func(i ssa.Instruction) {
		call, ok := i.(ssa.CallInstruction)
		if !ok || call.Common().StaticCallee() == nil || inTest(c.Res.FuncPos(fn)) {
			return
		}
		s := c.Res.Summary(c.Res.Name(call.Common().StaticCallee()))
		if s == nil {
			return
		}
		for _, run := range s.Runs {
			for _, h := range run.Under {
				if h.Proven && h.Key.IsClosed() {
					e := lockfacts.Event{Effect: lockfacts.Effect{Key: h.Key, At: h.Acquire}, Instr: call, Fn: fn}
					c.ignoresEntity(use{fn: fn, ev: e, key: h.Key})
				}
			}
		}
	})
}

// ignoresEntity reports functions that are given one entity, work on it in the section, and acquire one key for all.
func (c *checker) ignoresEntity(u use) {
	for _, t := range lockfacts.Alternatives(c.Res.Resolve(u.ev.Key)) {
		if t = t.Strip(); t.Op != keyterm.Const || t.Text == "" {
			return
		}
	}
	for i, p := range u.fn.Params {
		if i == 0 && u.fn.Signature.Recv() != nil || !entity(p.Type(), 0) || c.keyed(u.fn, p) || !c.worksOn(u, p) || !c.names(u.fn, p) {
			continue
		}
		c.report(judge.Fault{
			Kind: "key-ignores-entity", Level: finding.Note, At: c.keyGiven(u), Class: u.key.Class(),
			Message: fmt.Sprintf("the section works on one %s, but the key is the same for all: work on another one waits or is turned away "+
				"without need; put %s into the key, unless only one may be worked on at a time", p.Name(), p.Name()),
		})
		return
	}
}

// keyGiven is the acquiring call. A library's lock gets its key where it is made.
func (c *checker) keyGiven(u use) lockfacts.Site {
	if t := c.Res.Resolve(u.key); u.ev.Library && t.Op == keyterm.Const && t.At.IsValid() {
		return siteOf(t)
	}
	return c.acquiredAt(u)
}

// entity reports whether a type can be the id of something, or something that has one. Plain ints are counts and limits
// as often, and a named type with constants is a choice.
func entity(t types.Type, depth int) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	name := types.TypeString(types.Unalias(t), nil)
	switch under := t.Underlying().(type) {
	case *types.Basic:
		if under.Info()&(types.IsString|types.IsInteger) == 0 || enumeration(t) {
			return false
		}
		return name != under.Name() || under.Info()&types.IsString != 0 || under.Kind() == types.Int64 || under.Kind() == types.Uint64
	case *types.Array:
		return name == "github.com/google/uuid.UUID"
	case *types.Struct:
		return depth == 0 && name != "time.Time" && identified(under)
	}
	return false
}

// identified reports whether a struct has a field that can be its id, and is no batch of things.
func identified(s *types.Struct) bool {
	found := false
	for f := range s.Fields() {
		switch f.Type().Underlying().(type) {
		case *types.Slice, *types.Map, *types.Interface, *types.Signature, *types.Chan:
			return false
		}
		found = found || entity(f.Type(), 1)
	}
	return found
}

// names reports whether a parameter is more likely the name of something than text to be stored: a plain string is if
// the function looks at it or uses it more than once, or if it is part of some other key.
func (c *checker) names(fn *ssa.Function, p *ssa.Parameter) bool {
	if p.Type() != types.Typ[types.String] {
		return true
	}
	for _, k := range c.keys {
		if slices.Contains(k.Vars, p.Name()) {
			return true
		}
	}
	value, uses := c.Res.Term(fn, p), 0
	for _, f := range withLiterals(fn) {
		c.each(f, func(i ssa.Instruction) {
			switch i := i.(type) {
			case *ssa.BinOp:
				if compares(i.Op) && (c.isOf(f, i.X, value) || c.isOf(f, i.Y, value)) {
					uses += 2
				}
			case ssa.CallInstruction:
				if !logs(callee(i.Common())) && c.takes(f, i, value) {
					uses++
				}
			}
		})
	}
	return uses > 1
}

// takes reports whether a call is given a value.
func (c *checker) takes(fn *ssa.Function, call ssa.CallInstruction, value keyterm.Term) bool {
	for _, a := range call.Common().Args {
		if comesFrom(c.Res.Term(fn, a), value) {
			return true
		}
	}
	return false
}

// keyed reports whether the function also acquires something that depends on the parameter.
func (c *checker) keyed(fn *ssa.Function, p *ssa.Parameter) bool {
	for _, f := range withLiterals(fn) {
		for _, e := range c.Res.Events(f) {
			if e.Op.Acquires() && comesFrom(e.Key, c.Res.Term(fn, p)) {
				return true
			}
		}
	}
	return false
}

// withLiterals is a function and the function literals in it.
func withLiterals(fn *ssa.Function) []*ssa.Function {
	out := []*ssa.Function{fn}
	for _, a := range fn.AnonFuncs {
		out = append(out, withLiterals(a)...)
	}
	return out
}

// worksOn reports whether the section hands the parameter to something that works on it, and not in a loop over many.
func (c *checker) worksOn(u use, p *ssa.Parameter) bool {
	value := c.Res.Term(u.fn, p)
	for _, a := range u.ev.Instr.Common().Args {
		if mc, ok := closureOf(a); ok {
			for _, f := range withLiterals(mc) {
				if c.handsOn(f, value, func(ssa.Instruction) bool { return true }) {
					return true
				}
			}
		}
	}
	for i := range c.Res.Locks {
		l := &c.Res.Locks[i]
		if l.Fn == u.fn && l.Acquire.Instr == u.ev.Instr && c.handsOn(u.fn, value, l.Covers) {
			return true
		}
	}
	return c.worksElsewhere(u, value)
}

// worksElsewhere reports whether the function that acquires for this one hands the value to what it calls under the lock.
func (c *checker) worksElsewhere(u use, value keyterm.Term) bool {
	callee := u.ev.Instr.Common().StaticCallee()
	if callee == nil || lockfacts.InLoop(u.ev.Instr) {
		return false
	}
	s := c.Res.Summary(c.Res.Name(callee))
	if s == nil {
		return false
	}
	for _, l := range s.Lent {
		if !slices.ContainsFunc(l.Under, func(h lockfacts.Held) bool { return h.Acquire == u.ev.At }) {
			continue
		}
		for _, a := range l.Args {
			if a = a.Strip(); a.Op == keyterm.Param && a.Index < len(u.ev.Instr.Common().Args) &&
				comesFrom(c.Res.Term(u.fn, u.ev.Instr.Common().Args[a.Index]), value) {
				return true
			}
		}
	}
	return false
}

func closureOf(v ssa.Value) (*ssa.Function, bool) {
	switch v := v.(type) {
	case *ssa.MakeClosure:
		fn, ok := v.Fn.(*ssa.Function)
		return fn, ok && fn.Synthetic == ""
	case *ssa.ChangeType:
		return closureOf(v.X)
	case *ssa.MakeInterface:
		return closureOf(v.X)
	}
	return nil, false
}

// handsOn reports whether some call in the section takes the value, and logging is not all that it does.
func (c *checker) handsOn(fn *ssa.Function, value keyterm.Term, inSection func(ssa.Instruction) bool) bool {
	found := false
	c.each(fn, func(i ssa.Instruction) {
		call, ok := i.(ssa.CallInstruction)
		if !ok || found || !inSection(i) || logs(callee(call.Common())) {
			return
		}
		if _, builtin := call.Common().Value.(*ssa.Builtin); builtin || lockfacts.InLoop(i) {
			return
		}
		found = c.takes(fn, call, value)
	})
	return found
}
