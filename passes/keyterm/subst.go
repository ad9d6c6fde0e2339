package keyterm

import "strconv"

// Env binds parameters, spelled "function#index", to terms.
type Env map[string]Term

// ParamName is how Env and Func spell parameter i of a function.
func ParamName(function string, i int) string { return function + "#" + strconv.Itoa(i) }

// Subst replaces the parameters that env binds. Parameters of other functions stay: a closure's term may mention the
// parameters of the functions around it, which only their callers can bind. What a closure carries is among its arguments.
func (t Term) Subst(env Env) Term {
	if len(env) == 0 {
		return t
	}
	return t.Map(func(p Term) Term {
		if p.Op == Param {
			if v, ok := env[ParamName(p.Text, p.Index)]; ok {
				return v
			}
		}
		return p
	})
}

// IsClosed reports whether t depends on no parameter and has no unknown: it is the same for every caller.
func (t Term) IsClosed() bool {
	closed := true
	t.Walk(func(p Term) bool {
		if p.Op == Param || p.Op == Unknown || p.Op == Fresh && p.Text == Local {
			closed = false
		}
		return closed
	})
	return closed
}

// Params lists the parameters of the named function that t depends on, each once, in order of appearance.
func (t Term) Params(function string) []int {
	var out []int
	seen := map[int]bool{}
	t.Walk(func(p Term) bool {
		if p.Op == Param && p.Text == function && !seen[p.Index] {
			seen[p.Index] = true
			out = append(out, p.Index)
		}
		return true
	})
	return out
}
