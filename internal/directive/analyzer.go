package directive

import (
	"reflect"

	"golang.org/x/tools/go/analysis"

	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/internal/kinds"
)

// Reader is the pass that reads the directives of a package. Its result is a []Directive.
var Reader = &analysis.Analyzer{
	Name:             "leasedirectives",
	Doc:              "read the //leasevet: comments of a package",
	ResultType:       reflect.TypeFor[[]Directive](),
	RunDespiteErrors: true,
	Run: func(pass *analysis.Pass) (any, error) {
		dirs := Parse(pass.Fset, pass.Files)
		for i := range dirs {
			dirs[i].Package = pass.Pkg.Path()
		}
		return dirs, nil
	},
}

// Analyzer reports the malformed directives of a package. Its result is []finding.Finding, as that of every analyzer
// that reports.
var Analyzer = &analysis.Analyzer{
	Name:             kinds.Directive,
	Doc:              "report //leasevet: comments that are malformed or stand where they say nothing",
	URL:              kinds.URL(kinds.BadDirective),
	Requires:         []*analysis.Analyzer{Reader},
	ResultType:       reflect.TypeFor[[]finding.Finding](),
	RunDespiteErrors: true,
	Run:              run,
}

func run(pass *analysis.Pass) (any, error) {
	dirs, _ := pass.ResultOf[Reader].([]Directive)
	for _, d := range dirs {
		if d.Problem != "" {
			pass.Report(analysis.Diagnostic{
				Pos: d.Pos, Category: kinds.BadDirective, URL: kinds.URL(kinds.BadDirective),
				Message: kinds.BadDirective + ": " + d.mistake(),
			})
		}
	}
	return Mistakes(dirs), nil
}
