package lockfacts

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// What calls make of errors: functions of the program that hand an error on, that make one, that ask for one.

// handsOn finds the argument of a call whose error the called function returns, wrapped or not: nil for nil, an error
// for an error.
func (u *unit) handsOn(c *ssa.Call) (int, bool) {
	if !lockflow.IsError(c.Type()) {
		return 0, false
	}
	fn := c.Call.StaticCallee()
	if fn == nil {
		return 0, false
	}
	s := u.summaryOf(u.target(fn))
	if s == nil {
		return 0, wrapsByName(fn)
	}
	if s.HandsOn == 0 || s.HandsOn > len(c.Call.Args) {
		return 0, false
	}
	return s.HandsOn - 1, true
}

// wrapsByName reports whether a function that nothing is known of has a name by which such functions wrap the error
// that they are given first: nil stays nil.
func wrapsByName(fn *ssa.Function) bool {
	if fn.Signature.Recv() != nil || fn.Signature.Params().Len() == 0 || !lockflow.IsError(fn.Signature.Params().At(0).Type()) {
		return false
	}
	for _, prefix := range []string{"Wrap", "WithStack", "WithMessage", "Trace", "Annotate"} {
		if strings.HasPrefix(fn.Name(), prefix) {
			return true
		}
	}
	return false
}

// findHandsOn is the number, from 1, of the parameter that decides whether a function returns an error: the error that
// it is given. It is 0 if there is none.
func (u *unit) findHandsOn(fn *ssa.Function) int {
	r := fn.Signature.Results()
	if r.Len() != 1 || !lockflow.IsError(r.At(0).Type()) {
		return 0
	}
	for i, p := range fn.Params {
		if !lockflow.IsError(p.Type()) {
			continue
		}
		if u.returnsFor(fn, p, clientmodel.Nil) == clientmodel.Nil && u.returnsFor(fn, p, clientmodel.NonNil) == clientmodel.NonNil {
			return i + 1
		}
	}
	return 0
}

// returnsFor is what a function with one result returns when one parameter is known.
func (u *unit) returnsFor(fn *ssa.Function, p *ssa.Parameter, a clientmodel.Abstract) clientmodel.Abstract {
	assume := func(v ssa.Value) (clientmodel.Abstract, bool) { return a, v == p }
	r := lockflow.Walk(lockflow.Options{Function: fn, Assume: assume, NoReturn: u.noReturn, Vars: u.varsOf(fn)})
	if r.Cut || len(r.Results) != 1 {
		return 0
	}
	return r.Results[0]
}

// fixedError is the face of the one error that a function of the program always returns: a constructor's.
func (u *unit) fixedError(c *ssa.Call) string {
	fn := c.Call.StaticCallee()
	if fn == nil || !lockflow.IsError(c.Type()) {
		return ""
	}
	if s := u.summaryOf(u.target(fn)); s != nil {
		return s.Makes
	}
	return ""
}

// findMakes is the face of the error that a function returns, if it is the same on every path and says what it is.
func (u *unit) findMakes(fn *ssa.Function) string {
	r := fn.Signature.Results()
	if r.Len() != 1 || !lockflow.IsError(r.At(0).Type()) {
		return ""
	}
	sc := &scene{u: u, e: &Event{Fn: fn}}
	found := ""
	for _, b := range fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		f := sc.made(ret.Results[0])
		if f == "" || found != "" && f != found {
			return ""
		}
		found = f
	}
	return found
}

// made is the face of an error that does not depend on anything.
func (sc *scene) made(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return typeMark + types.TypeString(v.X.Type(), nil)
	case *ssa.UnOp:
		if g, ok := v.X.(*ssa.Global); ok {
			return varMark + g.String()
		}
	case *ssa.Call:
		if textErrors[calleeName(&v.Call)] && len(wrapped(v)) == 0 {
			return faceText
		}
		if inner := wrapped(v); len(inner) == 1 {
			return sc.made(inner[0])
		}
	}
	return ""
}

