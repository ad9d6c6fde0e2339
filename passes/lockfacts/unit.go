package lockfacts

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/callgraph/vta"
	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/internal/directive"
	"github.com/leasevet/leasevet/passes/clientmodel/lua"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// unit is one package under analysis.
type unit struct {
	pass     *analysis.Pass
	prog     *ssa.Program
	pkg      *ssa.Package
	fns      []*ssa.Function // all functions with bodies, closures included, by name
	byName   map[string]*ssa.Function
	program  *Program
	facts    map[string]*Fact // of imported packages, by path
	funcs    map[string]*Summary
	impls    map[string][]string // types by interface
	fields   map[string]keyterm.Term
	globals  map[string]keyterm.Term
	embeds   map[types.Object]string
	names    map[token.Pos]token.Pos // see callNames
	declared map[token.Pos]bool      // names of functions with a guardedby directive

	graph      *callgraph.Graph
	makes      map[*ssa.Function]*ssa.MakeClosure
	stores     map[string][]fieldStore // by "import/path.Type.field"
	gstores    map[*ssa.Global][]*ssa.Store
	frames     map[*ssa.Function]*frame
	summaries  map[*ssa.Function]*Summary
	busy       map[*ssa.Function]bool
	rounds     map[*ssa.Function]int      // see maxRounds
	nested     int                        // see maxNested
	methodsBy  map[string][]*ssa.Function // by name; see anyMethod
	cyclic     map[*ssa.Function]bool     // asked for while being made
	partial    map[*ssa.Function]*Summary // what is known of those meanwhile
	locks      map[*ssa.Function][]Lock
	activities map[*ssa.Function]*activity
	vars       map[*ssa.Function]*lockflow.Vars
	runsOf     map[*ssa.Function][]ranUnder
	in         map[*ssa.Function][]*callgraph.Edge
	calls      map[string][]ssa.CallInstruction // static calls by callee
	scripts    map[string]lua.Script
	joins      map[string]keyterm.Term
	clients    map[string]*types.Package // the client libraries in sight, by path
	spell      *spellings
	Unknowns   map[string]int
	counted    map[unknownAt]bool
	never      map[*ssa.Function]bool // see neverReturns
	traceVars  map[*ssa.Function]*lockflow.Vars
	open       map[string][]*ssa.Function // see openReleases
	conds      map[*ssa.If]Site           // see condSite
	endings    map[string]Ending          // of parameters; see ender
}

// newUnit builds the SSA form of the package and indexes what its functions write.
func newUnit(pass *analysis.Pass) *unit {
	u := emptyUnit(pass)
	u.importFacts()
	u.build()
	u.index()
	return u
}

// again is the same package with the facts that are in sight now. What is known of the code itself stays.
func (u *unit) again() *unit {
	v := emptyUnit(u.pass)
	v.importFacts()
	v.prog, v.pkg, v.fns, v.byName = u.prog, u.pkg, u.fns, u.byName
	v.graph, v.in, v.calls, v.methodsBy = u.graph, u.in, u.calls, u.methodsBy
	v.scripts, v.names, v.clients, v.spell = u.scripts, u.names, u.clients, u.spell
	v.index()
	return v
}

func emptyUnit(pass *analysis.Pass) *unit {
	return &unit{
		pass: pass, byName: map[string]*ssa.Function{}, facts: map[string]*Fact{}, funcs: map[string]*Summary{},
		impls: map[string][]string{}, fields: map[string]keyterm.Term{}, globals: map[string]keyterm.Term{},
		makes: map[*ssa.Function]*ssa.MakeClosure{}, stores: map[string][]fieldStore{},
		gstores: map[*ssa.Global][]*ssa.Store{}, frames: map[*ssa.Function]*frame{},
		summaries: map[*ssa.Function]*Summary{}, busy: map[*ssa.Function]bool{}, rounds: map[*ssa.Function]int{}, joins: map[string]keyterm.Term{},
		Unknowns: map[string]int{}, cyclic: map[*ssa.Function]bool{}, partial: map[*ssa.Function]*Summary{},
		locks: map[*ssa.Function][]Lock{}, activities: map[*ssa.Function]*activity{}, vars: map[*ssa.Function]*lockflow.Vars{},
		runsOf: map[*ssa.Function][]ranUnder{}, scripts: map[string]lua.Script{}, spell: newSpellings(),
	}
}

