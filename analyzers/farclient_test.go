package analyzers_test

import (
	"testing"

	"github.com/leasevet/leasevet/internal/markedtest"
)

// A package that locks through another package's client imports no client library itself.
func TestFarClient(t *testing.T) {
	const dir = "../testdata/engine"
	markedtest.ScoreOf(t, dir, "farclient/", markedtest.Findings(t, dir, "./farclient/..."), "ownerless-release")
}
