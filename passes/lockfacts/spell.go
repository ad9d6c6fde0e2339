package lockfacts

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// spellings are the names of functions and types, each of which is asked for many times and costs a walk through types.
type spellings struct {
	functions map[*ssa.Function]string
	methods   map[*types.Func]string
	types     map[types.Type]string
}

func newSpellings() *spellings {
	return &spellings{map[*ssa.Function]string{}, map[*types.Func]string{}, map[types.Type]string{}}
}

// memoized is how k is spelled; what was asked for before is known.
func memoized[K comparable](known map[K]string, k K, spell func(K) string) string {
	name, ok := known[k]
	if !ok {
		name = spell(k)
		known[k] = name
	}
	return name
}

// function is the full name of a function, as summaries know it.
func (s *spellings) function(fn *ssa.Function) string {
	return memoized(s.functions, fn, (*ssa.Function).String)
}

// method is the full name of an interface method.
func (s *spellings) method(m *types.Func) string {
	return memoized(s.methods, m, (*types.Func).FullName)
}

// typ is a type with full package paths.
func (s *spellings) typ(t types.Type) string {
	return memoized(s.types, t, func(t types.Type) string { return types.TypeString(t, nil) })
}

// callee is the full name of a statically known function or of an interface method, "" for a function value.
func (s *spellings) callee(c *ssa.CallCommon) string {
	if c.IsInvoke() {
		return s.method(c.Method)
	}
	fn := c.StaticCallee()
	if fn == nil {
		return ""
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	return s.function(fn)
}