// importFacts loads the facts of everything that the package imports, directly or not, and what the link knows. It does
// not walk the imports of the types: types that come from export data know only of the packages that they mention, and
// whether they do come from there depends on the driver and on what it has cached.
func (u *unit) importFacts() {
	for _, f := range inherited(u.pass) {
		u.facts[f.path] = f.Fact
		u.addFact(f.Funcs, f.Impls, f.Fields)
		for _, g := range f.Globals {
			u.globals[g.Name] = g.Value
		}
	}
	if p := new(Program); u.pass.ImportPackageFact(u.pass.Pkg, p) {
		u.program = p
		u.addFact(p.Funcs, p.Impls, p.Fields)
	}
}

func (u *unit) addFact(funcs []Summary, impls []Impl, fields []Named) {
	for i := range funcs {
		u.funcs[funcs[i].Name] = &funcs[i]
	}
	for _, i := range impls {
		u.addImpl(i)
	}
	for _, f := range fields {
		u.fields[f.Name] = f.Value
	}
}

func (u *unit) addImpl(i Impl) {
	if !slices.Contains(u.impls[i.Interface], i.Type) {
		u.impls[i.Interface] = append(u.impls[i.Interface], i.Type)
		slices.Sort(u.impls[i.Interface])
	}
}

// pathFact is the fact of a package that is imported, directly or not.
type pathFact struct {
	path string
	*Fact
}

// inherited lists the facts that the package sees, sorted by path.
func inherited(pass *analysis.Pass) []pathFact {
	var out []pathFact
	for _, pf := range pass.AllPackageFacts() {
		f, ok := pf.Fact.(*Fact)
		if ok && f.Version == Version && pf.Package.Path() != pass.Pkg.Path() {
			out = append(out, pathFact{pf.Package.Path(), f})
		}
	}
	slices.SortFunc(out, func(a, b pathFact) int { return strings.Compare(a.path, b.path) })
	return out
}

// imports lists the packages that p imports, directly or not, sorted by path.
func imports(p *types.Package) []*types.Package {
	seen := map[*types.Package]bool{p: true}
	var out []*types.Package
	var visit func(*types.Package)
	visit = func(p *types.Package) {
		for _, q := range p.Imports() {
			if !seen[q] {
				seen[q] = true
				out = append(out, q)
				visit(q)
			}
		}
	}
	visit(p)
	slices.SortFunc(out, func(a, b *types.Package) int { return strings.Compare(a.Path(), b.Path()) })
	return out
}

// build makes the SSA form: bodies for this package only.
func (u *unit) build() {
	u.prog = ssa.NewProgram(u.pass.Fset, ssa.InstantiateGenerics)
	// Bodies mention package-level objects of direct imports only; what lies below is reached through methods.
	for _, p := range u.pass.Pkg.Imports() {
		u.prog.CreatePackage(p, nil, nil, true)
	}
	files, info := u.typed()
	u.pkg = u.prog.CreatePackage(u.pass.Pkg, files, info, false)
	u.pkg.Build()
	u.collect()
}

// collect lists the functions of the package by name: functions, methods, closures, the initialiser.
func (u *unit) collect() {
	var add func(*ssa.Function)
	add = func(f *ssa.Function) {
		if f == nil || len(f.Blocks) == 0 || f.Pkg != u.pkg && f.Origin() == nil {
			return
		}
		if _, dup := u.byName[u.spell.function(f)]; dup {
			return
		}
		u.byName[u.spell.function(f)] = f
		u.fns = append(u.fns, f)
		for _, a := range f.AnonFuncs {
			add(a)
		}
	}
	for _, m := range u.pkg.Members {
		switch m := m.(type) {
		case *ssa.Function:
			add(m)
		case *ssa.Type:
			u.methods(m.Type(), add)
		}
	}
	slices.SortFunc(u.fns, u.byFullName)
}

func (u *unit) methods(t types.Type, add func(*ssa.Function)) {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return
	}
	for i := range named.NumMethods() {
		add(u.prog.FuncValue(named.Method(i)))
	}
}

