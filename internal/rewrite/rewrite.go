// Package rewrite changes a Go module without changing what it does: it gives everything another name, or it puts
// helpers into packages of their own. What an analysis finds must not depend on either, and the tests of the
// analyzers use this package to prove it.
//
// Both transformations work in place, so they are for copies. They change text, not trees: a line stays a line, and a
// [Map] says where it went, so that findings before and after can be compared.
package rewrite

import "maps"

// place is a line of a file; the file is relative to the module's directory, with forward slashes.
type place struct {
	file string
	line int
}

// Map says where the lines of a module went.
type Map struct {
	lines map[place]place
	// changed are the files whose lines are all listed; lines of other files stay where they are.
	changed map[string]bool
}

func newMap() *Map { return &Map{lines: map[place]place{}, changed: map[string]bool{}} }

// Line is the new place of a line. A line that is gone, such as one of an import, has the new line 0.
func (m *Map) Line(file string, line int) (string, int) {
	if to, ok := m.lines[place{file, line}]; ok {
		return to.file, to.line
	}
	if m.changed[file] {
		return file, 0
	}
	return file, line
}

// Then is the map of a transformation that was followed by another one.
func (m *Map) Then(next *Map) *Map {
	out := newMap()
	maps.Copy(out.changed, m.changed)
	maps.Copy(out.changed, next.changed)
	for from, to := range next.lines {
		out.lines[from] = to
	}
	for file := range m.changed {
		out.forget(file)
	}
	for from, to := range m.lines {
		if file, line := next.Line(to.file, to.line); line > 0 {
			out.lines[from] = place{file, line}
		}
	}
	return out
}

// forget drops what is known of a file.
func (m *Map) forget(file string) {
	maps.DeleteFunc(m.lines, func(from, _ place) bool { return from.file == file })
}
