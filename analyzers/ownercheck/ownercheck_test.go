package ownercheck_test

import (
	"testing"

	"github.com/leasevet/leasevet/internal/kinds"
	"github.com/leasevet/leasevet/internal/markedtest"
)

// Every kind of the analyzer, on real modules: the founding cases are services with faults and right look-alikes.
func TestMarked(t *testing.T) {
	var mine []string
	for _, k := range kinds.All() {
		if k.Analyzer == "ownercheck" {
			mine = append(mine, k.Name)
		}
	}
	if len(mine) != 7 {
		t.Errorf("ownercheck has the kinds %v, want 7 of them", mine)
	}
	markedtest.Score(t, "../../testdata/founding-a", "oc", mine...)
}
