package lockfacts

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// Comparison says that a function reads what a key holds and compares it: Differs and Equal are what its results look
// like when the value is another one, and when it is the same.
type Comparison struct {
	Key, Value     keyterm.Term
	Differs, Equal []clientmodel.Abstract
}

// question is a call that reads the owner of a key: a GET whose value this function compares, or a helper that does
// both. Who owns the key may change before the next command.
type question struct {
	at             ssa.CallInstruction
	key, value     keyterm.Term
	differs, equal lockflow.Assume
}

// markComparisons finds deletes and extends that stand behind a comparison of what the key holds: read, compared, done,
// in separate commands.
//
// A command is behind a comparison if it comes after it on every path, is not reached when the values differ, and is
// reached when they are the same. A comparison covers only the first delete after it: when that has run, the key may be
// somebody else's.
func markComparisons(u *unit, f *frame, a *activity) {
	all := questions(u, f, a)
	covered := map[*Event]ssa.CallInstruction{}
	for d := range a.events {
		del := &a.events[d]
		if del.Guard != clientmodel.Unchecked || !del.Op.Releases() && !del.Op.Extends() {
			continue
		}
		for _, q := range all {
			if keyterm.Equal(q.key, del.Key) && u.decides(q, del.Instr) && !spent(a, covered, q, del) {
				del.Guard, del.Owner = clientmodel.NotAtomic, q.value
				covered[del] = q.at
			}
		}
	}
}

// spent reports whether an earlier delete of the same key has used the comparison up.
func spent(a *activity, covered map[*Event]ssa.CallInstruction, q question, del *Event) bool {
	for i := range a.events {
		e := &a.events[i]
		if e != del && e.Op.Releases() && covered[e] == q.at && keyterm.Equal(e.Key, del.Key) && precedes(e.Instr, del.Instr) {
			return true
		}
	}
	return false
}

// decides reports whether the answer to q decides if the call use is reached.
func (u *unit) decides(q question, use ssa.CallInstruction) bool {
	if !precedes(q.at, use) {
		return false
	}
	differs := u.answered(q, q.differs)
	return !differs.Cut && !differs.Has(use) && u.answered(q, q.equal).Has(use)
}

func (u *unit) answered(q question, assume lockflow.Assume) *lockflow.Reach {
	return lockflow.Walk(lockflow.Options{Start: q.at, Assume: assume, Vars: u.varsOf(q.at.Parent()), NoReturn: u.noReturn})
}

// precedes reports whether a runs before b on every path to b.
func precedes(a, b ssa.Instruction) bool {
	if a.Block() == b.Block() {
		return indexIn(a) < indexIn(b)
	}
	return a.Block().Dominates(b.Block())
}

// questions lists the comparisons that a function makes, itself or through helpers.
func questions(u *unit, f *frame, a *activity) []question {
	var out []question
	for i := range a.events {
		get := &a.events[i]
		if get.Op != clientmodel.Get || get.Instr.Value() == nil {
			continue
		}
		if q, ok := asked(f, get); ok {
			out = append(out, q)
		}
	}
	for _, c := range a.compared {
		out = append(out, question{at: c.instr, key: c.Key, value: c.Value,
			differs: resultsOf(c.instr, c.Differs), equal: resultsOf(c.instr, c.Equal)})
	}
	return out
}

// comparedCall is a call of a function that compares.
type comparedCall struct {
	Comparison
	instr ssa.CallInstruction
}

// asked is the question that a GET begins, if the function compares its value with something that is not a constant.
func asked(f *frame, get *Event) (question, bool) {
	root := get.Instr.Value()
	other := map[ssa.Value]ssa.Value{}
	q := question{at: get.Instr, key: get.Key}
	for _, b := range f.fn.Blocks {
		for _, i := range b.Instrs {
			v, ok := i.(ssa.Value)
			if !ok {
				continue
			}
			if o := comparison(v, root); o != nil {
				if len(other) == 0 {
					q.value = f.value(o)
				}
				other[v] = o
			}
		}
	}
	assume := func(same bool) lockflow.Assume {
		return func(v ssa.Value) (clientmodel.Abstract, bool) { return answer(v, root, other, same) }
	}
	q.differs, q.equal = assume(false), assume(true)
	return q, len(other) > 0
}

// answer is what a value looks like when the GET root succeeded, and found the same owner or another one.
func answer(v, root ssa.Value, other map[ssa.Value]ssa.Value, same bool) (clientmodel.Abstract, bool) {
	if other[v] != nil {
		if b, ok := v.(*ssa.BinOp); ok && b.Op == token.NEQ {
			same = !same
		}
		if same {
			return clientmodel.True, true
		}
		return clientmodel.False, true
	}
	if lockflow.IsError(v.Type()) && errorOf(v, root) {
		return clientmodel.Nil, true
	}
	return 0, false
}

// errorOf reports whether v is the error that came with the value of root.
func errorOf(v, root ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Extract:
		return v.Tuple == root || derives(v.Tuple, root, 0)
	case *ssa.Call:
		return v != root && accessor(v) && derives(v.Call.Args[0], root, 0)
	}
	return false
}

