package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if text := os.Getenv(workerEnv); text != "" {
		if err := workerMain(text); err != nil {
			fmt.Fprintln(os.Stderr, "worker:", err)
			os.Exit(2)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// TestFaults is what every run of the tests does; make faults does more.
func TestFaults(t *testing.T) {
	results, err := many(1, 30, 6, func(r result) {
		t.Logf("seed %d: %d acquired, %d lost, %d stale; %v", r.Seed, r.Acquired, r.Lost, r.StaleWrites, r.Faults)
		for _, v := range r.violations() {
			t.Errorf("seed %d (go run . -seed %d): %s", r.Seed, r.Seed, v)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	kept, lost := sum(results, func(r result) bool { return !r.Lossy }), sum(results, func(r result) bool { return r.Lossy })
	if kept.acquired < 200 || kept.lost == 0 || lost.runs == 0 {
		t.Errorf("the runs did not do enough: %+v %+v", kept, lost)
	}
	page := render(results, time.Second)
	if !strings.Contains(page, "Violations: **0**") || !strings.Contains(page, "seeds 1 to 30") {
		t.Errorf("the page:\n%s", page)
	}
}

// A checker that finds nothing in a wrong history would make all of this worthless.
func TestCheckersNotice(t *testing.T) {
	ms := func(n int64) int64 { return n * int64(time.Millisecond) }
	at := func(proc, lease int, kind string, t, fence int64, text string) stamped {
		return stamped{event{Kind: kind, At: ms(t), Lease: lease, Key: 1, Fence: fence, Text: text}, proc}
	}
	for name, c := range map[string]struct {
		events []stamped
		found  func(verdict) bool
	}{
		"fine": {[]stamped{
			at(1, 1, "acquired", 0, 5, ""), at(1, 1, "alive", 10, 0, ""), at(1, 1, "ended", 11, 0, ""),
			at(2, 1, "acquired", 12, 6, ""), at(2, 1, "alive", 20, 0, ""),
			at(1, 2, "write", 1, 5, "a"), at(1, 2, "wrote", 2, 0, "ok"),
			at(2, 2, "write", 13, 6, "b"), at(2, 2, "wrote", 14, 0, "ok"),
			at(1, 3, "write", 15, 5, "late"), at(1, 3, "wrote", 16, 0, "stale"),
			at(1, 4, "read", 17, 0, ""), at(1, 4, "got", 18, 0, "b"),
			at(1, 5, "write", 19, 7, "nobody saw the end"), at(1, 6, "read", 30, 0, ""),
		}, func(v verdict) bool {
			return len(v.Overlaps)+len(v.Fences)+len(v.ForeignDeletes) == 0 && v.Register == "" && v.StaleWrites == 1
		}},
		"overlap": {[]stamped{
			at(1, 1, "acquired", 0, 5, ""), at(2, 1, "acquired", 5, 6, ""), at(1, 1, "alive", 10, 0, ""), at(2, 1, "alive", 11, 0, ""),
		}, func(v verdict) bool { return len(v.Overlaps) == 1 }},
		"overlap with one before": {[]stamped{
			at(1, 1, "acquired", 0, 5, ""), at(1, 1, "alive", 50, 0, ""),
			at(2, 1, "acquired", 10, 6, ""), at(2, 1, "alive", 20, 0, ""),
			at(3, 1, "acquired", 30, 7, ""), at(3, 1, "alive", 40, 0, ""),
		}, func(v verdict) bool { return len(v.Overlaps) == 2 }},
		"same fence": {[]stamped{
			at(1, 1, "acquired", 0, 5, ""), at(2, 1, "acquired", 5, 5, ""),
		}, func(v verdict) bool { return len(v.Fences) == 1 }},
		"foreign delete": {[]stamped{
			at(1, 1, "acquired", 0, 5, ""), at(1, 1, "alive", 10, 0, ""), at(1, 1, "ended", 12, 0, "the key is gone"),
		}, func(v verdict) bool { return len(v.ForeignDeletes) == 1 }},
		"stopped, then gone": {[]stamped{
			at(1, 1, "acquired", 0, 5, ""), at(1, 1, "alive", 10, 0, ""), at(1, 1, "ended", 2000, 0, "the key is gone"),
		}, func(v verdict) bool { return len(v.ForeignDeletes) == 0 && v.Lost == 1 }},
		"stale write accepted": {[]stamped{
			at(2, 1, "write", 0, 6, "b"), at(2, 1, "wrote", 1, 0, "ok"),
			at(1, 1, "write", 2, 5, "a"), at(1, 1, "wrote", 3, 0, "ok"),
		}, func(v verdict) bool { return v.Register != "" }},
		"stale value read": {[]stamped{
			at(1, 1, "write", 0, 5, "a"), at(1, 1, "wrote", 1, 0, "ok"),
			at(2, 1, "write", 2, 6, "b"), at(2, 1, "wrote", 3, 0, "ok"),
			at(3, 1, "read", 4, 0, ""), at(3, 1, "got", 5, 0, "a"),
		}, func(v verdict) bool { return v.Register != "" }},
	} {
		h := history{lease: time.Second, events: c.events}
		if v := h.judge(); !c.found(v) {
			t.Errorf("%s: %+v", name, v)
		}
	}
	if r := (result{verdict: verdict{Overlaps: []string{"x"}}}); len(r.violations()) != 1 {
		t.Error("an overlap is no violation")
	}
	if r := (result{Lossy: true, verdict: verdict{Overlaps: []string{"x"}, Fences: []string{"y"}}}); len(r.violations()) != 1 {
		t.Error("violations of a lossy run")
	}
}
