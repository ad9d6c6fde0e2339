package lockkey

import (
	"go/ast"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// zeroField: the only variable part of the key is an unexported field that some exported constructor leaves at zero,
// while another one sets it. A field that no constructor sets, or all do, is as it is meant.
func (c *checker) zeroField(t keyterm.Term, p part) []read {
	if len(t.Names) == 0 || ast.IsExported(t.Text) || !c.configured(t) || t.Args[0].Strip().Op != keyterm.Param {
		return nil
	}
	owner := t.Names[0]
	if lockfacts.FunctionPackage(owner) != c.Pass.Pkg.Path() || !strings.HasPrefix(owner, c.Pass.Pkg.Path()+".") {
		return nil
	}
	set, left := false, false
	for _, fn := range c.fns {
		c.each(fn, func(i ssa.Instruction) {
			switch i := i.(type) {
			case *ssa.Store:
				set = set || storesField(i, owner, t.Text)
			case *ssa.Alloc:
				left = left || c.leaves(i, owner, t.Text)
			}
		})
	}
	if !set || !left {
		return nil
	}
	return []read{{t, siteOf(t), fromZeroField}}
}

func storesField(s *ssa.Store, owner, field string) bool {
	fa, ok := s.Addr.(*ssa.FieldAddr)
	if !ok {
		return false
	}
	o, f := lockfacts.FieldOf(fa)
	return o == owner && f == field
}

// leaves reports whether an exported function makes a value of the type, sets some fields and not this one, and returns
// it.
func (c *checker) leaves(a *ssa.Alloc, owner, field string) bool {
	fn := a.Parent()
	if fn.Object() == nil || !fn.Object().Exported() || inTest(c.Res.FuncPos(fn)) {
		return false
	}
	some, returned := false, false
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.FieldAddr:
			o, f := lockfacts.FieldOf(r)
			if o != owner || f == field {
				return false
			}
			some = true
		case *ssa.Return:
			returned = true
		}
	}
	return some && returned
}
