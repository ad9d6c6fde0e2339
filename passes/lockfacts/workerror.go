package lockfacts

import (
	"slices"
	"strings"

	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// workConflated finds a helper that runs work it is given, and returns for contention what it returns for failed work.
func (t *trial) workConflated() {
	if t.lock == nil || t.taken.open() || len(t.taken.sigs) != 1 || !t.runsGiven() {
		return
	}
	busy := lastFace(t.taken.sigs[0])
	if busy == faceNil {
		t.boolConflated()
		return
	}
	if t.asSuccess() {
		return
	}
	if busy == "" || strings.HasPrefix(busy, valueMark) || strings.Contains(busy, "|") {
		return
	}
	for _, s := range t.held.sigs {
		f := lastFace(s)
		if f == faceNil || !t.failsAlike(busy, f) {
			continue
		}
		rets := t.held.returns(s)
		t.e.remarked(Remark{Kind: WorkConflated, At: t.u.placeOf(rets[len(rets)-1]), Detail: t.told()})
		return
	}
}

// boolConflated is for (false, nil): the bool is what tells.
func (t *trial) boolConflated() {
	busy := t.taken.sigs[0]
	if strings.HasPrefix(busy, faceFalse+";") && slices.Contains(t.held.sigs, busy) {
		rets := t.held.returns(busy)
		t.e.remarked(Remark{Kind: WorkConflated, At: t.u.placeOf(rets[len(rets)-1]), Detail: faceFalse})
	}
}

// failsAlike reports whether callers take failed work for contention.
func (t *trial) failsAlike(busy, failed string) bool {
	if busy == faceFalse || busy == faceTrue {
		return failed == busy && len(t.held.sigs) > 1 || strings.HasPrefix(failed, valueMark)
	}
	if busy == faceText {
		return failed == faceText
	}
	for _, m := range strings.Split(busy, "+") {
		if has, sure := hasMark(failed, m); !has || !sure {
			return false
		}
	}
	return true
}

func lastFace(sig string) string { return sig[strings.LastIndexByte(sig, ';')+1:] }

// runsGiven reports whether the section runs a function that the function around is given, and looks at what it returns.
func (t *trial) runsGiven() bool {
	for _, r := range t.a.runs {
		if r.Fn.Strip().Op == keyterm.Param && t.lock.Covers(r.Instr) && r.Instr.Value() != nil && r.Instr.Common().Signature().Results().Len() > 0 {
			return true
		}
	}
	return false
}

// skipped finds contention that is returned as success, by a statement of its own.
func (t *trial) skipped() {
	r := t.fn.Signature.Results()
	if t.lock == nil || t.taken.open() || r.Len() == 0 || !lockflow.IsError(r.At(r.Len()-1).Type()) || !t.asSuccess() || r.Len() > 1 && isBool(r.At(0).Type()) {
		return
	}
	for _, ret := range t.taken.returns("") {
		if t.held.Has(ret) {
			return
		}
	}
	for _, s := range t.taken.sigs {
		if lastFace(s) != faceNil {
			return
		}
	}
	t.e.remarked(Remark{Kind: SkippedAsSuccess, At: t.u.placeOf(t.taken.returns("")[0]), Note: true})
}
