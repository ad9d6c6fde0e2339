package lockapi

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/lockfacts"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// receiver is the object whose method a call runs.
func receiver(c *ssa.CallCommon) ssa.Value {
	if c.IsInvoke() {
		return c.Value
	}
	if mc, ok := c.Value.(*ssa.MakeClosure); ok && len(mc.Bindings) == 1 {
		return mc.Bindings[0]
	}
	if len(c.Args) > 0 {
		return c.Args[0]
	}
	return nil
}

// resultDropped: nobody looks at any result, and nobody says so by assigning them to blanks.
func resultDropped(c *checker, _ *ssa.CallCommon, call ssa.CallInstruction) (ssa.Instruction, bool) {
	if c.blank(call.Pos()) {
		return nil, false
	}
	if c, ok := call.(*ssa.Call); ok {
		for _, r := range *c.Referrers() {
			if x, isExtract := r.(*ssa.Extract); !isExtract || len(*x.Referrers()) > 0 {
				return nil, false
			}
		}
	}
	return call, true
}

// blank reports whether the results of the call whose parenthesis opens at pos are assigned.
func (c *checker) blank(pos token.Pos) bool {
	if c.assigned == nil {
		c.assigned = map[token.Pos]bool{}
		for _, f := range c.Pass.Files {
			ast.Inspect(f, func(n ast.Node) bool {
				if a, ok := n.(*ast.AssignStmt); ok && len(a.Rhs) == 1 {
					if call, ok := ast.Unparen(a.Rhs[0]).(*ast.CallExpr); ok {
						c.assigned[call.Lparen] = true
					}
				}
				return true
			})
		}
	}
	return c.assigned[pos]
}

// otherMutex: the mutex was made in this function, and only to be released or extended.
func otherMutex(_ *checker, common *ssa.CallCommon, call ssa.CallInstruction) (ssa.Instruction, bool) {
	made, ok := madeHere(receiver(common), redsync, "NewMutex")
	if !ok || givesValue(made) {
		return nil, false
	}
	names, ok := methodsOf(made, map[ssa.Value]bool{})
	for _, n := range names {
		switch n {
		case "Unlock", "UnlockContext", "Extend", "ExtendContext", "Name", "Until", "Valid", "ValidContext":
		default:
			ok = false
		}
	}
	return call, ok
}

// madeHere is the call of a constructor of the library that made an object in the same function, as far as a variable
// that is set once tells.
func madeHere(v ssa.Value, library, constructor string) (*ssa.Call, bool) {
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		if a, ok := load.X.(*ssa.Alloc); ok {
			set := lockflow.OnlyStore(a)
			if set == nil {
				return nil, false
			}
			v = set.Val
		}
	}
	made, ok := v.(*ssa.Call)
	if !ok {
		return nil, false
	}
	obj := called(&made.Call)
	return made, obj != nil && obj.Name() == constructor && obj.Pkg() != nil && within(obj.Pkg().Path(), library)
}

// methodsOf are the methods that are called on an object, in the function and in its literals; ok is false where anything
// else is done with it. Variables that are swapped lead back to each other, so seen holds what was looked at.
func methodsOf(v ssa.Value, seen map[ssa.Value]bool) (names []string, ok bool) {
	if seen[v] {
		return nil, true
	}
	seen[v] = true
	for _, r := range *v.Referrers() {
		var more []string
		switch r := r.(type) {
		case *ssa.DebugRef:
			continue
		case *ssa.Store:
			if r.Addr == v {
				continue
			}
			a, local := r.Addr.(*ssa.Alloc)
			if !local {
				return nil, false
			}
			if more, ok = methodsOf(a, seen); !ok {
				return nil, false
			}
		case *ssa.UnOp:
			if more, ok = methodsOf(r, seen); !ok {
				return nil, false
			}
		case *ssa.MakeClosure:
			if more, ok = methodsIn(r, v, seen); !ok {
				return nil, false
			}
		case ssa.CallInstruction:
			if receiver(r.Common()) != v || called(r.Common()) == nil {
				return nil, false // somebody else may do anything
			}
			more = []string{called(r.Common()).Name()}
		default:
			return nil, false
		}
		names = append(names, more...)
	}
	return names, true
}

