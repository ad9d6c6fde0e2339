// Package finding is what every analyzer reports and every route prints: one fault at one place.
//
// It is data only. Analyzers make findings, drivers collect them, report renders them; none of the three needs to
// know the other two.
package finding

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// Level says how sure a kind is and how much it hurts.
type Level string

// The three levels of KINDS: an error is right nearly always, a warning is right mostly and worth reading, a note is
// off unless asked for.
const (
	Error   Level = "error"
	Warning Level = "warning"
	Note    Level = "note"
)

// Rank orders levels: a higher rank is more severe. An unknown level ranks lowest.
func (l Level) Rank() int {
	switch l {
	case Error:
		return 3
	case Warning:
		return 2
	case Note:
		return 1
	}
	return 0
}

// Scope says what it takes to prove a finding.
type Scope string

// A unit finding needs one package and the facts below it, so that every route reports it. A program finding needs to
// see more of the program than that, and only the command reports it.
const (
	Unit    Scope = "unit"
	Program Scope = "program"
)

// Place is a position in a source file. File is the name that the compiler was given; lines and columns count from 1,
// columns in bytes. The zero Place is "nowhere".
type Place struct {
	File   string
	Line   int
	Column int
}

// IsValid reports whether p names a line.
func (p Place) IsValid() bool { return p.Line > 0 }

// Related is another place that makes the finding true, such as the acquire that a release belongs to.
type Related struct {
	Place
	Message string
}

// Step is one frame of a call path, outermost first: Function is being executed and Place is where it calls the next.
type Step struct {
	Function string
	Place
}

// Edit replaces the bytes [Start, End) of File, offsets from 0.
type Edit struct {
	File       string
	Start, End int
	NewText    string
}

// Fix is one way to cure a finding. A safe fix keeps the meaning of the program but for the fault.
type Fix struct {
	Message string
	Safe    bool
	Edits   []Edit
}

// Finding is one reported fault.
type Finding struct {
	Analyzer string
	Kind     string // stable id of KINDS.md, such as "ownerless-release"
	Rule     string // refinement of the kind, or ""
	Level    Level
	Scope    Scope
	Place
	Message string
	Related []Related
	Path    []Step
	Fixes   []Fix

	// What the fingerprint is made of, besides the kind and rule: never line numbers, so that a finding keeps its
	// fingerprint over unrelated edits.
	Package  string // import path of the package that holds Place
	Function string // full name of the function around Place
	Class    string // lock class, or ""
	Ordinal  int    // 0 for the first finding with the same inputs in file order, 1 for the next ...

	// Suppressed is the reason of the directive that covers this finding, nil if none does.
	Suppressed *string
}

// Fingerprint identifies the finding over unrelated edits: 16 hex digits.
func (f *Finding) Fingerprint() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{
		f.Package, f.Function, f.Kind, f.Rule, f.Class, strconv.Itoa(f.Ordinal),
	}, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// Compare orders findings by file, line, column, kind, rule and message: the order of every output.
func Compare(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(a.File, b.File),
		cmp.Compare(a.Line, b.Line),
		cmp.Compare(a.Column, b.Column),
		cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Rule, b.Rule),
		cmp.Compare(a.Message, b.Message),
	)
}

// Normalize sorts findings, merges those that two units (or two rounds over one unit) proved for the same place and
// kind, and numbers the ones that would share a fingerprint. A unit finding wins over a program finding of the same
// place and kind, because every route shows it.
func Normalize(all []Finding) []Finding {
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(b.Scope, a.Scope), // "unit" before "program"
			cmp.Compare(b.Level.Rank(), a.Level.Rank()),
			cmp.Compare(a.Message, b.Message),
			cmp.Compare(len(a.Path), len(b.Path)),
		)
	})
	all = slices.CompactFunc(all, func(a, b Finding) bool {
		return a.Place == b.Place && a.Kind == b.Kind && a.Rule == b.Rule
	})
	number(all)
	return all
}

// number sets Ordinal, in the order that findings stand in.
func number(all []Finding) {
	type key struct{ pkg, fn, kind, rule, class string }
	next := map[key]int{}
	for i := range all {
		f := &all[i]
		k := key{f.Package, f.Function, f.Kind, f.Rule, f.Class}
		f.Ordinal = next[k]
		next[k]++
	}
}

// OneLine is the finding as one line, for routes that show a message and nothing else: the kind first, the other places
// last.
func (f *Finding) OneLine() string {
	var b strings.Builder
	b.WriteString(f.Kind)
	if f.Rule != "" {
		b.WriteString("/" + f.Rule)
	}
	b.WriteString(": " + f.Message)
	for i, r := range f.Related {
		if i == 3 {
			break
		}
		b.WriteString(" (" + r.Message + " at " + r.File[strings.LastIndexByte(r.File, '/')+1:] + ":" + strconv.Itoa(r.Line) + ")")
	}
	return b.String()
}
