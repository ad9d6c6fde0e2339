package lockfacts

import (
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/leasevet/leasevet/passes/clientmodel"
)

// A package may use a client that it never names: `store.DB.SetNX(...)` needs an import of store only. So a fact lists
// the names by which other packages get at a client, and whoever mentions one of them is looked at.

// clientNames are the variables, functions, fields and methods of a package that are, return or hold a client.
func clientNames(pkg *types.Package) []string {
	names := map[string]bool{}
	scope := pkg.Scope()
	for _, name := range scope.Names() {
		switch obj := scope.Lookup(name).(type) {
		case *types.Var:
			addClient(names, obj, obj.Type())
		case *types.Func:
			addReturned(names, obj)
		case *types.TypeName:
			if !obj.IsAlias() {
				addMembers(names, obj)
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func addClient(names map[string]bool, obj types.Object, t types.Type) {
	if obj.Exported() && isClient(t, 0) {
		names[obj.Name()] = true
	}
}

// addReturned adds a function that returns a client.
func addReturned(names map[string]bool, fn *types.Func) {
	for v := range fn.Signature().Results().Variables() {
		addClient(names, fn, v.Type())
	}
}

// addMembers adds the fields and methods of a type.
func addMembers(names map[string]bool, obj *types.TypeName) {
	named, ok := obj.Type().(*types.Named)
	if !ok {
		return
	}
	if s, ok := named.Underlying().(*types.Struct); ok {
		for f := range s.Fields() {
			addClient(names, f, f.Type())
		}
	}
	if i, ok := named.Underlying().(*types.Interface); ok {
		for m := range i.ExplicitMethods() {
			addReturned(names, m)
		}
	}
	for m := range named.Methods() {
		addReturned(names, m)
	}
}

// isClient reports whether a type is one of a client library that has commands, or embeds one.
func isClient(t types.Type, depth int) bool {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	named, ok := t.(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return false
	}
	if clientmodel.IsClient(named.Obj().Pkg().Path()) {
		return hasCommands(named)
	}
	s, ok := named.Underlying().(*types.Struct)
	if !ok || depth > 2 {
		return false
	}
	for f := range s.Fields() {
		if f.Embedded() && isClient(f.Type(), depth+1) {
			return true
		}
	}
	return false
}

// hasCommands reports whether the client table knows a method of a type: options and errors have none.
func hasCommands(named *types.Named) bool {
	set := types.NewMethodSet(types.NewPointer(named))
	if types.IsInterface(named) {
		set = types.NewMethodSet(named)
	}
	for sel := range set.Methods() {
		if fn, ok := sel.Obj().(*types.Func); ok {
			if _, known := clientmodel.Lookup(fn); known {
				return true
			}
		}
	}
	return false
}

// usesClients reports whether the package calls a method of a client, wherever it has the client from.
func usesClients(pass *analysis.Pass) bool {
	for _, obj := range pass.TypesInfo.Uses {
		if fn, ok := obj.(*types.Func); ok {
			if _, known := clientmodel.Lookup(fn); known {
				return true
			}
		}
	}
	return false
}
