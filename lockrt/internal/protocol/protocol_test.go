package protocol

import (
	"fmt"
	"strings"
	"testing"
)

// The scripts spell out what Go has as constants, to be read without it.
func TestScriptsAndConstantsAgree(t *testing.T) {
	for script, parts := range map[string][]string{
		Acquire: {
			fmt.Sprintf("string.sub(holder, 1, %d) ~= '%s'", len(OwnerPrefix), OwnerPrefix),
			fmt.Sprintf("'PEXPIRE', KEYS[3], %d)", QueueKept.Milliseconds()),
		},
		Release: {fmt.Sprintf("'PX', %d)", ReservationMillis)},
		Leave:   {fmt.Sprintf("'PX', %d)", ReservationMillis)},
	} {
		for _, p := range parts {
			if !strings.Contains(script, p) {
				t.Errorf("no %q in\n%s", p, script)
			}
		}
	}
}

func TestOwnersDiffer(t *testing.T) {
	seen := map[string]bool{}
	for i := 0; i < 1000; i++ {
		o, err := NewOwner()
		if err != nil {
			t.Fatal(err)
		}
		if seen[o] || IsForeign(o) || len(o) != len(OwnerPrefix)+24 {
			t.Fatalf("owner value %q", o)
		}
		seen[o] = true
	}
	if !IsForeign("1") || !IsForeign("") {
		t.Error("an older lock's value passes for ours")
	}
}

func TestHashTag(t *testing.T) {
	for key, want := range map[string]string{
		"": "", "a": "", "{a}": "a", "x{a}y{b}": "a", "{}{a}": "", "a}b{c}": "c", "{a": "", "{{a}}": "{a",
	} {
		if got := hashTag(key); got != want {
			t.Errorf("%q: %q, want %q", key, got, want)
		}
	}
}
