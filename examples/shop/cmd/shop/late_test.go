package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/leasevet/leasevet/examples/shop/internal/lock"
)

func embedded(t *testing.T) *conns {
	t.Helper()
	rd, err := connect("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(rd.close)
	return rd
}

// The order that matters: A acquires, its lease passes, B acquires, A releases late. B's lock must stand.
func TestLateReleaseLeavesNextOwner(t *testing.T) {
	rd := embedded(t)
	c, err := rd.play(t.Context(), "late", withOwned(lock.NewOwned(rd.locks, rd.lease, time.Hour), "late"))
	if err != nil {
		t.Fatal(err)
	}
	if !c.bStood || c.cIn {
		t.Errorf("B stood %t, C in %t; want B alone: %q", c.bStood, c.cIn, c.steps)
	}
}

func TestLateSpinReleaseRemovesNextOwner(t *testing.T) {
	rd := embedded(t)
	c, err := rd.play(t.Context(), "late", withSpin(lock.NewSpin(rd.locks, rd.lease), "late"))
	if err != nil {
		t.Fatal(err)
	}
	if c.bStood || !c.cIn {
		t.Errorf("B stood %t, C in %t; want B's key gone and C in: %q", c.bStood, c.cIn, c.steps)
	}
}

func TestRenewedLockOutlastsLease(t *testing.T) {
	rd := embedded(t)
	turned, err := rd.outlast(t.Context(), "renewed")
	if err != nil || turned == 0 {
		t.Errorf("turned away %d, err %v", turned, err)
	}
	if taken, err := rd.taken(t.Context(), "renewed"); err != nil || taken {
		t.Errorf("key is still there (%t, %v)", taken, err)
	}
}

func TestShowPutsBothSideBySide(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), &out, "", ""); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"done, B's key is gone", "refused, B's key stands", "C is in beside B", "C is turned away"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("output lacks %q:\n%s", want, out.String())
		}
	}
}
