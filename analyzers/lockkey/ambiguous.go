package lockkey

import (
	"fmt"
	"go/types"
	"regexp"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/keyterm"
)

// ambiguous reports places where two parts of variable width meet without a separator.
func (c *checker) ambiguous(u use) {
	key := c.Res.Resolve(u.key)
	begun := false
	var walk func(t keyterm.Term)
	walk = func(t keyterm.Term) {
		switch t.Op {
		case keyterm.Const:
			begun = true
		case keyterm.Built:
			walk(t.Args[0])
		case keyterm.Concat:
			for i, a := range t.Args {
				walk(a)
				// What stands before the first text is a prefix that somebody chose, and ends as it has to.
				if begun && i+1 < len(t.Args) {
					c.meet(u, t, last(a), first(t.Args[i+1]))
				}
			}
		}
	}
	walk(key)
}

func first(t keyterm.Term) keyterm.Term { return t.Parts()[0] }

func last(t keyterm.Term) keyterm.Term {
	parts := t.Parts()
	return parts[len(parts)-1]
}

// meet judges two neighbours in what cat puts together.
func (c *checker) meet(u use, cat, a, b keyterm.Term) {
	x, y := c.free(a), c.free(b)
	if x == "" || y == "" {
		return
	}
	at := siteOf(cat)
	if !at.IsValid() {
		at = c.acquiredAt(u)
	}
	c.report(judge.Fault{
		Kind: "ambiguous-key", Level: finding.Error, At: at, Class: u.key.Class(),
		Message: c.collision(a, b, x, y) + " give the same key: unrelated work waits for one lock, and a release of one frees the other; " +
			"put a separator between the two that neither can contain",
		Related: []finding.Related{judge.Related(c.acquiredAt(u), "acquired here")},
	})
}

// collision names two pairs of values that are one text when joined.
func (c *checker) collision(a, b keyterm.Term, x, y string) string {
	m, n := c.partName(a, "the first part"), c.partName(b, "the second part")
	if m == n {
		m, n = "the first "+m, "the second "+n
	}
	if x == "text" && y == "text" {
		return fmt.Sprintf(`%s "a", %s "bc" and %s "ab", %s "c"`, m, n, m, n)
	}
	return fmt.Sprintf("%s 1, %s 12 and %s 11, %s 2", m, n, m, n)
}

func (c *checker) partName(t keyterm.Term, or string) string {
	t = t.Strip()
	if name := c.Res.VarName(t); name != "" {
		return name
	}
	for _, a := range t.Args {
		if (t.Op == keyterm.Call || t.Op == keyterm.Fresh) && a.Op == keyterm.Const && hasLetters(a.Text) {
			return a.Text // the name of a header, of a path's part
		}
	}
	return or
}

// fixedVerb are the verbs that give a fixed width, or that mark where a value ends.
var fixedVerb = regexp.MustCompile(`^%[-+ #]*0[0-9]+d$|[qxXctTUpb]$`)

// free says "text" or "number" of a part whose width varies, "" of any other and of what is not known.
func (c *checker) free(t keyterm.Term) string {
	kind := ""
	if t.Op == keyterm.Format {
		if fixedVerb.MatchString(t.Text) || len(t.Names) == 0 {
			return ""
		}
		kind, t = t.Names[0], t.Args[0]
	}
	t = t.Strip()
	if kind == "stringer" || c.configured(t) || !readable(t) {
		return ""
	}
	typ := c.typeNamed(t.Type)
	if typ == nil || enumeration(typ) {
		return ""
	}
	b, ok := typ.Underlying().(*types.Basic)
	switch {
	case !ok:
		return ""
	case b.Info()&types.IsString != 0:
		return "text"
	case b.Info()&types.IsInteger != 0 && b.Kind() != types.Byte && b.Kind() != types.Rune || kind == "integer":
		return "number"
	}
	return ""
}

// readable are values that come from somewhere else as they are.
func readable(t keyterm.Term) bool {
	switch t.Op {
	case keyterm.Param, keyterm.Field, keyterm.Lookup, keyterm.Global:
		return true
	case keyterm.Fresh:
		return t.Text == keyterm.Input || t.Text == keyterm.Parsed
	case keyterm.Call:
		return requestText[t.Text] || sameText[t.Text] && len(t.Args) > 0 && readable(t.Args[0].Strip())
	}
	return false
}

// sameText are functions that return what they are given in another form, as free as before.
var sameText = map[string]bool{
	"strings.TrimSpace": true, "strings.ToLower": true, "strings.ToUpper": true, "strings.Trim": true,
	"strings.TrimPrefix": true, "strings.TrimSuffix": true, "strings.TrimLeft": true, "strings.TrimRight": true,
}

// requestText are functions that return what somebody has written into a request.
var requestText = map[string]bool{
	"(*net/http.Request).PathValue": true, "github.com/go-chi/chi/v5.URLParam": true,
	"(*github.com/gin-gonic/gin.Context).Param": true, "(github.com/labstack/echo/v4.Context).Param": true,
}
