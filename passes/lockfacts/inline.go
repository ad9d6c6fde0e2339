package lockfacts

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// What the acquire returned may be looked at by a small function of the package: `if lost(ok, err)`, `return asOurs(err)`.
// Such a call is followed as if the function stood there.

// Bounds of what is followed: functions inside each other, and their size in blocks.
const (
	maxInlined       = 3
	maxInlinedBlocks = 40
)

// inlined is what a call returns, as far as it is known.
type inlined struct {
	known []clientmodel.Abstract
	faces []string
	ends  bool // it does not return
}

// inline follows a call that is given something of the acquire's. It is nil where that cannot be done, or where a
// condition in the function was not understood.
func (sc *scene) inline(c *ssa.Call, res lockflow.Resolve) *inlined {
	fn := sc.inlinable(c)
	if fn == nil {
		return nil
	}
	faces := make([]string, len(c.Call.Args))
	inner := &scene{u: sc.u, e: sc.e, s: sc.s, params: map[ssa.Value]string{}, depth: sc.depth + 1}
	own := false
	for i, a := range c.Call.Args {
		faces[i] = sc.face(a, res, 1)
		inner.params[fn.Params[i]] = faces[i]
		if sc.depends(a, res) {
			own = true
			inner.roots = append(inner.roots, fn.Params[i])
		}
		own = own || res(a).Face != "" // what the path left in a variable
	}
	if !own {
		return nil
	}
	key := fn.String() + strings.Join(faces, ";")
	if sc.memo == nil {
		sc.memo = map[string]*inlined{}
	}
	if out, ok := sc.memo[key]; ok {
		return out
	}
	sc.memo[key] = nil // a function that calls itself is not followed
	out := inner.through(fn)
	sc.memo[key] = out
	return out
}

// inlinable is the function that a call is of, if it is one of the package's and small.
func (sc *scene) inlinable(c *ssa.Call) *ssa.Function {
	callee := c.Call.StaticCallee()
	if callee == nil || sc.depth >= maxInlined || c == sc.e.Instr.Value() {
		return nil
	}
	fn := sc.u.target(callee)
	if len(fn.Blocks) == 0 || len(fn.Blocks) > maxInlinedBlocks || len(fn.Params) != len(c.Call.Args) {
		return nil
	}
	return fn
}

// through walks a function whose parameters are known.
func (sc *scene) through(fn *ssa.Function) *inlined {
	tr := sc.tracer()
	assume := func(v ssa.Value) (clientmodel.Abstract, bool) {
		f, ok := sc.params[v]
		a := abstractOf(f)
		return a, ok && a != 0
	}
	r := lockflow.Walk(lockflow.Options{Function: fn, Assume: assume, NoReturn: sc.u.noReturn, Vars: sc.u.traceVarsOf(fn), Trace: tr})
	if r.Cut {
		return nil
	}
	for _, s := range tr.Sides {
		if s&lockflow.OpenSide != 0 {
			return nil
		}
	}
	if !r.Returned {
		n := fn.Signature.Results().Len()
		return &inlined{known: make([]clientmodel.Abstract, n), faces: make([]string, n), ends: true}
	}
	out := &inlined{known: r.Results, faces: make([]string, len(r.Results))}
	for i := range out.faces {
		var all []string
		for _, e := range tr.Ends {
			all = append(all, e.Faces[i])
		}
		out.faces[i] = joinFaces(all)
	}
	return out
}

// tracer makes the trace of a walk in this scene.
func (sc *scene) tracer() *lockflow.Trace {
	return &lockflow.Trace{
		Decide:   sc.decide,
		Describe: func(v ssa.Value, res lockflow.Resolve) string { return sc.face(v, res, 0) },
		Own:      sc.depends,
		NoReturn: sc.ends,
	}
}

// ends reports whether a function that is given the acquire's results does not return with them.
func (sc *scene) ends(c ssa.CallInstruction, res lockflow.Resolve) bool {
	call, ok := c.(*ssa.Call)
	if !ok {
		return false
	}
	in := sc.inline(call, res)
	return in != nil && in.ends
}

// depends reports whether a value comes from the acquire.
func (sc *scene) depends(v ssa.Value, res lockflow.Resolve) bool {
	roots := sc.roots
	if sc.depth == 0 {
		roots = []ssa.Value{sc.e.Instr.Value()}
	}
	for _, r := range roots {
		if r != ssa.Value((*ssa.Call)(nil)) && sc.u.dependsOn(v, r, res) {
			return true
		}
	}
	return false
}

// abstractOf is what a face says about a value, 0 if nothing.
func abstractOf(face string) clientmodel.Abstract {
	switch face {
	case faceNil:
		return clientmodel.Nil
	case faceTrue:
		return clientmodel.True
	case faceFalse:
		return clientmodel.False
	case faceTaken:
		return clientmodel.NonNil | clientmodel.Contention
	case faceFailed, faceText:
		return clientmodel.NonNil
	}
	for _, f := range strings.Split(face, "|") {
		if !isErrorFace(f) {
			return 0
		}
	}
	return clientmodel.NonNil
}

// isErrorFace reports whether a face is that of an error.
func isErrorFace(f string) bool {
	for _, m := range strings.Split(f, "+") {
		switch {
		case m == faceTaken, m == faceFailed, m == faceText, strings.HasPrefix(m, typeMark):
			return true
		case strings.HasPrefix(m, varMark):
			return !isConstFace(m)
		}
	}
	return false
}
