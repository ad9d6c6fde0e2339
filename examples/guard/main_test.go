package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The example does what its page says: A's write is refused, and B's stands.
func TestGuard(t *testing.T) {
	dir := t.TempDir()
	build := exec.Command("go", "build", "-o", dir+"/guard", ".")
	build.Env = append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := exec.Command(dir + "/guard").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	t.Logf("%s", text)
	rest := string(text)
	for _, want := range []string{
		"[A]  holds the lock", "[A]  reads the balance: 100", "(A is stopped",
		"[B]  holds the lock", "[B]  writes 130", ": ok", "(A continues",
		"[A]  looks at its context: lockrt: lease lost", "[A]  writes 150", "REFUSED: fence: stale owner",
		"[A]  releases: REFUSED: lockrt: not the owner", "[B]  releases: ok", "the balance is 130",
	} {
		_, after, ok := strings.Cut(rest, want)
		if !ok {
			t.Fatalf("no %q in what follows", want)
		}
		rest = after
	}
}
