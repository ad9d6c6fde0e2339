package lockfacts

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/leasevet/leasevet/passes/clientmodel"
)

// Most calls of interface methods and function values have nothing to do with a lock. What is here tells so from what is
// known anyway, before somebody asks the call graph, which is dear.

// silentMethod reports whether a call of an interface method does nothing to a lock that could be seen: no method of
// that name in sight does.
func (u *unit) silentMethod(c ssa.CallInstruction) bool {
	common := c.Common()
	if _, ok := clientmodel.Lookup(common.Method); ok || u.methodLocks(common.Method.Name()) {
		return false
	}
	for _, a := range common.Args {
		if mayHoldFunctions(a) {
			return false
		}
	}
	if len(u.impls[typeName(common.Value.Type())]) == 0 {
		u.unknown("interface method without a known implementation", u.pos(u.callPos(c)))
	}
	return true
}

// methodLocks reports whether some method with the name has effects, or runs what it is given.
func (u *unit) methodLocks(name string) bool {
	if u.farMethods == nil {
		u.farMethods = map[string]bool{}
		for full, s := range u.funcs {
			if len(s.Effects)+len(s.Runs) > 0 {
				u.farMethods[full[strings.LastIndexByte(full, '.')+1:]] = true
			}
		}
	}
	return u.farMethods[name] || u.anyMethod(name)
}

// anyMethod reports whether some method of the unit with the name does something to locks or makes a value that counts.
func (u *unit) anyMethod(name string) bool {
	if u.methodsBy == nil {
		u.methodsBy = map[string][]*ssa.Function{}
		for _, fn := range u.fns {
			if fn.Signature.Recv() != nil && fn.Parent() == nil {
				u.methodsBy[fn.Name()] = append(u.methodsBy[fn.Name()], fn)
			}
		}
	}
	for _, fn := range u.methodsBy[name] {
		if s := u.summaryOf(fn); s != nil && useful(s) {
			return true
		}
	}
	return false
}

// anyValue reports whether some function that a value of the type can be does something to locks, or makes a value that
// counts.
func (u *unit) anyValue(sig *types.Signature) bool {
	if u.valuesBy == nil {
		u.indexValues()
	}
	list, _ := u.valuesBy.At(sig).([]*ssa.Function)
	for _, fn := range list {
		if u.busy[fn] || len(fn.Blocks) == 0 {
			return true
		}
		if s := u.summaryOf(fn); s != nil && useful(s) {
			return true
		}
	}
	return false
}

// indexValues sorts the functions of the unit by type, and those of other packages that it uses as values and that
// something is known of.
func (u *unit) indexValues() {
	u.valuesBy = new(typeutil.Map)
	add := func(fn *ssa.Function) {
		list, _ := u.valuesBy.At(fn.Signature).([]*ssa.Function)
		u.valuesBy.Set(fn.Signature, append(list, fn))
	}
	for _, fn := range u.fns {
		add(fn)
		for _, far := range u.farValues(fn) {
			add(far)
		}
	}
}

// farValues are the functions of other packages that fn uses as values.
func (u *unit) farValues(fn *ssa.Function) []*ssa.Function {
	var out []*ssa.Function
	var ops []*ssa.Value
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			ops = i.Operands(ops[:0])
			if c, ok := i.(ssa.CallInstruction); ok && c.Common().StaticCallee() != nil {
				ops = ops[1:] // what is called is no value
			}
			for _, o := range ops {
				far, ok := (*o).(*ssa.Function)
				if ok && u.byName[u.spell.function(far)] == nil && u.knows(far) {
					out = append(out, far)
				}
			}
		}
	}
	return out
}

// knows reports whether something is known of what a function does: through the compiler's wrapper of it too.
func (u *unit) knows(fn *ssa.Function) bool {
	t := u.target(fn)
	return len(t.Blocks) > 0 || u.funcs[u.spell.function(t)] != nil || isRow(t)
}
