package lockapi

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// Analyzer checks the rules of lock libraries.
var Analyzer *analysis.Analyzer = judge.Analyzer("lockapi", doc, check)

// rule is one rule of one library.
type rule struct {
	id    string // shown as library-misuse/ID
	level finding.Level
	text  string // what is wrong, why, and one way out
	// calls are the functions and methods that the rule is about, as "Type.Method" or "Function".
	library string
	calls   []string
	// broken reports whether a call of one of them breaks the rule, and where.
	broken func(*checker, *ssa.CallCommon, ssa.CallInstruction) (ssa.Instruction, bool)
}

// rules is the table: a library's next rule is one more row. Sources are the package documentations that doc.go names.
var rules = []rule{
	{"redsync-shared-mutex", finding.Error, "a redsync.Mutex keeps the owner value of its last Lock, and this one is locked by several goroutines: " +
		"each overwrites the others' value, and Unlock frees the wrong lock or none; make a mutex for each section with NewMutex",
		redsync, []string{"Redsync.NewMutex"}, sharedMutex},
	{"redsync-other-mutex", finding.Error, "this mutex was never locked: its owner value is another one than that of the mutex which was, " +
		"so that this can never free or extend the lock; keep the mutex that was locked",
		redsync, []string{"Mutex.Unlock", "Mutex.UnlockContext", "Mutex.Extend", "Mutex.ExtendContext"}, otherMutex},
	{"redsync-result-dropped", finding.Note, "Unlock says whether the lock was still held, and nobody looks: work that ran without the lock " +
		"passes for work under it; check the result where something depends on it",
		redsync, []string{"Mutex.Unlock", "Mutex.UnlockContext"}, resultDropped},
	{"gozero-no-expire", finding.Error, "a RedisLock without SetExpire has a lease of half a second: the work outlives it; set the expiry " +
		"before the acquire", goZero, []string{"RedisLock.Acquire", "RedisLock.AcquireCtx"}, noExpire},
	{"rueidis-context-dropped", finding.Error, "the context that comes with the lock ends when the lock is lost, and it is dropped here: the work " +
		"goes on without the lock; run the work on that context",
		rueidis, []string{"Locker.WithContext", "Locker.TryWithContext", "Locker.ForceWithContext"}, contextDropped},
}

// The libraries, by import path without the major version.
const (
	redsync = "github.com/go-redsync/redsync"
	goZero  = "github.com/zeromicro/go-zero/core/stores/redis"
	rueidis = "github.com/redis/rueidis/rueidislock"
)

// checker is one run over one package.
type checker struct {
	*judge.Reporter

	assigned map[token.Pos]bool // calls whose results are assigned, by their opening parenthesis
}

// check holds every call of a library's function against the rules.
func check(r *judge.Reporter) {
	c := &checker{Reporter: r}
	for _, fn := range r.Res.Functions {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if call, ok := i.(ssa.CallInstruction); ok {
					c.call(call)
				}
			}
		}
	}
	for i := range r.Res.Locks {
		c.freed(&r.Res.Locks[i])
	}
}

func (c *checker) call(call ssa.CallInstruction) {
	obj := called(call.Common())
	if obj == nil || obj.Pkg() == nil {
		return
	}
	for i := range rules {
		x := &rules[i]
		if !within(obj.Pkg().Path(), x.library) || !x.covers(obj) {
			continue
		}
		if at, ok := x.broken(c, call.Common(), call); ok {
			c.Report(judge.Fault{Kind: "library-misuse", Rule: x.id, Level: x.level, At: c.Res.Site(at), Message: x.text})
		}
	}
}

// called is the function or method that a call names, nil for a function value.
func called(c *ssa.CallCommon) *types.Func {
	if c.IsInvoke() {
		return c.Method
	}
	if fn := c.StaticCallee(); fn != nil {
		obj, _ := fn.Object().(*types.Func)
		return obj
	}
	if mc, ok := c.Value.(*ssa.MakeClosure); ok {
		obj, _ := mc.Fn.(*ssa.Function).Object().(*types.Func)
		return obj
	}
	return nil
}

// within reports whether an import path is the library's, in any major version.
func within(path, library string) bool {
	rest, ok := strings.CutPrefix(path, library)
	return ok && (rest == "" || strings.HasPrefix(rest, "/v"))
}

func (x *rule) covers(obj *types.Func) bool {
	name := clientmodel.ReceiverName(obj) + obj.Name()
	for _, n := range x.calls {
		if n == name {
			return true
		}
	}
	return false
}

// freed reports a wrapper that takes a library's lock, hands it to its caller or does nothing else, and has released it by
// then.
func (c *checker) freed(l *lockfacts.Lock) {
	if !l.Acquire.Library || len(l.Acquire.Path) > 0 || !l.Known() || c.works(l) {
		return
	}
	for i := range l.Releases {
		e := &l.Releases[i]
		if !e.Deferred || e.Conditional || e.OnError || !c.Res.Returned(l) {
			continue
		}
		c.Report(judge.Fault{
			Kind: "library-misuse", Rule: "freed-before-return", Level: finding.Error, At: lockfacts.Innermost(l.Fn, &e.Effect), Class: l.Acquire.Key.Class(),
			Message: "this wrapper releases the lock before its caller gets it: the deferred release runs when the function returns, and " +
				"the caller works without the lock; let the caller release",
			Related: []finding.Related{judge.Related(l.Acquire.At, "acquired here")},
		})
	}
}

// works reports whether the section does anything.
func (c *checker) works(l *lockfacts.Lock) bool {
	found := false
	l.Section.Each(l.Fn, func(i ssa.Instruction) {
		call, ok := i.(*ssa.Call)
		found = found || ok && l.Covers(i) && c.Res.IsWork(call)
	})
	return found
}
