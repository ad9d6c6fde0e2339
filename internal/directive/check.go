package directive

import (
	"fmt"
	"go/token"
	"slices"
	"strings"
	"time"

	"github.com/leasevet/leasevet/internal/kinds"
)

// check says what is wrong with a directive whose words could be taken apart, "" if nothing is.
func (d *Directive) check() string {
	g := grammars[d.Verb]
	switch {
	case d.kind == spaced:
		return "a space before \"leasevet:\" makes it a plain comment"
	case d.kind == block:
		return "a directive has to be a // comment"
	case !slices.Contains(g.on, d.Target.Kind):
		return fmt.Sprintf("%s cannot stand above %s", d.Verb, d.Target.Kind)
	}
	switch g.shape {
	case kindsReason:
		return d.firstProblem(d.checkKinds, d.checkReason)
	case classReason:
		return d.firstProblem(d.checkClass, d.checkReason)
	case reasonOnly:
		return d.checkReason()
	default:
		return d.firstProblem(d.checkOperandNames, d.checkOperandValues)
	}
}

func (d *Directive) firstProblem(checks ...func() string) string {
	for _, check := range checks {
		if problem := check(); problem != "" {
			return problem
		}
	}
	return ""
}

func (d *Directive) checkReason() string {
	if d.Reason == "" {
		return "the reason is missing"
	}
	return ""
}

func (d *Directive) checkKinds() string {
	for _, s := range d.Kinds {
		k, known := kinds.Find(s.Kind)
		switch {
		case !known:
			return unknownKind(s.Kind)
		case k.Analyzer == kinds.Directive:
			return fmt.Sprintf("%s cannot be ignored: repair the comment it is about", s.Kind)
		}
	}
	return ""
}

func unknownKind(name string) string {
	if near := kinds.Nearest(name); near != "" {
		return fmt.Sprintf("unknown kind %q, did you mean %q?", name, near)
	}
	return fmt.Sprintf("unknown kind %q", name)
}

// checkClass looks at the placeholders: a named one has to name a parameter, or the class could never match.
func (d *Directive) checkClass() string {
	if d.Class == "" {
		return "the lock class is missing"
	}
	rest := d.Class
	for {
		before, after, open := strings.Cut(rest, "{")
		if strings.Contains(before, "}") {
			return fmt.Sprintf("the braces of %q do not match", d.Class)
		}
		if !open {
			return ""
		}
		name, tail, closed := strings.Cut(after, "}")
		if !closed || strings.Contains(name, "{") {
			return fmt.Sprintf("the braces of %q do not match", d.Class)
		}
		if name != "" && !d.namesParameter(name) {
			return d.noParameter(name)
		}
		rest = tail
	}
}

func (d *Directive) checkOperandNames() string {
	g := grammars[d.Verb]
	seen := map[string]bool{}
	for _, a := range d.Args {
		switch {
		case !slices.Contains(g.may, a.Name):
			return unknown("operand of "+d.Verb, a.Name, g.may)
		case seen[a.Name]:
			return fmt.Sprintf("%s is given twice", a.Name)
		}
		seen[a.Name] = true
	}
	for _, name := range g.must {
		if !seen[name] {
			return fmt.Sprintf("%s= is missing", name)
		}
	}
	return ""
}

func (d *Directive) checkOperandValues() string {
	for _, a := range d.Args {
		switch {
		case a.Value == "":
			return fmt.Sprintf("%s= names no parameter", a.Name)
		case a.Name == "ttl" && isDuration(a.Value):
		case !d.namesParameter(a.Value):
			return d.noParameter(a.Value)
		}
	}
	return ""
}

func isDuration(s string) bool {
	ttl, err := time.ParseDuration(s)
	return err == nil && ttl > 0
}

// namesParameter reports whether path is a parameter or receiver of the target, or a field of one.
func (d *Directive) namesParameter(path string) bool {
	parts := strings.Split(path, ".")
	for _, part := range parts {
		if !token.IsIdentifier(part) || part == "_" {
			return false
		}
	}
	return slices.Contains(d.Target.parameters(), parts[0])
}

func (d *Directive) noParameter(path string) string {
	name, _, _ := strings.Cut(path, ".")
	return unknown("parameter", name, d.Target.parameters())
}
