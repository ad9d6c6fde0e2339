package lockkey

import (
	"go/types"
	"strings"
	"unicode"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// part is one variable part of a key.
type part struct {
	term keyterm.Term
	// at is where it is put into the key.
	at lockfacts.Site
	// through are the functions that it passes through on its way.
	through []string
	// zero: on another path, a constant that is empty or zero stands in its place.
	zero bool
}

// variables lists the variable parts of a key, in order.
func variables(key keyterm.Term) []part {
	var out []part
	var walk func(t keyterm.Term, p part)
	walk = func(t keyterm.Term, p part) {
		switch t.Op {
		case keyterm.Const:
		case keyterm.Built:
			p.through = append(p.through[:len(p.through):len(p.through)], t.Text, t.Fn)
			walk(t.Args[0], p)
		case keyterm.Concat:
			p.at = siteOf(t)
			p.through = append(p.through[:len(p.through):len(p.through)], t.Fn)
			for _, a := range t.Args {
				walk(a, p)
			}
		case keyterm.Set:
			p.zero = p.zero || hasZero(t)
			for _, a := range t.Args {
				walk(a, p)
			}
		default:
			p.term = t
			out = append(out, p)
		}
	}
	walk(key, part{})
	return out
}

func hasZero(set keyterm.Term) bool {
	for _, a := range set.Args {
		if a.Op == keyterm.Const && (a.Text == "" || a.Text == "0" || a.Text == "nil") {
			return true
		}
	}
	return false
}

// hasLetters tells text that names something from a separator.
func hasLetters(s string) bool { return strings.ContainsFunc(s, unicode.IsLetter) }

// typeNamed finds a type by the name that terms have, nil if it is not in sight.
func (c *checker) typeNamed(name string) types.Type {
	if elem, ok := strings.CutPrefix(name, "*"); ok {
		if t := c.typeNamed(elem); t != nil {
			return types.NewPointer(t)
		}
		return nil
	}
	if name == "[]byte" || name == "[]uint8" {
		return types.NewSlice(types.Typ[types.Byte])
	}
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		if o := types.Universe.Lookup(name); o != nil {
			return o.Type()
		}
		return nil
	}
	pkg := c.packageNamed(name[:dot])
	if pkg == nil {
		return nil
	}
	if o, ok := pkg.Scope().Lookup(name[dot+1:]).(*types.TypeName); ok {
		return o.Type()
	}
	return nil
}

// packageNamed finds a package among those that the analysed one imports, directly or not.
func (c *checker) packageNamed(path string) *types.Package {
	seen := map[*types.Package]bool{}
	var find func(p *types.Package) *types.Package
	find = func(p *types.Package) *types.Package {
		if p.Path() == path {
			return p
		}
		seen[p] = true
		for _, q := range p.Imports() {
			if !seen[q] {
				if found := find(q); found != nil {
					return found
				}
			}
		}
		return nil
	}
	return find(c.Pass.Pkg)
}

// enumeration reports whether constants of a named type are declared beside it: it has a few values that are known.
func enumeration(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return false
	}
	scope := n.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		if k, ok := scope.Lookup(name).(*types.Const); ok && types.Identical(k.Type(), t) {
			return true
		}
	}
	return false
}

// configured reports whether a value belongs to the receiver of the function, or to the package: it is set once, and
// not one entity among many.
func (c *checker) configured(t keyterm.Term) bool {
	t = t.Strip()
	if t.Op == keyterm.Global {
		return true
	}
	if t.Op != keyterm.Field {
		return false
	}
	for t.Op == keyterm.Field {
		t = t.Args[0].Strip()
	}
	fn := c.fns[root(t.Text)]
	return t.Op == keyterm.Global || t.Op == keyterm.Object || t.Op == keyterm.Param && t.Index == 0 && fn != nil && fn.Signature.Recv() != nil
}

// callee is the function that a call names, "" for a function value.
func callee(c *ssa.CallCommon) string {
	if c.IsInvoke() {
		return c.Method.FullName()
	}
	if fn := c.StaticCallee(); fn != nil {
		if o := fn.Origin(); o != nil {
			fn = o
		}
		return fn.String()
	}
	return ""
}
