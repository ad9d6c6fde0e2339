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

// owner judges the value that an acquire stores: can it tell two holders apart?
func owner(r *judge.Reporter, l *lockfacts.Lock) {
	acq := l.Acquire
	if acq.Library {
		return
	}
	what, text := shared(r.Res.Resolve(acq.Owner))
	if what == "" {
		return
	}
	level := finding.Error
	if what != "constant" && !compared(l) {
		level = finding.Note // nothing relies on it yet
	}
	r.Report(judge.Fault{
		Kind: "constant-owner", Level: level, At: acq.At, Class: acq.Key.Class(), Path: flow(acq),
		Message: fmt.Sprintf("the owner value %s is the same for every holder, so no release can tell whose lock it is; use a fresh "+
			"random value for each acquisition, not the host, the process or the clock", text),
		Related: releasesOf(l),
	})
}

func releasesOf(l *lockfacts.Lock) []finding.Related {
	if len(l.Releases) == 0 {
		return nil
	}
	return []finding.Related{judge.Related(l.Releases[0].At, "released here")}
}

// compared reports whether some release or extend compares the owner value.
func compared(l *lockfacts.Lock) bool {
	for _, e := range append(append([]lockfacts.Event(nil), l.Releases...), l.Extends...) {
		if e.Guard == clientmodel.Atomic || e.Guard == clientmodel.NotAtomic {
			return true
		}
	}
	return false
}

// shared classifies a value that several holders share: "constant", "process" or "clock", and says how to name it. A
// value that has a random or an unknown part is none.
func shared(t keyterm.Term) (what, text string) {
	switch t.Op {
	case keyterm.Built, keyterm.Format:
		return shared(t.Args[0])
	case keyterm.Const:
		if t.Index == 1 {
			return "", ""
		}
		return "constant", fmt.Sprintf("%q", t.Text)
	case keyterm.Fresh:
		return sharedSource(t)
	case keyterm.Set, keyterm.Concat:
		return sharedParts(t)
	}
	return "", ""
}

func sharedSource(t keyterm.Term) (what, text string) {
	name := ""
	if len(t.Names) > 0 {
		name = "of " + t.Names[0]
	}
	switch t.Text {
	case keyterm.Process:
		return "process", name
	case keyterm.Clock:
		return "clock", name
	}
	return "", ""
}

// sharedParts: a set or a concatenation is shared if all of its members are.
func sharedParts(t keyterm.Term) (what, text string) {
	for _, a := range t.Args {
		w, s := shared(a)
		if w == "" {
			return "", ""
		}
		if what == "" || what == "constant" {
			what, text = w, s
		}
	}
	return what, text
}

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
		Kind: "broken-release", Rule: "other-value", Level: finding.Error, At: e.At, Class: e.Key.Class(), Path: flow(e),
		Message: fmt.Sprintf("the release compares with %s, so that it never deletes the key: every lock stays until its TTL ends; "+
			"pass the value that the acquire stored", other),
		Related: []finding.Related{judge.Related(l.Acquire.At, "stored here")},
	})
}

// differ reports whether two values are certainly different.
func differ(a, b keyterm.Term) bool {
	if !definite(a) || !definite(b) {
		return false
	}
	return a.String() != b.String()
}

// definite is a constant or a value made at one place.
func definite(t keyterm.Term) bool {
	return t.Op == keyterm.Const && t.Index == 0 || t.Op == keyterm.Fresh && t.Text == keyterm.Random && t.At.IsValid()
}

// faults reports what reading a script found wrong.
func faults(r *judge.Reporter, e lockfacts.Event) {
	for _, f := range e.Faults {
		r.Report(judge.Fault{
			Kind: "broken-release", Rule: f.Rule, Level: finding.Error, At: e.At, Class: e.Key.Class(),
			Message: "this script can never release the lock: " + f.Text,
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
		for _, x := range *call.Referrers() {
			v, ok := x.(*ssa.Extract)
			if !ok {
				continue
			}
			for _, use := range *v.Referrers() {
				if a, ok := use.(*ssa.TypeAssert); ok {
					if t := a.AssertedType.String(); t == "string" || t == "int" || t == "bool" || t == "uint64" || t == "int32" {
						return t
					}
				}
			}
		}
	}
	return ""
}
