// Package lockflow follows the paths of one function in one scenario of an acquire: held, taken, or outage. It knows
// SSA and nothing of locks: what the acquire's results look like is handed in.
//
// # Algorithm
//
// A walk starts behind the acquire and follows every path on which the assumed values allow the branches. A state is a
// block and what is known of the variables that matter (phis and local variables that a condition or a result can come
// from, see Vars); each state is visited once. "May" analysis: an instruction that is not reached is certainly not
// executed in that scenario; one that is reached may be. A branch whose condition is not understood is followed both
// ways. Walks are bounded by [MaxStates]; one that is cut says so, and its reader has to be silent.
package lockflow

import (
	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
)

// MaxStates bounds a walk. A state with a very long block counts for several.
const MaxStates = 4000

const longBlock = 256

// Assume says what is known about a value in the scenario.
type Assume func(ssa.Value) (clientmodel.Abstract, bool)

// Options of a walk.
type Options struct {
	// Start is the instruction behind which the walk starts, nil for the function's entry.
	Start ssa.Instruction
	// Function is needed where Start is nil.
	Function *ssa.Function
	Assume   Assume
	// Stop ends a path at an instruction, which still counts as reached. It may be nil.
	Stop func(ssa.Instruction) bool
	// NoReturn says that a call does not return. It may be nil.
	NoReturn func(ssa.CallInstruction) bool
	// Vars are those of the function, nil if they are to be found for this walk only.
	Vars *Vars
	// Edges asks for what Reach.Took needs.
	Edges bool
	// Trace is filled in by the walk. It may be nil.
	Trace *Trace
	// Learn are the values that the branches of a path tell about, nil if they are not to be remembered.
	Learn *Learned
}

// Reach is what a walk found.
type Reach struct {
	// Cut is true where the walk was bounded: everything may be reached.
	Cut bool
	// Returned is true where some path returns.
	Returned bool
	// Again is true where some path comes back to the start.
	Again bool
	// Results are the joined abstract values of the function's results over all returns that were reached.
	Results []clientmodel.Abstract

	reached map[ssa.Instruction]bool
	edges   map[edge]bool // nil unless Options.Edges
}

// edge is a step from one block to the next.
type edge struct{ from, to *ssa.BasicBlock }

// Took reports whether some path goes from one block straight to another. The walk must have been asked for it, by
// Options.Edges.
func (r *Reach) Took(from, to *ssa.BasicBlock) bool { return r.Cut || r.edges[edge{from, to}] }

// Has reports whether the instruction was reached.
func (r *Reach) Has(i ssa.Instruction) bool { return r.Cut || r.reached[i] }

// Each calls f for every instruction that was reached, in program order.
func (r *Reach) Each(fn *ssa.Function, f func(ssa.Instruction)) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if r.reached[i] {
				f(i)
			}
		}
	}
}

// Walk follows the paths.
func Walk(o Options) *Reach {
	if o.Start != nil {
		o.Function = o.Start.Parent()
	}
	if o.Vars == nil {
		o.Vars = FindVars(o.Function)
	}
	w := &walker{o: o, reach: &Reach{reached: map[ssa.Instruction]bool{}}, seen: map[string]bool{}}
	if o.Edges {
		w.reach.edges = map[edge]bool{}
	}
	if o.Start != nil {
		b := o.Start.Block()
		w.push(state{block: b, from: indexOf(b, o.Start) + 1, env: w.dominating(b)})
	} else if len(o.Function.Blocks) > 0 {
		w.push(state{block: o.Function.Blocks[0]})
	}
	for len(w.todo) > 0 && !w.reach.Cut {
		s := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		w.run(s)
	}
	return w.reach
}

func indexOf(b *ssa.BasicBlock, i ssa.Instruction) int {
	for n, x := range b.Instrs {
		if x == i {
			return n
		}
	}
	return len(b.Instrs)
}

type state struct {
	block *ssa.BasicBlock
	from  int // first instruction to run
	env   env
}

type walker struct {
	o      Options
	reach  *Reach
	todo   []state
	seen   map[string]bool
	states int
}

func (w *walker) push(s state) {
	key := s.key()
	if w.seen[key] {
		return
	}
	w.seen[key] = true
	w.states += 1 + len(s.block.Instrs)/longBlock
	if w.states > MaxStates {
		w.reach.Cut = true
		return
	}
	w.todo = append(w.todo, s)
}

// run executes one block and pushes what can follow.
func (w *walker) run(s state) {
	for _, i := range s.block.Instrs[s.from:] {
		w.reach.reached[i] = true
		if i == w.o.Start || w.o.Stop != nil && w.o.Stop(i) {
			w.reach.Again = w.reach.Again || i == w.o.Start
			return // the next attempt is another walk
		}
		s.env = w.computed(s.env, i)
		switch i := i.(type) {
		case *ssa.Store:
			s.env = w.store(s.env, i)
		case *ssa.Defer:
			s.env = w.taint(s.env, i)
		case *ssa.RunDefers:
			s.env = afterDefers(s.env)
		case *ssa.Return:
			w.returns(s.env, i)
			return
		case *ssa.Panic:
			return
		case ssa.CallInstruction:
			if w.stops(s.env, i) {
				return
			}
		case *ssa.If:
			w.branch(s, i)
			return
		case *ssa.Jump:
			w.enter(s, s.block.Succs[0])
			return
		}
	}
}

// branch follows the sides that the condition allows.
func (w *walker) branch(s state, i *ssa.If) {
	cond := w.eval(s.env, i.Cond, 0)
	w.took(s.env, i, cond)
	if cond != clientmodel.False {
		w.enter(state{block: s.block, env: w.learn(s.env, i.Cond, clientmodel.True)}, s.block.Succs[0])
	}
	if cond != clientmodel.True {
		w.enter(state{block: s.block, env: w.learn(s.env, i.Cond, clientmodel.False)}, s.block.Succs[1])
	}
}

// enter goes from the block of s to another one: phis take the value of the edge.
func (w *walker) enter(s state, to *ssa.BasicBlock) {
	if w.o.Edges {
		w.reach.edges[edge{s.block, to}] = true
	}
	side := -1
	for n, p := range to.Preds {
		if p == s.block {
			side = n
			break
		}
	}
	next := s.env
	for _, i := range to.Instrs {
		phi, ok := i.(*ssa.Phi)
		if !ok {
			break
		}
		if n, ok := w.o.Vars.number[phi]; ok && side >= 0 {
			next = w.put(next.with(n, w.eval(s.env, phi.Edges[side], 0)), n, phi, phi.Edges[side], s.env)
		}
	}
	w.push(state{block: to, env: next})
}

func (w *walker) returns(e env, r *ssa.Return) {
	w.reach.Returned = true
	if w.o.Trace != nil {
		w.ended(e, r)
	}
	first := w.reach.Results == nil
	if first {
		w.reach.Results = make([]clientmodel.Abstract, len(r.Results))
	}
	for n, v := range r.Results {
		a := w.eval(e, v, 0)
		switch {
		case first:
			w.reach.Results[n] = a
		case a == 0:
			w.reach.Results[n] = 0
		case w.reach.Results[n] != 0:
			w.reach.Results[n] |= a
		}
	}
}
