package driver

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/leasevet/leasevet/internal/finding"
)

// Single is one package that somebody else has type-checked, without a go command and without facts of what it imports.
type Single struct {
	Fset  *token.FileSet
	Files []*ast.File
	Pkg   *types.Package
	Info  *types.Info
	Sizes types.Sizes
	// Errors are those of the type checker; what has none is analysed all the same.
	Errors []types.Error
}

// SingleResult is what the analyzers made of it.
type SingleResult struct {
	Findings []finding.Finding // sorted, none twice
	Results  map[*analysis.Analyzer]any
	Failed   []string // analyzers that did not get through, and why
}

// Single runs the analyzers over one package, as a run over a whole module does with each of its packages.
func (r *PassRunner) Single(s Single) SingleResult {
	c := &checked{fset: s.Fset, files: s.Files, pkg: s.Pkg, info: s.Info, sizes: s.Sizes, errs: s.Errors}
	for _, e := range s.Errors {
		c.problems = append(c.problems, e.Error())
	}
	c.prune()
	out := r.run(&passInput{checked: c, module: &analysis.Module{Path: s.Pkg.Path()}})
	return SingleResult{Findings: finding.Normalize(out.findings), Results: out.results, Failed: out.failed}
}
