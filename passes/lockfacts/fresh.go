package lockfacts

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// A random value is another one for every call of the function that makes it. Its term therefore collects, on the way
// up, the calls that it comes out of: Names[1:], each "function|place". Two values that live in one function and came
// out of different calls are different.

// maxCalls bounds the calls that a random value can come out of; beyond that it is unknown.
const maxCalls = 5

// relocate marks what was random in a called function with the place of the call.
func (u *unit) relocate(t keyterm.Term, callee string, here Site) keyterm.Term {
	if !bornIn(t, callee) {
		return t
	}
	call := fmt.Sprintf("%s|%s:%d:%d", here.Function, here.File, here.Line, here.Column)
	return t.Map(func(p keyterm.Term) keyterm.Term {
		if !isRandom(p) || home(p) != callee {
			return p
		}
		if len(p.Names) > maxCalls {
			return keyterm.Term{}
		}
		p.Names = append(slices.Clone(p.Names), call)
		return p
	})
}

// bornIn reports whether some part of t is a random value of the function.
func bornIn(t keyterm.Term, callee string) bool {
	found := false
	t.Walk(func(p keyterm.Term) bool {
		found = found || isRandom(p) && home(p) == callee
		return !found
	})
	return found
}

func isRandom(t keyterm.Term) bool {
	return t.Op == keyterm.Fresh && t.Text == keyterm.Random && len(t.Names) > 0
}

// home is the function in which a random value lives: where it was made, or where it was returned to.
func home(t keyterm.Term) string {
	if len(t.Names) > 1 {
		fn, _, _ := strings.Cut(t.Names[len(t.Names)-1], "|")
		return fn
	}
	return t.Fn
}

// SameHome reports whether two random values live in one function, so that different terms are different values.
func SameHome(a, b keyterm.Term) bool { return isRandom(a) && isRandom(b) && home(a) == home(b) }

// rounds is the counter of a loop: the same value all through one round, and another one in the next.
func (f *frame) rounds(v *ssa.Phi) (keyterm.Term, bool) {
	if !isInteger(v.Type()) || !lockflow.InLoop(v.Block()) {
		return keyterm.Term{}, false
	}
	for _, e := range v.Edges {
		if b, ok := e.(*ssa.BinOp); ok && b.X == v {
			if _, ok := b.Y.(*ssa.Const); ok {
				return f.each(v), true
			}
		}
	}
	return keyterm.Term{}, false
}

// each is what differs from round to round of the loop that v counts.
func (f *frame) each(v ssa.Value) keyterm.Term {
	return f.at(keyterm.Term{Op: keyterm.Fresh, Text: keyterm.Each, Names: []string{"loop", f.name + "|" + v.Name()}}, v.Pos())
}

// spread makes an effect on each element of a list into one effect for every element. Which element it is at is not
// known, but all of them are.
func spread(all []Effect) []Effect {
	var out []Effect
	for _, e := range all {
		one, list := elementOf(e.Key)
		if len(list) == 0 || len(list) > maxSpread {
			out = append(out, e)
			continue
		}
		for _, x := range list {
			each := e
			each.Key = e.Key.Map(func(p keyterm.Term) keyterm.Term {
				if p.Op == keyterm.Lookup && p.String() == one {
					return x
				}
				return p
			})
			out = append(out, each)
		}
	}
	return out
}

const maxSpread = 8

// elementOf finds an element of a list that is written out, at a place in it that is not known: how it is spelled, and
// the list.
func elementOf(key keyterm.Term) (spelling string, list []keyterm.Term) {
	key.Walk(func(p keyterm.Term) bool {
		if list == nil && p.Op == keyterm.Lookup && p.Text != "map" && p.Args[0].Op == keyterm.List {
			spelling, list = p.String(), p.Args[0].Args
		}
		return list == nil
	})
	return spelling, list
}
