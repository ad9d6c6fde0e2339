package lockscope

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/lockflow"
)

// isTx reports whether a type is that of an open transaction, as far as types tell: it can be committed and rolled back,
// and is no handle that also begins transactions, such as *gorm.DB, which may or may not be in one.
func isTx(t types.Type) bool {
	return hasMethod(t, "Commit") && hasMethod(t, "Rollback") && (!hasMethod(t, "Begin") || strings.HasSuffix(t.String(), ".Tx"))
}

// mayBeTx is isTx, such handles included.
func mayBeTx(t types.Type) bool { return hasMethod(t, "Commit") && hasMethod(t, "Rollback") }

func hasMethod(t types.Type, name string) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
	fn, ok := obj.(*types.Func)
	return ok && fn.Exported()
}

// commit is a call that commits a transaction.
type commit struct {
	instr ssa.CallInstruction
	tx    ssa.Value // see origin
}

// commits lists the calls of fn that commit a transaction, itself or in a function of the package that it hands the
// transaction to.
func (c *checker) commits(fn *ssa.Function) []commit {
	if out, ok := c.committing[fn]; ok {
		return out
	}
	c.committing[fn] = nil // one that calls itself commits no more by that
	var out []commit
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if call, ok := i.(ssa.CallInstruction); ok {
				for _, tx := range c.committed(call) {
					out = append(out, commit{call, tx})
				}
			}
		}
	}
	c.committing[fn] = out
	return out
}

// committed are the transactions that a call commits.
func (c *checker) committed(call ssa.CallInstruction) []ssa.Value {
	common := call.Common()
	if tx := commitOf(common); tx != nil {
		return []ssa.Value{origin(tx, 0)}
	}
	fn := common.StaticCallee()
	if fn == nil || len(fn.Blocks) == 0 || fn.Pkg != call.Parent().Pkg {
		return nil
	}
	var out []ssa.Value
	for _, k := range c.commits(fn) {
		out = append(out, handedIn(common, fn, k.tx)...)
	}
	return out
}

// commitOf is the transaction of a call of its Commit, or nil.
func commitOf(c *ssa.CallCommon) ssa.Value {
	if c.IsInvoke() {
		if c.Method.Name() == "Commit" && mayBeTx(c.Value.Type()) {
			return c.Value
		}
		return nil
	}
	fn := c.StaticCallee()
	if fn == nil || fn.Name() != "Commit" || fn.Signature.Recv() == nil || len(c.Args) == 0 || !mayBeTx(c.Args[0].Type()) {
		return nil
	}
	return c.Args[0]
}

// handedIn is what the caller knows a transaction of the called function as: its argument, or the variable that a
// function literal captures.
func handedIn(c *ssa.CallCommon, fn *ssa.Function, tx ssa.Value) []ssa.Value {
	switch tx := tx.(type) {
	case *ssa.Parameter:
		for i, p := range fn.Params {
			if p == tx && i < len(c.Args) {
				return []ssa.Value{origin(c.Args[i], 0)}
			}
		}
	default:
		if tx.Parent() != fn { // captured: origin has gone outward
			return []ssa.Value{tx}
		}
	}
	return nil
}

const maxOrigin = 16

// origin follows a value back to the call, parameter or variable that it comes from: through local variables that are
// set once, embedded fields, conversions and captured variables.
func origin(v ssa.Value, depth int) ssa.Value {
	if depth > maxOrigin {
		return v
	}
	switch x := v.(type) {
	case *ssa.UnOp:
		if x.Op == token.MUL {
			return origin(x.X, depth+1)
		}
	case *ssa.FieldAddr:
		if embedded(x) {
			return origin(x.X, depth+1)
		}
	case *ssa.Extract:
		return origin(x.Tuple, depth+1)
	case *ssa.MakeInterface:
		return origin(x.X, depth+1)
	case *ssa.ChangeInterface:
		return origin(x.X, depth+1)
	case *ssa.ChangeType:
		return origin(x.X, depth+1)
	case *ssa.FreeVar:
		if bound := lockflow.Binding(x); bound != nil {
			return origin(bound, depth+1)
		}
	case *ssa.Alloc:
		if s := lockflow.OnlyStore(x); s != nil {
			return origin(s.Val, depth+1)
		}
	}
	return v
}

func embedded(fa *ssa.FieldAddr) bool {
	p, ok := fa.X.Type().Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	s, ok := p.Elem().Underlying().(*types.Struct)
	return ok && s.Field(fa.Field).Embedded()
}