// index scans all functions once for what they write and which closures they make.
func (u *unit) index() {
	for _, f := range u.fns {
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
				switch i := i.(type) {
				case *ssa.MakeClosure:
					if c, ok := i.Fn.(*ssa.Function); ok {
						u.makes[c] = i
					}
				case *ssa.Store:
					if !u.inTest(f) {
						u.indexStore(i)
					}
				case *ssa.MakeInterface:
					if !u.inTest(f) {
						u.indexImpl(i)
					}
				}
			}
		}
	}
	u.ownImpls()
	u.findEmbeds()
	u.findDeclared()
}

// findDeclared notes the functions above which a directive says what callers must hold.
func (u *unit) findDeclared() {
	u.declared = map[token.Pos]bool{}
	for _, d := range directive.Parse(u.pass.Fset, u.pass.Files) {
		if fn, ok := d.Target.Node.(*ast.FuncDecl); ok && d.Verb == directive.GuardedBy && d.Problem == "" {
			u.declared[fn.Name.Pos()] = true
		}
	}
}

// indexImpl notes which type is used as which named interface.
func (u *unit) indexImpl(m *ssa.MakeInterface) {
	iface, concrete := typeName(m.Type()), typeName(m.X.Type())
	if iface == "" || concrete == "" {
		return
	}
	if _, ptr := types.Unalias(m.X.Type()).(*types.Pointer); ptr {
		concrete = "*" + concrete
	}
	u.addImpl(Impl{Interface: iface, Type: concrete})
}

// callgraph resolves calls of function values and interface methods within the unit's own functions.
func (u *unit) callgraph() *callgraph.Graph {
	if u.graph == nil {
		set := map[*ssa.Function]bool{}
		for _, f := range u.fns {
			if !u.inTest(f) { // what a test passes says nothing about the program
				withReferenced(f, set)
			}
		}
		u.graph = vta.CallGraph(set, nil)
	}
	return u.graph
}

// withReferenced adds f and the wrappers and instances that it refers to: a bound method is a function of its own to the
// call graph.
func withReferenced(f *ssa.Function, set map[*ssa.Function]bool) {
	if set[f] || len(f.Blocks) == 0 {
		return
	}
	set[f] = true
	var ops []*ssa.Value
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			ops = i.Operands(ops[:0])
			for _, o := range ops {
				if g, ok := (*o).(*ssa.Function); ok && (g.Synthetic != "" || g.Origin() != nil) {
					withReferenced(g, set)
				}
			}
		}
	}
}

// dynamicCallees are the functions that a call of a function value or interface method can reach inside the unit.
func (u *unit) dynamicCallees(site ssa.CallInstruction) []*ssa.Function {
	node := u.callgraph().Nodes[site.Parent()]
	if node == nil {
		return nil
	}
	var out []*ssa.Function
	for _, e := range node.Out {
		if e.Site == site && e.Callee.Func != nil && !u.onlyTested(site.Parent(), e.Callee.Func) {
			out = append(out, e.Callee.Func)
		}
	}
	slices.SortFunc(out, u.byFullName)
	return slices.Compact(out)
}

// name is the name under which a function's summary is known: its origin's if it is an instance, its target's if it is
// a wrapper made by the compiler.
func (u *unit) name(f *ssa.Function) string { return u.spell.function(u.target(f)) }

// byFullName orders functions.
func (u *unit) byFullName(a, b *ssa.Function) int {
	return strings.Compare(u.spell.function(a), u.spell.function(b))
}

// target is the function that f stands for.
func (u *unit) target(f *ssa.Function) *ssa.Function {
	if o := f.Origin(); o != nil {
		f = o
	}
	if f.Synthetic != "" && f.Object() != nil {
		if obj, ok := f.Object().(*types.Func); ok {
			if t := u.prog.FuncValue(obj.Origin()); t != nil {
				return t
			}
		}
	}
	return f
}

// typeName is the full name of a named type, through a pointer, or "".
func typeName(t types.Type) string {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, ok := t.(*types.Named)
	if !ok {
		return ""
	}
	obj := n.Origin().Obj()
	if obj.Pkg() == nil {
		return obj.Name()
	}
	return obj.Pkg().Path() + "." + obj.Name()
}
