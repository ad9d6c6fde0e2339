package driver

import (
	"fmt"
	"go/types"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// A PassRunner runs analyzers over one package, each after those that it requires. It holds no state of a package and
// may be used by several goroutines.
type PassRunner struct {
	order []*analysis.Analyzer
}

// NewPassRunner orders the analyzers and what they require.
func NewPassRunner(analyzers []*analysis.Analyzer) (*PassRunner, error) {
	if err := analysis.Validate(analyzers); err != nil {
		return nil, err
	}
	return &PassRunner{order: requiredOrder(analyzers)}, nil
}

// requiredOrder lists analyzers and all that they require, required ones first. Validate has ruled out cycles.
func requiredOrder(analyzers []*analysis.Analyzer) []*analysis.Analyzer {
	var order []*analysis.Analyzer
	seen := map[*analysis.Analyzer]bool{}
	var visit func(list []*analysis.Analyzer)
	visit = func(list []*analysis.Analyzer) {
		for _, a := range list {
			if !seen[a] {
				seen[a] = true
				visit(a.Requires)
				order = append(order, a)
			}
		}
	}
	visit(analyzers)
	return order
}

// FactsOnly is a runner for packages that nobody asked about: it runs only what makes facts.
func (r *PassRunner) FactsOnly() *PassRunner {
	var bearing []*analysis.Analyzer
	for _, a := range r.order {
		if len(a.FactTypes) > 0 {
			bearing = append(bearing, a)
		}
	}
	return &PassRunner{order: requiredOrder(bearing)}
}

// passInput is one package, ready to be analysed.
type passInput struct {
	*checked
	other, ignored []string
	module         *analysis.Module
	facts          map[string]*lockfacts.Fact // of all imports, by import path
	program        *lockfacts.Program
	read           func(string) ([]byte, error)
	// fetch reads a package that did not seem worth it, and returns the facts in sight with its own; nil if there is none.
	fetch func(path string) map[string]*lockfacts.Fact
}

// passOutput is what the analyzers made of it.
type passOutput struct {
	fact     *lockfacts.Fact
	findings []finding.Finding
	results  map[*analysis.Analyzer]any
	failed   []string // analyzers that did not get through, and why
	unknowns int
}

// run runs all analyzers. One that fails takes those with it that need its result, and no others.
func (r *PassRunner) run(in *passInput) *passOutput {
	out := &passOutput{results: map[*analysis.Analyzer]any{}}
	for _, a := range r.order {
		if !satisfied(a, out.results) {
			continue
		}
		result, fact, err := runAnalyzer(a, in, out.results)
		if err != nil {
			out.failed = append(out.failed, err.Error())
			continue
		}
		out.results[a] = result
		if fact != nil {
			out.fact = fact
		}
		out.collect(a, result)
	}
	return out
}

// satisfied reports whether all that a requires has a result.
func satisfied(a *analysis.Analyzer, results map[*analysis.Analyzer]any) bool {
	return !slices.ContainsFunc(a.Requires, func(r *analysis.Analyzer) bool {
		_, ok := results[r]
		return !ok
	})
}

// collect takes findings and unknowns out of a result.
func (out *passOutput) collect(a *analysis.Analyzer, result any) {
	switch result := result.(type) {
	case []finding.Finding:
		for _, f := range result {
			if f.Analyzer == "" {
				f.Analyzer = a.Name
			}
			out.findings = append(out.findings, f)
		}
	case Counter:
		out.unknowns += result.Unknowns()
	}
}

// runAnalyzer runs one analyzer. A panic in it is our fault, not the user's: it becomes an error of one line.
func runAnalyzer(a *analysis.Analyzer, in *passInput, results map[*analysis.Analyzer]any) (
	result any, fact *lockfacts.Fact, err error,
) {
	defer func() {
		if r := recover(); r != nil {
			result, fact = nil, nil
			err = fmt.Errorf("internal error: %s: %s", a.Name, firstLine(fmt.Sprint(r)))
		}
	}()
	pass := newPass(a, in, &fact)
	for _, r := range a.Requires {
		pass.ResultOf[r] = results[r]
	}
	if result, err = a.Run(pass); err != nil {
		return nil, nil, fmt.Errorf("%s: %s", a.Name, firstLine(err.Error()))
	}
	return result, fact, nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// newPass fills in an analysis.Pass. Diagnostics are dropped: they say what the findings in the result say, for
// drivers that know only diagnostics.
func newPass(a *analysis.Analyzer, in *passInput, fact **lockfacts.Fact) *analysis.Pass {
	pass := &analysis.Pass{
		Analyzer: a, Fset: in.fset, Files: in.files, OtherFiles: in.other, IgnoredFiles: in.ignored,
		Pkg: in.pkg, TypesInfo: in.info, TypesSizes: in.sizes, TypeErrors: in.errs,
		ResultOf: map[*analysis.Analyzer]any{}, Module: in.module,
		ReadFile: in.read,
		Report:   func(analysis.Diagnostic) {},
	}
	if pass.ReadFile == nil {
		pass.ReadFile = os.ReadFile
	}
	own := &passFacts{in: in, own: fact, bearing: len(a.FactTypes) > 0}
	pass.ImportPackageFact = own.importFact
	pass.ExportPackageFact = own.exportFact
	pass.AllPackageFacts = own.all
	pass.ImportObjectFact = func(types.Object, analysis.Fact) bool { return false }
	pass.ExportObjectFact = func(types.Object, analysis.Fact) {}
	pass.AllObjectFacts = func() []analysis.ObjectFact { return nil }
	return pass
}

// passFacts answers the questions of one pass about facts.
type passFacts struct {
	in      *passInput
	own     **lockfacts.Fact
	bearing bool // the analyzer makes facts
}

// importFact gives what is known about pkg: its fact, or, for the package itself, what the link said.
func (p *passFacts) importFact(pkg *types.Package, into analysis.Fact) bool {
	switch into := into.(type) {
	case *lockfacts.Fact:
		fact := p.in.facts[pkg.Path()]
		if pkg == p.in.pkg {
			fact = *p.own
		}
		if fact == nil {
			return false
		}
		*into = *fact
		return true
	case *lockfacts.Wanted:
		if p.in.fetch == nil || p.in.facts[pkg.Path()] != nil {
			return false
		}
		facts := p.in.fetch(pkg.Path())
		if facts != nil {
			p.in.facts = facts
		}
		return facts != nil
	case *lockfacts.Program:
		if pkg != p.in.pkg || p.in.program == nil {
			return false
		}
		*into = *p.in.program
		return true
	}
	return false
}

func (p *passFacts) exportFact(f analysis.Fact) {
	if fact, ok := f.(*lockfacts.Fact); ok && p.bearing {
		*p.own = fact
	}
}

// all lists the facts of the packages that are imported, sorted by path. Packages that the type checker did not meet
// have only a name.
func (p *passFacts) all() []analysis.PackageFact {
	known := map[string]*types.Package{}
	var visit func(pkg *types.Package)
	visit = func(pkg *types.Package) {
		if known[pkg.Path()] == nil {
			known[pkg.Path()] = pkg
			for _, dep := range pkg.Imports() {
				visit(dep)
			}
		}
	}
	visit(p.in.pkg)
	var all []analysis.PackageFact
	for _, path := range sortedKeys(p.in.facts) {
		pkg := known[path]
		if pkg == nil {
			pkg = types.NewPackage(path, "")
		}
		all = append(all, analysis.PackageFact{Package: pkg, Fact: p.in.facts[path]})
	}
	return all
}
