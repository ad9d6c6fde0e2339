package main

import (
	"bytes"
	"path/filepath"
	"testing"
)

// The same input gives the same bytes: ten runs, on one processor and on two.
func TestSameBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	exe := buildCommand(t)
	dir, err := filepath.Abs("../../testdata/founding-b")
	if err != nil {
		t.Fatal(err)
	}
	var first []byte
	for n := range 10 {
		t.Setenv("GOMAXPROCS", []string{"1", "2"}[n%2])
		out := runIn(t, dir, exe, "-json", "-level=note", "./sc03-parcel-labels/...", "./sc04-refund-cases/...",
			"./sc08-dunning-letters/...", "./lk11-league-rounds/...", "./lk15-depot-lookup/...")
		if n == 0 {
			first = out
			if !bytes.Contains(out, []byte(`"self-call"`)) {
				t.Fatal("nothing was found: the test proves nothing")
			}
		} else if !bytes.Equal(out, first) {
			t.Fatalf("run %d differs from the first", n)
		}
	}
}