// resultsOf assumes the results of one call.
func resultsOf(c ssa.CallInstruction, results []clientmodel.Abstract) lockflow.Assume {
	call := c.Value()
	return func(v ssa.Value) (clientmodel.Abstract, bool) {
		if v == call && len(results) == 1 {
			return results[0], call != nil
		}
		if x, ok := v.(*ssa.Extract); ok && x.Tuple == call && call != nil && x.Index < len(results) {
			return results[x.Index], true
		}
		return 0, false
	}
}

// comparisons are what callers have to know: keys whose owner the function asks for, so that its results tell the answer.
func (u *unit) comparisons(fn *ssa.Function, a *activity) []Comparison {
	if fn.Signature.Results().Len() == 0 {
		return nil
	}
	var out []Comparison
	for _, q := range questions(u, u.frame(fn), a) {
		differs, equal := u.answered(q, q.differs), u.answered(q, q.equal)
		if differs.Cut || equal.Cut || q.key.Op == keyterm.Unknown || !telling(differs.Results, equal.Results) {
			continue
		}
		out = append(out, Comparison{Key: q.key, Value: q.value, Differs: differs.Results, Equal: equal.Results})
	}
	return out
}

// telling reports whether some result is one thing where the values differ and certainly another where they are equal.
func telling(differs, equal []clientmodel.Abstract) bool {
	for i := range min(len(differs), len(equal)) {
		if differs[i] != 0 && equal[i] != 0 && differs[i]&equal[i] == 0 {
			return true
		}
	}
	return false
}

// instantiateComparisons puts the comparisons of a called function into the caller's terms.
func (u *unit) instantiateComparisons(c ssa.CallInstruction, t target, a *activity) {
	if _, ok := c.(*ssa.Call); !ok || len(a.compared) >= maxEffects {
		return
	}
	for _, x := range t.summary.Comparisons {
		x.Key, x.Value = u.subst(x.Key, t.env), u.subst(x.Value, t.env)
		a.compared = append(a.compared, comparedCall{x, c})
	}
}

// comparison is what a value that derives from root is compared with by v, nil if v is no such comparison.
func comparison(v, root ssa.Value) ssa.Value {
	switch c := v.(type) {
	case *ssa.BinOp:
		if c.Op != token.EQL && c.Op != token.NEQ || lockflow.IsError(c.X.Type()) {
			return nil
		}
		return otherOf(c.X, c.Y, root)
	case *ssa.Call:
		if len(c.Call.Args) != 2 {
			return nil
		}
		if o := otherOf(c.Call.Args[0], c.Call.Args[1], root); o != nil && comparesByName[calleeName(&c.Call)] {
			return o
		}
	}
	return nil
}

// comparesByName are functions that say "equal" by true or 1.
var comparesByName = map[string]bool{
	"bytes.Equal": true, "strings.EqualFold": true, "crypto/subtle.ConstantTimeCompare": true, "slices.Equal": true,
	"crypto/hmac.Equal": true, "reflect.DeepEqual": true,
}

// otherOf is the operand beside the one that derives from root. A constant is none: it asks whether there is a value at
// all, or for a mark that everybody shares.
func otherOf(x, y, root ssa.Value) ssa.Value {
	switch {
	case derives(x, root, 0) && notConst(y):
		return y
	case derives(y, root, 0) && notConst(x):
		return x
	}
	return nil
}

func notConst(v ssa.Value) bool {
	if mi, ok := v.(*ssa.MakeInterface); ok {
		v = mi.X
	}
	_, ok := v.(*ssa.Const)
	return !ok
}

// derives reports whether v is computed from root.
func derives(v, root ssa.Value, depth int) bool {
	if v == root {
		return true
	}
	if depth > 8 || lockflow.IsError(v.Type()) {
		return false
	}
	switch v := v.(type) {
	case *ssa.Extract:
		return derives(v.Tuple, root, depth+1)
	case *ssa.Convert:
		return derives(v.X, root, depth+1)
	case *ssa.ChangeType:
		return derives(v.X, root, depth+1)
	case *ssa.MakeInterface:
		return derives(v.X, root, depth+1)
	case *ssa.TypeAssert:
		return derives(v.X, root, depth+1)
	case *ssa.UnOp:
		return derives(v.X, root, depth+1)
	case *ssa.FieldAddr:
		return derives(v.X, root, depth+1)
	case *ssa.Alloc:
		return storedFrom(v, root, depth)
	case *ssa.Call:
		return anyDerives(v.Call.Args, v, root, depth)
	case *ssa.Phi:
		return anyDerives(v.Edges, v, root, depth)
	}
	return false
}

func anyDerives(of []ssa.Value, v, root ssa.Value, depth int) bool {
	for _, x := range of {
		if x != v && derives(x, root, depth+1) {
			return true
		}
	}
	return false
}

func storedFrom(a *ssa.Alloc, root ssa.Value, depth int) bool {
	for _, r := range *a.Referrers() {
		if s, ok := r.(*ssa.Store); ok && s.Addr == a && derives(s.Val, root, depth+1) {
			return true
		}
	}
	return false
}
