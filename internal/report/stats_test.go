package report

import (
	"bytes"
	"strconv"
	"testing"
	"time"
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
	var all []Unknown
	for i := range 7 {
		all = append(all, Unknown{"side map", "p" + strconv.Itoa(i), 1 + i%2})
	}
	all = append(all, Unknown{"a library", "q", 1}, Unknown{"function value", "q", 2})
	var b bytes.Buffer
	if err := WriteUnknowns(&b, all); err != nil {
		t.Fatal(err)
	}
	want := `13 calls not seen through
    10  side map
        2 in p1
        2 in p3
        2 in p5
        1 in p0
        1 in p2
        ... and in 2 more packages
     2  function value
        2 in q
     1  a library
        1 in q
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}
