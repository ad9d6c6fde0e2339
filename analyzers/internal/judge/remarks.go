package judge

import "github.com/leasevet/leasevet/passes/lockfacts"

// Remarks calls f for every remark about an acquire that is part of a lock, as each function sees it that has the
// acquire. A weak remark needs an acquire that meets its release.
func Remarks(r *Reporter, f func(*lockfacts.Event, lockfacts.Remark)) {
	for _, fn := range r.Res.Functions {
		events := r.Res.Events(fn)
		for i := range events {
			e := &events[i]
			for _, m := range e.Remarks {
				if e.Closed || e.Proven && !m.Weak {
					f(e, m)
				}
			}
		}
	}
}

// RemarkCallers counts, for the place of each remark, the functions of the package that get there through a call.
func RemarkCallers(r *Reporter) map[lockfacts.Site]int {
	out := map[lockfacts.Site]int{}
	Remarks(r, func(e *lockfacts.Event, m lockfacts.Remark) {
		if len(e.Path) > 0 && e.Fn.String() != m.At.Function {
			out[m.At]++
		}
	})
	return out
}
