package selfcall_test

import (
	"testing"

	"github.com/leasevet/leasevet/internal/markedtest"
)

func TestMarked(t *testing.T) {
	markedtest.Score(t, "../../testdata/founding-b", "sc", "self-call")
}
