package lockfacts

import (
	"slices"

	"github.com/leasevet/leasevet/passes/keyterm"
)

// heldFunctions are the function values that a private field ever holds, with what they know of the constructor's
// arguments, as far as that is the same for every object; nil if one of them is not known. Functions of other packages
// are among them, which the call graph of one package does not have.
func (u *unit) heldFunctions(t keyterm.Term) []keyterm.Term {
	if t.Op != keyterm.Field || len(t.Names) == 0 || t.Names[0] == "" || !u.private(t.Names[0], t.Text) {
		return nil
	}
	var out []keyterm.Term
	for _, w := range u.stores[t.Names[0]+"."+t.Text] {
		v := u.frame(w.store.Parent()).value(w.store.Val).Strip()
		fns := functionsIn(v)
		if len(fns) == 0 || v.Op == keyterm.Set && len(fns) < len(v.Args) {
			return nil
		}
		for _, f := range fns {
			f.Args = slices.Clone(f.Args)
			for i := range f.Args {
				if a, ok := closedPart(f.Args[i]); ok {
					f.Args[i] = a
				} else {
					f.Args[i] = keyterm.Term{}
				}
			}
			out = append(out, f)
		}
	}
	return out
}
