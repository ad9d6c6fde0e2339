package lockttl

import (
	"go/ast"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// A TTL that is handed to a constructor reaches the acquire through a field: a method of the object, or a function that
// is given the object, acquires with it. The call that makes the object is the place of the finding.

// use is an acquire whose TTL is kept in a field of one of the function's parameters.
type use struct {
	effect *lockfacts.Effect
	object keyterm.Term // the parameter
	field  string       // of the object, that the TTL is in, or in a part of
	// expire gives the TTL in a second command of the same function, nil if nothing does.
	expire *lockfacts.Effect
}

// wiring judges the TTLs of objects that the package makes.
func (c *checker) wiring() {
	uses := c.uses()
	if len(uses) == 0 {
		return
	}
	for _, fn := range c.Res.Functions {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if call, ok := i.(*ssa.Call); ok && call.Call.Signature().Results().Len() > 0 {
					c.wiredBy(fn, call, uses)
				}
			}
		}
	}
}

// wiredBy judges the object that one call makes.
func (c *checker) wiredBy(fn *ssa.Function, call *ssa.Call, uses map[string][]use) {
	for _, o := range made(c.Res.Term(fn, call)) {
		for _, u := range uses[o.Text] {
			c.wiredUse(o, u, subject{at: c.Res.Site(call), acquire: u.effect.At, class: u.effect.Key.Class(), fn: fn})
		}
	}
}

// made are the objects that a value can be.
func made(t keyterm.Term) []keyterm.Term {
	t = t.Strip()
	switch t.Op {
	case keyterm.Object:
		return []keyterm.Term{t}
	case keyterm.Set:
		var out []keyterm.Term
		for _, a := range t.Args {
			out = append(out, made(a)...)
		}
		return out
	}
	return nil
}

// wiredUse judges one acquire with one object. That a field is not set counts where nobody outside can set it later.
func (c *checker) wiredUse(o keyterm.Term, u use, s subject) {
	ttl := defaults(u.effect.TTL.Map(func(p keyterm.Term) keyterm.Term {
		if p.Op == keyterm.Param && p.Text == u.object.Text && p.Index == u.object.Index {
			return o
		}
		return p
	}))
	if w := written(ttl); w.IsValid() {
		s.at = w
	}
	d, ok := judge.Duration(ttl, u.effect.Unit)
	switch {
	case c.wrongUnit(s, ttl, u.effect.Unit), !ok:
	case unlimited(d, u.effect) && u.expire != nil:
		c.wired[u.effect.At] = true
		c.nonatomic(s, u.effect, u.expire)
	case unlimited(d, u.effect):
		if ttl.Index == 0 || !ast.IsExported(u.field) {
			c.wired[u.effect.At] = true
			c.none(s)
		}
	case !u.effect.Renewed:
		c.tooLong(longTTL{subject: s, ttl: d, elsewhere: c.bySite[u.effect.At]}, ttl)
	}
}

// uses lists, by type, the acquires that take their TTL from a field of an object, in the function that is given the
// object.
func (c *checker) uses() map[string][]use {
	nearest := map[lockfacts.Site]int{}
	proven := map[lockfacts.Site]bool{}
	all := c.Res.Summaries()
	for _, s := range all {
		for i := range s.Effects {
			note(&s.Effects[i], nearest, proven)
		}
	}
	out := map[string][]use{}
	for _, s := range all {
		for i := range s.Effects {
			e := &s.Effects[i]
			typ, object, field, ok := kept(e.TTL)
			if ok && e.Op.Acquires() && e.HasTTL && proven[e.At] && len(e.Path) == nearest[e.At] {
				out[typ] = append(out[typ], use{e, object, field, expireOf(e, s.Effects)})
			}
		}
	}
	return out
}

// expireOf is an EXPIRE of the acquired key beside the acquire.
func expireOf(e *lockfacts.Effect, all []lockfacts.Effect) *lockfacts.Effect {
	for i := range all {
		if x := &all[i]; x.Op == clientmodel.Expire && !x.Async && keyterm.Equal(x.Key, e.Key) {
			return x
		}
	}
	return nil
}

// note remembers which acquires are known to be locks, and how near to each there is a function that is given the object.
func note(e *lockfacts.Effect, nearest map[lockfacts.Site]int, proven map[lockfacts.Site]bool) {
	if !e.Op.Acquires() {
		return
	}
	proven[e.At] = proven[e.At] || e.Proven || e.Closed
	if _, _, _, ok := kept(e.TTL); !ok {
		return
	}
	if n, seen := nearest[e.At]; !seen || len(e.Path) < n {
		nearest[e.At] = len(e.Path)
	}
}

// kept takes a TTL apart that depends on a field of a parameter, and on nothing else that is not fixed.
func kept(ttl keyterm.Term) (typ string, object keyterm.Term, field string, ok bool) {
	clean := true
	ttl.Walk(func(p keyterm.Term) bool {
		if p.Op == keyterm.Unknown || p.Op == keyterm.Param {
			clean = false
		}
		if p.Op != keyterm.Field || len(p.Names) == 0 || p.Args[0].Op != keyterm.Param {
			return clean
		}
		if typ != "" && (typ != p.Names[0] || p.Args[0].Index != object.Index) {
			clean = false
		}
		typ, object, field = p.Names[0], p.Args[0], p.Text
		return false
	})
	return typ, object, field, clean && typ != ""
}
