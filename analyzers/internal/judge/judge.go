// Package judge is what the reporting analyzers have in common: making findings out of lock sites, one per place and
// kind, and handing them to whichever driver runs the analysis.
package judge

import (
	"flag"
	"fmt"
	"go/token"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/leasevet/leasevet/internal/directive"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// Analyzer makes an analysis.Analyzer of a check. Its result is []finding.Finding: everything it found, also what
// stands in other packages' files and what is suppressed, for drivers that can show it. As diagnostics it reports what
// stands in the package's own files, is not suppressed, and is at least as severe as its flag -level.
func Analyzer(name, doc string, check func(*Reporter)) *analysis.Analyzer {
	a := &analysis.Analyzer{
		Name:             name,
		Doc:              doc,
		URL:              "https://github.com/leasevet/leasevet/blob/main/analyzers/" + name + "/doc.go",
		Requires:         []*analysis.Analyzer{lockfacts.Analyzer},
		ResultType:       reflect.TypeFor[[]finding.Finding](),
		RunDespiteErrors: true,
	}
	a.Flags = *flag.NewFlagSet(name, flag.ContinueOnError)
	level := a.Flags.String("level", string(finding.Warning), "report findings of this level and above: error, warning or note")
	a.Run = func(pass *analysis.Pass) (any, error) {
		r := &Reporter{Pass: pass, Res: pass.ResultOf[lockfacts.Analyzer].(*lockfacts.Result), name: name}
		if r.Res.Relevant() {
			check(r)
		}
		out := directive.Apply(directive.Parse(pass.Fset, pass.Files), finding.Normalize(r.found))
		r.diagnose(out, finding.Level(*level))
		return out, nil
	}
	return a
}

// Reporter collects the findings of one analyzer in one package.
type Reporter struct {
	Pass *analysis.Pass
	Res  *lockfacts.Result

	name  string
	found []finding.Finding
}

// Fault is what a check says of a place.
type Fault struct {
	Kind, Rule string
	Level      finding.Level
	At         lockfacts.Site
	Class      string
	Message    string
	Related    []finding.Related
	Path       []lockfacts.Site
	// Scope is program where the link had to help; else it follows from where At is.
	Scope finding.Scope
}

// Report adds a finding, unless it stands in a test: a test plays the other holder, and cleans up by force.
func (r *Reporter) Report(f Fault) {
	if !f.At.IsValid() || strings.HasSuffix(f.At.File, "_test.go") || strings.HasSuffix(r.flowFile(f), "_test.go") {
		return
	}
	scope := finding.Unit
	if f.At.Package != r.Pass.Pkg.Path() || f.Scope == finding.Program {
		scope = finding.Program
	}
	r.found = append(r.found, finding.Finding{
		Analyzer: r.name, Kind: f.Kind, Rule: f.Rule, Level: f.Level, Scope: scope, Place: place(f.At),
		Message: f.Message, Related: f.Related, Path: steps(f.Path),
		Package: f.At.Package, Function: f.At.Function, Class: f.Class,
	})
}

// flowFile is the file of the function whose flow proves the fault.
func (r *Reporter) flowFile(f Fault) string {
	if len(f.Path) > 0 {
		return f.Path[0].File
	}
	return ""
}

// place is a site as findings have it.
func place(s lockfacts.Site) finding.Place {
	return finding.Place{File: s.File, Line: s.Line, Column: s.Column}
}

// Related points to another site.
func Related(s lockfacts.Site, format string, args ...any) finding.Related {
	return finding.Related{Place: place(s), Message: fmt.Sprintf(format, args...)}
}

func steps(path []lockfacts.Site) []finding.Step {
	var out []finding.Step
	for _, s := range path {
		if s.IsValid() {
			out = append(out, finding.Step{Function: s.Function, Place: place(s)})
		}
	}
	return out
}

// Flow is the call path from the function whose flow proves a lock down to a command on it.
func Flow(e *lockfacts.Effect) []lockfacts.Site {
	if len(e.Path) == 0 {
		return nil
	}
	return append(slices.Clone(e.Path), e.At)
}

// Brief is where a site is, for a message: "file.go:12".
func Brief(s lockfacts.Site) string {
	file := s.File[strings.LastIndexByte(s.File, '/')+1:]
	return fmt.Sprintf("%s:%d", file, s.Line)
}

// diagnose hands the package's own findings to the driver as diagnostics.
func (r *Reporter) diagnose(all []finding.Finding, level finding.Level) {
	for _, f := range all {
		if f.Scope != finding.Unit || f.Suppressed != nil || f.Level.Rank() < level.Rank() {
			continue
		}
		if pos := r.posOf(f.Place); pos.IsValid() {
			r.Pass.Report(analysis.Diagnostic{Pos: pos, Category: f.Kind, Message: f.OneLine()})
		}
	}
}

// posOf finds a place in the package's files again.
func (r *Reporter) posOf(p finding.Place) token.Pos {
	for _, file := range r.Pass.Files {
		tf := r.Pass.Fset.File(file.FileStart)
		if tf == nil || r.Pass.Fset.Position(file.FileStart).Filename != p.File || p.Line > tf.LineCount() {
			continue
		}
		return tf.LineStart(p.Line) + token.Pos(max(p.Column-1, 0))
	}
	return token.NoPos
}
