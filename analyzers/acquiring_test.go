package analyzers_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/internal/markedtest"
	"github.com/leasevet/leasevet/internal/rewrite"
)

const acquiring = "../testdata/acquiring"

// acquiringKinds are those of acquirecheck and lockwait.
var acquiringKinds = []string{
	"acquire-ignored", "error-conflated", "work-error-conflated", "skipped-as-success", "fail-open", "polling-wait", "unbounded-wait",
}

// Services that acquire and wait, each fault beside the right code that looks like it. Work that many functions do under a
// lock is no self-call.
func TestAcquiring(t *testing.T) {
	markedtest.Score(t, acquiring, "", append(slices.Clone(acquiringKinds), "self-call")...)
}

// The condition that looks at a result, and the branch that returns an error for it, may as well stand in a function of
// their own, helpers may stand in another package, and what the result is called says nothing.
func TestAcquiringOutlined(t *testing.T) {
	if testing.Short() {
		t.Skip("rewrites and analyses a whole module")
	}
	plain := copyAll(t, acquiring)
	found := within(plain, markedtest.FindingsInCopy(t, plain))
	stays := func(file string, line int) (string, int) { return file, line }
	if n := len(spots(found, stays)); n < 40 {
		t.Errorf("%d findings prove nothing", n)
	}
	outlined, moved := copyAll(t, acquiring), copyAll(t, acquiring)
	rewritten(t, rewrite.Outline, outlined)
	renamed := copyAll(t, outlined)
	rewritten(t, rewrite.Rename, renamed)
	for _, v := range []struct {
		name, dir string
		line      func(string, int) (string, int)
	}{
		{"outlined", outlined, stays},
		{"renamed", renamed, stays},
		{"moved", moved, rewritten(t, rewrite.Move, moved).Line},
	} {
		t.Run(v.name, func(t *testing.T) {
			before := spots(found, v.line)
			after := spots(within(v.dir, markedtest.FindingsInCopy(t, v.dir)), stays)
			for _, s := range before {
				if !slices.Contains(after, s) {
					t.Errorf("lost: %s", s)
				}
			}
			for _, s := range after {
				if !slices.Contains(before, s) {
					t.Errorf("new: %s", s)
				}
			}
		})
	}
}

// spots are the places of the findings of acquirecheck and lockwait, where line puts them.
func spots(all []finding.Finding, line func(string, int) (string, int)) []string {
	var out []string
	for _, f := range all {
		if slices.Contains(acquiringKinds, f.Kind) {
			file, n := line(f.File, f.Line)
			out = append(out, fmt.Sprintf("%s:%d %s", file, n, f.Kind))
		}
	}
	return slices.Compact(out)
}
