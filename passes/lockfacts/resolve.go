package lockfacts

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/keyterm"
)

// resolve replaces fields of unknown objects by the join of everything that is ever written to them, where the
// declaring package writes them all and every write is closed.
func (u *unit) resolve(t keyterm.Term) keyterm.Term {
	return t.Map(func(p keyterm.Term) keyterm.Term {
		if p.Op != keyterm.Field || len(p.Names) == 0 || p.Names[0] == "" {
			return p
		}
		if v := u.join(p.Names[0], p.Text); v.Op != keyterm.Unknown {
			return v
		}
		return p
	})
}

// join is what a field holds, unknown if not all of its writes are seen and closed.
func (u *unit) join(owner, field string) keyterm.Term {
	name := owner + "." + field
	if t, ok := u.joins[name]; ok {
		return t
	}
	u.joins[name] = keyterm.Term{} // a field that depends on itself is unknown
	if t, ok := u.fields[name]; ok {
		u.joins[name] = t
		return t
	}
	if !strings.HasPrefix(owner, u.pass.Pkg.Path()+".") || !u.private(owner, field) {
		return keyterm.Term{}
	}
	var all []keyterm.Term
	for _, w := range u.stores[name] {
		v, ok := closedPart(u.frame(w.store.Parent()).literal(w.store.Val, w.store.Pos()))
		if !ok {
			return keyterm.Term{}
		}
		all = append(all, v)
	}
	if len(all) == 0 {
		return keyterm.Term{}
	}
	u.joins[name] = keyterm.Term{Op: keyterm.Set, Args: all}.Norm()
	return u.joins[name]
}

// closedPart is v if it is closed, or an object with those of its fields that are.
func closedPart(v keyterm.Term) (keyterm.Term, bool) {
	if v.IsClosed() {
		return v, true
	}
	if v.Op != keyterm.Object {
		return v, false
	}
	fields := make([]keyterm.Term, len(v.Args))
	for i, a := range v.Args {
		if a, ok := closedPart(a); ok {
			fields[i] = a
		}
	}
	v.Args = fields
	return v, true
}

// SetOnce reports whether a field of this package's type is written by what makes the object, and by nothing later.
func (r *Result) SetOnce(owner, field string) bool {
	if !strings.HasPrefix(owner, r.Pass.Pkg.Path()+".") || !r.u.private(owner, field) {
		return false
	}
	writes := r.u.stores[owner+"."+field]
	for _, w := range writes {
		if !w.constructing() {
			return false
		}
	}
	return len(writes) > 0
}

// ForInterface reports whether a method belongs to a type that is used as some interface: its callers need not see it.
func (r *Result) ForInterface(fn *ssa.Function) bool {
	obj, _ := fn.Object().(*types.Func)
	if obj == nil || fn.Signature.Recv() == nil {
		return false
	}
	recv := typeName(fn.Signature.Recv().Type())
	for _, typs := range r.u.impls {
		for _, t := range typs {
			if strings.TrimPrefix(t, "*") == recv {
				return true
			}
		}
	}
	return false
}

// private reports whether only this package can write the field.
func (u *unit) private(owner, field string) bool {
	typ := owner[strings.LastIndexByte(owner, '.')+1:]
	return !ast.IsExported(field) || !ast.IsExported(typ)
}

// exportFields lists the joins that importing packages can use: of fields that summaries mention.
func (u *unit) exportFields() []Named {
	seen := map[string]keyterm.Term{}
	note := func(t keyterm.Term) {
		t.Walk(func(p keyterm.Term) bool {
			if p.Op == keyterm.Field && len(p.Names) > 0 && p.Names[0] != "" {
				if v := u.join(p.Names[0], p.Text); v.Op != keyterm.Unknown {
					seen[p.Names[0]+"."+p.Text] = v
				}
			}
			return true
		})
	}
	for _, fn := range u.fns {
		if s := u.summaries[fn]; s != nil {
			for _, e := range s.Effects {
				note(e.Key)
				note(e.Owner)
				note(e.TTL)
			}
		}
	}
	return sortedNamed(seen)
}

// ownModule reports whether the package belongs to the program's own modules, as far as the driver can tell.
func ownModule(pass *analysis.Pass) bool {
	if pass.Module == nil {
		return false
	}
	return pass.Module.Version == "" && pass.Module.Path != "" && pass.Module.Path != "std"
}

// buildsStrings reports whether some function returns a string: it may be a key function. Syntax only.
func buildsStrings(pass *analysis.Pass) bool {
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Type.Results == nil || fn.Body == nil {
				continue
			}
			for _, r := range fn.Type.Results.List {
				if t := pass.TypesInfo.TypeOf(r.Type); t != nil && stringish(t) {
					return true
				}
			}
		}
	}
	return false
}

// stringish is a string, or a struct that may hold one: the key types of registries. A duration counts too: it may be a
// TTL that is read from the settings.
func stringish(t types.Type) bool {
	if isDuration(t) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0
	case *types.Struct:
		for i := range u.NumFields() {
			if isString(u.Field(i).Type()) || isDuration(u.Field(i).Type()) {
				return true
			}
		}
	}
	return false
}

func isDuration(t types.Type) bool { return types.TypeString(t, nil) == "time.Duration" }
