package driver

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/leasevet/leasevet/internal/finding"
)

// Change is what fixes make of one file.
type Change struct {
	File          string
	Before, After []byte
	edits         []finding.Edit // in order, not touching each other
}

// SafeFixes applies the first safe fix of each finding. A fix is applied as a whole or not at all: one that would
// touch what another has changed is left for the next time. The result is sorted by file.
func SafeFixes(found []finding.Finding, read func(string) ([]byte, error)) ([]Change, error) {
	taken := map[string][]finding.Edit{}
	for _, f := range found {
		for _, fix := range f.Fixes {
			if fix.Safe {
				take(taken, fix.Edits)
				break
			}
		}
	}
	var changes []Change
	for _, file := range sortedKeys(taken) {
		before, err := read(file)
		if err != nil {
			return nil, err
		}
		ch := Change{File: file, Before: before, edits: taken[file]}
		if err := ch.apply(); err != nil {
			return nil, err
		}
		changes = append(changes, ch)
	}
	return changes, nil
}

// take adds the edits of one fix if none of them touches another. An edit that two fixes share is made once.
func take(taken map[string][]finding.Edit, edits []finding.Edit) {
	var fresh []finding.Edit
	for _, e := range edits {
		if slices.Contains(taken[e.File], e) {
			continue
		}
		if slices.ContainsFunc(taken[e.File], func(t finding.Edit) bool { return e.Start <= t.End && t.Start <= e.End }) {
			return
		}
		fresh = append(fresh, e)
	}
	for _, e := range fresh {
		taken[e.File] = append(taken[e.File], e)
	}
	for _, e := range fresh {
		slices.SortFunc(taken[e.File], func(a, b finding.Edit) int { return cmp.Compare(a.Start, b.Start) })
	}
}

func (ch *Change) apply() error {
	var after []byte
	at := 0
	for _, e := range ch.edits {
		if e.Start < at || e.End < e.Start || e.End > len(ch.Before) {
			return fmt.Errorf("%s: a fix does not fit the file; was it changed meanwhile?", ch.File)
		}
		after = append(append(after, ch.Before[at:e.Start]...), e.NewText...)
		at = e.End
	}
	ch.After = append(after, ch.Before[at:]...)
	return nil
}

// Diff shows the change as a unified diff without context: each hunk is the lines that one edit, or several on the
// same lines, replace.
func (ch *Change) Diff() string {
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s (old)\n+++ %s (new)\n", ch.File, ch.File)
	shift := 0
	for i := 0; i < len(ch.edits); {
		start, end := ch.lines(ch.edits[i])
		j := i + 1
		for ; j < len(ch.edits); j++ {
			s, e := ch.lines(ch.edits[j])
			if s >= end {
				break
			}
			end = e
		}
		shift += ch.hunk(&b, ch.edits[i:j], start, end, shift)
		i = j
	}
	return b.String()
}

// lines is the range of bytes of the whole lines that e touches.
func (ch *Change) lines(e finding.Edit) (start, end int) {
	start = strings.LastIndexByte(string(ch.Before[:e.Start]), '\n') + 1
	end = len(ch.Before)
	if i := strings.IndexByte(string(ch.Before[e.End:]), '\n'); i >= 0 {
		end = e.End + i + 1
	}
	return start, end
}

// hunk prints one hunk and returns by how many lines it makes the file longer.
func (ch *Change) hunk(b *strings.Builder, edits []finding.Edit, start, end, shift int) int {
	part := Change{Before: ch.Before[start:end]}
	for _, e := range edits {
		part.edits = append(part.edits, finding.Edit{Start: e.Start - start, End: e.End - start, NewText: e.NewText})
	}
	if part.apply() != nil {
		return 0 // apply has accepted the same edits before
	}
	line := 1 + strings.Count(string(ch.Before[:start]), "\n")
	before, after := splitLines(part.Before), splitLines(part.After)
	fmt.Fprintf(b, "@@ -%d,%d +%d,%d @@\n", line, len(before), line+shift, len(after))
	for _, l := range before {
		b.WriteString("-" + l)
	}
	for _, l := range after {
		b.WriteString("+" + l)
	}
	return len(after) - len(before)
}

// splitLines splits text after each newline, and adds the last one if it is missing.
func splitLines(text []byte) []string {
	var lines []string
	for line := range strings.Lines(string(text)) {
		lines = append(lines, strings.TrimSuffix(line, "\n")+"\n")
	}
	return lines
}
