package lockttl

import (
	"go/types"
	"math/big"
	"strings"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/passes/keyterm"
)

// scale is the unit of a number, in nanoseconds, with everything that it can be. No entry means that nothing is known.
type scale struct {
	nanos []*big.Rat
	name  string        // what says so
	unit  time.Duration // the unit that it says
	// typed is true where a type says so, time.Duration. The value may as well be a bare number that the program
	// multiplies with time.Second later, as settings often are.
	typed bool
}

// scaleOf finds the unit that a number is in: the method of time.Duration that made it, or the type of the parameter or
// field that it comes from, times and divided by what it is multiplied with on the way. What somebody has called the
// parameter or field says nothing.
func (c *checker) scaleOf(fn *ssa.Function, t keyterm.Term) scale {
	t = t.Strip()
	switch t.Op {
	case keyterm.Call:
		if u := judge.Units[t.Text]; u != 0 {
			return scale{nanos: []*big.Rat{rat(u)}, name: strings.TrimPrefix(t.Text, "(time.Duration).") + "()", unit: u}
		}
	case keyterm.Param, keyterm.Field:
		if name, typ := c.origin(fn, t); typ != nil && types.TypeString(typ, nil) == "time.Duration" {
			return scale{[]*big.Rat{rat(1)}, name, 1, true}
		}
	case keyterm.Arith:
		return c.computed(fn, t)
	}
	return scale{}
}

func rat(d time.Duration) *big.Rat { return new(big.Rat).SetInt64(int64(d)) }

// computed multiplies or divides a scale by a constant.
func (c *checker) computed(fn *ssa.Function, t keyterm.Term) scale {
	if len(t.Args) != 2 {
		return scale{}
	}
	s, by := c.scaleOf(fn, t.Args[0]), t.Args[1]
	if len(s.nanos) == 0 && t.Text == "*" {
		s, by = c.scaleOf(fn, t.Args[1]), t.Args[0]
	}
	k, ok := judge.Number(by)
	if !ok || k.Sign() <= 0 {
		return scale{}
	}
	switch t.Text {
	case "*", "/":
		return s.times(k, t.Text == "/")
	}
	return scale{}
}

// times is a scale after a multiplication with k, or a division by it. Twice the interval is still an interval: only
// factors between two units change the scale.
func (s scale) times(k *big.Int, divided bool) scale {
	switch {
	case !k.IsInt64():
		return scale{}
	case !betweenUnits[k.Int64()]:
		if k.Int64() >= 60 {
			return scale{} // sixty times a number of minutes may be meant as seconds, or as an hour
		}
		return s
	case s.typed && !divided:
		return scale{}
	}
	factor := new(big.Rat).SetInt(k)
	if !divided {
		factor.Inv(factor)
	}
	scaled := make([]*big.Rat, len(s.nanos))
	for i, n := range s.nanos {
		scaled[i] = new(big.Rat).Mul(n, factor)
	}
	s.nanos = scaled
	return s
}

// betweenUnits are the factors that make one unit of another.
var betweenUnits = map[int64]bool{
	1e3: true, 1e6: true, 1e9: true, int64(time.Minute): true, int64(time.Hour): true,
}

// origin is the name and the declared type of the parameter or field that a term reads, nil where it is not found.
func (c *checker) origin(fn *ssa.Function, t keyterm.Term) (string, types.Type) {
	switch t.Op {
	case keyterm.Param:
		if fn != nil && fn.String() == t.Text && t.Index < len(fn.Params) {
			return fn.Params[t.Index].Name(), fn.Params[t.Index].Type()
		}
	case keyterm.Field:
		return t.Text, c.fieldType(t)
	}
	return "", nil
}

// fieldType is the declared type of the field that a term reads, nil where it is not found.
func (c *checker) fieldType(t keyterm.Term) types.Type {
	if len(t.Names) == 0 {
		return nil
	}
	dot := strings.LastIndexByte(t.Names[0], '.')
	if dot < 0 {
		return nil
	}
	pkg := c.packageNamed(t.Names[0][:dot])
	if pkg == nil {
		return nil
	}
	obj, ok := pkg.Scope().Lookup(t.Names[0][dot+1:]).(*types.TypeName)
	if !ok {
		return nil
	}
	f, _, _ := types.LookupFieldOrMethod(obj.Type(), true, pkg, t.Text)
	if v, ok := f.(*types.Var); ok {
		return v.Type()
	}
	return nil
}

// packageNamed is the package itself or one that it imports.
func (c *checker) packageNamed(path string) *types.Package {
	if path == c.Pass.Pkg.Path() {
		return c.Pass.Pkg
	}
	for _, p := range c.Pass.Pkg.Imports() {
		if p.Path() == path {
			return p
		}
	}
	return nil
}
