package lockfacts

import (
	"cmp"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/keyterm"
)

// findWired looks at the objects that the package makes, by literals and by constructors: what stands in a field that a
// wrapper calls under a lock is protected, and which types stand in which interface fields is exported for the link.
func (g *guards) findWired() {
	for _, fn := range g.res.Functions {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				switch v := i.(type) {
				case *ssa.Call:
					g.wired(fn, v)
				case *ssa.Alloc:
					g.wired(fn, v)
				}
			}
		}
	}
	g.bindStores()
}

func (g *guards) wired(fn *ssa.Function, v ssa.Value) {
	if _, ok := structOf(v.Type()); !ok {
		if _, iface := v.Type().Underlying().(*types.Interface); !iface {
			return
		}
	}
	o := g.res.Term(fn, v).Strip()
	if o.Op != keyterm.Object || o.Text == "" {
		return
	}
	for i, name := range o.Names {
		if x := o.Args[i].Strip(); x.Op == keyterm.Object && x.Text != "" {
			g.bind(o.Text+"."+name, x.Text)
		}
	}
}

// bindStores binds what is stored in fields of interface type directly, in the order of the fields: of two guards of one
// function the first stands.
func (g *guards) bindStores() {
	stores := g.res.u.stores
	for _, name := range slices.Sorted(maps.Keys(stores)) {
		for _, w := range stores[name] {
			if mi, ok := w.store.Val.(*ssa.MakeInterface); ok {
				if t := typeName(mi.X.Type()); t != "" {
					g.bind(name, t)
				}
			}
		}
	}
}

// bind notes that a value of a type stands in a field, and protects its methods that a wrapper calls through the field.
func (g *guards) bind(field, typ string) {
	b := Impl{Interface: field, Type: typ}
	if slices.Contains(g.bound, b) {
		return
	}
	g.bound = append(g.bound, b)
	prefix := "field " + field + "."
	for _, name := range g.known() {
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		x := g.all[name]
		x.Function = "(" + typ + ")." + strings.TrimPrefix(name, prefix)
		if g.ours(x.Function) && !g.locks(x.Function) {
			g.add(x)
		}
	}
}

// known are the names of the guards of this package and of imported ones, sorted.
func (g *guards) known() []string {
	if g.all == nil {
		g.all = map[string]Guard{}
		for _, f := range g.res.u.sortedFacts() {
			for _, x := range f.Guards {
				g.all[x.Function] = x
			}
		}
		for name, x := range g.byName {
			if !g.unsure[name] {
				g.all[name] = x
			}
		}
		for name := range g.all {
			g.names = append(g.names, name)
		}
		slices.Sort(g.names)
	}
	return g.names
}

// ours reports whether a function belongs to the program's own module: a library's function is not what a wrapper
// stands for, however alike they look.
func (g *guards) ours(function string) bool { return g.res.u.ours(FunctionPackage(function)) }

func (u *unit) ours(pkg string) bool {
	if pkg == u.pass.Pkg.Path() {
		return true
	}
	m := u.pass.Module
	return m != nil && m.Path != "" && (pkg == m.Path || strings.HasPrefix(pkg, m.Path+"/"))
}

// FunctionPackage is the import path in the full name of a function, method, type or field, as ssa or guards spell it.
// The last element of a path may have a dot itself, as in "gopkg.in/yaml.v3" and "github.com/nats-io/nats.go".
func FunctionPackage(function string) string {
	s, field := strings.CutPrefix(function, "field ")
	if recv, method, ok := strings.Cut(strings.TrimLeft(s, "(*"), ")."); ok && method != "" {
		s, _, _ = strings.Cut(recv, "[")
		return beforeLast(s, '.')
	}
	s, _, _ = strings.Cut(strings.TrimLeft(s, "(*"), "$")
	s, _, _ = strings.Cut(s, "[")
	if !field {
		return beforeLast(s, '.')
	}
	return s[:pathEnd(s)] // how many names follow is not known
}

func beforeLast(s string, c byte) string {
	slash := strings.LastIndexByte(s, '/')
	if i := strings.LastIndexByte(s, c); i > slash {
		return s[:i]
	}
	return s
}

// pathEnd is where the path ends in a path and names, all joined by dots. A version or ".go" belongs to the path.
func pathEnd(s string) int {
	slash := strings.LastIndexByte(s, '/')
	end := strings.IndexByte(s[slash+1:], '.')
	if end < 0 {
		return len(s)
	}
	end += slash + 1
	next, rest, more := strings.Cut(s[end+1:], ".")
	if more && rest != "" && slash >= 0 && (next == "go" || len(next) > 1 && next[0] == 'v' && strings.Trim(next[1:], "0123456789") == "") {
		end += 1 + len(next)
	}
	return end
}

func sortImpls(all []Impl) {
	slices.SortFunc(all, func(a, b Impl) int {
		return cmp.Or(cmp.Compare(a.Interface, b.Interface), cmp.Compare(a.Type, b.Type))
	})
}
