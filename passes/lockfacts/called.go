package lockfacts

import (
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/keyterm"
)

// RunUnder is a call of a helper that runs a function of this package, and the locks that it holds meanwhile.
type RunUnder struct {
	By    *ssa.Function
	Call  ssa.CallInstruction
	Under []Held
	Env   keyterm.Env // what the function's parameters are then
}

// RunsUnder lists the helpers' calls that run fn under a lock, in the order in which they were found.
func (r *Result) RunsUnder(fn *ssa.Function) []RunUnder {
	var out []RunUnder
	for _, ran := range r.u.runsOf[fn] {
		known := slices.ContainsFunc(out, func(x RunUnder) bool { return x.Call == ran.at && x.By == ran.by })
		if len(ran.under) > 0 && !known {
			out = append(out, RunUnder{ran.by, ran.at, ran.under, ran.env})
		}
	}
	return out
}

// Called is a function of this package that a call reaches, and what its parameters are then.
type Called struct {
	Fn  *ssa.Function
	Env keyterm.Env
}

// CalledWith lists the functions of this package that a call reaches, where the parameters of the function that the call
// stands in are known to be env: callees by name, function values that were handed in, and the function values that a
// callee of another package runs.
func (r *Result) CalledWith(c ssa.CallInstruction, env keyterm.Env) []Called {
	var out []Called
	add := func(t target) {
		if t.fn != nil && len(t.fn.Blocks) > 0 {
			out = append(out, Called{t.fn, t.env})
		}
	}
	for _, t := range r.u.targets(r.u.frame(c.Parent()), c) {
		t = r.u.rebound(t, env)
		switch {
		case t.fn != nil && len(t.fn.Blocks) > 0:
			add(t)
		case t.summary != nil:
			for _, run := range t.summary.Runs {
				for _, ran := range r.u.called(r.u.subst(run.Fn, t.env), r.u.substAll(run.Args, t.env), nil, 0) {
					add(ran)
				}
			}
		case t.fn == nil && t.value.Op != keyterm.Unknown:
			for _, ran := range r.u.called(r.u.subst(t.value, env), t.args, nil, 0) {
				add(ran)
			}
		}
	}
	return out
}

// rebound is a target whose caller's parameters are known.
func (u *unit) rebound(t target, env keyterm.Env) target {
	if len(env) == 0 {
		return t
	}
	t.args = u.substAll(t.args, env)
	bound := make(keyterm.Env, len(t.env))
	for k, v := range t.env {
		bound[k] = u.subst(v, env)
	}
	t.env = bound
	return t
}

// Summaries are all summaries that are known: of this package's functions, and of imported ones, by name.
func (r *Result) Summaries() []*Summary {
	var out []*Summary
	for _, fn := range r.Functions {
		if s := r.u.summaries[fn]; s != nil {
			out = append(out, s)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.u.funcs)) {
		out = append(out, r.u.funcs[name])
	}
	return out
}
