package driver

import (
	"fmt"
	"go/ast"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// The tests of the driver have analyzers of their own: small ones, that use every service that a driver gives. Their
// client library is database/sql, and sql.Open is what acquires.
//
//   - probeFacts says of each function whether calling it opens a database, through any number of calls and packages;
//     of each function that returns a constant string, which; and which functions are handed to one named Wrap.
//   - probeCalls reports calls of such functions, and functions that the link says are wrapped elsewhere.
//   - probeKeys reports calls of functions that are known to return a constant string.

const probeClient = "database/sql"

func probeClients(path string) bool { return path == probeClient }

var probeFacts = &analysis.Analyzer{
	Name: "probefacts", Doc: "what calling each function does",
	Run:        runProbeFacts,
	FactTypes:  []analysis.Fact{new(lockfacts.Fact)},
	ResultType: reflect.TypeFor[*probeResult](),
}

var probeCalls = &analysis.Analyzer{
	Name: "probecalls", Doc: "report calls that open a database",
	Requires:   []*analysis.Analyzer{probeFacts},
	Run:        runProbeCalls,
	ResultType: reflect.TypeFor[[]finding.Finding](),
}

var probeKeys = &analysis.Analyzer{
	Name: "probekeys", Doc: "report calls of key functions",
	Requires:   []*analysis.Analyzer{probeFacts},
	Run:        runProbeKeys,
	ResultType: reflect.TypeFor[[]finding.Finding](),
}

var probeAnalyzers = []*analysis.Analyzer{probeCalls, probeKeys}

type probeResult struct {
	opens    map[string]bool   // functions that open a database, by full name
	keys     map[string]string // functions that return a constant string
	program  *lockfacts.Program
	indirect int
}

// Unknowns counts calls of function values.
func (r *probeResult) Unknowns() int { return r.indirect }

// imported gathers the facts of all packages below.
func imported(pass *analysis.Pass) *probeResult {
	r := &probeResult{opens: map[string]bool{probeClient + ".Open": true}, keys: map[string]string{}}
	for _, pf := range pass.AllPackageFacts() {
		fact := new(lockfacts.Fact)
		if pf.Package.Name() != "" && !pass.ImportPackageFact(pf.Package, fact) {
			panic("a listed fact cannot be imported: " + pf.Package.Path())
		}
		r.add(pf.Fact.(*lockfacts.Fact).Funcs)
		for _, g := range pf.Fact.(*lockfacts.Fact).Globals {
			r.keys[g.Name] = g.Value.Text
		}
	}
	program := new(lockfacts.Program)
	if pass.ImportPackageFact(pass.Pkg, program) {
		r.program = program
		r.add(program.Funcs)
	}
	return r
}

func (r *probeResult) add(list []lockfacts.Summary) {
	for _, s := range list {
		r.opens[s.Name] = true
	}
}

func runProbeFacts(pass *analysis.Pass) (any, error) {
	r := imported(pass)
	fact := &lockfacts.Fact{Version: lockfacts.Version}
	for changed := true; changed; { // to the fixpoint, so that the order of functions does not matter
		changed = false
		eachFunc(pass, func(fn *types.Func, d *ast.FuncDecl) {
			if !r.opens[fn.FullName()] && callsAny(pass, d, r.opens) {
				r.opens[fn.FullName()] = true
				changed = true
			}
		})
	}
	eachFunc(pass, func(fn *types.Func, d *ast.FuncDecl) {
		if strings.HasPrefix(fn.Name(), "PanicPlease") {
			panic("probe: told to\nwith a second line")
		}
		if r.opens[fn.FullName()] {
			at := pass.Fset.Position(d.Pos())
			fact.Funcs = append(fact.Funcs, lockfacts.Summary{
				Name: fn.FullName(), Effects: []lockfacts.Effect{{Op: clientmodel.SetIfAbsent}}, At: keyterm.Pos{File: at.Filename, Line: at.Line, Column: at.Column},
			})
		}
		if text, ok := constantResult(pass, d); ok {
			r.keys[fn.FullName()] = text
			fact.Globals = append(fact.Globals, lockfacts.Named{
				Name: fn.FullName(), Value: keyterm.Term{Op: keyterm.Const, Text: text},
			})
		}
	})
	eachCall(pass, func(call *ast.CallExpr, fn *types.Func) {
		if fn == nil {
			r.indirect++
		} else if fn.Name() == "Wrap" && len(call.Args) == 1 {
			if arg := funcOf(pass, call.Args[0]); arg != nil {
				fact.Guards = append(fact.Guards, lockfacts.Guard{Function: arg.FullName(), Wrapper: fn.FullName()})
			}
		}
	})
	slices.SortFunc(fact.Funcs, func(a, b lockfacts.Summary) int { return strings.Compare(a.Name, b.Name) })
	if len(fact.Funcs)+len(fact.Globals)+len(fact.Guards) > 0 {
		pass.ExportPackageFact(fact)
	}
	return r, nil
}

func runProbeCalls(pass *analysis.Pass) (any, error) {
	r := pass.ResultOf[probeFacts].(*probeResult)
	var found []finding.Finding
	eachCall(pass, func(call *ast.CallExpr, fn *types.Func) {
		if fn != nil && r.opens[fn.FullName()] {
			found = append(found, probeFinding(pass, "acquire-ignored", call, fn.FullName()))
		}
	})
	if r.program != nil {
		eachFunc(pass, func(fn *types.Func, d *ast.FuncDecl) {
			for _, g := range r.program.Guards {
				if g.Function == fn.FullName() {
					found = append(found, probeFinding(pass, "self-call", d, fn.FullName()))
				}
			}
		})
	}
	return found, nil
}

func runProbeKeys(pass *analysis.Pass) (any, error) {
	r := pass.ResultOf[probeFacts].(*probeResult)
	var found []finding.Finding
	eachCall(pass, func(call *ast.CallExpr, fn *types.Func) {
		if fn == nil {
			return
		}
		if text, ok := r.keys[fn.FullName()]; ok {
			found = append(found, probeFinding(pass, "shared-key", call, text))
		}
	})
	return found, nil
}

func probeFinding(pass *analysis.Pass, kind string, at ast.Node, what string) finding.Finding {
	pos := pass.Fset.Position(at.Pos())
	return finding.Finding{
		Kind: kind, Level: finding.Error, Package: pass.Pkg.Path(), Function: what,
		Place:   finding.Place{File: pos.Filename, Line: pos.Line, Column: pos.Column},
		Message: fmt.Sprintf("here is %s", what),
	}
}

func eachFunc(pass *analysis.Pass, f func(*types.Func, *ast.FuncDecl)) {
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				if fn, ok := pass.TypesInfo.Defs[d.Name].(*types.Func); ok {
					f(fn, d)
				}
			}
		}
	}
}

