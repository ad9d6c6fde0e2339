package analyzers_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/internal/markedtest"
	"github.com/leasevet/leasevet/internal/rewrite"
)

// What the marked modules are called, what their helpers are called, and in which package a helper stands changes no
// finding. A finding moves with its line. Only its scope may change, from unit to program or back, and only where
// something has moved out of its package: what one package knew alone now takes two.
func TestInvariance(t *testing.T) {
	if testing.Short() {
		t.Skip("rewrites and analyses whole modules")
	}
	for _, m := range []struct {
		name string
		of   []string // the analyzers that the module is made for, where the others find things by the way
	}{{"cases/reports", nil}, {"cases/wiring", nil}, {"cases/peers", nil}, {"founding-a", nil}, {"founding-b", nil},
		{"holding", []string{"lockscope", "lockorder"}}} {
		t.Run(m.name, func(t *testing.T) { invariant(t, m.name, m.of) })
	}
}

// An exception is a finding that gets lost where its helper moves, and why that is right or at least known.
type exception struct{ module, folder, kind, why string }

var exceptions = []exception{
	{"cases/reports", "c39-tariff-sync", "key-ignores-entity",
		"a note: whether a string names something is guessed from how often a function uses it, and the one that stays uses it once"},
	{"holding", "hc01-desk", "release-on-request-ctx",
		"a method that reads the context out of its object becomes a function that is given it: then its call is the place"},
	{"cases/reports", "c09-leader-heartbeat", "lost-lease-ignored",
		"the loop moves and is handed the key: a bare EXPIRE of a key that somebody names is no lock's by itself"},
	{"cases/reports", "c39-tariff-sync", "library-misuse",
		"what locks the mutex moves and is handed it: that several goroutines do so is seen in one package only"},
}

// invariant rewrites copies of a module and compares what is found.
func invariant(t *testing.T, module string, of []string) {
	plain := copyAll(t, filepath.Join("../testdata", module))
	before := by(of, within(plain, markedtest.FindingsInCopy(t, plain)))
	if module != "cases/peers" && len(before) < 10 {
		t.Errorf("%d findings prove nothing", len(before))
	}
	for _, v := range variants(t, plain) {
		t.Run(v.name, func(t *testing.T) {
			c := comparison{module: module, lines: v.lines, moves: v.moves, grown: grown(t, plain, v.dir)}
			c.compare(t, before, by(of, within(v.dir, markedtest.FindingsInCopy(t, v.dir))))
		})
	}
}

// A variant is a rewritten copy of a module.
type variant struct {
	name, dir string
	lines     *rewrite.Map
	moves     bool
}

// variants rewrites copies of the module in dir. One that is renamed and moved has the faults of both; they are apart to
// tell which of the two a lost finding is due to.
func variants(t *testing.T, dir string) []variant {
	t.Helper()
	renamed := copyAll(t, dir)
	names := rewritten(t, rewrite.Rename, renamed)
	moved, both := copyAll(t, dir), copyAll(t, renamed)
	return []variant{
		{"renamed", renamed, names, false},
		{"moved", moved, rewritten(t, rewrite.Move, moved), true},
		{"both", both, names.Then(rewritten(t, rewrite.Move, both)), true},
	}
}

// by are the findings of some analyzers, or all.
func by(of []string, all []finding.Finding) []finding.Finding {
	if of == nil {
		return all
	}
	return slices.DeleteFunc(all, func(f finding.Finding) bool { return !slices.Contains(of, f.Analyzer) })
}

