package lockfacts

import (
	"bytes"
	"go/types"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/tools/go/analysis"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
)

// Worth reports whether a package can have anything to do with a lock, before it is type-checked: it imports a client
// library, or its source mentions a name that the facts in sight have to do with one. A package that merely reaches Redis
// somewhere below is not worth it, and those are most packages of a large program. After type checking, relevant asks
// again, exactly.
//
// A package that is not worth it may still hold key functions, or the bare side of a decorator; the link asks for it
// then (Program).
func Worth(imports []string, facts map[string]*Fact, source func(visit func([]byte) bool)) bool {
	if slices.ContainsFunc(imports, clientmodel.IsClient) {
		return true
	}
	names := lockNames(facts)
	if len(names) == 0 {
		return false
	}
	found := false
	source(func(text []byte) bool {
		found = slices.ContainsFunc(names, func(n string) bool { return mentions(text, n) })
		return !found
	})
	return found
}

// WorthTests is Worth for test files. A test plays the other holder and cleans up by force, so nothing in it is reported,
// and it says nothing about the program; only what is wrong with directives in it is.
func WorthTests(source func(visit func([]byte) bool)) bool {
	found := false
	source(func(text []byte) bool {
		found = bytes.Contains(text, []byte("//leasevet:"))
		return !found
	})
	return found
}

// locks reports whether calling the function can begin a lock, or run something under one.
func (s *Summary) locks() bool {
	for i := range s.Effects {
		if s.Effects[i].Op.Acquires() {
			return true
		}
	}
	return slices.ContainsFunc(s.Runs, func(r Run) bool { return len(r.Under) > 0 })
}

// relevant reports whether a package can matter: it imports a client library, it uses a client that another package
// has, it uses a function or type that has to do with a lock, the link has news for it, or, in one of the program's own modules, it builds strings or ends the process
// and nobody will ask for that later.
func relevant(pass *analysis.Pass) bool {
	if clientmodel.IsClient(pass.Pkg.Path()) {
		return false
	}
	p := new(Program)
	if pass.ImportPackageFact(pass.Pkg, p) && p.news() {
		return true
	}
	for _, q := range pass.Pkg.Imports() {
		if clientmodel.IsClient(q.Path()) {
			return true
		}
	}
	if usesClients(pass) || usesLocks(pass) {
		return true
	}
	return !p.OnDemand && ownModule(pass) && (buildsStrings(pass) || endsProcess(pass))
}

// usesLocks reports whether the package mentions a function or type of the facts that has to do with a lock.
func usesLocks(pass *analysis.Pass) bool {
	facts := map[string]*Fact{}
	for _, pf := range inherited(pass) {
		facts[pf.path] = pf.Fact
	}
	full := lockObjects(facts)
	if len(full) == 0 {
		return false
	}
	for _, obj := range pass.TypesInfo.Uses {
		switch obj := obj.(type) {
		case *types.Func:
			if full[GuardName(obj.Origin().FullName())] {
				return true
			}
		case *types.TypeName:
			if obj.Pkg() != nil && full[obj.Pkg().Path()+"."+obj.Name()] {
				return true
			}
		}
	}
	return false
}

// lockObjects are the functions, interface methods and types in sight that have to do with a lock, by full name: those
// that lock, those that are guarded, those that make or stand for something whose methods do.
func lockObjects(facts map[string]*Fact) map[string]bool {
	out := map[string]bool{}
	types := map[string][]string{} // methods that lock, by type
	for _, f := range facts {
		for i := range f.Funcs {
			if s := &f.Funcs[i]; s.locks() {
				name := GuardName(s.Name)
				out[name] = true
				if typ, method, ok := strings.Cut(strings.TrimPrefix(name, "("), ")."); ok {
					types[typ] = append(types[typ], method)
				}
			}
		}
		for _, g := range f.Guards {
			out[g.Function] = true
		}
	}
	for _, f := range facts {
		addUses(out, types, f)
	}
	for t := range types {
		out[t] = true
	}
	return out
}

// addUses adds the constructors of types that lock, and the interface methods that they implement.
func addUses(out map[string]bool, types map[string][]string, f *Fact) {
	for i := range f.Funcs {
		for _, r := range f.Funcs[i].Results {
			if t := r.Strip(); t.Op == keyterm.Func || t.Op == keyterm.Object && types[t.Text] != nil {
				out[GuardName(f.Funcs[i].Name)] = true
			}
		}
	}
	for _, impl := range f.Impls {
		for _, method := range types[strings.TrimPrefix(impl.Type, "*")] {
			out[impl.Interface] = true
			out["("+impl.Interface+")."+method] = true
		}
	}
}

// lockNames are the names of lockObjects without package and receiver, and those of clients, sorted.
func lockNames(facts map[string]*Fact) []string {
	names := map[string]bool{}
	for name := range lockObjects(facts) {
		if !strings.Contains(name, "$") {
			names[name[strings.LastIndexByte(name, '.')+1:]] = true
		}
	}
	for _, f := range facts {
		for _, name := range f.Clients {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// mentions reports whether name stands in the text as a whole identifier.
func mentions(text []byte, name string) bool {
	for from := 0; ; {
		i := bytes.Index(text[from:], []byte(name))
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRune(text[:i])
		after, _ := utf8.DecodeRune(text[i+len(name):])
		if !identifier(before) && !identifier(after) {
			return true
		}
		from = i + len(name)
	}
}

func identifier(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
