package acquirecheck

import (
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// Analyzer checks what becomes of the result of an acquire.
var Analyzer *analysis.Analyzer = judge.Analyzer("acquirecheck", doc, check)

// check reports what lockfacts remarked about acquires that are part of a lock. A helper's remark is worth nothing by
// itself: set-if-absent is a mark, a throttle or a lock. It is reported as soon as one caller makes a lock of it, once.
func check(r *judge.Reporter) {
	callers := judge.RemarkCallers(r)
	judge.Remarks(r, func(e *lockfacts.Event, m lockfacts.Remark) {
		if k, ok := remarkKinds[m.Kind]; ok {
			report(r, e, m, k, callers[m.At])
		}
	})
}

// kind is what a remark is reported as.
type kind struct {
	name  string
	level finding.Level
	text  func(lockfacts.Remark) string
}

var remarkKinds = map[lockfacts.RemarkKind]kind{
	lockfacts.Ignored:          {"acquire-ignored", finding.Error, ignored},
	lockfacts.Conflated:        {"error-conflated", finding.Warning, conflated},
	lockfacts.WorkConflated:    {"work-error-conflated", finding.Warning, workConflated},
	lockfacts.SkippedAsSuccess: {"skipped-as-success", finding.Note, skipped},
	lockfacts.FailOpen:         {"fail-open", finding.Warning, failOpen},
}

func report(r *judge.Reporter, e *lockfacts.Event, m lockfacts.Remark, k kind, callers int) {
	f := judge.Fault{Kind: k.name, Level: k.level, At: m.At, Class: e.Key.Class(), Message: k.text(m)}
	if m.Note {
		f.Level = finding.Note
	}
	if callers > 1 {
		f.Message += fmt.Sprintf("; %d calls in this package go through here", callers)
	}
	if m.At != e.At {
		f.Related = []finding.Related{judge.Related(e.At, "acquired here")}
	}
	if len(e.Path) > 0 && m.At.Package != r.Pass.Pkg.Path() {
		f.Path = judge.Flow(&e.Effect)
	}
	r.Report(f)
}

func ignored(m lockfacts.Remark) string {
	s := "what this says is not acted on: when another flow holds the lock, the work runs all the same and both change the same thing"
	if m.Note {
		return s + "; it looks meant: make sure that the work is safe to run twice"
	}
	return s + "; stop, or wait, unless it says that the lock is held"
}

func conflated(m lockfacts.Remark) string {
	if m.Detail == lockfacts.FaceEnded {
		return "the end of the caller's context is answered here like a lock that stays taken: callers who are told to stop take it for " +
			"contention, and try again or skip; return the context's error"
	}
	s := "an error of Redis ends here like \"somebody else holds the lock\""
	if m.Detail == "nil" {
		s += ", and both as nil"
	} else if m.Detail != "" {
		s += fmt.Sprintf(", both as %s", m.Detail)
	}
	if m.Note {
		return s + ": what is to be done is another thing in each case; the log tells them apart, and the program does not"
	}
	return s + ": during an outage every replica believes that another one works, and nobody is told; treat the error apart"
}

func workConflated(m lockfacts.Remark) string {
	s := "callers cannot tell work that failed from work that never ran because the lock was taken"
	if m.Detail != "" {
		s += fmt.Sprintf(": both are %s", m.Detail)
	}
	return s + "; return a sentinel of its own for a lock that was taken, and wrap the work's error with %w"
}

func skipped(lockfacts.Remark) string {
	return "when the lock is taken this returns what success returns: whoever called believes that the work was done; right in a batch, " +
		"wrong where somebody waits for the answer: return a sentinel"
}

func failOpen(m lockfacts.Remark) string {
	s := "when Redis fails the section runs without the lock, on every replica at once"
	if m.Note {
		return s + "; it looks meant: make sure that the work is safe to run twice"
	}
	return s + ", and nothing says that this is meant; return the error, or say above it that the work is safe to run twice"
}
