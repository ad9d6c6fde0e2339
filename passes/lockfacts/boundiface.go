package lockfacts

import (
	"strings"

	"github.com/leasevet/leasevet/passes/keyterm"
)

// boundInterface are the targets of a method value of an interface, `lock := l.locker.Lock`, by the name that the
// compiler gives it: the method of the receiver's type, where that is known, or those of the types in sight that do
// something to locks. The receiver is the first argument.
func (u *unit) boundInterface(name string, args []keyterm.Term) []target {
	method, ok := strings.CutSuffix(name, "$bound")
	if !ok || len(args) == 0 {
		return nil
	}
	iface, method, ok := strings.Cut(strings.TrimPrefix(method, "("), ").")
	if !ok {
		return nil
	}
	if t, ok := u.methodOf(args[0], method, args); ok {
		return []target{t}
	}
	var out []target
	for _, typ := range u.impls[iface] {
		for _, full := range methodNames(typ, method) {
			if u.byName[full] == nil && u.funcs[full] == nil {
				continue
			}
			if t := u.named(full, args); t.summary != nil && t.summary.touchesLocks() {
				out = append(out, t)
			}
			break
		}
	}
	if len(out) > maxTargets {
		return nil
	}
	return out
}
