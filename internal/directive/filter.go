package directive

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/internal/kinds"
)

// Filter marks the findings of a package that a directive covers. All routes call it, so that an ignore holds on all of
// them. The findings given are not changed.
//
// It is called once per analyzer, and does not report what is wrong with the directives themselves: [Analyzer] does
// that, once per package.
func Filter(fset *token.FileSet, files []*ast.File, findings []finding.Finding) []finding.Finding {
	if len(findings) == 0 {
		return findings
	}
	return Apply(Parse(fset, files), findings)
}

// Apply sets Suppressed in a copy of the findings, for those that an ignore covers. Where several do, the first one's
// reason stays.
func Apply(dirs []Directive, findings []finding.Finding) []finding.Finding {
	out := slices.Clone(findings)
	for i := range out {
		for j := range dirs {
			if d := &dirs[j]; out[i].Suppressed == nil && d.suppresses(out[i]) {
				out[i].Suppressed = &d.Reason
			}
		}
	}
	return out
}

// suppresses reports whether d is an ignore that covers f.
func (d *Directive) suppresses(f finding.Finding) bool {
	return d.Verb == Ignore && d.Problem == "" && d.Target.covers(f.File, f.Line) &&
		slices.ContainsFunc(d.Kinds, func(s Selector) bool { return s.matches(f) })
}

// Mistakes reports the malformed directives.
func Mistakes(dirs []Directive) []finding.Finding {
	var out []finding.Finding
	for i := range dirs {
		if d := &dirs[i]; d.Problem != "" {
			out = append(out, d.finding(kinds.BadDirective, d.mistake()))
		}
	}
	return out
}

// mistake is the message about a malformed directive: it has no effect, why, and how it is written.
func (d *Directive) mistake() string {
	message := "this directive has no effect: " + d.Problem
	if g, known := grammars[d.Verb]; known {
		return message + "; write //" + prefix + g.usage
	}
	return message + "; the directives are " + strings.Join(verbs(), ", ")
}

// Ignores picks the well-formed ignores out of directives, without what holds on to syntax: for a caller that asks for
// the unused ones at the end of a run.
func Ignores(dirs []Directive) []Directive {
	var out []Directive
	for _, d := range dirs {
		if d.Verb == Ignore && d.Problem == "" {
			d.Target.Node = nil
			out = append(out, d)
		}
	}
	return out
}

// Unused reports each ignore that covers none of the findings. A kind that this version does not look for is passed
// over.
//
// Only a caller that has the whole picture can say so: all findings of the program, also those that the link proves
// and those of the tests. With less, an ignore is called unused that is needed.
func Unused(dirs []Directive, findings []finding.Finding) []finding.Finding {
	var out []finding.Finding
	for i := range dirs {
		d := &dirs[i]
		if d.Verb != Ignore || d.Problem != "" {
			continue
		}
		if idle := d.idle(findings); len(idle) > 0 {
			out = append(out, d.finding(kinds.UnusedDirective, d.idleMessage(idle)))
		}
	}
	return out
}

// idle lists the selectors of d that cover nothing.
func (d *Directive) idle(findings []finding.Finding) []string {
	var names []string
	for _, s := range d.Kinds {
		if k, _ := kinds.Find(s.Kind); !k.Implemented {
			continue
		}
		used := slices.ContainsFunc(findings, func(f finding.Finding) bool {
			return s.matches(f) && d.Target.covers(f.File, f.Line)
		})
		if !used {
			names = append(names, s.String())
		}
	}
	return names
}

func (d *Directive) idleMessage(idle []string) string {
	where := fmt.Sprintf("on line %d", d.Target.First)
	if d.Target.First != d.Target.Last {
		where = fmt.Sprintf("on lines %d to %d", d.Target.First, d.Target.Last)
	}
	remedy := "remove the comment"
	if len(idle) < len(d.Kinds) {
		remedy = "take it out of the list"
	}
	return fmt.Sprintf("nothing %s is reported as %s; %s", where, strings.Join(idle, " or "), remedy)
}

// finding is a finding about d itself. The text of the comment stands in for a lock class: it tells one directive of
// a function from the next, over unrelated edits.
func (d *Directive) finding(kind, message string) finding.Finding {
	k, _ := kinds.Find(kind)
	return finding.Finding{
		Analyzer: k.Analyzer, Kind: kind, Level: k.Level, Scope: finding.Unit,
		Place: d.Place, Message: message,
		Package: d.Package, Function: d.function.in(d.Package), Class: d.text,
	}
}
