package lockscope

import (
	"golang.org/x/tools/go/analysis"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// Analyzer checks what happens between an acquire and its release.
var Analyzer *analysis.Analyzer = judge.Analyzer("lockscope", doc, check)

// check judges the locks whose acquire and release meet in some function of the package. Sections are known path by path
// (see lockflow): what is reported certainly happens on some path on which the lock is held.
func check(r *judge.Reporter) {
	for i := range r.Res.Locks {
		l := &r.Res.Locks[i]
		leaks(r, l)
		contexts(r, l)
	}
	abandoned(r)
	c := newChecker(r)
	for _, s := range c.sections() {
		c.beforeCommit(&s)
	}
	for _, l := range c.regions() {
		c.goroutines(&l)
	}
	c.lostLeases()
	c.renewals()
	many := r.Res.Collected()
	for i := range many {
		leaks(r, &many[i])
		contexts(r, &many[i])
	}
}

// lease names the TTL of a lock where it is known.
func lease(acq *lockfacts.Event) string {
	if d, ok := judge.Duration(acq.TTL, acq.Unit); ok && d > 0 && acq.Unit != clientmodel.NoUnit {
		return "the lease of " + d.String()
	}
	return "the lease"
}
