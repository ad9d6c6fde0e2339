package rewrite

import (
	"go/ast"
	"go/types"
	"strings"
)

// Rename gives every identifier that the module in dir declares another name, and every text that may be part of a
// lock key another text. Exported stays exported, equal stays equal, and names that others know stay: methods of
// other modules' interfaces, main, init, tests, packages. No line moves.
func Rename(dir string) (*Map, error) {
	m, err := load(dir)
	if err != nil {
		return nil, err
	}
	r := &renamer{module: m, namer: newNamer(m.names), kept: keptMethods(m), renamed: map[string]bool{}}
	edits := make([][]edit, len(m.sources))
	for i, s := range m.sources {
		edits[i] = append(r.identEdits(s), keyEdits(s)...)
	}
	for i, s := range m.sources { // once all names are known
		edits[i] = append(edits[i], r.directiveEdits(s)...)
		if err := s.write(apply(s.text, edits[i])); err != nil {
			return nil, err
		}
	}
	return newMap(), nil
}

type renamer struct {
	module  *module
	namer   namer
	kept    map[string]bool // methods
	renamed map[string]bool // names that had to go
}

func (r *renamer) identEdits(s *source) []edit {
	var edits []edit
	ast.Inspect(s.file, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || id == s.file.Name || !r.renames(s, id) {
			return true
		}
		r.renamed[id.Name] = true
		edits = append(edits, edit{s.offset(id.Pos()), s.offset(id.End()), r.namer.name(id.Name)})
		return true
	})
	return edits
}

func (r *renamer) renames(s *source, id *ast.Ident) bool {
	obj := s.of(id)
	if obj.any() != nil {
		return r.mayRename(s, obj.any())
	}
	// the variable of a type switch declares one object per case, and none itself
	_, declared := s.pkg.TypesInfo.Defs[id]
	return declared && id.Name != "_"
}

func (r *renamer) mayRename(s *source, obj types.Object) bool {
	if _, own := r.module.id(obj); !own || obj.Name() == "_" {
		return false
	}
	switch obj := obj.(type) {
	case *types.PkgName:
		return false
	case *types.Var:
		if obj.Embedded() {
			return r.mayRenameEmbedded(s, obj)
		}
	case *types.Func:
		if obj.Signature().Recv() != nil {
			return !r.kept[obj.Name()]
		}
		return !reserved(r.module, obj)
	}
	return true
}

// mayRenameEmbedded goes by the type, whose name an embedded field bears.
func (r *renamer) mayRenameEmbedded(s *source, field *types.Var) bool {
	t := typeName(field.Type())
	return t != nil && r.mayRename(s, t)
}

// typeName is the declaration of a type, or of what it points to.
func typeName(t types.Type) *types.TypeName {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	switch t := t.(type) {
	case *types.Named:
		return t.Obj()
	case *types.Alias:
		return t.Obj()
	}
	return nil
}

// reserved are functions that the go command calls.
func reserved(m *module, fn *types.Func) bool {
	if fn.Name() == "main" || fn.Name() == "init" {
		return true
	}
	if !strings.HasSuffix(m.fset.Position(fn.Pos()).Filename, "_test.go") {
		return false
	}
	for _, kind := range []string{"Test", "Benchmark", "Fuzz", "Example"} {
		if strings.HasPrefix(fn.Name(), kind) {
			return true
		}
	}
	return false
}
