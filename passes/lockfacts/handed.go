package lockfacts

import (
	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
)

// handedToClients reports whether nobody but the function itself and a client library gets hold of a struct that it
// makes, so that nothing that is stored in a field changes later: options and items that are handed to a client's
// function are what they are.
func handedToClients(a *ssa.Alloc) bool {
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.FieldAddr, *ssa.UnOp, *ssa.DebugRef:
		case *ssa.Call:
			if !callsClient(r.Common()) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// callsClient reports whether a call is one of a function that the client table describes.
func callsClient(c *ssa.CallCommon) bool {
	if c.IsInvoke() {
		_, ok := clientmodel.Lookup(c.Method)
		return ok
	}
	fn := c.StaticCallee()
	return fn != nil && isRow(fn)
}