// decide answers what errors are asked: errors.Is and errors.As, ==, type assertions, functions of the program that do
// nothing else.
func (sc *scene) decide(v ssa.Value, res lockflow.Resolve) (clientmodel.Abstract, bool) {
	switch v := v.(type) {
	case *ssa.Call:
		return sc.decideCall(v, res)
	case *ssa.BinOp:
		return sc.decideCompare(v, res)
	case *ssa.Extract:
		t, ok := v.Tuple.(*ssa.TypeAssert)
		if ok && v.Index == 1 && lockflow.IsError(t.X.Type()) {
			return sc.matches(t.X, typeMark+types.TypeString(t.AssertedType, nil), res)
		}
		if c, ok := v.Tuple.(*ssa.Call); ok {
			if in := sc.inline(c, res); in != nil && in.known[v.Index] != 0 {
				return in.known[v.Index], true
			}
		}
	}
	return 0, false
}

func (sc *scene) decideCall(c *ssa.Call, res lockflow.Resolve) (clientmodel.Abstract, bool) {
	if lockflow.IsError(c.Type()) {
		return sc.known(c, res)
	}
	args := c.Call.Args
	switch calleeName(&c.Call) {
	case "errors.Is", "github.com/pkg/errors.Is", "golang.org/x/xerrors.Is":
		return sc.matches(args[0], sentinelMark(args[1]), res)
	case "errors.As", "github.com/pkg/errors.As", "golang.org/x/xerrors.As":
		return sc.matches(args[0], wantedType(args[1]), res)
	}
	if in := sc.inline(c, res); in != nil && len(in.known) == 1 && in.known[0] != 0 {
		return in.known[0], true
	}
	fn := c.Call.StaticCallee()
	if fn == nil || len(args) == 0 {
		return 0, false
	}
	s := sc.u.summaryOf(sc.u.target(fn))
	if s == nil || s.AsksFor == "" {
		return 0, false
	}
	return sc.matches(args[len(args)-1], s.AsksFor, res)
}

// known is whether an error that a call makes is nil.
func (sc *scene) known(c *ssa.Call, res lockflow.Resolve) (clientmodel.Abstract, bool) {
	if c == sc.e.Instr.Value() {
		return 0, false
	}
	switch f := sc.face(c, res, 0); {
	case f == faceNil:
		return clientmodel.Nil, true
	case f == faceTaken:
		return clientmodel.NonNil | clientmodel.Contention, true
	case strings.HasPrefix(f, valueMark), strings.HasPrefix(f, faceNil+"|"), strings.Contains(f, "|"+faceNil), f == faceEnded, f == "":
		return 0, false
	}
	return clientmodel.NonNil, true
}

func (sc *scene) decideCompare(b *ssa.BinOp, res lockflow.Resolve) (clientmodel.Abstract, bool) {
	if !comparesEqual(b.Op) {
		return 0, false
	}
	if !lockflow.IsError(b.X.Type()) {
		return sc.sameConst(b, res)
	}
	x, y := b.X, b.Y
	if sentinelMark(y) == "" {
		x, y = y, x
	}
	a, ok := sc.matches(x, sentinelMark(y), res)
	if ok && b.Op.String() == "!=" {
		a ^= clientmodel.True | clientmodel.False
	}
	return a, ok
}

// sameConst compares what is one of several constants with another constant.
func (sc *scene) sameConst(b *ssa.BinOp, res lockflow.Resolve) (clientmodel.Abstract, bool) {
	c, ok := b.Y.(*ssa.Const)
	if !ok || c.Value == nil || isBool(c.Type()) {
		return 0, false
	}
	want, yes, no := constFace(c), false, false
	for _, f := range strings.Split(sc.face(b.X, res, 0), "|") {
		switch {
		case f == want:
			yes = true
		case !isConstFace(f):
			return 0, false
		default:
			no = true
		}
	}
	if yes == no {
		return 0, false
	}
	if yes == (b.Op == token.EQL) {
		return clientmodel.True, true
	}
	return clientmodel.False, true
}

// isConstFace reports whether a face is that of a constant number or text.
func isConstFace(f string) bool {
	return f != "" && (f[0] == '"' || f[0] == '-' || '0' <= f[0] && f[0] <= '9' || strings.HasPrefix(f, varMark) && strings.HasSuffix(f, ")"))
}

// sentinelMark is the mark of a sentinel, "" for any other value.
func sentinelMark(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.ChangeInterface:
		return sentinelMark(v.X)
	case *ssa.MakeInterface:
		if c, ok := v.X.(*ssa.Const); ok {
			if c.Value != nil && strings.HasPrefix(constFace(c), varMark) {
				return constFace(c)
			}
			return ""
		}
	case *ssa.UnOp:
		if g, ok := v.X.(*ssa.Global); ok {
			return varMark + g.String()
		}
	}
	return ""
}

