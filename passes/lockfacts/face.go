package lockfacts

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// A face is what callers can recognise a returned value by, in one scenario of an acquire: for an error the sentinels
// and types that it matches. Two scenarios whose values have one face cannot be told apart.
//
// It is a text: marks joined by +, in order; where more than one value is possible, faces joined by |.

// The marks that stand for no sentinel or type of the program.
const (
	faceNil    = "nil"
	faceTrue   = "true"
	faceFalse  = "false"
	faceText   = "text"  // an error that matches nothing
	faceTaken  = "taken" // the client library's error for "somebody else holds it"
	faceFailed = "failed"
	faceEnded  = "ended" // the context's error
	varMark    = "var "
	typeMark   = "type "
	valueMark  = "value " // some other value, by where it is made
)

const maxFaceDepth = 8

// scene is an acquire in one scenario.
type scene struct {
	u *unit
	e *Event
	s clientmodel.Scenario

	// Inside a function that the acquire's results are given to: what its parameters are, and which of them are those.
	depth  int
	params map[ssa.Value]string
	roots  []ssa.Value
	memo   map[string]*inlined
	// given are the results of the acquire, where they are known otherwise than by its scenario.
	given []clientmodel.Abstract
}

// assume knows what the acquire returned.
func (sc *scene) assume() lockflow.Assume {
	if sc.given != nil {
		return resultsOf(sc.e.Instr, sc.given)
	}
	return sc.u.assume(sc.e, sc.s)
}

// face describes a value.
func (sc *scene) face(v ssa.Value, res lockflow.Resolve, depth int) string {
	h := res(v)
	if h.Face != "" {
		return h.Face
	}
	v = h.Value
	if depth > maxFaceDepth {
		return sc.other(v, res)
	}
	if f := sc.ownFace(v); f != "" {
		return f
	}
	if f, ok := sc.params[v]; ok {
		return f
	}
	switch v := v.(type) {
	case *ssa.Const:
		return constFace(v)
	case *ssa.MakeInterface:
		return sc.boxedFace(v, res, depth)
	case *ssa.ChangeInterface:
		return sc.face(v.X, res, depth+1)
	case *ssa.ChangeType:
		return sc.face(v.X, res, depth+1)
	case *ssa.UnOp:
		if g, ok := v.X.(*ssa.Global); ok && v.Op == token.MUL {
			return varMark + g.String()
		}
		if v.Op == token.NOT {
			return notFace(sc.face(v.X, res, depth+1))
		}
	case *ssa.Call:
		return sc.callFace(v, res, depth)
	case *ssa.Alloc:
		return sc.other(v, res)
	case *ssa.Extract:
		if c, ok := v.Tuple.(*ssa.Call); ok {
			if in := sc.inline(c, res); in != nil {
				return in.faces[v.Index]
			}
		}
	}
	return sc.other(v, res)
}

func notFace(f string) string {
	switch f {
	case faceTrue:
		return faceFalse
	case faceFalse:
		return faceTrue
	}
	return f
}

// ended reports whether a value is what a context says about its end.
func ended(v ssa.Value) bool {
	c, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	switch calleeName(&c.Call) {
	case "(context.Context).Err", "context.Cause":
		return true
	}
	return false
}

func constFace(c *ssa.Const) string {
	if c.Value == nil {
		return faceNil
	}
	if b, ok := c.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsBoolean != 0 {
		return c.Value.String()
	}
	if n, ok := types.Unalias(c.Type()).(*types.Named); ok { // an error that is a constant: its type and text
		return varMark + n.String() + "(" + c.Value.ExactString() + ")"
	}
	return c.Value.ExactString()
}

// ownFace is the face of what the acquire returned, "" for anything else.
func (sc *scene) ownFace(v ssa.Value) string {
	if sc.depth > 0 {
		return ""
	}
	a, ok := sc.assume()(v)
	if !ok {
		return ""
	}
	if f := sc.e.resultFace(sc.s, v); f != "" {
		return f
	}
	switch a {
	case clientmodel.Nil:
		return faceNil
	case clientmodel.True:
		return faceTrue
	case clientmodel.False:
		if lockflow.IsError(v.Type()) {
			return ""
		}
		return faceFalse
	case clientmodel.NonNil | clientmodel.Contention:
		return faceTaken
	case clientmodel.NonNil:
		if lockflow.IsError(v.Type()) {
			return faceFailed
		}
	}
	return ""
}

// resultFace is the face of a helper's result in a scenario, "" if unknown.
func (e *Event) resultFace(s clientmodel.Scenario, v ssa.Value) string {
	if e.outcome == nil || e.roles != nil || e.object {
		return ""
	}
	index := 0
	if x, ok := v.(*ssa.Extract); ok {
		index = x.Index
	}
	var faces []string
	switch s {
	case clientmodel.TakenScenario:
		faces = e.outcome.TakenFaces
	case clientmodel.OutageScenario:
		faces = e.outcome.OutageFaces
	}
	if index >= len(faces) {
		return ""
	}
	return faces[index]
}

// boxedFace is the face of a concrete value in an interface: for an error, its type.
func (sc *scene) boxedFace(m *ssa.MakeInterface, res lockflow.Resolve, depth int) string {
	x := res(m.X).Value
	if c, ok := x.(*ssa.Const); ok {
		return constFace(c)
	}
	if !lockflow.IsError(m.Type()) {
		return sc.face(x, res, depth+1)
	}
	f := typeMark + types.TypeString(x.Type(), nil)
	if a := madeBy(x); a != nil {
		return f + sc.other(a, res)
	}
	return f + sc.other(x, res)
}

// madeBy is the literal that a value is, nil if it is none.
func madeBy(v ssa.Value) *ssa.Alloc {
	if l, ok := v.(*ssa.UnOp); ok && l.Op == token.MUL {
		v = l.X
	}
	a, _ := v.(*ssa.Alloc)
	return a
}

