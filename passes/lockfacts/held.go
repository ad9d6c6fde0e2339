package lockfacts

import (
	"slices"

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
	h := &holder{Result: r, busy: map[*ssa.Function]bool{}, entries: map[*ssa.Function][]Held{}}
	return h.at(i)
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

// holder is one search for the locks that are held at an instruction.
type holder struct {
	*Result
	busy    map[*ssa.Function]bool
	entries map[*ssa.Function][]Held // what callers hold; see onEntry
	// cuts counts the cycles that were cut, and work the functions that were looked at.
	cuts, work int
}

// maxHolders is the number of functions that a search looks at with care; then what was cut is remembered too.
const maxHolders = 1000

func (h *holder) at(i ssa.Instruction) []Held {
	fn := i.Parent()
	var out []Held
	for _, l := range h.u.locks[fn] {
		if l.Covers(i) {
			out = append(out, l.held())
		}
	}
	return append(out, h.onEntry(fn)...)
}

// onEntry are the locks that every caller in sight holds. A cycle of callers is optimistic: the other callers decide.
func (h *holder) onEntry(fn *ssa.Function) []Held {
	if held, ok := h.entries[fn]; ok {
		return held
	}
	if h.busy[fn] {
		h.cuts++
		return nil
	}
	h.busy[fn] = true
	h.work++
	cuts := h.cuts
	held := h.entry(fn)
	delete(h.busy, fn)
	if h.cuts == cuts || h.work > maxHolders {
		h.entries[fn] = held
	}
	return held
}

func (h *holder) entry(fn *ssa.Function) []Held {
	var out []Held
	for _, ran := range h.u.runsOf[fn] {
		if len(ran.under) == 0 {
			return h.at(ran.at)
		}
		out = append(out, ran.under...)
	}
	if len(out) > 0 {
		return out
	}
	if mc := h.u.makes[fn]; mc != nil && fn.Parent() != nil {
		if held := h.at(mc); len(held) > 0 {
			return held
		}
	}
	return h.byCallers(fn)
}

func (h *holder) byCallers(fn *ssa.Function) []Held {
	var all []Held
	for _, e := range h.callers(fn) {
		if h.u.onlyTested(fn, e.Caller.Func) {
			continue
		}
		if h.busy[e.Caller.Func] {
			h.cuts++
			continue
		}
		held := h.at(e.Site)
		if len(held) == 0 {
			return nil
		}
		for _, x := range held {
			if !slices.ContainsFunc(all, func(y Held) bool { return x.Acquire == y.Acquire && x.Key.String() == y.Key.String() }) {
				all = append(all, x)
			}
		}
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
