package lockfacts

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
)

// clientFunction finds a client library's function or method by its full name, as ssa prints it: a method value that
// was handed over, mutex.ExtendContext, is known by name alone. It is nil for anything else.
func (u *unit) clientFunction(name string) *types.Func {
	name = strings.TrimSuffix(strings.TrimSuffix(name, "$bound"), "$thunk")
	path := FunctionPackage(name)
	if !clientmodel.IsClient(path) {
		return nil
	}
	pkg := u.client(path)
	if pkg == nil {
		return nil
	}
	recv, method, ok := strings.Cut(strings.TrimLeft(name, "(*"), ").")
	if !ok {
		fn, _ := pkg.Scope().Lookup(strings.TrimPrefix(name, path+".")).(*types.Func)
		return fn
	}
	tn, ok := pkg.Scope().Lookup(strings.TrimPrefix(recv, path+".")).(*types.TypeName)
	if !ok {
		return nil
	}
	obj, _, _ := types.LookupFieldOrMethod(tn.Type(), true, pkg, method)
	fn, _ := obj.(*types.Func)
	return fn
}

// client is a package that the unit imports, directly or not.
func (u *unit) client(path string) *types.Package {
	if u.clients == nil {
		u.clients = map[string]*types.Package{}
		for _, p := range imports(u.pass.Pkg) {
			if clientmodel.IsClient(p.Path()) {
				u.clients[p.Path()] = p
			}
		}
	}
	return u.clients[path]
}

// runsCommand carries out a client's method that was handed over as a function value: it happens where the called
// function runs it.
func (u *unit) runsCommand(f *frame, c ssa.CallInstruction, r Run, t target, a *activity, compared keyterm.Term) bool {
	if t.row == nil || t.row.Commands == nil {
		return false
	}
	here := u.site(f, c)
	for _, cmd := range t.row.Commands(clientmodel.Call{Args: t.args}) {
		for _, e := range spread(u.expand(u.effect(f, c, t, cmd))) {
			e.At, e.Path, e.Maybe = r.At, []Site{here}, e.Maybe || r.Maybe
			ev := Event{Effect: e, Instr: c, Fn: f.fn, from: origin{effect: -1}}
			ev.placed(c)
			a.behindRun(&ev, r.Asked, compared)
			a.add(ev)
		}
	}
	return true
}
