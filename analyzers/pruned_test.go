package analyzers_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/leasevet/leasevet/analyzers"
	"github.com/leasevet/leasevet/internal/driver"
	"github.com/leasevet/leasevet/internal/link"
	"github.com/leasevet/leasevet/internal/markedtest"
	"github.com/leasevet/leasevet/passes/clientmodel"
)

// Leaving out the packages that cannot have to do with a lock leaves out no finding.
func TestPruningLosesNothing(t *testing.T) {
	for _, dir := range []string{"../testdata/cases/wiring", "../testdata/founding-b", "../testdata/engine", "../examples/shop"} {
		t.Run(dir, func(t *testing.T) {
			pruned := spelled(markedtest.Run(t, dir))
			whole, err := driver.Run(t.Context(), driver.Config{
				Dir: dir, Tests: true, Analyzers: analyzers.All(), Clients: clientmodel.IsClient, Link: link.Plan,
			})
			if err != nil {
				t.Fatal(err)
			}
			all := spelled(whole)
			if len(all) == 0 {
				t.Error("nothing was found: the test proves nothing")
			}
			for _, f := range all {
				if !slices.Contains(pruned, f) {
					t.Errorf("only when everything is read: %s", f)
				}
			}
			for _, f := range pruned {
				if !slices.Contains(all, f) {
					t.Errorf("only when little is read: %s", f)
				}
			}
		})
	}
}

func spelled(res *driver.Result) []string {
	var out []string
	for _, f := range res.Findings {
		out = append(out, fmt.Sprintf("%s:%d:%d %s/%s %s %s %s", f.File, f.Line, f.Column, f.Kind, f.Rule, f.Level, f.Scope, f.Message))
	}
	return out
}
