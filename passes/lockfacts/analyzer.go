// Package lockfacts is THE fact-bearing pass: what calling each function does to locks.
//
// # Algorithm
//
// Most packages have nothing to do with a lock and are not turned into SSA (see Worth and relevant); where one of them
// turns out to make a key, it is asked for later. For every function of the others the pass lists, in program order, the
// effects of its calls on keys: from the rows of the client table, from the summaries of called
// functions (of this package, callees first; of imported ones, from facts), from the functions that are handed over.
// Operands are terms over the function's own parameters; at a call they are substituted.
//
// An acquire and a release of the same key that meet in one function are a lock (see pair). What does not meet goes
// into the function's summary, for its callers. "May" analysis throughout: an effect in a summary may happen. Whatever
// is not understood is unknown, and unknown never makes a finding.
//
// # Blind spots
//
// Keys kept in maps, locks released by another process, function values kept in data structures, reflection.
package lockfacts

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/keyterm"
)

// Analyzer computes summaries and exports them as one package fact.
var Analyzer = &analysis.Analyzer{
	Name:       "lockfacts",
	Doc:        "what calling each function does to distributed locks",
	Run:        run,
	ResultType: reflect.TypeFor[*Result](),
	FactTypes:  []analysis.Fact{new(Fact), new(Program)},
	// Packages with type errors are analysed as far as they have types.
	RunDespiteErrors: true,
}

func cmpString(a, b string) int { return cmp.Compare(a, b) }

// Result is what reporting analyzers stand on. A package without locks has a Result with no functions.
type Result struct {
	Pass *analysis.Pass
	// Functions are the package's functions with bodies, closures included, by name.
	Functions []*ssa.Function
	Locks     []Lock
	// Classes are the lock classes that are known here, by Class.
	Classes []LockClass
	// Guards are the functions that this package protects by a wrapper; Wrappers are the functions that do.
	Guards   []Guard
	Wrappers map[*ssa.Function]bool
	// Keys are the keys that the package's functions acquire, by Class and place.
	Keys []LockKey
	// Fact is what was exported.
	Fact *Fact
	// Program is what the link knows, nil under go vet and golangci-lint.
	Program  *Program
	Unknowns map[string]int

	bound   []Impl
	u       *unit
	ownOnce sync.Once
	own     []Event

	nearestOnce sync.Once
	near        []Event
}

// Relevant reports whether there is anything to analyse.
func (r *Result) Relevant() bool { return r.u != nil }

func run(pass *analysis.Pass) (result any, err error) {
	res := &Result{Pass: pass, Unknowns: map[string]int{}}
	defer func() {
		if p := recover(); p != nil {
			result, err = &Result{Pass: pass}, fmt.Errorf("internal error in %s: %v", pass.Pkg.Path(), p)
		}
	}()
	if Endless(pass.TypeErrors) != "" || !relevant(pass) {
		return res, nil
	}
	u := newUnit(pass)
	u.summarizeAll()
	for range maxRounds { // what was wanted may want more
		if !u.fetchWants() {
			break
		}
		u = u.again()
		u.summarizeAll()
	}
	u.finish(res)
	return res, nil
}

func (u *unit) summarizeAll() {
	for _, fn := range u.fns {
		u.summaryOf(fn)
	}
}

// finish collects the locks and classes, and exports the fact.
func (u *unit) finish(res *Result) {
	res.u, res.Functions, res.Program, res.Unknowns = u, u.fns, u.program, u.Unknowns
	for _, fn := range u.fns {
		res.Locks = append(res.Locks, u.locks[fn]...)
	}
	res.Classes = u.classes(res.Locks)
	u.countTTLs()
	u.dropUnread()
	res.findGuards()
	res.Keys = u.keys()
	res.Fact = u.fact(res)
	if res.Fact.says() {
		u.pass.ExportPackageFact(res.Fact)
	}
}

// says reports whether a fact holds anything that an importing package can use.
func (f *Fact) says() bool {
	return len(f.Funcs)+len(f.Globals)+len(f.Impls)+len(f.Classes)+len(f.Guards)+len(f.Keys)+len(f.Clients) > 0
}

// fact is what importing packages need.
func (u *unit) fact(res *Result) *Fact {
	f := &Fact{Version: Version, Globals: u.exportGlobals(), Fields: u.exportFields(),
		Classes: ownClasses(u, res.Classes), Keys: res.Keys, Sees: u.sees(res.Keys), Guards: res.Guards, Bound: res.bound,
		Wants: u.wants(), Clients: clientNames(u.pass.Pkg)}
	for _, fn := range u.fns {
		if s := u.summaries[fn]; s != nil && useful(s) {
			f.Funcs = append(f.Funcs, *s)
		}
	}
	for iface, typs := range u.impls {
		for _, t := range typs {
			if strings.HasPrefix(strings.TrimPrefix(t, "*"), u.pass.Pkg.Path()+".") || strings.HasPrefix(iface, u.pass.Pkg.Path()+".") || !u.knownImpl(iface, t) {
				f.Impls = append(f.Impls, Impl{iface, t})
			}
		}
	}
	if u.program != nil {
		f.Funcs = append(f.Funcs, u.program.Funcs...)
	}
	sortImpls(f.Impls)
	sortImpls(f.Bound)
	slices.SortFunc(f.Globals, func(a, b Named) int { return cmp.Compare(a.Name, b.Name) })
	sortSummaries(f.Funcs)
	return f
}

// knownImpl reports whether an imported package has said so already.
func (u *unit) knownImpl(iface, typ string) bool {
	for _, f := range u.facts {
		if slices.Contains(f.Impls, Impl{iface, typ}) {
			return true
		}
	}
	return false
}

// useful reports whether a summary says anything.
func useful(s *Summary) bool {
	if len(s.Effects) > 0 || len(s.Runs) > 0 || len(s.Lent) > 0 || len(s.Writes) > 0 || len(s.Comparisons) > 0 || len(s.Inner) > 0 ||
		s.GuardedBy || s.NoReturn || s.ErrorUse.says() {
		return true
	}
	return slices.ContainsFunc(s.Results, func(t keyterm.Term) bool {
		return t.Op != keyterm.Unknown && (t.Op != keyterm.Call || t.Text == "strings.Join") && t.Op != keyterm.Lookup && t.Op != keyterm.Arith
	})
}
