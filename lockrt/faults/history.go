package main

import (
	"fmt"
	"math"
	"sort"
	"time"

	"github.com/anishathalye/porcupine"
)

// history is all that the workers of a run said.
type history struct {
	lease  time.Duration
	events []stamped
}

// stamped is an event with the number of its process. A process that is started again has a new one.
type stamped struct {
	event
	proc int
}

// window is the time in which an owner could believe that it held a lock: from when it got it to the last look that was
// fine. A process that was stopped or killed is there up to its last word.
type window struct {
	proc, key   int
	fence       int64
	from, until int64
	reason      string // how the lease was lost, or ""
	gap         int64  // the longest time between two looks
}

func (h *history) windows() []window {
	type id struct{ proc, lease int }
	open := map[id]*window{}
	var all []*window
	for _, e := range h.events {
		w := open[id{e.proc, e.Lease}]
		switch {
		case e.Kind == "acquired":
			w = &window{proc: e.proc, key: e.Key, fence: e.Fence, from: e.At, until: e.At}
			open[id{e.proc, e.Lease}] = w
			all = append(all, w)
		case w == nil:
		case e.Kind == "alive":
			w.gap = max(w.gap, e.At-w.until)
			w.until = max(w.until, e.At)
		case e.Kind == "ended":
			w.gap = max(w.gap, e.At-w.until)
			w.reason = e.Text
		}
	}
	out := make([]window, len(all))
	for i, w := range all {
		out[i] = *w
	}
	sort.Slice(out, func(i, j int) bool { return out[i].from < out[j].from })
	return out
}

// verdict is what a history shows.
type verdict struct {
	Acquired, Lost, StaleWrites int
	Overlaps                    []string
	Fences                      []string
	ForeignDeletes              []string
	Register                    string // "" if it is linearizable
}

func (h *history) judge() verdict {
	var v verdict
	byKey := map[int][]window{}
	for _, w := range h.windows() {
		v.Acquired++
		if w.reason != "" {
			v.Lost++
		}
		byKey[w.key] = append(byKey[w.key], w)
		// The key of an owner that renewed in time was gone or somebody else's.
		if w.reason != "" && w.reason != "not renewed in time" && w.gap < int64(h.lease/3) {
			v.ForeignDeletes = append(v.ForeignDeletes, fmt.Sprintf("%+v", w))
		}
	}
	for _, ws := range byKey {
		for i := 1; i < len(ws); i++ {
			if ws[i].fence <= ws[i-1].fence {
				v.Fences = append(v.Fences, fmt.Sprintf("%+v then %+v", ws[i-1], ws[i]))
			}
		}
		v.Overlaps = append(v.Overlaps, overlaps(ws)...)
	}
	for _, e := range h.events {
		if e.Kind == "wrote" && e.Text == "stale" {
			v.StaleWrites++
		}
	}
	v.Register = h.register()
	return v
}

// overlaps compares each window with all that begin before it ends.
func overlaps(ws []window) []string {
	var found []string
	for i, a := range ws {
		for _, b := range ws[i+1:] {
			if b.from >= a.until {
				break
			}
			found = append(found, fmt.Sprintf("%+v and %+v", a, b))
		}
	}
	return found
}

// registerInput is an operation on the guarded register.
type registerInput struct {
	key   int
	write bool
	fence int64
	value string
}

// registerState is the register: the highest fence, and the value.
type registerState struct {
	fence int64
	value string
}

// registerModel is a register that refuses lower fences. An operation whose end nobody saw has the output "unknown": it may
// have happened or not.
var registerModel = porcupine.Model{
	Partition: func(ops []porcupine.Operation) [][]porcupine.Operation {
		parts := map[int][]porcupine.Operation{}
		for _, o := range ops {
			k := o.Input.(registerInput).key
			parts[k] = append(parts[k], o)
		}
		var out [][]porcupine.Operation
		for _, p := range parts {
			out = append(out, p)
		}
		return out
	},
	Init: func() any { return registerState{} },
	Step: func(state, input, output any) (bool, any) {
		s, in, out := state.(registerState), input.(registerInput), output.(string)
		if !in.write {
			return out == s.value, s
		}
		fits := in.fence >= s.fence
		switch {
		case out == "ok" && fits, out == "unknown" && fits:
			return true, registerState{in.fence, in.value}
		case out == "stale", out == "unknown":
			return !fits, s
		}
		return false, s
	},
	Equal: func(a, b any) bool { return a == b },
}

// register checks the guarded register.
func (h *history) register() string {
	result := porcupine.CheckOperationsTimeout(registerModel, h.operations(), 20*time.Second)
	if result == porcupine.Ok {
		return ""
	}
	return string(result)
}

func (h *history) operations() []porcupine.Operation {
	type id struct{ proc, n int }
	begun := map[id]int{}
	var ops []porcupine.Operation
	for _, e := range h.events {
		switch e.Kind {
		case "write", "read":
			begun[id{e.proc, e.Lease}] = len(ops)
			ops = append(ops, porcupine.Operation{
				ClientId: len(ops), Call: e.At, Return: math.MaxInt64, Output: "unknown",
				Input: registerInput{e.Key, e.Kind == "write", e.Fence, e.Text},
			})
		case "wrote", "got":
			if i, ok := begun[id{e.proc, e.Lease}]; ok && e.Text != "unknown" {
				ops[i].Return, ops[i].Output = e.At, e.Text
			}
		}
	}
	// A read whose answer nobody saw says nothing. A write is kept: it may have happened.
	kept := ops[:0]
	for _, o := range ops {
		if in, ok := o.Input.(registerInput); ok && (in.write || o.Return != math.MaxInt64) {
			kept = append(kept, o)
		}
	}
	return kept
}
