package lockfacts

import (
	"testing"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
)

// Who has to be analysed again after a fact has changed, and who need not be.
func TestConcerns(t *testing.T) {
	locks := []Effect{{Op: clientmodel.SetIfAbsent}}
	plain := &Fact{Version: Version, Funcs: []Summary{{Name: "m/a.Do"}, {Name: "(*m/a.T).Run"}, {Name: "m/a.Key"}}}
	locking := &Fact{Version: Version, Funcs: []Summary{{Name: "m/a.Do", Effects: locks}, {Name: "(*m/a.T).Run", Effects: locks}, {Name: "m/a.Key"}}}
	typed := &Fact{Version: Version, Impls: []Impl{{Interface: "m/a.Runner", Type: "*m/a.T"}}}
	variable := &Fact{Version: Version, Globals: []Named{{Name: "m/a.prefix", Value: keyterm.Term{Op: keyterm.Const, Text: "x"}}}}
	empty := &Fact{Version: Version}
	seen := map[string]*Fact{"m/a": locking}
	importing, far := []string{"m/a"}, []string{"m/b"}
	for _, c := range []struct {
		name     string
		old, now *Fact
		imports  []string
		source   string
		want     bool
	}{
		{"nothing has changed", locking, locking, importing, "a.Do()", false},
		{"the function is called", plain, locking, importing, "a.Do()", true},
		{"another function is called", plain, locking, importing, "a.Key()", false},
		{"the name is somebody else's", plain, locking, far, "b.Do()", false},
		{"the name is part of another one", plain, locking, importing, "a.Done()", false},
		{"a method is called through other packages", plain, locking, far, "b.New().Run()", true},
		{"it does not lock any more", locking, plain, importing, "a.Do()", true},
		{"a first fact with a lock", nil, locking, importing, "a.Do()", true},
		{"a first fact without a lock", nil, plain, importing, "a.Do()", false},
		{"the fact is gone", locking, nil, importing, "a.Do()", true},
		{"a type stands behind an interface", empty, typed, far, "r.Run()", true},
		{"a type stands behind an interface, of which no method is called", empty, typed, far, "r.Stop()", false},
		{"a variable's value reaches everybody", empty, variable, far, "", true},
	} {
		change := Changes(c.old, c.now, seen)
		got := change.Concerns(c.imports, func(visit func([]byte) bool) { visit([]byte(c.source)) })
		if got != c.want {
			t.Errorf("%s: concerns is %v", c.name, got)
		}
	}
	var sum Change
	sum.Add(Changes(plain, locking, nil))
	sum.Add(Changes(empty, variable, nil))
	if sum.None() || !sum.Concerns(nil, func(func([]byte) bool) {}) {
		t.Error("a sum of changes forgets one of them")
	}
	if !Changes(locking, locking, nil).None() {
		t.Error("no change counts as one")
	}
}
