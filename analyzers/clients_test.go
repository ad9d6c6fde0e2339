package analyzers_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/leasevet/leasevet/internal/markedtest"
)

// The same faults and the same right code through every client library that has rows, each in its own folder.
func TestClients(t *testing.T) {
	dir, err := filepath.Abs("../testdata/clients")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := markedtest.Findings(t, dir)
	for _, e := range entries {
		if e.IsDir() {
			t.Run(e.Name(), func(t *testing.T) { markedtest.ScoreOf(t, dir, e.Name()+"/", all, clientKinds...) })
		}
	}
}

// clientKinds are what the rows of a client decide. What a key is made of is the same whoever stores it.
var clientKinds = []string{
	"ownerless-release", "nonatomic-release", "constant-owner", "ownerless-extend", "owner-overwritten", "broken-release",
	"release-not-acquired", "self-call", "no-ttl", "nonatomic-ttl", "long-ttl", "ttl-unit", "short-ttl",
}
