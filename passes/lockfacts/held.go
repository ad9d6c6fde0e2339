package lockfacts

import (
	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/ssa"
)

// HeldAt lists the locks that are certainly meant to be held at an instruction: those of its own function, those under
// which a helper runs the function, and, where every caller in sight holds some lock, the callers'. A function literal
// that is made inside a section counts as running in it.
func (r *Result) HeldAt(i ssa.Instruction) []Held {
	if !r.u.holdsAnything() {
		return nil
	}
	return r.heldAt(i, map[*ssa.Function]bool{})
}

// holdsAnything is false for a package in which no lock is held anywhere: most of them.
func (u *unit) holdsAnything() bool {
	for _, l := range u.locks {
		if len(l) > 0 {
			return true
		}
	}
	for _, all := range u.runsOf {
		for _, ran := range all {
			if len(ran.under) > 0 {
				return true
			}
		}
	}
	return false
}

// heldHere is HeldAt without the locks of callers: those that the function, or the helper that runs it, takes.
func (r *Result) heldHere(i ssa.Instruction) []Held {
	var out []Held
	for _, l := range r.u.locks[i.Parent()] {
		if l.Covers(i) {
			out = append(out, l.held())
		}
	}
	for _, ran := range r.u.runsOf[i.Parent()] {
		out = append(out, ran.under...)
	}
	return out
}

func (r *Result) heldAt(i ssa.Instruction, busy map[*ssa.Function]bool) []Held {
	fn := i.Parent()
	var out []Held
	for _, l := range r.u.locks[fn] {
		if l.Covers(i) {
			out = append(out, l.held())
		}
	}
	return append(out, r.heldOnEntry(fn, busy)...)
}

// heldOnEntry are the locks that every caller in sight holds. A cycle of callers is optimistic: the other callers
// decide.
func (r *Result) heldOnEntry(fn *ssa.Function, busy map[*ssa.Function]bool) []Held {
	if busy[fn] {
		return nil
	}
	busy[fn] = true
	defer delete(busy, fn)
	var out []Held
	for _, ran := range r.u.runsOf[fn] {
		if len(ran.under) == 0 {
			return r.heldAt(ran.at, busy)
		}
		out = append(out, ran.under...)
	}
	if len(out) > 0 {
		return out
	}
	if mc := r.u.makes[fn]; mc != nil && fn.Parent() != nil {
		if held := r.heldAt(mc, busy); len(held) > 0 {
			return held
		}
	}
	return r.heldByCallers(fn, busy)
}

func (r *Result) heldByCallers(fn *ssa.Function, busy map[*ssa.Function]bool) []Held {
	var all []Held
	for _, e := range r.callers(fn) {
		if busy[e.Caller.Func] || r.u.onlyTested(fn, e.Caller.Func) {
			continue
		}
		held := r.heldAt(e.Site, busy)
		if len(held) == 0 {
			return nil
		}
		all = append(all, held...)
	}
	return all
}

// Callers are the calls of a function inside the package.
func (r *Result) Callers(fn *ssa.Function) []ssa.CallInstruction {
	var out []ssa.CallInstruction
	for _, e := range r.callers(fn) {
		out = append(out, e.Site)
	}
	return out
}

// callers are the calls of a function inside the package; calls of a wrapper that the compiler made are its own.
func (r *Result) callers(fn *ssa.Function) []*callgraph.Edge {
	if r.u.in == nil {
		r.u.in = map[*ssa.Function][]*callgraph.Edge{}
		for _, caller := range r.u.fns {
			node := r.u.callgraph().Nodes[caller]
			if node == nil {
				continue
			}
			for _, e := range node.Out {
				if e.Site != nil && e.Callee.Func != nil {
					t := r.u.target(e.Callee.Func)
					r.u.in[t] = append(r.u.in[t], e)
				}
			}
		}
	}
	return r.u.in[fn]
}
