package lockfacts

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
)

// Chosen is where it is decided on which context a command runs, as far as fn and what it calls see it: the command
// itself, unless the function around it was given the context; then that function's call, and so on.
func (r *Result) Chosen(fn *ssa.Function, e *Effect) Site {
	sites := append(append([]Site{}, e.Path...), e.At)
	for i := len(sites) - 1; i > 0; i-- {
		if Lexically(sites[i].Function, fn) || !r.given(sites[i].Function, e) {
			return sites[i]
		}
	}
	return sites[0]
}

// given reports whether a function runs a command on a context that it was given as a parameter, or on one derived of
// it, and so leaves the choice to its callers.
func (r *Result) given(function string, e *Effect) bool {
	s := r.Summary(function)
	if s == nil {
		return false
	}
	for i := range s.Effects {
		if x := &s.Effects[i]; x.At == e.At && x.Op == e.Op {
			root := contextRoot(x.Ctx)
			return root.Op == keyterm.Param && root.Text == function && root.Type != "" && isContextName(root.Type)
		}
	}
	return false
}

func isContextName(typ string) bool { return typ == "context.Context" }

// contextRoot is the context that another one was first derived of.
func contextRoot(t keyterm.Term) keyterm.Term {
	for {
		t = t.Strip()
		if _, ok := derivations[t.Text]; t.Op != keyterm.Call || !ok || len(t.Args) == 0 {
			return t
		}
		t = t.Args[0]
	}
}

// Lexically reports whether the named function is fn or a function literal in it.
func Lexically(function string, fn *ssa.Function) bool {
	name := fn.String()
	return function == name || strings.HasPrefix(function, name+"$")
}

// Innermost is the innermost place of an effect that stands in the text of fn.
func Innermost(fn *ssa.Function, e *Effect) Site {
	sites := append(append([]Site{}, e.Path...), e.At)
	for i := len(sites) - 1; i > 0; i-- {
		if Lexically(sites[i].Function, fn) {
			return sites[i]
		}
	}
	return sites[0]
}

// CallAt is the call of a function, or of one of its literals, that stands at a place.
func (r *Result) CallAt(fn *ssa.Function, at keyterm.Pos) *ssa.Call {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if c, ok := i.(*ssa.Call); ok && (r.u.pos(c.Pos()) == at || r.u.pos(r.u.callPos(c)) == at) {
				return c
			}
		}
	}
	return nil
}

// Function is the function of the package by name, or nil.
func (r *Result) Function(name string) *ssa.Function { return r.u.byName[name] }

// IsWork reports whether a call does something that takes time: not a function of package context, of a client library,
// of a lock, or one that returns nothing, and so logs or
// counts, or a text, and so makes a key.
func (r *Result) IsWork(c *ssa.Call) bool {
	if _, builtin := c.Call.Value.(*ssa.Builtin); builtin || noWork(c.Call.Signature().Results()) {
		return false
	}
	name := calleeName(&c.Call)
	if clientmodel.IsClient(FunctionPackage(name)) {
		return false
	}
	for _, p := range []string{"context.", "errors.", "fmt.", "(context.", "(error).", "strings.", "strconv.", "time.", "(time."} {
		if strings.HasPrefix(name, p) {
			return false
		}
	}
	for _, e := range r.u.eventsOf(c.Parent()) {
		if e.Instr == ssa.CallInstruction(c) && (e.Op.Acquires() || e.Op.Releases() || len(e.Path) == 0) {
			return false
		}
	}
	return !accessor(c)
}

// EndsProcess reports whether a call certainly does not return.
func (r *Result) EndsProcess(c ssa.CallInstruction) bool { return r.u.noReturn(c) }
