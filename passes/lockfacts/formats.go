package lockfacts

import (
	"strings"

	"github.com/leasevet/leasevet/passes/keyterm"
)

// formatted puts a format and its operands together. An operand that is not known, or a verb that takes more than one,
// leaves the rest unknown.
func formatted(format string, count int, literal func(string) keyterm.Term, operand func(verb string, n int) (keyterm.Term, bool)) keyterm.Term {
	var parts []keyterm.Term
	next := 0
	for rest := format; rest != ""; {
		i := strings.IndexByte(rest, '%')
		if i < 0 {
			parts = append(parts, literal(rest))
			break
		}
		parts = append(parts, literal(rest[:i]))
		verb, after := cutVerb(rest[i:])
		rest = after
		if verb == "%%" {
			parts = append(parts, text("%"))
			continue
		}
		if strings.ContainsAny(verb, "*[") || next >= count {
			return keyterm.Term{Op: keyterm.Concat, Args: append(parts, keyterm.Term{})}
		}
		t, ok := operand(verb, next)
		if !ok {
			return keyterm.Term{Op: keyterm.Concat, Args: append(parts, keyterm.Term{})}
		}
		parts = append(parts, t)
		next++
	}
	return keyterm.Term{Op: keyterm.Concat, Args: parts}
}

// formatKnown is fmt.Sprintf of a format and a list that a substitution has made known: a function that builds keys from
// the format it is given.
func formatKnown(p keyterm.Term) (keyterm.Term, bool) {
	if p.Text != "fmt.Sprintf" || p.Index != 0 || len(p.Args) != 2 || p.Args[0].Op != keyterm.Const || p.Args[1].Op != keyterm.List {
		return p, false
	}
	args := p.Args[1].Args
	t := formatted(p.Args[0].Text, len(args), func(s string) keyterm.Term {
		lit := text(s)
		lit.At, lit.Fn = p.Args[0].At, p.Args[0].Fn
		return lit
	}, func(verb string, n int) (keyterm.Term, bool) { return printed(verb, args[n]), true })
	t.At, t.Fn, t.Type = p.At, p.Fn, p.Type
	return t.Norm(), true
}

// printed is a term that a verb prints. Of its type only the name is known here.
func printed(verb string, v keyterm.Term) keyterm.Term {
	if v.Op == keyterm.Const && (verb == "%s" || verb == "%v" || verb == "%d") {
		return v
	}
	return keyterm.Term{Op: keyterm.Format, Text: verb, Args: []keyterm.Term{v}, Names: []string{namedKind(v.Type)}, Type: v.Type,
		At: v.At, Fn: v.Fn}.Norm()
}

// namedKind is PrintKind for a type that is known by name.
func namedKind(typ string) string {
	switch {
	case typ == "string":
		return "string"
	case strings.HasPrefix(typ, "int") || strings.HasPrefix(typ, "uint"):
		return "integer"
	case typ == "bool":
		return "bool"
	}
	return "other"
}
