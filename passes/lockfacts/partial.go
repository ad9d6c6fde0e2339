package lockfacts

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// Endless is what the type checker says of a package whose generic types or functions need instances without end, or "".
// Nobody can build such a program, nor walk through its types.
func Endless(errs []types.Error) string {
	for _, e := range errs {
		if strings.HasPrefix(e.Msg, "instantiation cycle") {
			return strings.TrimSuffix(e.Error(), ":")
		}
	}
	return ""
}

// typed are the files of the package as far as they have types, and what is known of them. A package that has none of
// the errors of the type checker is given back as it is. In one that has some, SSA must not see a declaration that the
// checker turned away (a name that is declared twice), nor the body of a function that it found an error in: such a
// function is one of which nothing is known.
func (u *unit) typed() ([]*ast.File, *types.Info) {
	files, info := u.pass.Files, u.pass.TypesInfo
	if len(u.pass.TypeErrors) == 0 {
		return files, info
	}
	own := *info
	own.FileVersions = maps.Clone(info.FileVersions)
	out := make([]*ast.File, len(files))
	for i, f := range files {
		kept := *f
		kept.Decls = u.typedDecls(f.Decls)
		if v, ok := info.FileVersions[f]; ok {
			own.FileVersions[&kept] = v
		}
		out[i] = &kept
	}
	return out, &own
}

func (u *unit) typedDecls(decls []ast.Decl) []ast.Decl {
	var out []ast.Decl
	for _, d := range decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if kept := u.typedFunc(d); kept != nil {
				out = append(out, kept)
			}
		case *ast.GenDecl:
			kept := *d
			kept.Specs = slices.DeleteFunc(slices.Clone(d.Specs), func(s ast.Spec) bool { return !u.declares(s) })
			out = append(out, &kept)
		}
	}
	return out
}

// typedFunc is a function declaration that SSA may see, without its body if there is an error in it, or nil.
func (u *unit) typedFunc(d *ast.FuncDecl) *ast.FuncDecl {
	if !u.defined(d.Name) {
		return nil
	}
	if d.Body == nil || !u.wrong(d.Body.Pos(), d.Body.End()) {
		return d
	}
	kept := *d
	kept.Body = nil
	return &kept
}

// declares reports whether every name of a declaration got an object, and its values have no errors.
func (u *unit) declares(s ast.Spec) bool {
	switch s := s.(type) {
	case *ast.TypeSpec:
		return u.defined(s.Name)
	case *ast.ValueSpec:
		for _, n := range s.Names {
			if !u.defined(n) {
				return false
			}
		}
		return !u.wrong(s.Pos(), s.End())
	}
	return true
}

// defined is true for the blank name and for an init function too, which have no object of their own.
func (u *unit) defined(name *ast.Ident) bool {
	return name.Name == "_" || name.Name == "init" || u.pass.TypesInfo.Defs[name] != nil
}

// wrong reports whether the checker found an error between two places.
func (u *unit) wrong(from, to token.Pos) bool {
	for _, e := range u.pass.TypeErrors {
		if from <= e.Pos && e.Pos < to {
			return true
		}
	}
	return false
}
