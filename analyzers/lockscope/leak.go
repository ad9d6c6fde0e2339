package lockscope

import (
	"fmt"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// leaks reports the statements that leave a section without a release.
func leaks(r *judge.Reporter, l *lockfacts.Lock) {
	acq := r.Res.Site(l.Acquire.Instr)
	for _, x := range r.Res.Leaves(l) {
		r.Report(judge.Fault{
			Kind: "leak-on-path", Level: finding.Error, At: x.At, Class: l.Acquire.Key.Class(),
			Message: fmt.Sprintf("%s the lock taken at %s still held: nobody else gets it until %s ends; "+
				"release it in a defer right behind the check of the acquire", leaving(x), judge.Brief(acq), lease(&l.Acquire)),
			Related: []finding.Related{judge.Related(acq, "acquired here"), judge.Related(released(r, l), "released here on other paths")},
		})
	}
}

// abandoned reports helpers that take a lock for their callers and then fail without giving it back.
func abandoned(r *judge.Reporter) {
	for _, a := range r.Res.Abandoned() {
		acq := r.Res.Site(a.Acquire.Instr)
		for _, x := range a.Leaves {
			r.Report(judge.Fault{
				Kind: "leak-on-path", Level: finding.Error, At: x.At, Class: a.Acquire.Key.Class(),
				Message: fmt.Sprintf("this return fails although the lock was taken at %s, and with it the only proof of the owner is lost: nobody "+
					"can release it until %s ends; release it before the return", judge.Brief(acq), lease(&a.Acquire)),
				Related: []finding.Related{judge.Related(acq, "acquired here")},
			})
		}
	}
}

// leaving says how a section is left.
func leaving(x lockfacts.Leave) string {
	if x.How == "" {
		return "some branch behind this acquire ends with"
	}
	return "this " + x.How + " leaves with"
}

// released is where the lock's function releases.
func released(r *judge.Reporter, l *lockfacts.Lock) lockfacts.Site {
	return r.Res.Site(l.Releases[0].Instr)
}
