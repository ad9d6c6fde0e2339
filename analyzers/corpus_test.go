package analyzers_test

import (
	"testing"

	"github.com/leasevet/leasevet/internal/kinds"
	"github.com/leasevet/leasevet/internal/markedtest"
)

// The corpus cases: shapes that public repositories have and that were once misread, each with the fault beside it that
// has to be found all the same. docs/corpus.md tells what was found in the repositories themselves.
func TestCorpusCases(t *testing.T) {
	var all []string
	for _, k := range kinds.All() {
		if k.Implemented {
			all = append(all, k.Name)
		}
	}
	markedtest.Score(t, "../testdata/corpus-cases", "cc", all...)
}
