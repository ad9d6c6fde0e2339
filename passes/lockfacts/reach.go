package lockfacts

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/keyterm"
)

// GuardName is how guards spell a function: as its full name, but with one spelling for methods of a type and of a
// pointer to it.
func GuardName(function string) string { return strings.Replace(function, "(*", "(", 1) }

// fieldGuard is how guards spell "whatever the field holds": a method called on an interface, or a function value.
func fieldGuard(owner, field, method string) string {
	return "field " + owner + "." + field + "." + method
}

// isFuncField reports whether a guard is of whatever function a field holds. One that several functions call under a lock
// is work that they share, and none of them is its wrapper.
func isFuncField(guard string) bool {
	return strings.HasPrefix(guard, "field ") && strings.HasSuffix(guard, ".")
}

// Reaches lists the functions that a call certainly reaches, spelled as guards are; none if that is not certain. A call
// through a field is also spelled as that.
func (r *Result) Reaches(call ssa.CallInstruction) []string {
	common := call.Common()
	if fn := common.StaticCallee(); fn != nil {
		return []string{GuardName(r.Name(fn))}
	}
	value := r.u.frame(call.Parent()).value(common.Value)
	if common.IsInvoke() {
		return r.invoked(call, value)
	}
	if names, ok := r.u.functionsOf(value); ok {
		return names
	}
	return r.byGraph(call)
}

// ThroughField is the spelling of a call through a field of a named struct, or "".
func (r *Result) ThroughField(call ssa.CallInstruction) string {
	method := ""
	if call.Common().IsInvoke() {
		method = call.Common().Method.Name()
	}
	return throughField(r.u.frame(call.Parent()).value(call.Common().Value), method)
}

func throughField(v keyterm.Term, method string) string {
	if v.Op != keyterm.Field || len(v.Names) == 0 || v.Names[0] == "" {
		return ""
	}
	return fieldGuard(v.Names[0], v.Text, method)
}

// invoked is what an interface method call reaches: the method of the one type that the receiver is known to have, the
// function that an adapter type such as http.HandlerFunc makes of it, or what the call graph says.
func (r *Result) invoked(call ssa.CallInstruction, recv keyterm.Term) []string {
	if name := r.u.methodIn(recv, call.Common().Method.Name()); name != "" {
		return []string{name}
	}
	return r.byGraph(call)
}

// methodIn is the method of the one type that an object is known to have, or the function that an adapter type makes of
// it, or "".
func (u *unit) methodIn(object keyterm.Term, method string) string {
	if object.Op == keyterm.Field {
		object = u.resolve(object)
	}
	for _, v := range append([]keyterm.Term{object}, u.handedTo(object)...) {
		switch v.Op {
		case keyterm.Object:
			if v.Text != "" {
				return "(" + v.Text + ")." + method
			}
		case keyterm.Func:
			return GuardName(v.Text)
		}
	}
	return ""
}

func (r *Result) byGraph(call ssa.CallInstruction) []string {
	var out []string
	for _, fn := range r.u.dynamicCallees(call) {
		out = append(out, GuardName(r.u.name(fn)))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// functionsOf are the functions that a function value is: itself, what its field ever holds, or what the callers in
// sight hand in.
func (u *unit) functionsOf(v keyterm.Term) (names []string, ok bool) {
	switch v.Op {
	case keyterm.Func:
		return []string{GuardName(v.Text)}, true
	case keyterm.Field:
		if len(v.Names) == 0 {
			return nil, false
		}
		names, ok = u.functionsInField(v.Names[0], v.Text)
	case keyterm.Param:
		for _, a := range u.handedTo(v) {
			if a.Op != keyterm.Func {
				return nil, false
			}
			names = append(names, a.Text)
		}
		ok = len(names) > 0
	}
	for i := range names {
		names[i] = GuardName(names[i])
	}
	slices.Sort(names)
	return slices.Compact(names), ok
}

// handedTo are the values that the calls in sight hand in for a parameter.
func (u *unit) handedTo(p keyterm.Term) []keyterm.Term {
	if p.Op != keyterm.Param {
		return nil
	}
	var out []keyterm.Term
	for _, site := range u.callsOf(p.Text) {
		args := site.Common().Args
		if p.Index < len(args) {
			out = append(out, u.frame(site.Parent()).value(args[p.Index]))
		}
	}
	return out
}

// callsOf are the static calls of a function in the unit.
func (u *unit) callsOf(name string) []ssa.CallInstruction {
	if u.calls == nil {
		u.calls = map[string][]ssa.CallInstruction{}
		for _, fn := range u.fns {
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					if c, ok := i.(ssa.CallInstruction); ok && c.Common().StaticCallee() != nil {
						n := u.name(c.Common().StaticCallee())
						u.calls[n] = append(u.calls[n], c)
					}
				}
			}
		}
	}
	return u.calls[name]
}

// ownImpls adds the types of the package that implement its own interfaces: they need no conversion in sight.
func (u *unit) ownImpls() {
	scope := u.pass.Pkg.Scope()
	var ifaces, concrete []*types.Named
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() {
			continue
		}
		n, ok := tn.Type().(*types.Named)
		if !ok || n.TypeParams().Len() > 0 {
			continue
		}
		if i, ok := n.Underlying().(*types.Interface); ok {
			if i.NumMethods() > 0 {
				ifaces = append(ifaces, n)
			}
		} else if n.NumMethods() > 0 {
			concrete = append(concrete, n)
		}
	}
	for _, i := range ifaces {
		for _, c := range concrete {
			u.implements(i, c)
		}
	}
}

func (u *unit) implements(i, c *types.Named) {
	iface := i.Underlying().(*types.Interface)
	switch {
	case types.Implements(c, iface):
		u.addImpl(Impl{typeName(i), typeName(c)})
	case types.Implements(types.NewPointer(c), iface):
		u.addImpl(Impl{typeName(i), "*" + typeName(c)})
	}
}
