package rewrite

import (
	"go/ast"
	"go/types"
	"strings"
)

// dynamic are methods that the standard library and the clients look for at run time, by name.
var dynamic = strings.Fields(`Error String GoString Format Is As Unwrap Timeout Temporary MarshalJSON UnmarshalJSON
	MarshalText UnmarshalText MarshalBinary UnmarshalBinary Scan Value LogValue ScanRedis ServeHTTP`)

// keptMethods are the names of methods that other modules know: a type of this module implements their interface, or
// one of their types implements an interface of this module.
//
// Methods are kept by name, not by type. That keeps a few too many, but interfaces and what implements them always
// agree.
func keptMethods(m *module) map[string]bool {
	kept := map[string]bool{}
	for _, name := range dynamic {
		kept[name] = true
	}
	own, ownInterfaces := ownTypes(m)
	m.imports(func(p *types.Package) {
		for _, name := range p.Scope().Names() {
			if t, ok := p.Scope().Lookup(name).(*types.TypeName); ok && !isGeneric(t) {
				keepFor(kept, t.Type(), own, ownInterfaces)
			}
		}
	})
	return kept
}

func isGeneric(t *types.TypeName) bool {
	named, ok := t.Type().(*types.Named)
	return ok && named.TypeParams().Len() > 0
}

// keepFor compares one type of another module with all of this one.
func keepFor(kept map[string]bool, theirs types.Type, own []types.Type, ownInterfaces []*types.Interface) {
	if their, ok := theirs.Underlying().(*types.Interface); ok {
		for _, t := range own {
			if implements(t, their) {
				keepAll(kept, their)
			}
		}
	}
	for _, i := range ownInterfaces {
		if implements(theirs, i) {
			keepAll(kept, i)
		}
	}
}

func implements(t types.Type, i *types.Interface) bool {
	if i.NumMethods() == 0 || !i.IsMethodSet() {
		return false
	}
	return types.Implements(t, i) || types.Implements(types.NewPointer(t), i)
}

func keepAll(kept map[string]bool, i *types.Interface) {
	for method := range i.Methods() {
		kept[method.Name()] = true
	}
}

// ownTypes are the named types and all interfaces, named or not, of the module.
func ownTypes(m *module) (named []types.Type, interfaces []*types.Interface) {
	for _, s := range m.sources {
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if t := s.pkg.TypesInfo.Defs[n.Name]; t != nil {
					named = append(named, t.Type())
				}
			case *ast.InterfaceType:
				if i, ok := s.pkg.TypesInfo.TypeOf(n).(*types.Interface); ok {
					interfaces = append(interfaces, i)
				}
			}
			return true
		})
	}
	return named, interfaces
}
