package analyzers_test

import (
	"testing"

	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/internal/markedtest"
)

// A wrapper may leave the locking to a helper of another package, or be made by one: whoever goes past it is found all
// the same, in the package that wraps, so that every route reports it.
func TestFarWrapper(t *testing.T) {
	const dir = "../testdata/engine"
	all := markedtest.Findings(t, dir, "./farwrap/...")
	markedtest.ScoreOf(t, dir, "farwrap/", all, "self-call")
	for _, f := range all {
		if f.Kind == "self-call" && f.Scope != finding.Unit {
			t.Errorf("%s:%d has scope %s, want unit", f.File, f.Line, f.Scope)
		}
	}
}