// methodsIn is methodsOf inside a function literal that captures the object.
func methodsIn(mc *ssa.MakeClosure, v ssa.Value, seen map[ssa.Value]bool) (names []string, ok bool) {
	fn := mc.Fn.(*ssa.Function)
	for i, bound := range mc.Bindings {
		if bound != v || i >= len(fn.FreeVars) {
			continue
		}
		if fn.Synthetic != "" { // a method value
			return []string{fn.Object().Name()}, true
		}
		more, ok := methodsOf(fn.FreeVars[i], seen)
		if !ok {
			return nil, false
		}
		names = append(names, more...)
	}
	return names, true
}

// givesValue reports whether a mutex is made with options that may set its owner value: any that are not in sight, and
// those that do.
func givesValue(made *ssa.Call) bool {
	args := made.Call.Args
	if len(args) == 0 {
		return true
	}
	list, ok := args[len(args)-1].(*ssa.Slice)
	if !ok {
		c, isConst := args[len(args)-1].(*ssa.Const)
		return !isConst || !c.IsNil()
	}
	a, ok := list.X.(*ssa.Alloc)
	if !ok {
		return true
	}
	for _, r := range *a.Referrers() {
		ia, ok := r.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		for _, st := range *ia.Referrers() {
			s, ok := st.(*ssa.Store)
			if !ok {
				continue
			}
			v := s.Val
			if mi, ok := v.(*ssa.MakeInterface); ok {
				v = mi.X
			}
			opt, ok := v.(*ssa.Call)
			if !ok || called(&opt.Call) == nil || strings.Contains(called(&opt.Call).Name(), "Value") {
				return true
			}
		}
	}
	return false
}

// noExpire: the lock was made in this function, which sets no expiry and hands it to nobody who could.
func noExpire(_ *checker, common *ssa.CallCommon, call ssa.CallInstruction) (ssa.Instruction, bool) {
	made, ok := madeHere(receiver(common), goZero, "NewRedisLock")
	if !ok {
		return nil, false
	}
	names, ok := methodsOf(made, map[ssa.Value]bool{})
	return call, ok && !slices.Contains(names, "SetExpire")
}

// contextDropped: the context among the results is not used.
func contextDropped(_ *checker, _ *ssa.CallCommon, call ssa.CallInstruction) (ssa.Instruction, bool) {
	c, ok := call.(*ssa.Call)
	if !ok {
		return nil, false
	}
	for _, r := range *c.Referrers() {
		if x, isExtract := r.(*ssa.Extract); isExtract {
			if x.Index == 0 && len(*x.Referrers()) > 0 {
				return nil, false
			}
			continue
		}
		if _, debug := r.(*ssa.DebugRef); !debug {
			return nil, false // handed on as it is
		}
	}
	return call, true
}

// sharedMutex: the mutex is kept in a field or a variable of the package, and several goroutines lock it there.
func sharedMutex(c *checker, _ *ssa.CallCommon, call ssa.CallInstruction) (ssa.Instruction, bool) {
	made, ok := call.(*ssa.Call)
	if !ok {
		return nil, false
	}
	for _, r := range *made.Referrers() {
		s, ok := r.(*ssa.Store)
		if !ok || s.Val != ssa.Value(made) {
			continue
		}
		if place := placeOf(s.Addr); place != "" && !c.madeForEach(s) && c.lockedByMany(place) {
			return call, true
		}
	}
	return nil, false
}

// madeForEach reports whether the mutex is kept in a field of something that a function makes which several goroutines run:
// each has its own then.
func (c *checker) madeForEach(s *ssa.Store) bool {
	field, ok := s.Addr.(*ssa.FieldAddr)
	if !ok {
		return false
	}
	_, given := field.X.(*ssa.Parameter) // shared, perhaps
	return !given && c.concurrent(s.Parent(), map[*ssa.Function]bool{})
}

// placeOf names a field or a variable of a package, or "".
func placeOf(addr ssa.Value) string {
	switch a := addr.(type) {
	case *ssa.FieldAddr:
		owner, field := lockfacts.FieldOf(a)
		if owner == "" {
			return ""
		}
		return owner + "." + field
	case *ssa.Global:
		return a.String()
	}
	return ""
}

