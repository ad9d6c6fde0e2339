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

// function is the full name of a function, as summaries know it.
func (s *spellings) function(fn *ssa.Function) string {
	name, ok := s.functions[fn]
	if !ok {
		name = fn.String()
		s.functions[fn] = name
	}
	return name
}

// method is the full name of an interface method.
func (s *spellings) method(m *types.Func) string {
	name, ok := s.methods[m]
	if !ok {
		name = m.FullName()
		s.methods[m] = name
	}
	return name
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

// typ is a type with full package paths.
func (s *spellings) typ(t types.Type) string {
	name, ok := s.types[t]
	if !ok {
		name = types.TypeString(t, nil)
		s.types[t] = name
	}
	return name
}
