package lockfacts

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/keyterm"
)

// maxAlternatives bounds what a key may be.
const maxAlternatives = 8

// Alternatives are the values that a key can have, each without sets; nil if there are too many.
func Alternatives(t keyterm.Term) []keyterm.Term {
	switch t.Op {
	case keyterm.Set:
		var out []keyterm.Term
		for _, a := range t.Args {
			out = append(out, Alternatives(a)...)
		}
		return few(out)
	case keyterm.Built, keyterm.Format:
		var out []keyterm.Term
		for _, a := range Alternatives(t.Args[0]) {
			out = append(out, withArgs(t, append([]keyterm.Term{a}, t.Args[1:]...)))
		}
		return out
	case keyterm.Concat:
		return alternativeParts(t)
	}
	return []keyterm.Term{t}
}

func few(all []keyterm.Term) []keyterm.Term {
	if len(all) > maxAlternatives {
		return nil
	}
	return all
}

func withArgs(t keyterm.Term, args []keyterm.Term) keyterm.Term {
	t.Args = args
	return t.Norm()
}

// alternativeParts combines the alternatives of all parts.
func alternativeParts(t keyterm.Term) []keyterm.Term {
	lists := [][]keyterm.Term{nil}
	for _, part := range t.Args {
		var next [][]keyterm.Term
		for _, a := range Alternatives(part) {
			for _, l := range lists {
				next = append(next, append(slices.Clone(l), a))
			}
		}
		if lists = next; len(lists) > maxAlternatives {
			return nil
		}
	}
	var out []keyterm.Term
	for _, l := range lists {
		out = append(out, withArgs(t, l))
	}
	return out
}

// keys lists the spellings of what the unit acquires. A function up the call chain sees the same key once more: places
// are counted, not events.
func (u *unit) keys() []LockKey {
	type place struct {
		class string
		at    keyterm.Pos
	}
	found := map[place]*LockKey{}
	uses := map[place]map[keyterm.Pos]bool{}
	for _, fn := range u.fns {
		if strings.HasSuffix(u.pos(fn.Pos()).File, "_test.go") {
			continue // a test spells what it checks
		}
		for _, e := range u.eventsOf(fn) {
			if !e.Op.Acquires() || !e.Proven && !e.Closed {
				continue
			}
			for _, t := range Alternatives(u.resolve(e.Key)) {
				k := u.lockKey(t, &e)
				p := place{k.Class, k.At.Pos}
				if k.Class == "" || !k.At.IsValid() {
					continue
				}
				if found[p] == nil {
					found[p], uses[p] = &k, map[keyterm.Pos]bool{}
				}
				uses[p][useOf(t, &e)] = true
				found[p].Uses = len(uses[p])
			}
		}
	}
	return sortedKeys(found)
}

// sees lists the imported packages whose keys this one can compare with its own.
func (u *unit) sees(own []LockKey) []string {
	var out []string
	for path, f := range u.facts {
		if len(own) > 0 && len(f.Keys) > 0 {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

func sortedKeys[P comparable](m map[P]*LockKey) []LockKey {
	var out []LockKey
	for _, k := range m {
		out = append(out, *k)
	}
	slices.SortFunc(out, func(a, b LockKey) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.At.File, b.At.File), cmp.Compare(a.At.Line, b.At.Line),
			cmp.Compare(a.At.Column, b.At.Column))
	})
	return out
}

func (u *unit) eventsOf(fn *ssa.Function) []Event {
	if a := u.activities[fn]; a != nil {
		return a.events
	}
	return nil
}

// useOf is the place that makes a function acquire with this key: where it calls the key function, puts the key
// together, or hands a constant over.
func useOf(t keyterm.Term, e *Event) keyterm.Pos {
	switch {
	case t.Op != keyterm.Const && t.At.IsValid():
		return t.At
	case e.KeyAt.IsValid():
		return e.KeyAt.Pos
	}
	return e.At.Pos
}

func (u *unit) lockKey(t keyterm.Term, e *Event) LockKey {
	k := LockKey{Class: t.Class(), Key: t, Acquire: e.At}
	if e.KeyAt.IsValid() {
		k.Acquire = e.KeyAt
	}
	if t.Op == keyterm.Built && !u.joinsOnly(t) {
		k.Builder = t.Text
	}
	k.At = u.asKnown(k.Class, u.spelled(t, k.Acquire))
	for _, p := range t.Parts() {
		if p.Strip().Op != keyterm.Const {
			k.Vars = append(k.Vars, u.varName(p.Strip()))
		}
	}
	return k
}

