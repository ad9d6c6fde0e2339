package directive

import "go/ast"

// funcName is the name of a declared function or method, apart from its package.
type funcName struct {
	recv    string // receiver type, "" for a function
	pointer bool
	name    string
}

// in spells the name in full, as the rest of the analysis does: "import/path.F", "(*import/path.T).M".
func (f funcName) in(pkg string) string {
	switch {
	case f.name == "":
		return ""
	case f.recv == "":
		return pkg + "." + f.name
	case f.pointer:
		return "(*" + pkg + "." + f.recv + ")." + f.name
	}
	return "(" + pkg + "." + f.recv + ")." + f.name
}

// nameOf finds the declared function on a path of nodes, or else the interface method at its end.
func nameOf(path []ast.Node) funcName {
	var inType string
	for _, n := range path {
		switch n := n.(type) {
		case *ast.FuncDecl:
			return nameOfDecl(n)
		case *ast.TypeSpec:
			inType = n.Name.Name
		}
	}
	if field, ok := path[len(path)-1].(*ast.Field); ok && inType != "" && len(field.Names) > 0 {
		return funcName{recv: inType, name: field.Names[0].Name}
	}
	return funcName{}
}

func nameOfDecl(decl *ast.FuncDecl) funcName {
	f := funcName{name: decl.Name.Name}
	if decl.Recv == nil || len(decl.Recv.List) == 0 {
		return f
	}
	typ := ast.Unparen(decl.Recv.List[0].Type)
	if star, ok := typ.(*ast.StarExpr); ok {
		f.pointer, typ = true, ast.Unparen(star.X)
	}
	switch t := typ.(type) { // type parameters of a generic receiver
	case *ast.IndexExpr:
		typ = t.X
	case *ast.IndexListExpr:
		typ = t.X
	}
	if name, ok := typ.(*ast.Ident); ok {
		f.recv = name.Name
	}
	return f
}
