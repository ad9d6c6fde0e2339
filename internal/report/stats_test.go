package report

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"github.com/leasevet/leasevet/internal/finding"
)

func TestWriteStats(t *testing.T) {
	var b bytes.Buffer
	err := WriteStats(&b, Coverage{Packages: 9, Analysed: 8, Irrelevant: 5, Unknowns: 1, Partial: []Problem{{"p", "line one\nline two"}}},
		Stats{
			Phases:     []Phase{{"list", 812345 * time.Microsecond}, {"analysis", 1234567 * time.Nanosecond}},
			Counts:     []Count{{"units", 4}},
			Total:      2 * time.Second,
			PeakMemory: 100 << 20,
		})
	if err != nil {
		t.Fatal(err)
	}
	want := `packages    9 (3 analysed, 5 irrelevant, 1 only in part, 0 failed)
unknowns    1 call
units       4
time        2s (list 810ms, analysis 1.2ms)
peak memory 100 MiB
only in part p: line one line two
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

func TestWriteUnknowns(t *testing.T) {
	dir := t.TempDir()
	var all []Unknown
	for line := 7; line > 0; line-- {
		all = append(all, Unknown{"side map", finding.Place{File: filepath.Join(dir, "a", "b.go"), Line: line, Column: 2}})
	}
	all = append(all, Unknown{Reason: "a library"}, Unknown{Reason: "function value"}, Unknown{Reason: "function value"})
	var b bytes.Buffer
	if err := WriteUnknowns(&b, dir, all); err != nil {
		t.Fatal(err)
	}
	want := `10 calls not seen through
     7  side map
        a/b.go:1:2
        a/b.go:2:2
        a/b.go:3:2
        a/b.go:4:2
        a/b.go:5:2
        ... and 2 more
     2  function value
     1  a library
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}