// joinsOnly reports whether the function that built t adds no text of its own to what it is given.
func (u *unit) joinsOnly(t keyterm.Term) bool {
	s := u.funcs[t.Text]
	if fn := u.byName[t.Text]; fn != nil {
		s = u.summaries[fn]
	}
	if s == nil || len(s.Results) == 0 || t.Args[0].Fn != t.Text {
		return false
	}
	return !strings.ContainsFunc(s.Results[0].Class(), unicode.IsLetter)
}

// varName is what the program calls a value: the name of a parameter or field.
func (u *unit) varName(t keyterm.Term) string {
	switch t.Op {
	case keyterm.Field:
		return t.Text
	case keyterm.Param:
		if fn := u.byName[t.Text]; fn != nil && t.Index < len(fn.Params) {
			return fn.Params[t.Index].Name()
		}
	}
	return ""
}

// asKnown is the place of a spelling as the package that it stands in knows it: that package has seen the text itself. One
// spelling must not count as two.
func (u *unit) asKnown(class string, at Site) Site {
	f := u.facts[at.Package]
	if f == nil {
		return at
	}
	for _, k := range f.Keys {
		if d := k.At.Line - at.Line; k.Class == class && k.At.File == at.File && -1 <= d && d <= 1 {
			return k.At
		}
	}
	return at
}

// spelled is where the first text of a key stands: the declaration, if it is a named constant.
func (u *unit) spelled(t keyterm.Term, handed Site) Site {
	at := Site{Pos: t.Strip().At, Function: t.Strip().Fn}
	first := t.Strip()
	if parts := t.Parts(); len(parts) > 0 {
		first = parts[0].Strip()
	}
	if first.Op == keyterm.Const && first.At.IsValid() {
		at = Site{Pos: first.At, Function: first.Fn}
	}
	if !at.IsValid() && first.Op != keyterm.Const {
		at = handed
	}
	if at.Package = FunctionPackage(at.Function); at.Package == u.pass.Pkg.Path() && first.Op == keyterm.Const {
		at.Pos = u.literalAt(at.Pos, first.Text)
	}
	return at
}

// literalAt looks on the line of p, then on the lines beside it, for the literal or constant that spells the beginning
// of text. It is p itself if there is none.
func (u *unit) literalAt(p keyterm.Pos, text string) keyterm.Pos {
	for _, file := range u.pass.Files {
		if u.pass.Fset.Position(file.FileStart).Filename != p.File {
			continue
		}
		best, away := p, 2
		ast.Inspect(file, func(n ast.Node) bool {
			x, ok := n.(ast.Expr)
			if !ok || !u.spells(x, text) {
				return true
			}
			line := u.pass.Fset.Position(x.Pos()).Line
			if d := max(line-p.Line, p.Line-line); d < away {
				best, away = u.pos(u.declaredAt(x)), d
			}
			return true
		})
		return best
	}
	return p
}

// spells reports whether a literal or constant is the beginning of text, formats up to their first verb.
func (u *unit) spells(x ast.Expr, text string) bool {
	switch x.(type) {
	case *ast.BasicLit, *ast.Ident, *ast.SelectorExpr:
	default:
		return false
	}
	tv, ok := u.pass.TypesInfo.Types[x]
	if !ok || tv.Value == nil || tv.Value.Kind() != constant.String {
		return false
	}
	value, _, _ := strings.Cut(constant.StringVal(tv.Value), "%")
	return value != "" && strings.HasPrefix(text, value)
}

// declaredAt is where a constant is declared, or where a literal stands.
func (u *unit) declaredAt(x ast.Expr) token.Pos {
	if s, ok := x.(*ast.SelectorExpr); ok {
		x = s.Sel
	}
	if id, ok := x.(*ast.Ident); ok {
		if c, ok := u.pass.TypesInfo.Uses[id].(*types.Const); ok && c.Pos().IsValid() {
			return c.Pos()
		}
	}
	return x.Pos()
}