// other is any other value: made in one place it is one value, unless the acquire's result goes into it.
func (sc *scene) other(v ssa.Value, res lockflow.Resolve) string {
	f := valueMark + v.Name()
	if v.Parent() != nil {
		f += "@" + v.Parent().String()
	}
	if sc.depends(v, res) {
		f += [...]string{"#held", "#taken", "#outage"}[sc.s]
	}
	return f
}

// callFace is the face of what a call returns.
func (sc *scene) callFace(c *ssa.Call, res lockflow.Resolve, depth int) string {
	if ended(c) {
		return faceEnded
	}
	name := calleeName(&c.Call)
	if inner := wrapped(c); inner != nil {
		f := sc.wrapFace(inner, res, depth)
		if !strings.HasSuffix(name, ".Errorf") { // nil stays nil
			f = sc.nilFace(f, inner, res, depth)
		}
		return f
	}
	if textErrors[name] {
		return faceText
	}
	if in := sc.inline(c, res); in != nil && len(in.faces) == 1 {
		return in.faces[0]
	}
	if i, ok := sc.u.handsOn(c); ok {
		return sc.face(c.Call.Args[i], res, depth+1)
	}
	if f := sc.u.fixedError(c); f != "" {
		return f
	}
	return sc.other(c, res)
}

// nilFace is the face f of wrapped errors, or nil where all of them are.
func (sc *scene) nilFace(f string, inner []ssa.Value, res lockflow.Resolve, depth int) string {
	for _, v := range inner {
		if sc.face(v, res, depth+1) != faceNil {
			return f
		}
	}
	return faceNil
}

// wrapFace is an error that matches what all of the wrapped ones match; with none of them it is a text.
func (sc *scene) wrapFace(inner []ssa.Value, res lockflow.Resolve, depth int) string {
	faces := []string{""}
	for _, v := range inner {
		var next []string
		for _, f := range strings.Split(sc.face(v, res, depth+1), "|") {
			for _, have := range faces {
				if f == faceNil || len(next) > 8 {
					next = append(next, have)
					continue
				}
				next = append(next, have+"+"+f)
			}
		}
		faces = next
	}
	for i, f := range faces {
		marks := strings.FieldsFunc(f, func(r rune) bool { return r == '+' })
		slices.Sort(marks)
		marks = slices.DeleteFunc(slices.Compact(marks), func(m string) bool { return m == faceText })
		if faces[i] = strings.Join(marks, "+"); faces[i] == "" {
			faces[i] = faceText
		}
	}
	return joinFaces(faces)
}

// joinFaces is "one of these".
func joinFaces(faces []string) string {
	var all []string
	for _, f := range faces {
		all = append(all, strings.Split(f, "|")...)
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), "|")
}

// textErrors are functions whose errors match nothing.
var textErrors = map[string]bool{
	"errors.New": true, "fmt.Errorf": true, "github.com/pkg/errors.New": true, "github.com/pkg/errors.Errorf": true,
	"golang.org/x/xerrors.New": true, "golang.org/x/xerrors.Errorf": true, "github.com/cockroachdb/errors.New": true,
	"github.com/cockroachdb/errors.Newf": true,
}

// wrapped are the errors that a call puts into the one it returns, such that errors.Is finds them; nil where it is no
// such call.
func wrapped(c *ssa.Call) []ssa.Value {
	name := calleeName(&c.Call)
	switch name {
	case "fmt.Errorf", "golang.org/x/xerrors.Errorf":
		return wrappedByFormat(c)
	case "errors.Join", "go.uber.org/multierr.Combine":
		return errorsIn(operands(c, 0))
	case "go.uber.org/multierr.Append":
		return c.Call.Args
	}
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 || !wrappingPackages[name[:dot]] || len(c.Call.Args) == 0 || !lockflow.IsError(c.Call.Args[0].Type()) {
		return nil
	}
	return c.Call.Args[:1]
}

// wrappingPackages are libraries whose functions that take an error first wrap it, and return nil for nil.
var wrappingPackages = map[string]bool{
	"github.com/pkg/errors": true, "github.com/cockroachdb/errors": true, "github.com/juju/errors": true,
}

// wrappedByFormat are the errors that fmt.Errorf wraps: the operands of its %w.
func wrappedByFormat(c *ssa.Call) []ssa.Value {
	format, ok := c.Call.Args[0].(*ssa.Const)
	if !ok || format.Value == nil {
		return nil
	}
	verbs := verbsOf(format.Value.ExactString())
	var out []ssa.Value
	for i, v := range operands(c, 1) {
		if i < len(verbs) && verbs[i] == 'w' && v != nil {
			out = append(out, unboxedError(v))
		}
	}
	return out
}

// verbsOf lists the verbs of a format, one for each operand. Explicit indexes are not read.
func verbsOf(format string) []byte {
	var out []byte
	for i := 0; i+1 < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		for i++; i < len(format) && strings.IndexByte("+-# 0123456789.*", format[i]) >= 0; i++ {
			if format[i] == '*' {
				out = append(out, '*')
			}
		}
		if i < len(format) && format[i] != '%' {
			out = append(out, format[i])
		}
	}
	return out
}

// unboxedError takes an error out of the interface value that a variadic call makes of it.
func unboxedError(v ssa.Value) ssa.Value {
	if ci, ok := v.(*ssa.ChangeInterface); ok && lockflow.IsError(ci.X.Type()) {
		return ci.X
	}
	return v
}

func errorsIn(all []ssa.Value) []ssa.Value {
	return slices.DeleteFunc(slices.Clone(all), func(v ssa.Value) bool { return v == nil })
}