// lockedByMany reports whether the mutex that is kept in a place is locked where several goroutines come by: in what a
// loop starts as goroutines, or in a handler of requests.
func (c *checker) lockedByMany(place string) bool {
	for _, fn := range c.Res.Functions {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				call, ok := i.(*ssa.Call)
				if !ok || !locks(call, place) || serialised(call) {
					continue
				}
				if c.concurrent(fn, map[*ssa.Function]bool{}) {
					return true
				}
			}
		}
	}
	return false
}

func locks(call *ssa.Call, place string) bool {
	obj := called(&call.Call)
	if obj == nil || clientmodel.ReceiverName(obj) != "Mutex." || !strings.Contains(obj.Name(), "Lock") || strings.HasPrefix(obj.Name(), "Unlock") {
		return false
	}
	load, ok := receiver(&call.Call).(*ssa.UnOp)
	return ok && load.Op == token.MUL && placeOf(load.X) == place
}

// serialised reports whether a mutex of the process is locked on every way to a call, so that one goroutine at a time
// comes by.
func serialised(call *ssa.Call) bool {
	for _, b := range call.Parent().Blocks {
		if !b.Dominates(call.Block()) {
			continue
		}
		for _, i := range b.Instrs {
			if i == ssa.Instruction(call) {
				break
			}
			if before, ok := i.(*ssa.Call); ok && locksLocally(&before.Call) {
				return true
			}
		}
	}
	return false
}

func locksLocally(c *ssa.CallCommon) bool {
	obj := called(c)
	if obj == nil {
		return false
	}
	switch obj.FullName() {
	case "(*sync.Mutex).Lock", "(*sync.RWMutex).Lock", "(sync.Locker).Lock":
		return true
	}
	return false
}

const maxCallers = 200

// concurrent reports whether several goroutines certainly run a function: a loop starts it, or a function that leads to it,
// or a server calls it for each request.
func (c *checker) concurrent(fn *ssa.Function, seen map[*ssa.Function]bool) bool {
	if seen[fn] || len(seen) > maxCallers {
		return false
	}
	seen[fn] = true
	if handler(fn.Signature) {
		return true
	}
	if fn.Parent() != nil && startedInLoop(fn) {
		return true
	}
	for _, site := range c.Res.Callers(fn) {
		if _, starts := site.(*ssa.Go); starts && lockflow.InLoop(site.Block()) || c.concurrent(site.Parent(), seen) {
			return true
		}
	}
	return false
}

// startedInLoop reports whether the function around a literal hands it, in a loop, to something that starts goroutines.
func startedInLoop(fn *ssa.Function) bool {
	for _, b := range fn.Parent().Blocks {
		for _, i := range b.Instrs {
			c, ok := i.(ssa.CallInstruction)
			if !ok || !lockflow.InLoop(b) {
				continue
			}
			if mc, isClosure := c.Common().Value.(*ssa.MakeClosure); isClosure && mc.Fn == fn {
				_, starts := c.(*ssa.Go)
				return starts
			}
			for _, a := range c.Common().Args {
				if mc, isClosure := a.(*ssa.MakeClosure); isClosure && mc.Fn == fn && startsGoroutines(c.Common()) {
					return true
				}
			}
		}
	}
	return false
}

// startsGoroutines reports whether a function of a library starts what it is handed in a goroutine.
func startsGoroutines(c *ssa.CallCommon) bool {
	obj := called(c)
	if obj == nil {
		return false
	}
	switch obj.FullName() {
	case "(*sync.WaitGroup).Go", "(*golang.org/x/sync/errgroup.Group).Go", "(*golang.org/x/sync/errgroup.Group).TryGo",
		"(*github.com/panjf2000/ants/v2.Pool).Submit", "github.com/panjf2000/ants/v2.Submit":
		return true
	}
	return false
}

// handler reports whether a function has the form of one that a server runs for each request.
func handler(sig *types.Signature) bool {
	for v := range sig.Params().Variables() {
		switch v.Type().String() {
		case "*net/http.Request", "*github.com/gin-gonic/gin.Context", "github.com/labstack/echo/v4.Context", "*github.com/gofiber/fiber/v2.Ctx":
			return true
		}
	}
	return false
}
