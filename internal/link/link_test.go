package link_test

import (
	"testing"

	"github.com/leasevet/leasevet/analyzers"
	"github.com/leasevet/leasevet/internal/driver"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/internal/markedtest"
	"github.com/leasevet/leasevet/passes/clientmodel"
)

const engine = "../../testdata/engine"

// An interface that its consumer declares, with one Redis implementation that a third package wires: the consumer's
// package reaches neither. The link tells it, and the finding says so.
func TestConsumerInterface(t *testing.T) {
	all := markedtest.Findings(t, engine, "./farlock/...")
	markedtest.ScoreOf(t, engine, "farlock/", all, "long-ttl", "constant-owner", "ownerless-release")
	for _, f := range all {
		if f.Scope != finding.Program {
			t.Errorf("%s:%d %s has scope %s, want program", f.File, f.Line, f.Kind, f.Scope)
		}
		if len(f.Path) < 2 {
			t.Errorf("%s:%d %s shows no call path", f.File, f.Line, f.Kind)
		}
	}
	if without := unlinked(t, engine, "./farlock/..."); len(without) != 0 {
		t.Errorf("found without the link: %v", without)
	}
}

// A decorator that locks over a package that knows no Redis: the bypass inside that package is found on demand.
func TestSecondWave(t *testing.T) {
	const dir, pattern = "../../testdata/founding-b", "./sc03-parcel-labels/..."
	all := markedtest.Findings(t, dir, pattern)
	if len(all) != 1 || all[0].Kind != "self-call" || all[0].Scope != finding.Program {
		t.Errorf("got %v, want one self-call of program scope", all)
	}
	if without := unlinked(t, dir, pattern); len(without) != 0 {
		t.Errorf("found without the link: %v", without)
	}
}

// Keys that recursion builds end, widened, and make no finding.
func TestRecursion(t *testing.T) {
	if all := markedtest.Findings(t, engine, "./recursive/..."); len(all) != 0 {
		t.Errorf("got %v, want nothing", all)
	}
}

// unlinked is what one unit after the other finds, as go vet and golangci-lint run them.
func unlinked(t *testing.T, dir, pattern string) []finding.Finding {
	t.Helper()
	res, err := driver.Run(t.Context(), driver.Config{
		Dir: dir, Patterns: []string{pattern}, Analyzers: analyzers.All(), Clients: clientmodel.IsClient,
	})
	if err != nil {
		t.Fatal(err)
	}
	return res.Findings
}
