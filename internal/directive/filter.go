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

// Options says what Filter knows about the findings that it is given.
type Options struct {
	// Package is the import path of the files.
	Package string
	// Complete is true where the findings are all that can be found in these files: the program findings of the link
	// too, and of the variant of the package that has the most files. Only then can an ignore be called unused.
	Complete bool
}

// Filter is all that a route has to do about directives: it marks the findings of a package that a directive covers,
// and adds those about the directives themselves. The findings given are not changed.
//
// An ignore is meant for whoever reads that line, so it also covers program findings; a route that does not make them
// must leave Complete false, or it would call such an ignore unused.
func Filter(fset *token.FileSet, files []*ast.File, findings []finding.Finding, o Options) []finding.Finding {
	dirs := Parse(fset, files)
	if len(dirs) == 0 {
		return findings
	}
	out := Apply(dirs, findings)
	out = append(out, Mistakes(dirs, o.Package)...)
	if o.Complete {
		out = append(out, Unused(dirs, findings, o.Package)...)
	}
	return out
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

// Mistakes reports the malformed directives of a package.
func Mistakes(dirs []Directive, pkg string) []finding.Finding {
	var out []finding.Finding
	for i := range dirs {
		if d := &dirs[i]; d.Problem != "" {
			out = append(out, d.finding(kinds.BadDirective, pkg, d.mistake()))
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

// Unused reports each ignore that covers none of the findings of its package. A kind that this version does not look
// for is passed over.
func Unused(dirs []Directive, findings []finding.Finding, pkg string) []finding.Finding {
	var out []finding.Finding
	for i := range dirs {
		d := &dirs[i]
		if d.Verb != Ignore || d.Problem != "" {
			continue
		}
		if idle := d.idle(findings); len(idle) > 0 {
			out = append(out, d.finding(kinds.UnusedDirective, pkg, d.idleMessage(idle)))
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
func (d *Directive) finding(kind, pkg, message string) finding.Finding {
	k, _ := kinds.Find(kind)
	return finding.Finding{
		Analyzer: k.Analyzer, Kind: kind, Level: k.Level, Scope: finding.Unit,
		Place: d.Place, Message: message,
		Package: pkg, Function: d.function.in(pkg), Class: d.text,
	}
}
