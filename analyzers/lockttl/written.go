package lockttl

import (
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// written is the call or field that a constant TTL is written in, not valid where there is none: the zero value of a
// field that nobody sets has no place.
func written(ttl keyterm.Term) lockfacts.Site {
	ttl = ttl.Strip()
	if ttl.Op == keyterm.Arith && len(ttl.Args) > 0 { // what a helper makes of the number that it is handed
		return written(ttl.Args[0])
	}
	if ttl.Op != keyterm.Const || ttl.Index == 1 || !ttl.At.IsValid() {
		return lockfacts.Site{}
	}
	return lockfacts.Site{Pos: ttl.At, Function: ttl.Fn, Package: lockfacts.FunctionPackage(ttl.Fn)}
}
