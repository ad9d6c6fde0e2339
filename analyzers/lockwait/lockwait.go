package lockwait

import (
	"golang.org/x/tools/go/analysis"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// Analyzer checks how a lock is waited for.
var Analyzer *analysis.Analyzer = judge.Analyzer("lockwait", doc, check)

// check reports what lockfacts remarked about loops around acquires that are part of a lock.
func check(r *judge.Reporter) {
	judge.Remarks(r, func(e *lockfacts.Event, m lockfacts.Remark) {
		f := judge.Fault{At: m.At, Class: e.Key.Class(), Level: finding.Warning}
		switch m.Kind {
		case lockfacts.Polling:
			f.Kind, f.Message = "polling-wait", polling(m)
		case lockfacts.Unbounded:
			f.Kind, f.Message = "unbounded-wait", unbounded(m)
		default:
			return
		}
		if m.Note {
			f.Level = finding.Note
		}
		if m.At != e.At {
			f.Related = []finding.Related{judge.Related(e.At, "acquired here")}
		}
		if len(e.Path) > 0 && m.At.Package != r.Pass.Pkg.Path() {
			f.Path = judge.Flow(&e.Effect)
		}
		r.Report(f)
	})
}

func polling(m lockfacts.Remark) string {
	s := "the lock is tried again and again at a fixed pause: all waiters ask Redis in step, and the more, the longer one of them works; " +
		"let the pause grow, and add a random part"
	if m.Note {
		return s + " (the tries are limited, so that this is a matter of load alone)"
	}
	return s + ", and limit the wait"
}

func unbounded(m lockfacts.Remark) string {
	switch m.Detail {
	case "library":
		return "this waits until the lock is free, on a context that nothing ends: if the holder hangs, this flow hangs with it, and no " +
			"shutdown stops it; hand in a context with a deadline or a stop signal"
	case "request":
		return "this waits for the lock with no limit and no context, in a function that answers a request: if the holder hangs, requests " +
			"pile up until nothing answers; end the wait with the request's context and a limit"
	}
	return "this waits for the lock with no limit and no context: if the holder hangs, this flow hangs with it, and no shutdown stops it; " +
		"wait on a context, at most for so long"
}
