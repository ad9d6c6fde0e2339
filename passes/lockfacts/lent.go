package lockfacts

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
)

// A wrapper may leave the locking to a helper and hand it the object that it stands for: `return serial(ctx, rdb, next,
// id)`, where the helper acquires and calls next.Do(ctx, id). The helper alone does not stand for the method, since its
// own parameters are others, and the wrapper alone holds no lock. So the helper's summary says which methods of what it
// is given it calls under which locks, and the wrapper's package puts the two together (see guards).

// maxLent bounds what a summary says of this.
const maxLent = 8

// lent lists the calls of what the callers hand in that fn makes under its locks, itself or through a helper.
func (u *unit) lent(fn *ssa.Function, locks []Lock) []Lent {
	var out []Lent
	f := u.frame(fn)
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			c, ok := i.(*ssa.Call)
			if !ok || len(out) >= maxLent {
				continue
			}
			if callee := c.Call.StaticCallee(); callee != nil {
				out = append(out, u.lentBelow(f, c, u.summaryOf(u.target(callee)))...)
			} else if l, ok := u.lentHere(f, c, locks); ok {
				out = append(out, l)
			}
		}
	}
	return out
}

// lentHere is a call of what was handed in, under a lock of the function itself.
func (u *unit) lentHere(f *frame, c *ssa.Call, locks []Lock) (Lent, bool) {
	under := coveredBy(locks, c)
	if len(under) == 0 || isContext(c.Call.Value.Type()) || isCancel(c.Call.Value.Type()) {
		return Lent{}, false
	}
	method := ""
	if c.Call.IsInvoke() {
		if _, ok := clientmodel.Lookup(c.Call.Method); ok {
			return Lent{}, false
		}
		method = c.Call.Method.Name()
	}
	object := f.value(c.Call.Value)
	if !handedIn(object) {
		return Lent{}, false
	}
	return Lent{Object: object, Method: method, Args: handedOver(f.values(c.Call.Args)), Under: under, At: u.site(f, c),
		Passed: passedOn(c) && !u.otherWork(f.fn, c, func(i ssa.Instruction) bool { return len(coveredBy(locks, i)) > 0 })}, true
}

// otherWork reports whether a function does something else where a lock is held: it calls another function of the
// program that returns something. Those that return nothing log and count, and those that return a text make a key.
func (u *unit) otherWork(fn *ssa.Function, call *ssa.Call, held func(ssa.Instruction) bool) bool {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			other, ok := i.(*ssa.Call)
			if !ok || other == call || noWork(other.Call.Signature().Results()) || !held(other) {
				continue
			}
			obj := calledMethod(other)
			if obj != nil && obj.Pkg() != nil && u.ours(obj.Pkg().Path()) && obj != calledMethod(call) {
				return true
			}
		}
	}
	return false
}

func noWork(results *types.Tuple) bool {
	return results.Len() == 0 || results.Len() == 1 && isString(results.At(0).Type())
}

// coveredBy are the locks that are held at an instruction.
func coveredBy(locks []Lock, i ssa.Instruction) []Held {
	var under []Held
	for n := range locks {
		if locks[n].Covers(i) {
			under = append(under, locks[n].held())
		}
	}
	return under
}

// lentBelow is what a called helper does with the objects that the function hands on.
func (u *unit) lentBelow(f *frame, c *ssa.Call, s *Summary) []Lent {
	var out []Lent
	for _, l := range u.lentAt(f, c, s) {
		if handedIn(l.Object) {
			l.Args = handedOver(l.Args)
			out = append(out, l)
		}
	}
	return out
}

// lentAt is what a called helper calls under its locks, in the caller's terms.
func (u *unit) lentAt(f *frame, c *ssa.Call, s *Summary) []Lent {
	if s == nil || len(s.Lent) == 0 {
		return nil
	}
	t := target{name: s.Name, summary: s, args: f.values(c.Call.Args)}
	t.bind(nil)
	out := make([]Lent, len(s.Lent))
	for i, l := range s.Lent {
		l.Object, l.Args = u.subst(l.Object, t.env), u.substAll(l.Args, t.env)
		l.Under, l.Passed = u.heldIn(l.Under, t.env), l.Passed && passedOn(c)
		out[i] = l
	}
	return out
}

// heldIn are locks in the terms of a caller.
func (u *unit) heldIn(under []Held, env keyterm.Env) []Held {
	out := make([]Held, len(under))
	for i, h := range under {
		h.Key = u.subst(h.Key, env)
		out[i] = h
	}
	return out
}

// passedOn reports whether the function returns what a call returned, as far as there is something to return.
func passedOn(c *ssa.Call) bool {
	return c.Call.Signature().Results().Len() == 0 || flows(c, maxFlow, map[ssa.Value]bool{})
}

// handedOver keeps of some values what the function was given itself.
func handedOver(values []keyterm.Term) []keyterm.Term {
	out := make([]keyterm.Term, len(values))
	for i, v := range values {
		if v.Strip().Op == keyterm.Param {
			out[i] = v
		}
	}
	return out
}
