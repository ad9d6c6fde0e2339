package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/internal/kinds"
)

// TestUpToDate is what `make check-generated` does, for those who only run go test.
func TestUpToDate(t *testing.T) {
	var log bytes.Buffer
	if err := run(&log, "../..", "../../docs/kinds", true); err != nil {
		t.Errorf("%v\n%s", err, &log)
	}
}

// TestSections checks that a page carries its own section of doc.go, whole, and nothing of the neighbours.
func TestSections(t *testing.T) {
	root := t.TempDir()
	source := `// Package lockttl is about leases.
//
// Its algorithm is nobody's business on a page.
//
// # no-ttl
//
// # What it does
//
// Looks at the TTL.
//
// # Example
//
//	rdb.SetNX(ctx, key, owner, 0)
//
// # long-ttl
//
// About long ones.
package lockttl
`
	dir := filepath.Join(root, "analyzers", "lockttl")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "doc.go"), []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	pages, err := build(root, kinds.All())
	if err != nil {
		t.Fatal(err)
	}
	got := string(pages["no-ttl.md"])
	for _, want := range []string{
		"analyzers/lockttl/doc.go", "# no-ttl\n", "## What it does\n\nLooks at the TTL.", "\trdb.SetNX(ctx, key, owner, 0)\n",
		"//leasevet:ignore no-ttl reason",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no-ttl.md lacks %q:\n%s", want, got)
		}
	}
	for _, other := range []string{"algorithm", "long ones"} {
		if strings.Contains(got, other) {
			t.Errorf("no-ttl.md has what is not about it: %q", other)
		}
	}
	if !strings.Contains(string(pages["long-ttl.md"]), "About long ones.") {
		t.Error("long-ttl.md lost its section")
	}
}

// TestPagesAndIndex checks that kinds which are looked for have a page and a link, and the others neither.
func TestPagesAndIndex(t *testing.T) {
	pages, err := build(t.TempDir(), []kinds.Kind{
		{Analyzer: "a", Name: "is-done", Level: finding.Error, Text: "x | y", Implemented: true},
		{Analyzer: "a", Name: "is-planned", Level: finding.Note, Text: "z"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) != 2 || pages["is-done.md"] == nil {
		t.Errorf("got %d pages, want the index and is-done.md", len(pages))
	}
	list := string(pages[index])
	for _, row := range []string{`| a | [is-done](is-done.md) | error | x \| y |`, "| a | is-planned | note | z |"} {
		if !strings.Contains(list, row) {
			t.Errorf("the index lacks %q:\n%s", row, list)
		}
	}
}

// TestCheckAndWrite checks that a check sees every way in which a folder can be stale, changes nothing, and that writing
// cures all of them.
func TestCheckAndWrite(t *testing.T) {
	root, dir := t.TempDir(), filepath.Join(t.TempDir(), "kinds")
	must(t, run(new(bytes.Buffer), root, dir, false))
	must(t, run(new(bytes.Buffer), root, dir, true))

	must(t, os.WriteFile(filepath.Join(dir, "no-ttl.md"), []byte("edited"), 0o666))
	must(t, os.WriteFile(filepath.Join(dir, "dropped.md"), nil, 0o666))
	must(t, os.Remove(filepath.Join(dir, index)))
	var log bytes.Buffer
	if err := run(&log, root, dir, true); err == nil {
		t.Error("a stale folder passes the check")
	}
	for _, name := range []string{"no-ttl.md", "dropped.md", index} {
		if !strings.Contains(log.String(), name) {
			t.Errorf("the check does not name %s:\n%s", name, &log)
		}
	}

	must(t, run(new(bytes.Buffer), root, dir, false))
	must(t, run(new(bytes.Buffer), root, dir, true))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
