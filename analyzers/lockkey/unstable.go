package lockkey

import (
	"strings"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// unstable reports parts that differ from one run to the next for the same resource.
func (c *checker) unstable(u use) {
	for _, p := range variables(u.key) {
		ch := c.changes(p)
		if ch.what == "" {
			continue
		}
		if !ch.at.IsValid() {
			ch.at = c.acquiredAt(u)
		}
		c.report(judge.Fault{
			Kind: "unstable-key", Level: finding.Error, At: ch.at, Class: u.key.Class(),
			Message: "the key contains " + ch.what + ": two flows that work on the same thing acquire different keys, and the lock excludes " +
				"nobody; " + ch.cure,
			Related: []finding.Related{judge.Related(c.acquiredAt(u), "acquired here")},
		})
	}
}

// change is something that changes, where it gets into the key, and a way out.
type change struct {
	what, cure string
	at         lockfacts.Site
}

// changes says what about a part changes; nothing, if nothing is known to.
func (c *checker) changes(p part) change {
	const useID = "build the key from the id of what is locked"
	switch {
	case clock(p.term):
		return change{"the time", useID + ", or cut the time to a slot that all flows share", p.at}
	case order(p.term.Strip()):
		return change{"text in the order of a loop over a map, which differs from run to run", "sort the parts first", siteOf(p.term.Strip())}
	case random(p):
		return change{"a random value that is made here", useID, p.at}
	}
	return change{c.printed(p.term), useID, p.at}
}

// order reports whether a value is put together in the order of a loop over a map.
func order(t keyterm.Term) bool {
	if t.Op == keyterm.Call && t.Text == "strings.Join" && len(t.Args) > 0 {
		t = t.Args[0]
	}
	return t.Op == keyterm.Fresh && t.Text == keyterm.Order
}

// random: the value is made where the key is. One that is made elsewhere may be the id of what is locked, and new.
func random(p part) bool {
	t := p.term.Strip()
	return t.Op == keyterm.Fresh && t.Text == keyterm.Random && root(t.Fn) == root(p.at.Function)
}

// clock reports whether a value is the time, finer than a slot that several runs share. Arithmetic, truncation and the
// parts of a date make slots.
func clock(t keyterm.Term) bool {
	t = t.Strip()
	switch t.Op {
	case keyterm.Fresh:
		return t.Text == keyterm.Clock
	case keyterm.Call:
		return len(t.Args) > 0 && clock(t.Args[0]) && clockCall(t)
	}
	return false
}

func clockCall(t keyterm.Term) bool {
	switch t.Text {
	case "(time.Time).Add", "(time.Time).AddDate", "(time.Time).In", "(time.Time).Nanosecond", "(time.Time).GoString":
		return true
	case "(time.Time).Format":
		return len(t.Args) > 1 && t.Args[1].Op == keyterm.Const && (strings.Contains(t.Args[1].Text, "05") ||
			strings.Contains(t.Args[1].Text, ".0") || strings.Contains(t.Args[1].Text, ".9"))
	}
	return false
}

// printed says what a printed value contains that changes.
func (c *checker) printed(t keyterm.Term) string {
	if t.Op != keyterm.Format || len(t.Names) == 0 {
		return ""
	}
	verb, kind := t.Text[len(t.Text)-1], t.Names[0]
	if kind == "interface" || kind == "other" {
		if concrete := c.typeNamed(t.Args[0].Type); concrete != nil {
			kind = lockfacts.PrintKind(concrete)
		}
	}
	if verb == 'p' {
		return "an address in memory"
	}
	if verb != 'v' && verb != 's' {
		return ""
	}
	return printedKinds[kind]
}

// printedKinds says what fmt makes of a value. A struct of plain fields prints the same every time.
var printedKinds = map[string]string{
	"pointer":         "a printed struct behind a pointer, all its fields with it",
	"address":         "an address in memory",
	"unstable-struct": "a printed struct with fields that print as addresses, times or lists",
	"unstable-slice":  "a printed list of what prints as addresses, times or lists",
	"map":             "a printed map, all its entries with it",
}
