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

// Services that acquire and wait, each fault beside the right code that looks like it.
func TestAcquiring(t *testing.T) {
	markedtest.Score(t, acquiring, "", acquiringKinds...)
}

// The condition that looks at a result, and the branch that returns an error for it, may as well stand in a function of
// their own, and what the result is called says nothing.
func TestAcquiringOutlined(t *testing.T) {
	if testing.Short() {
		t.Skip("rewrites and analyses a whole module")
	}
	plain := copyAll(t, acquiring)
	before := spots(within(plain, markedtest.Findings(t, plain)))
	if len(before) < 40 {
		t.Errorf("%d findings prove nothing", len(before))
	}
	outlined := copyAll(t, acquiring)
	rewritten(t, rewrite.Outline, outlined)
	renamed := copyAll(t, outlined)
	rewritten(t, rewrite.Rename, renamed)
	for name, dir := range map[string]string{"outlined": outlined, "renamed": renamed} {
		t.Run(name, func(t *testing.T) {
			after := spots(within(dir, markedtest.Findings(t, dir)))
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

// spots are the places of the findings of acquirecheck and lockwait.
func spots(all []finding.Finding) []string {
	var out []string
	for _, f := range all {
		if slices.Contains(acquiringKinds, f.Kind) {
			out = append(out, fmt.Sprintf("%s:%d %s", f.File, f.Line, f.Kind))
		}
	}
	return slices.Compact(out)
}
