package ownercheck

import (
	"fmt"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// owner judges the value that an acquire stores: can it tell two holders apart?
func owner(r *judge.Reporter, l *lockfacts.Lock) {
	acq := l.Acquire
	what, text := shared(r.Res.Resolve(acq.Owner))
	if what == "" {
		return
	}
	level := finding.Error
	if what != "constant" && !compared(l) {
		level = finding.Note // nothing relies on it yet
	}
	r.Report(judge.Fault{
		Kind: "constant-owner", Level: level, At: acq.At, Class: acq.Key.Class(), Path: judge.Flow(&acq.Effect),
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