func eachCall(pass *analysis.Pass, f func(*ast.CallExpr, *types.Func)) {
	for _, file := range pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && !pass.TypesInfo.Types[call.Fun].IsType() &&
				!pass.TypesInfo.Types[call.Fun].IsBuiltin() {
				f(call, funcOf(pass, call.Fun))
			}
			return true
		})
	}
}

// funcOf is the function that e names, nil if it is a function value.
func funcOf(pass *analysis.Pass, e ast.Expr) *types.Func {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		fn, _ := pass.TypesInfo.Uses[e].(*types.Func)
		return fn
	case *ast.SelectorExpr:
		fn, _ := pass.TypesInfo.Uses[e.Sel].(*types.Func)
		return fn
	}
	return nil
}

func callsAny(pass *analysis.Pass, d *ast.FuncDecl, names map[string]bool) bool {
	found := false
	ast.Inspect(d, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if fn := funcOf(pass, call.Fun); fn != nil && names[fn.FullName()] {
				found = true
			}
		}
		return !found
	})
	return found
}

func constantResult(pass *analysis.Pass, d *ast.FuncDecl) (string, bool) {
	if d.Body == nil || len(d.Body.List) != 1 {
		return "", false
	}
	ret, ok := d.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return "", false
	}
	tv := pass.TypesInfo.Types[ret.Results[0]]
	if tv.Value == nil || tv.Type == nil || !types.Identical(tv.Type.Underlying(), types.Typ[types.String]) {
		return "", false
	}
	return strings.Trim(tv.Value.ExactString(), `"`), true
}

// probeLink tells each package which of its functions others wrap, and that calling them opens a database.
func probeLink(units []Unit) map[string]*lockfacts.Program {
	programs := map[string]*lockfacts.Program{}
	for _, u := range units {
		if u.Fact == nil {
			continue
		}
		for _, g := range u.Fact.Guards {
			pkg := g.Function[:strings.LastIndexByte(g.Function, '.')]
			p := programs[pkg]
			if p == nil {
				p = new(lockfacts.Program)
				programs[pkg] = p
			}
			if !slices.Contains(p.Guards, g) {
				p.Guards = append(p.Guards, g)
				p.Funcs = append(p.Funcs, lockfacts.Summary{Name: g.Function})
			}
		}
	}
	return programs
}