// wantedType is the mark of the type that errors.As looks for, "" if it is an interface.
func wantedType(v ssa.Value) string {
	if mi, ok := v.(*ssa.MakeInterface); ok {
		v = mi.X
	}
	p, ok := v.Type().Underlying().(*types.Pointer)
	if !ok || types.IsInterface(p.Elem()) {
		return ""
	}
	return typeMark + types.TypeString(p.Elem(), nil)
}

// matches decides whether an error matches a mark.
func (sc *scene) matches(err ssa.Value, mark string, res lockflow.Resolve) (clientmodel.Abstract, bool) {
	if mark == "" || clientSentinel(mark) {
		return 0, false
	}
	yes, no := false, false
	for _, f := range strings.Split(sc.face(err, res, 0), "|") {
		switch has, sure := hasMark(f, mark); {
		case !sure:
			return 0, false
		case has:
			yes = true
		default:
			no = true
		}
	}
	switch {
	case yes && !no:
		return clientmodel.True, true
	case no && !yes:
		return clientmodel.False, true
	}
	return 0, false
}

// clientSentinel reports whether a mark is a client library's: those are decided by what is known of the acquire.
func clientSentinel(mark string) bool {
	return strings.HasPrefix(mark, varMark) && clientmodel.IsClient(packageOf(mark))
}

// packageOf is the import path in a mark.
func packageOf(mark string) string {
	path, _, _ := strings.Cut(mark, "(")
	path = strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(path, varMark), typeMark), "*")
	i := strings.LastIndexByte(path, '/')
	if dot := strings.IndexByte(path[i+1:], '.'); dot >= 0 {
		path = path[:i+1+dot]
	}
	return path
}

// hasMark reports whether a face has a mark, and whether that is certain. A failed command may match what the standard
// library and its contexts say, but nothing of the program's.
func hasMark(face, mark string) (has, sure bool) {
	sure = true
	for _, m := range strings.Split(face, "+") {
		name, _, _ := strings.Cut(m, valueMark)
		if strings.HasPrefix(mark, typeMark) && clientmodel.IsClient(packageOf(mark)) && (m == faceTaken || m == faceFailed) {
			if !clientmodel.SaysTaken(strings.TrimLeft(strings.TrimPrefix(mark, typeMark), "*")) {
				return false, false
			}
			return m == faceTaken, true
		}
		switch {
		case m == mark, name == mark && name != "":
			return true, true
		case strings.HasPrefix(m, valueMark), m == "":
			sure = false
		case (m == faceFailed || m == faceEnded) && standard(mark):
			sure = false
		}
	}
	return false, sure
}

// standard reports whether a mark is of the standard library.
func standard(mark string) bool {
	name := strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(mark, varMark), typeMark), "*")
	first, _, _ := strings.Cut(name, "/")
	if !strings.Contains(name, "/") {
		first, _, _ = strings.Cut(name, ".")
	}
	return !strings.Contains(first, ".")
}

// findAsksFor is the mark that a function asks its last parameter, an error, for, "" if it does anything else.
func (u *unit) findAsksFor(fn *ssa.Function) string {
	if len(fn.Blocks) != 1 || len(fn.Params) == 0 || fn.Signature.Results().Len() != 1 {
		return ""
	}
	ret, ok := fn.Blocks[0].Instrs[len(fn.Blocks[0].Instrs)-1].(*ssa.Return)
	if !ok || !lockflow.IsError(fn.Params[len(fn.Params)-1].Type()) {
		return ""
	}
	switch v := ret.Results[0].(type) {
	case *ssa.Call:
		if name := calleeName(&v.Call); name == "errors.Is" || name == "errors.As" {
			if v.Call.Args[0] == fn.Params[len(fn.Params)-1] {
				return sentinelMark(v.Call.Args[1]) + wantedType(v.Call.Args[1])
			}
		}
	case *ssa.BinOp:
		if v.Op.String() == "==" && v.X == fn.Params[len(fn.Params)-1] {
			return sentinelMark(v.Y)
		}
	}
	return ""
}
