package selfcall

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/lockfacts"
)

// applies reports whether a guard speaks of this package's code. One of the program's own module does. A library may
// offer a type and a wrapper of it that locks: whoever only uses the type goes past nothing, so that a guard of another
// module needs a sign that this package uses the wrapper too.
func (c *checker) applies(g lockfacts.Guard) bool {
	m := c.r.Pass.Module
	if m == nil || m.Path == "" || g.At.Package == m.Path || strings.HasPrefix(g.At.Package, m.Path+"/") {
		return true
	}
	for _, fn := range c.r.Res.Functions {
		for _, p := range fn.Params {
			if wraps(plain(p.Type().String()), plain(g.Wrapper)) {
				return true
			}
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if uses(i, g.Wrapper) {
					return true
				}
			}
		}
	}
	return false
}

// uses reports whether an instruction makes or reads a value of the wrapper's type, or names the wrapping function.
func uses(i ssa.Instruction, wrapper string) bool {
	if v, ok := i.(ssa.Value); ok && wraps(plain(v.Type().String()), plain(wrapper)) {
		return true
	}
	for _, o := range i.Operands(nil) {
		if fn, ok := (*o).(*ssa.Function); ok && plain(fn.String()) == plain(wrapper) {
			return true
		}
	}
	return false
}

// plain is a name without type parameters and arguments.
func plain(name string) string {
	var b strings.Builder
	depth := 0
	for _, r := range name {
		switch {
		case r == '[':
			depth++
		case r == ']':
			depth--
		case depth == 0:
			b.WriteRune(r)
		}
	}
	return b.String()
}