func rewritten(t *testing.T, do func(string) (*rewrite.Map, error), dir string) *rewrite.Map {
	t.Helper()
	m, err := do(dir)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// comparison holds what is found after a rewrite against what was found before.
type comparison struct {
	module string
	lines  *rewrite.Map
	moves  bool
	grown  map[string]bool // folders in which there are new files
}

// spot is what of a finding must stay the same.
type spot struct {
	at, kind, rule string
	level          finding.Level
	scope          finding.Scope
	suppressed     bool
}

func (c *comparison) compare(t *testing.T, before, after []finding.Finding) {
	if c.moves && len(c.grown) == 0 {
		t.Error("nothing has moved: the test proves nothing")
	}
	stays := func(file string, line int) (string, int) { return file, line }
	old, now := map[spot]int{}, map[spot]int{}
	for _, f := range before {
		old[c.spot(f, c.lines.Line)]++
	}
	for _, f := range after {
		now[c.spot(f, stays)]++
	}
	used := map[exception]bool{}
	for s, n := range old {
		if n > now[s] && !c.excepted(s, used) {
			t.Errorf("lost: %v", s)
		}
	}
	for s, n := range now {
		if n > old[s] && !replaces(s, used) {
			t.Errorf("new: %v", s)
		}
	}
	c.checkExceptions(t, used)
}

// spot follows a finding to its new place.
func (c *comparison) spot(f finding.Finding, line func(string, int) (string, int)) spot {
	at := func(p finding.Place) string {
		file, n := line(p.File, p.Line)
		return fmt.Sprintf("%s:%d", file, n)
	}
	s := spot{at: at(f.Place), kind: f.Kind, rule: f.Rule, level: f.Level, scope: f.Scope, suppressed: f.Suppressed != nil}
	if !c.moves {
		return s
	}
	if c.grown[folder(f.File)] {
		s.scope = ""
	}
	if f.Kind == "duplicate-prefix" && len(f.Related) > 0 {
		// It stands in the importing package, and a move changes who imports whom. The two spellings stay a pair.
		two := []string{s.at, at(f.Related[0].Place)}
		slices.Sort(two)
		s.at = strings.Join(two, " ")
	}
	return s
}

// excepted reports whether a loss is known.
func (c *comparison) excepted(s spot, used map[exception]bool) bool {
	for _, e := range exceptions {
		if c.moves && e.module == c.module && e.kind == s.kind && strings.HasPrefix(s.at, e.folder+"/") && !used[e] {
			used[e] = true
			return true
		}
	}
	return false
}

// replaces reports whether a finding is one that an exception lost elsewhere in its folder.
func replaces(s spot, used map[exception]bool) bool {
	for e := range used {
		if e.module == "holding" && e.kind == s.kind && strings.HasPrefix(s.at, e.folder+"/") {
			return true
		}
	}
	return false
}

// checkExceptions fails for exceptions that nothing needs any more.
func (c *comparison) checkExceptions(t *testing.T, used map[exception]bool) {
	for _, e := range exceptions {
		if c.moves && e.module == c.module && !used[e] {
			t.Errorf("%s in %s/%s is not lost any more: the exception can go", e.kind, e.module, e.folder)
		}
	}
}

func folder(file string) string {
	name, _, _ := strings.Cut(file, "/")
	return name
}

// within makes files relative to the module.
func within(dir string, all []finding.Finding) []finding.Finding {
	short := func(p *finding.Place) {
		p.File = filepath.ToSlash(strings.TrimPrefix(p.File, dir+string(filepath.Separator)))
	}
	for i := range all {
		short(&all[i].Place)
		for j := range all[i].Related {
			short(&all[i].Related[j].Place)
		}
	}
	slices.SortFunc(all, func(a, b finding.Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return all
}

// grown are the folders of a rewritten module that have files which were not there before.
func grown(t *testing.T, plain, dir string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	old := goFiles(t, plain)
	for f := range goFiles(t, dir) {
		if !old[f] {
			out[folder(f)] = true
		}
	}
	return out
}

func goFiles(t *testing.T, dir string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".go" {
			out[filepath.ToSlash(strings.TrimPrefix(path, dir+string(filepath.Separator)))] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func copyAll(t *testing.T, from string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err == nil {
		err = os.CopyFS(dir, os.DirFS(from))
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
