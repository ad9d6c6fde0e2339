package marked

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leasevet/leasevet/internal/finding"
)

// tree writes files and returns their directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func found(file string, line int, kind string) finding.Finding {
	return finding.Finding{Kind: kind, Place: finding.Place{File: file, Line: line}}
}

const twoFaults = `package p

func acquire() {} // EXPECT: no-ttl, constant-owner(arguable)

func a() {
	acquire() // EXPECT: ownerless-release // ALSO-OK: long-ttl
	acquire() // EXPECT: ownerless-release
	acquire()
	acquire() // ALSO-OK: no-ttl
	_ = "// EXPECT: ttl-unit"
}
`

func program(t *testing.T) string {
	return tree(t, map[string]string{
		"one/pkg.go":      twoFaults,
		"two/pkg.go":      "// EXPECT-NONE\n\npackage p\n",
		"two/pkg_test.go": "package p\n",
		"two/notes.txt":   "// EXPECT: no-ttl\n",
	})
}

func TestRead(t *testing.T) {
	got, err := Read(program(t))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, e := range got.Expect {
		line := e.String()
		for _, also := range e.Also {
			line += " or " + also.String()
		}
		if e.Arguable {
			line += " arguable"
		}
		lines = append(lines, line)
	}
	want := `one/pkg.go:3 constant-owner arguable
one/pkg.go:3 no-ttl or one/pkg.go:9
one/pkg.go:6 ownerless-release
one/pkg.go:7 ownerless-release`
	if have := strings.Join(lines, "\n"); have != want {
		t.Errorf("got\n%s\nwant\n%s", have, want)
	}
	if len(got.Clean) != 1 || got.Clean[0] != "two/pkg.go" || got.Files != 3 {
		t.Errorf("clean %v, files %d", got.Clean, got.Files)
	}
	if also := got.Also["long-ttl"]; len(also) != 1 || also[0] != (Spot{"one/pkg.go", 6}) {
		t.Errorf("also long-ttl: %v", also)
	}
}

func TestAlsoServesTheNearest(t *testing.T) {
	dir := tree(t, map[string]string{
		"one/a.go":   "package p\n\nvar a = 1 // EXPECT: no-ttl\n\nvar b = 2 // ALSO-OK: no-ttl\n\n\n\nvar c = 3 // EXPECT: no-ttl\n",
		"one/k/k.go": "package k\n\nvar a = 1 // ALSO-OK: no-ttl\n",
		"two/a.go":   "package p\n\nvar a = 1 // EXPECT: no-ttl\n",
	})
	got, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{1, 0, 0} {
		if n := len(got.Expect[i].Also); n != want {
			t.Errorf("%s: %d other places, want %d", got.Expect[i], n, want)
		}
	}
	// A mark in a file without an expectation of its kind stands in for the only one of its case.
	dir = tree(t, map[string]string{
		"one/a.go":   "package p\n\nvar a = 1 // EXPECT: no-ttl\n",
		"one/k/k.go": "package k\n\nvar a = 1 // ALSO-OK: no-ttl\n",
		"two/a.go":   "package p\n\nvar a = 1 // EXPECT: no-ttl\n",
	})
	r := Score(dir, []finding.Finding{found("one/k/k.go", 3, "no-ttl")}, nil)
	if len(r.Hits) != 1 || len(r.Misses) != 1 || r.Misses[0].File != "two/a.go" || len(r.Extras) != 0 {
		t.Error(r)
	}
}

func TestAlsoServesTheSameFunction(t *testing.T) {
	dir := tree(t, map[string]string{"one/a.go": `package p

func a() {
	_ = 1 // EXPECT: no-ttl



	_ = 2 // ALSO-OK: no-ttl
}

func b() {
	_ = 1 // EXPECT: no-ttl
}
`})
	r := Score(dir, []finding.Finding{found("one/a.go", 8, "no-ttl")}, nil)
	if len(r.Hits) != 1 || r.Hits[0].Line != 4 || len(r.Misses) != 1 || len(r.Extras) != 0 {
		t.Error(r)
	}
}

func TestReadRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"no colon":       "package p\n\nvar a = 1 // EXPECT no-ttl\n",
		"no kind":        "package p\n\nvar a = 1 // EXPECT:\n",
		"empty kind":     "package p\n\nvar a = 1 // EXPECT: no-ttl,\n",
		"bad kind":       "package p\n\nvar a = 1 // EXPECT: No TTL\n",
		"bad also":       "package p\n\nvar a = 1 // ALSO: no-ttl\n",
		"arguable also":  "package p\n\nvar a = 1 // ALSO-OK: no-ttl(arguable)\n",
		"none and some":  "// EXPECT-NONE\npackage p\n\nvar a = 1 // EXPECT: no-ttl\n",
		"none too late":  "package p\n\n// EXPECT-NONE\nvar a = 1\n",
		"does not parse": "package\n",
	} {
		if got, err := Read(tree(t, map[string]string{"one/a.go": text})); err == nil {
			t.Errorf("%s: no error, read %v", name, got.Expect)
		}
	}
	if _, err := Read(t.TempDir()); err == nil {
		t.Error("an empty directory was read")
	}
	if r := Score(t.TempDir(), nil, nil); r.Err == nil || r.Ok() || !strings.Contains(r.String(), "no Go files") {
		t.Error("an empty directory scored well:", r)
	}
}

func TestScore(t *testing.T) {
	dir := program(t)
	abs := filepath.Join(dir, "one", "pkg.go")
	all := []finding.Finding{
		found("one/pkg.go", 2, "no-ttl"), // one line beside
		found("one/pkg.go", 6, "ownerless-release"),
		found(abs, 7, "ownerless-release"),
	}
	reason := "known"
	suppressed := found("two/pkg.go", 3, "no-ttl")
	suppressed.Suppressed = &reason
	for _, c := range []struct {
		name                string
		findings            []finding.Finding
		kinds               []string
		hits, misses, extra int
	}{
		{"all", all, nil, 3, 0, 0},
		{"nothing", nil, nil, 0, 3, 0},
		{"nothing asked for", nil, []string{"ttl-unit"}, 0, 0, 0},
		{"arguable", append(all[:3:3], found("one/pkg.go", 3, "constant-owner")), nil, 4, 0, 0},
		{"other place", []finding.Finding{found("one/pkg.go", 9, "no-ttl"), all[1], all[2]}, nil, 3, 0, 0},
		{"open question", append(all[:3:3], found("one/pkg.go", 6, "long-ttl")), nil, 3, 0, 0},
		{"one finding is not two", all[:2], nil, 2, 1, 0},
		{"other kind", append(all[:3:3], found("one/pkg.go", 6, "short-ttl")), nil, 3, 0, 1},
		{"other kind not asked for", append(all[:3:3], found("one/pkg.go", 6, "short-ttl")), []string{"no-ttl"}, 1, 0, 0},
		{"clean file", append(all[:3:3], found("two/pkg.go", 3, "no-ttl")), nil, 3, 0, 1},
		{"suppressed", append(all[:3:3], suppressed), nil, 3, 0, 0},
		{"two lines beside", append(all[:3:3], found("one/pkg.go", 11, "no-ttl")), nil, 3, 0, 1},
		{"string is no comment", append(all[:3:3], found("one/pkg.go", 10, "ttl-unit")), nil, 3, 0, 1},
	} {
		kinds := map[string]bool{}
		for _, k := range c.kinds {
			kinds[k] = true
		}
		r := Score(dir, c.findings, kinds)
		if r.Err != nil || len(r.Hits) != c.hits || len(r.Misses) != c.misses || len(r.Extras) != c.extra {
			t.Errorf("%s: want hit %d, miss %d, extra %d, got\n%v", c.name, c.hits, c.misses, c.extra, r)
		}
		if r.Ok() != (c.misses+c.extra == 0) {
			t.Errorf("%s: Ok is %v", c.name, r.Ok())
		}
	}
}

func TestReportString(t *testing.T) {
	f := found("two/pkg.go", 3, "ttl-unit")
	f.Message = "30ns"
	got := Score(program(t), []finding.Finding{f, found("one/pkg.go", 6, "ownerless-release")}, nil).String()
	want := `miss  one/pkg.go:3 no-ttl
miss  one/pkg.go:7 ownerless-release
extra two/pkg.go:3 ttl-unit: 30ns
hit 1, miss 2, extra 1`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
