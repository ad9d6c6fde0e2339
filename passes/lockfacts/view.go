package lockfacts

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
)

func sortedNamed(m map[string]keyterm.Term) []Named {
	var out []Named
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, Named{k, m[k]})
	}
	return out
}

// Events are the effects of a function, called helpers included, in program order.
func (r *Result) Events(fn *ssa.Function) []Event {
	if a := r.u.activities[fn]; a != nil {
		return a.events
	}
	return nil
}

// Own are the events of all functions whose command stands in the package itself. Callers do not change them.
func (r *Result) Own() []Event {
	if r.u == nil {
		return nil
	}
	r.ownOnce.Do(func() {
		for _, o := range r.u.ownEvents() {
			r.own = append(r.own, *o.e)
		}
	})
	return r.own
}

// Nearest are the events of the functions that stand nearest to the command: it is their own, or only functions of other
// packages lie between. Callers do not change them.
func (r *Result) Nearest() []Event {
	if r.u == nil {
		return nil
	}
	r.nearestOnce.Do(func() {
		for _, fn := range r.u.fns {
			for _, e := range r.u.eventsOf(fn) {
				if r.u.nearest(&e) {
					r.near = append(r.near, e)
				}
			}
		}
	})
	return r.near
}

func (u *unit) nearest(e *Event) bool {
	own := func(s Site) bool { return s.Package == u.pass.Pkg.Path() }
	return len(e.Path) == 0 || !own(e.At) && !slices.ContainsFunc(e.Path[1:], own)
}

// Shape is what methods of one type, or functions that spell the same class, have in common in a key, or "".
func (r *Result) Shape(fn *ssa.Function, key keyterm.Term) string { return shape(fn, key) }

// Resolve replaces fields by what is written to them, where that is known.
func (r *Result) Resolve(t keyterm.Term) keyterm.Term { return r.u.resolve(t) }

// JoinsOnly reports whether the function that built t adds no text of its own to what it is given.
func (r *Result) JoinsOnly(t keyterm.Term) bool { return r.u.joinsOnly(t) }

// FuncPos is where a function is declared.
func (r *Result) FuncPos(fn *ssa.Function) keyterm.Pos { return r.u.pos(fn.Pos()) }

// VarName is what the program calls a value, the name of a parameter or field, or "".
func (r *Result) VarName(t keyterm.Term) string { return r.u.varName(t) }

// Term is the symbolic value of v, a value of fn.
func (r *Result) Term(fn *ssa.Function, v ssa.Value) keyterm.Term { return r.u.frame(fn).value(v) }

// Callees are the functions of the package that a call can reach, through function values and interfaces too.
func (r *Result) Callees(c ssa.CallInstruction) []*ssa.Function {
	if fn := c.Common().StaticCallee(); fn != nil {
		return []*ssa.Function{r.u.target(fn)}
	}
	var out []*ssa.Function
	for _, fn := range r.u.dynamicCallees(c) {
		if t := r.u.target(fn); !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// Name is the name under which facts know a function.
func (r *Result) Name(fn *ssa.Function) string { return r.u.name(fn) }

// Summary is the summary of a function by name, of this package or an imported one, or nil.
func (r *Result) Summary(name string) *Summary {
	if fn := r.u.byName[name]; fn != nil {
		return r.u.summaries[fn]
	}
	return r.u.funcs[name]
}

// Facts are the facts of imported packages, by path.
func (r *Result) Facts() map[string]*Fact { return r.u.facts }

// Pos is a position as facts carry it.
func (r *Result) Pos(i ssa.Instruction) keyterm.Pos {
	if c, ok := i.(ssa.CallInstruction); ok {
		return r.u.pos(r.u.callPos(c))
	}
	return r.u.pos(i.Pos())
}

// Site is an instruction's place, with its function and package.
func (r *Result) Site(i ssa.Instruction) Site {
	return Site{Pos: r.Pos(i), Function: i.Parent().String(), Package: r.Pass.Pkg.Path()}
}

// Runs reports whether an instruction of the acquire's function runs in a scenario of the acquire, before it included.
func (r *Result) Runs(e *Event, i ssa.Instruction, s clientmodel.Scenario) bool {
	return r.u.runsIn(e, i, s)
}

func indexIn(i ssa.Instruction) int { return slices.Index(i.Block().Instrs, i) }

// FieldOf names the struct type and field of an address.
func FieldOf(fa *ssa.FieldAddr) (owner, field string) {
	s, ok := structOf(fa.X.Type())
	if !ok {
		return "", ""
	}
	return typeName(fa.X.Type()), s.Field(fa.Field).Name()
}

// Methods are the summaries of the methods of a named type, of this package or an imported one, by name.
func (r *Result) Methods(typ string) []*Summary {
	var out []*Summary
	for _, prefix := range []string{"(*" + typ + ").", "(" + typ + ")."} {
		for _, fn := range r.Functions {
			if s := r.u.summaries[fn]; s != nil && strings.HasPrefix(s.Name, prefix) && fn.Parent() == nil {
				out = append(out, s)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(r.u.funcs)) {
			if strings.HasPrefix(name, prefix) {
				out = append(out, r.u.funcs[name])
			}
		}
	}
	return out
}

// Dynamic are the names of the methods that an interface method call can reach in packages that are only known from
// facts: the receiver's type, where it is known, or the implementations in sight.
func (r *Result) Dynamic(c ssa.CallInstruction) []string {
	common := c.Common()
	recv := r.u.frame(c.Parent()).value(common.Value)
	if recv.Op == keyterm.Field {
		recv = r.u.resolve(recv)
	}
	if recv.Op == keyterm.Object && recv.Text != "" {
		return r.u.existing("*"+recv.Text, common.Method.Name())
	}
	var out []string
	for _, typ := range r.u.impls[typeName(common.Value.Type())] {
		out = append(out, r.u.existing(typ, common.Method.Name())...)
	}
	return out
}

// existing is the method of a type by the receiver that its summary or type says it has.
func (u *unit) existing(typ, method string) []string {
	for _, name := range methodNames(typ, method) {
		if u.byName[name] != nil || u.funcs[name] != nil {
			return []string{name}
		}
	}
	return []string{methodNames(typ, method)[0]}
}
