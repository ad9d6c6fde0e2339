package lockfacts

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// FaceEnded is the detail of a Conflated remark about the end of the caller's context.
const FaceEnded = faceEnded

// contextConflated finds a wait that answers the end of its context as it answers a lock that stays taken, or an outage.
// A wait that nothing but its context ends has one answer, which is right.
func (t *trial) contextConflated() {
	if t.void() || !t.waitsFor() || t.taken.open() || t.e.hasRemark(Conflated) {
		return
	}
	ends := t.contextBlocks()
	if len(ends) == 0 {
		return
	}
	var onEnd []*ssa.Return
	var others []string
	told := map[*ssa.Return]string{}
	for _, e := range t.taken.trace.Ends {
		if slices.ContainsFunc(ends, func(b *ssa.BasicBlock) bool { return b.Dominates(e.Return.Block()) }) {
			onEnd, told[e.Return] = append(onEnd, e.Return), sig(e)
		} else {
			others = append(others, sig(e))
		}
	}
	if !t.outage.open() {
		others = append(others, t.outage.sigs...)
	}
	for _, r := range onEnd {
		if slices.Contains(others, told[r]) {
			t.e.remarked(Remark{Kind: Conflated, At: t.u.placeOf(r), Detail: FaceEnded})
			return
		}
	}
}

// contextBlocks are the blocks that only run when a context has ended.
func (t *trial) contextBlocks() []*ssa.BasicBlock {
	var out []*ssa.BasicBlock
	for _, b := range t.fn.Blocks {
		for _, i := range b.Instrs {
			switch i := i.(type) {
			case *ssa.Select:
				out = append(out, doneCases(i)...)
			case *ssa.If:
				if next := askedEnd(i); next != nil && len(next.Preds) == 1 {
					out = append(out, next)
				}
			}
		}
	}
	return out
}

// doneCases are the cases of a select that wait for the end of a context.
func doneCases(s *ssa.Select) []*ssa.BasicBlock {
	var out []*ssa.BasicBlock
	for n, state := range s.States {
		c, ok := state.Chan.(*ssa.Call)
		if !ok || calleeName(&c.Call) != "(context.Context).Done" {
			continue
		}
		for _, r := range *s.Referrers() {
			if x, ok := r.(*ssa.Extract); ok && x.Index == 0 {
				if next := caseBlock(x, n); next != nil && len(next.Preds) == 1 {
					out = append(out, next)
				}
			}
		}
	}
	return out
}

// askedEnd is where a condition goes on that asks a context whether it has ended, and finds that it has.
func askedEnd(i *ssa.If) *ssa.BasicBlock {
	b, ok := i.Cond.(*ssa.BinOp)
	if !ok || !ended(b.X) || !isNil(b.Y) || !comparesEqual(b.Op) {
		return nil
	}
	if b.Op.String() == "!=" {
		return i.Block().Succs[0]
	}
	return i.Block().Succs[1]
}
