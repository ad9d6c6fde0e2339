package ownercheck

import (
	"fmt"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// mismatch reports a compare-and-delete that compares with what was certainly never stored.
func mismatch(r *judge.Reporter, l *lockfacts.Lock, e lockfacts.Event) {
	stored, compared := l.Acquire.Owner.Strip(), e.Owner.Strip()
	if l.Acquire.Library || e.Op != clientmodel.CompareAndDelete {
		return
	}
	other := ""
	switch {
	case differ(stored, compared):
		other = "a value that is never stored"
	case keyterm.Equal(e.Owner, e.Key) && !keyterm.Equal(l.Acquire.Owner, e.Key) && definite(stored):
		other = "the key itself"
	default:
		return
	}
	r.Report(judge.Fault{
		Kind: "broken-release", Rule: "other-value", Level: finding.Error, At: e.At, Class: e.Key.Class(), Path: judge.Flow(&e.Effect),
		Message: fmt.Sprintf("the release compares with %s, so that it never deletes the key: every lock stays until its TTL ends; "+
			"pass the value that the acquire stored", other),
		Related: []finding.Related{judge.Related(l.Acquire.At, "stored here")},
	})
}

// differ reports whether two values are certainly different. Random values can only be told apart where both live in one
// function: what came through a closure or a field may be the same one.
func differ(a, b keyterm.Term) bool {
	if !definite(a) || !definite(b) || a.String() == b.String() {
		return false
	}
	all := append(randoms(a), randoms(b)...)
	for _, x := range all {
		if !lockfacts.SameHome(all[0], x) {
			return false
		}
	}
	return true
}

func randoms(t keyterm.Term) []keyterm.Term {
	var out []keyterm.Term
	t.Walk(func(p keyterm.Term) bool {
		if p.Op == keyterm.Fresh {
			out = append(out, p)
		}
		return true
	})
	return out
}

// definite is a constant, a value made at one place, or text that is put together from such.
func definite(t keyterm.Term) bool {
	switch t.Op {
	case keyterm.Const:
		return t.Index == 0
	case keyterm.Fresh:
		return t.Text == keyterm.Random && t.At.IsValid()
	case keyterm.Built, keyterm.Format, keyterm.Concat:
		for _, a := range t.Args {
			if !definite(a) {
				return false
			}
		}
		return len(t.Args) > 0
	}
	return false
}

// swapped reports a compare-and-delete to which key and owner value are handed in each other's place.
func swapped(r *judge.Reporter, events []lockfacts.Event) {
	for _, acq := range events {
		if !acq.Op.Acquires() || acq.Library {
			continue
		}
		for _, e := range events {
			if e.Op != clientmodel.CompareAndDelete || !keyterm.Equal(e.Key, acq.Owner) || !keyterm.Equal(e.Owner, acq.Key) {
				continue
			}
			r.Report(judge.Fault{
				Kind: "broken-release", Rule: "swapped", Level: finding.Error, At: e.At, Class: acq.Key.Class(), Path: judge.Flow(&e.Effect),
				Message: "key and owner value have changed places in this release, so that it never deletes the key: every lock stays " +
					"until its TTL ends; pass the key as KEYS[1] and the owner value as ARGV[1]",
				Related: []finding.Related{judge.Related(acq.At, "stored here")},
			})
		}
	}
}

// faults reports what reading a command alone found wrong. That it compares the wrong way round is a fault only where the
// key is known to be a lock.
func faults(r *judge.Reporter, e lockfacts.Event) {
	for _, f := range e.Faults {
		if f.Rule == "compare-inverted" && !e.Proven {
			continue
		}
		r.Report(judge.Fault{
			Kind: "broken-release", Rule: f.Rule, Level: finding.Error, At: e.At, Class: e.Key.Class(),
			Message: "this command can never release the lock: " + f.Text,
		})
	}
	if kind := misread(e); kind != "" {
		r.Report(judge.Fault{
			Kind: "broken-release", Rule: "reply-type", Level: finding.Error, At: e.At, Class: e.Key.Class(),
			Message: "the script replies with an integer, which the client gives as int64, but it is read as " + kind +
				": the release always looks failed",
		})
	}
}

// misread is the type as which an integer reply of a release is wrongly read, or "".
func misread(e lockfacts.Event) string {
	if e.Op != clientmodel.CompareAndDelete || e.Reply != clientmodel.IntReply || e.Instr.Value() == nil {
		return ""
	}
	for _, ref := range *e.Instr.Value().Referrers() {
		call, ok := ref.(*ssa.Call)
		if !ok || call.Referrers() == nil {
			continue
		}
		if fn := call.Call.StaticCallee(); fn != nil && fn.Name() == "Text" && fn.Signature.Recv() != nil {
			return "text" // the client refuses to make text of a number
		}
		for _, x := range *call.Referrers() {
			if v, ok := x.(*ssa.Extract); ok {
				if t := misused(v); t != "" {
					return t
				}
			}
		}
	}
	return ""
}

// misused is the type that an int64 in an interface is taken for, or compared with, if it is another one. Code that asks
// for int64 as well is prepared for it.
func misused(v ssa.Value) string {
	wrong := ""
	for _, use := range *v.Referrers() {
		switch use := use.(type) {
		case *ssa.TypeAssert:
			t := use.AssertedType.String()
			if t == "int64" {
				return ""
			}
			if neverInt64[t] {
				wrong = t
			}
		case *ssa.BinOp:
			if t := comparedAs(use); t != "" {
				wrong = t
			}
		}
	}
	return wrong
}

// comparedAs is the type of the constant that a value in an interface is compared with, if that can never be equal.
func comparedAs(b *ssa.BinOp) string {
	for _, side := range []ssa.Value{b.X, b.Y} {
		if mi, ok := side.(*ssa.MakeInterface); ok && neverInt64[mi.X.Type().String()] {
			return mi.X.Type().String()
		}
	}
	return ""
}

var neverInt64 = map[string]bool{"string": true, "int": true, "bool": true, "uint64": true, "int32": true, "uint": true, "[]byte": true}
