package rewrite

import (
	"cmp"
	"os"
	"slices"
	"strings"
)

// edit replaces the bytes from..to of a file. It neither removes nor adds an end of line.
type edit struct {
	from, to int
	text     string
}

// apply makes the edits, of which the first of two that overlap wins.
func apply(text string, edits []edit) string {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		if e.from < at {
			continue
		}
		b.WriteString(text[at:e.from])
		b.WriteString(e.text)
		at = e.to
	}
	b.WriteString(text[at:])
	return b.String()
}

// write stores a file, if it has changed.
func (s *source) write(text string) error {
	if text == s.text {
		return nil
	}
	return os.WriteFile(s.path, []byte(text), 0o644)
}
