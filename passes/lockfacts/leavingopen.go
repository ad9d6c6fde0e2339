package lockfacts

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// Abandonment is an acquire, and the returns that lose the lock.
type Abandonment struct {
	Acquire Event
	Leaves  []Leave
}

// Abandoned are the acquires of helpers that hand the lock to their callers, with the returns that certainly fail and
// leave nobody who could release it: the owner value was made here and is lost.
func (r *Result) Abandoned() []Abandonment {
	var out []Abandonment
	for _, fn := range r.Functions {
		events := r.u.eventsOf(fn)
		for i := range events {
			e := &events[i]
			if !e.Op.Acquires() || e.Closed || fn.Synthetic != "" || !e.tells() || !r.onlyHere(fn, e) {
				continue
			}
			if all := r.u.abandons(fn, e); len(all) > 0 {
				out = append(out, Abandonment{*e, all})
			}
		}
	}
	return out
}

// onlyHere reports whether an acquire is of a lock for which nothing but what the function has proves the ownership.
func (r *Result) onlyHere(fn *ssa.Function, e *Event) bool {
	if e.Library {
		return e.Reply == clientmodel.HandleReply || ownObject(receiverOf(e.Instr))
	}
	owner := e.Owner.Strip()
	if !isRandom(owner) || len(e.Path) == 0 && owner.Fn != fn.String() {
		return false
	}
	class := shape(fn, e.Key)
	return e.Proven || slices.ContainsFunc(r.Classes, func(c LockClass) bool { return c.Class == class && c.Checked })
}

// abandons lists the failing returns behind an acquire that others return with the lock.
func (u *unit) abandons(fn *ssa.Function, e *Event) []Leave {
	v := &leaver{u: u, l: &Lock{Fn: fn, Acquire: *e}, stops: map[ssa.Instruction]bool{}, hands: map[*ssa.Return]bool{}}
	v.findReleases()
	v.findHandovers()
	if len(v.hands) == 0 {
		return nil
	}
	reach := v.walk(v.heads())
	if reach.Cut {
		return nil
	}
	return v.lost(reach)
}

// lost are the returns that certainly fail.
func (v *leaver) lost(reach *lockflow.Reach) []Leave {
	reach.Again = false
	var out []Leave
	for _, x := range v.leaves(reach) {
		if x.How == "return" && v.certainly(reach, x) {
			out = append(out, x)
		}
	}
	return out
}

// certainly reports whether the return at a place says that something failed.
func (v *leaver) certainly(reach *lockflow.Reach, x Leave) bool {
	for _, b := range v.l.Fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok || !reach.Has(ret) || v.u.pos(ret.Pos()) != x.At.Pos {
			continue
		}
		_, no := outcome(ret)
		return no && !v.hands[ret]
	}
	return false
}
