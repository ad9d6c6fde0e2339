package lockfacts

import (
	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
)

// A lock object of a library is one lock, whatever its key is: what is not known of the key counts as one value that was
// made where the object was.

// identified is a lock object whose key is known to be one value.
func (u *unit) identified(t keyterm.Term, c ssa.CallInstruction) keyterm.Term {
	if t.Op != keyterm.Object || !clientmodel.IsLockObject(t.Text) {
		return t
	}
	args := make([]keyterm.Term, len(t.Args))
	for i, a := range t.Args {
		args[i] = a
		if clientmodel.IsKeyField(t.Names[i]) {
			args[i] = u.oneValue(a, c)
		}
	}
	t.Args = args
	return t
}

// oneValue replaces what is unknown in a key by a value that is made at the call.
func (u *unit) oneValue(key keyterm.Term, c ssa.CallInstruction) keyterm.Term {
	if !key.HasUnknown() {
		return key
	}
	return key.Map(func(p keyterm.Term) keyterm.Term {
		if p.Op != keyterm.Unknown {
			return p
		}
		return keyterm.Term{Op: keyterm.Fresh, Text: keyterm.Local, Type: p.Type, At: u.pos(u.callPos(c))}
	})
}

// ownObject reports whether a lock object was made by the function that has it: nobody else can release it.
func ownObject(v ssa.Value) bool {
	if v == nil {
		return false
	}
	if x, ok := v.(*ssa.Extract); ok {
		v = x.Tuple
	}
	if c, ok := v.(*ssa.Call); ok && c.Call.StaticCallee() != nil && isRow(c.Call.StaticCallee()) {
		return true
	}
	return madeByCaller(v)
}
