// Package marked reads what test programs say about themselves and holds findings against it.
//
// A mark is a comment at the end of the line that it speaks of:
//
//	// EXPECT: kind, kind        a finding of each kind stands here
//	// EXPECT: kind(arguable)    a finding may stand here; its absence is no miss
//	// ALSO-OK: kind             a finding here is right too: in place of the expectation of the same kind in the same
//	                             function, file or case, or, without one, because the question is open
//	// EXPECT-NONE               on the first line of a file: nothing is to be found in it
//
// Two marks share a line as "// EXPECT: a // ALSO-OK: b". Everything that is not marked is a false report.
package marked

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Spot is a line of a file, the file relative to the directory that was read, with forward slashes.
type Spot struct {
	File string
	Line int
}

// String is the spot as editors understand it.
func (s Spot) String() string { return fmt.Sprintf("%s:%d", s.File, s.Line) }

// Case is the first folder of the spot's path, or "" for a file at the top.
func (s Spot) Case() string {
	first, _, nested := strings.Cut(s.File, "/")
	if !nested {
		return ""
	}
	return first
}

// Expectation is one fault that a test program is known to have.
type Expectation struct {
	Spot
	Kind string
	// Arguable: finding it is right, missing it is no fault.
	Arguable bool
	// Also are other places where the same fault may be reported.
	Also []Spot

	decl int
}

// String names the expectation for people.
func (e Expectation) String() string { return e.Spot.String() + " " + e.Kind }

// Expectations is all that the files below one directory say about themselves.
type Expectations struct {
	// Expect is sorted by file, line and kind.
	Expect []Expectation
	// Also are all ALSO-OK marks by kind, those without an expectation included.
	Also map[string][]Spot
	// Clean are the files that begin with EXPECT-NONE, sorted.
	Clean []string
	// Files counts the Go files that were read.
	Files int

	decls map[Spot]int // the declaration that an ALSO-OK stands in
}

// Read collects the marks of all Go files below dir, tests included. A mark that cannot be understood is an error, for
// a mark that nobody reads would make every test pass.
func Read(dir string) (*Expectations, error) {
	all := &Expectations{Also: map[string][]Spot{}, decls: map[Spot]int{}}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return all.file(path, filepath.ToSlash(name))
	})
	if err == nil && all.Files == 0 {
		err = fmt.Errorf("no Go files below %s", dir)
	}
	if err != nil {
		return nil, err
	}
	all.settle()
	return all, nil
}

// file adds the marks of one file.
func (a *Expectations) file(path, name string) error {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	a.Files++
	before := len(a.Expect)
	clean := false
	for _, c := range comments(tree) {
		// What a //line directive says is of no use here: marks speak of the lines that one reads.
		spot := Spot{name, fset.PositionFor(c.Pos(), false).Line}
		none, err := a.comment(c.Text, spot, declaration(fset, tree, spot.Line))
		if err != nil {
			return fmt.Errorf("%s: %w", spot, err)
		}
		clean = clean || none
	}
	if clean && len(a.Expect) > before {
		return fmt.Errorf("%s: EXPECT-NONE and %s", name, a.Expect[before])
	}
	if clean {
		a.Clean = append(a.Clean, name)
	}
	return nil
}

// comments lists the comments of a file that are written with two slashes.
func comments(tree *ast.File) []*ast.Comment {
	var all []*ast.Comment
	for _, group := range tree.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//") {
				all = append(all, c)
			}
		}
	}
	return all
}

// declaration is the number of the top-level declaration whose lines include the line, -1 for none.
func declaration(fset *token.FileSet, tree *ast.File, line int) int {
	at := func(p token.Pos) int { return fset.PositionFor(p, false).Line }
	return slices.IndexFunc(tree.Decls, func(d ast.Decl) bool { return at(d.Pos()) <= line && line <= at(d.End()) })
}

var (
	// looksMarked is wider than what is understood, so that a slip of the pen is an error and not silence. It wants the
	// capitals at the very beginning: "// expect" in prose is none.
	looksMarked = regexp.MustCompile(`^(EXPECT|ALSO)\b`)
	mark        = regexp.MustCompile(`^(EXPECT|ALSO-OK):\s*(.+)$`)
	item        = regexp.MustCompile(`^([a-z][a-z0-9/-]*)(\(arguable\))?$`)
)

// comment adds the marks of one comment and reports whether it says EXPECT-NONE.
func (a *Expectations) comment(text string, at Spot, decl int) (none bool, err error) {
	for part := range strings.SplitSeq(text, "//") {
		part = strings.TrimSpace(part)
		if !looksMarked.MatchString(part) {
			continue
		}
		if part == "EXPECT-NONE" {
			if at.Line != 1 {
				return false, errors.New("EXPECT-NONE stands on the first line only")
			}
			none = true
			continue
		}
		if err := a.mark(part, at, decl); err != nil {
			return false, err
		}
	}
	return none, nil
}

// mark adds one mark with its list of kinds.
func (a *Expectations) mark(text string, at Spot, decl int) error {
	m := mark.FindStringSubmatch(text)
	if m == nil {
		return fmt.Errorf("mark not understood: %q", text)
	}
	for kind := range strings.SplitSeq(m[2], ",") {
		k := item.FindStringSubmatch(strings.TrimSpace(kind))
		switch {
		case k == nil, m[1] == "ALSO-OK" && k[2] != "":
			return fmt.Errorf("kind not understood: %q", kind)
		case m[1] == "ALSO-OK":
			a.Also[k[1]] = append(a.Also[k[1]], at)
			a.decls[at] = decl
		default:
			a.Expect = append(a.Expect, Expectation{Spot: at, Kind: k[1], Arguable: k[2] != "", decl: decl})
		}
	}
	return nil
}

// settle sorts, and gives every ALSO-OK to the expectation that it stands in for.
func (a *Expectations) settle() {
	slices.SortFunc(a.Expect, func(x, y Expectation) int {
		return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Kind, y.Kind))
	})
	slices.Sort(a.Clean)
	for kind, spots := range a.Also {
		for _, spot := range spots {
			if i := a.served(kind, spot); i >= 0 {
				a.Expect[i].Also = append(a.Expect[i].Also, spot)
			}
		}
	}
}

// served returns the expectation that a finding of the kind at spot meets: the nearest in the same declaration, else the
// nearest in the same file, else the only one of the same case, else none (-1), for one finding must not meet several.
func (a *Expectations) served(kind string, spot Spot) int {
	best, least := -1, 0
	only, n := -1, 0
	for i, e := range a.Expect {
		if e.Kind != kind || e.Case() != spot.Case() {
			continue
		}
		only, n = i, n+1
		if e.File != spot.File {
			continue
		}
		if far := a.far(e, spot); best < 0 || far < least {
			best, least = i, far
		}
	}
	if best < 0 && n == 1 {
		return only
	}
	return best
}

// far is how far an expectation is from an ALSO-OK of the same file: another declaration is farther than any line.
func (a *Expectations) far(e Expectation, spot Spot) int {
	far := away(e.Line, spot.Line)
	if e.decl != a.decls[spot] {
		far += 1 << 30
	}
	return far
}

// away is the distance of two lines.
func away(a, b int) int { return max(a-b, b-a) }
