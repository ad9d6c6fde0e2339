package analyzers_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/internal/kinds"
	"github.com/leasevet/leasevet/internal/markedtest"
)

// The marked cases: small services after public bug reports, wiring faults, and right code that other linters flagged.
func TestCases(t *testing.T) {
	for _, part := range []string{"reports", "wiring", "peers"} {
		t.Run(part, func(t *testing.T) { scoreCases(t, filepath.Join("../testdata/cases", part)) })
	}
}

// scoreCases holds all findings of implemented kinds against expect.tsv and neutral.tsv, with one line of slack.
func scoreCases(t *testing.T, dir string) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	expected, neutral := table(t, dir+"/expect.tsv"), table(t, dir+"/neutral.tsv")
	clean := map[string]bool{}
	for _, e := range expected {
		clean[e["case"]] = clean[e["case"]] || e["kind"] == "none"
	}
	used := map[int]bool{}
	all := markedtest.Findings(t, dir)
	for i := range all {
		all[i].File = filepath.ToSlash(strings.TrimPrefix(all[i].File, abs+string(filepath.Separator)))
	}
	for _, e := range expected {
		if e["kind"] == "none" || !implemented(e["kind"]) {
			continue
		}
		if !meet(all, e, used) && e["certainty"] == "certain" {
			t.Errorf("missed: %s:%s %s", e["file"], e["line"], e["kind"])
		}
	}
	for i, f := range all {
		if f.Suppressed == nil && !used[i] && !isNeutral(f, neutral, clean) {
			t.Errorf("not expected: %s:%d %s: %s", f.File, f.Line, f.Kind, f.Message)
		}
	}
}

func implemented(kind string) bool {
	k, ok := kinds.Find(kind)
	return ok && k.Implemented
}

// meet marks the findings that an expectation covers.
func meet(all []finding.Finding, e map[string]string, used map[int]bool) (met bool) {
	spots := append([]string{e["file"] + ":" + e["line"]}, strings.Fields(e["also_ok_lines"])...)
	for i, f := range all {
		for _, s := range spots {
			file, line, _ := strings.Cut(s, ":")
			if n, err := strconv.Atoi(line); err == nil && f.Kind == e["kind"] && f.File == file && near(f.Line, n) && f.Suppressed == nil {
				used[i], met = true, true
			}
		}
	}
	return met
}

func near(a, b int) bool { return a-b <= 1 && b-a <= 1 }

// isNeutral reports whether a finding counts neither for nor against.
func isNeutral(f finding.Finding, neutral []map[string]string, clean map[string]bool) bool {
	c, _, _ := strings.Cut(f.File, "/")
	for _, n := range neutral {
		switch {
		case n["kind"] != f.Kind:
		case n["case"] == "*", n["case"] == "*positive" && !clean[c]:
			return true
		case n["case"] == c:
			for _, part := range strings.Split(n["lines"], ",") {
				var lo, hi int
				if k, _ := fmt.Sscanf(part, "%d-%d", &lo, &hi); k == 1 {
					hi = lo
				} else if k == 0 {
					return true // "any", or words
				}
				if lo-1 <= f.Line && f.Line <= hi+1 {
					return true
				}
			}
		}
	}
	return false
}

func table(t *testing.T, path string) []map[string]string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = '\t', true, -1
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]string
	for _, row := range rows[1:] {
		m := map[string]string{}
		for i, name := range rows[0] {
			if i < len(row) {
				m[name] = row[i]
			}
		}
		out = append(out, m)
	}
	return out
}
