package lockscope

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/lockfacts"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// region is what runs while a lock is held, as far as goroutines may be started there.
type region struct {
	fn               *ssa.Function
	covers           func(ssa.Instruction) bool
	acquire, release lockfacts.Site
	class            string
}

// regions are the sections of the package's functions, and the functions that helpers run under their locks.
func (c *checker) regions() []region {
	var out []region
	for i := range c.Res.Locks {
		if l := &c.Res.Locks[i]; l.Known() {
			out = append(out, region{l.Fn, l.Covers, c.Res.Site(l.Acquire.Instr), released(c.Reporter, l), l.Acquire.Key.Class()})
		}
	}
	for _, fn := range c.Res.Functions {
		for _, run := range c.Res.RunsUnder(fn) {
			if _, ok := run.Call.(*ssa.Call); ok {
				at := c.Res.Site(run.Call)
				out = append(out, region{fn, func(ssa.Instruction) bool { return true }, at, at, run.Under[0].Key.Class()})
				break
			}
		}
	}
	return out
}

// each visits the instructions of the region.
func (l *region) each(visit func(ssa.Instruction)) {
	for _, b := range l.fn.Blocks {
		for _, i := range b.Instrs {
			if l.covers(i) {
				visit(i)
			}
		}
	}
}

// goroutines reports goroutines that are started in a section, do work that the lock protects, and that nothing waits for
// before the release.
func (c *checker) goroutines(l *region) {
	l.each(func(i ssa.Instruction) {
		start, ok := i.(ssa.CallInstruction)
		if !ok || ownsLock(c, l, start) {
			return
		}
		bodies := c.started(start)
		if len(bodies) == 0 && !c.startsUnseen(start) || c.waitedFor(l, start) || !c.protectedWork(l, start, bodies) {
			return
		}
		c.Report(judge.Fault{
			Kind: "goroutine-outlives-lock", Level: finding.Warning, At: c.Res.Site(start), Class: l.class,
			Message: fmt.Sprintf("this goroutine may still run after the release at %s: its work is not protected then; wait for it "+
				"before the release, or move lock and release into it", judge.Brief(l.release)),
			Related: []finding.Related{judge.Related(l.acquire, "acquired here"), judge.Related(l.release, "released here")},
		})
	})
}

// ownsLock reports whether the goroutine does something to a lock itself: it renews or releases this one, or takes its
// own.
func ownsLock(c *checker, l *region, start ssa.CallInstruction) bool {
	for _, e := range c.Res.Events(l.fn) {
		if e.Instr == start && (e.Op.Acquires() || e.Op.Releases() || e.Op.Extends()) {
			return true
		}
	}
	return false
}

// starters are functions of libraries that run their function argument in another goroutine and return at once.
var starters = map[string]bool{
	"(*golang.org/x/sync/errgroup.Group).Go": true, "(*golang.org/x/sync/errgroup.Group).TryGo": true,
	"(*sync.WaitGroup).Go": true, "time.AfterFunc": true, "context.AfterFunc": true,
	"github.com/panjf2000/ants/v2.Submit": true, "(*github.com/panjf2000/ants/v2.Pool).Submit": true,
	"(*github.com/gammazero/workerpool.WorkerPool).Submit": true, "(*github.com/sourcegraph/conc.WaitGroup).Go": true,
	"(*github.com/sourcegraph/conc/pool.Pool).Go": true, "github.com/zeromicro/go-zero/core/threading.GoSafe": true,
	"(*github.com/alitto/pond.WorkerPool).Submit": true, "github.com/bytedance/gopkg/util/gopool.Go": true,
}

// started are the functions that a call starts in another goroutine.
func (c *checker) started(start ssa.CallInstruction) []*ssa.Function {
	switch start := start.(type) {
	case *ssa.Go:
		return c.reached(start)
	case *ssa.Call:
		fn := start.Call.StaticCallee()
		if fn == nil {
			return nil
		}
		var out []*ssa.Function
		for i, a := range start.Call.Args {
			if body := literal(a); body != nil && (starters[fn.String()] || startsParameter(fn, i)) {
				out = append(out, body)
			}
		}
		return out
	}
	return nil
}

// reached are the functions of the package that a call reaches.
func (c *checker) reached(call ssa.CallInstruction) []*ssa.Function {
	var out []*ssa.Function
	for _, t := range c.Res.CalledWith(call, nil) {
		out = append(out, t.Fn)
	}
	return out
}

// literal is the function that a value is, or nil.
func literal(v ssa.Value) *ssa.Function {
	switch v := v.(type) {
	case *ssa.MakeClosure:
		return v.Fn.(*ssa.Function)
	case *ssa.Function:
		return v
	case *ssa.ChangeType:
		return literal(v.X)
	}
	return nil
}

// startsParameter reports whether a function of the package runs its parameter i in another goroutine.
func startsParameter(fn *ssa.Function, i int) bool {
	if i >= len(fn.Params) {
		return false
	}
	for _, b := range fn.Blocks {
		for _, x := range b.Instrs {
			g, ok := x.(*ssa.Go)
			if !ok {
				continue
			}
			if origin(g.Call.Value, 0) == fn.Params[i] {
				return true
			}
			if mc, ok := g.Call.Value.(*ssa.MakeClosure); ok {
				for _, bound := range mc.Bindings {
					if origin(bound, 0) == fn.Params[i] {
						return true
					}
				}
			}
		}
	}
	return false
}

// waitedFor reports whether the flow waits for something after it started the goroutine and before it releases: for a
// group, or for a channel.
func (c *checker) waitedFor(l *region, start ssa.CallInstruction) bool {
	found := false
	reach := lockflow.Walk(lockflow.Options{Start: start})
	if reach.Cut || reach.Again && c.waitsSomewhere(start.Parent(), 0) {
		return true
	}
	reach.Each(start.Parent(), func(i ssa.Instruction) {
		found = found || l.covers(i) && c.waitsAt(i, 0)
	})
	l.each(func(i ssa.Instruction) { // deferred in the section, it runs before the release
		_, deferred := i.(*ssa.Defer)
		found = found || deferred && c.waitsAt(i, 0)
	})
	return found
}

// waitsAt reports whether an instruction waits for another goroutine, itself or in the function that it calls.
func (c *checker) waitsAt(i ssa.Instruction, depth int) bool {
	switch i := i.(type) {
	case *ssa.UnOp:
		return i.Op == token.ARROW
	case *ssa.Select:
		return i.Blocking
	case ssa.CallInstruction:
		if _, async := i.(*ssa.Go); async {
			return false
		}
		fn := i.Common().StaticCallee()
		if fn == nil {
			return i.Common().IsInvoke() && i.Common().Method.Name() == "Wait"
		}
		if strings.HasPrefix(fn.Name(), "Wait") && fn.Signature.Recv() != nil {
			return true
		}
		return depth < 2 && c.waitsSomewhere(fn, depth+1)
	}
	return false
}

func (c *checker) waitsSomewhere(fn *ssa.Function, depth int) bool {
	key := atDepth{fn, depth}
	known, ok := c.waiting[key]
	if !ok {
		c.waiting[key] = false
		known = c.anyWait(fn, depth)
		c.waiting[key] = known
	}
	return known
}

func (c *checker) anyWait(fn *ssa.Function, depth int) bool {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if c.waitsAt(i, depth) {
				return true
			}
		}
	}
	return false
}

// maxWorkDepth bounds how far work is looked for in called functions.
const maxWorkDepth = 3

// protectedWork reports whether goroutines do what the lock is for: they write to a database; or they are all that the
// section does, and call something that can fail. A goroutine beside other changes is a notice of them, or a log.
func (c *checker) protectedWork(l *region, start ssa.CallInstruction, bodies []*ssa.Function) bool {
	only := !c.changesElsewhere(l, start)
	if only && c.startsUnseen(start) {
		return true
	}
	for _, fn := range bodies {
		w := &works{checker: c, seen: map[*ssa.Function]bool{}}
		w.body(fn, 0)
		if w.writes || only && w.fails {
			return true
		}
	}
	return false
}

// changesElsewhere reports whether the section changes something outside of the goroutine: it calls what returns nothing
// but an error, or writes to a database.
func (c *checker) changesElsewhere(l *region, start ssa.CallInstruction) bool {
	found := false
	l.each(func(i ssa.Instruction) {
		call, ok := i.(*ssa.Call)
		if !ok || i == ssa.Instruction(start) || len(c.started(call)) > 0 {
			return
		}
		found = found || writes(call) || c.mayFail(call) && call.Call.Signature().Results().Len() == 1
	})
	return found
}

// works is what a goroutine does.
type works struct {
	*checker
	seen          map[*ssa.Function]bool
	writes, fails bool
}

func (w *works) body(fn *ssa.Function, depth int) {
	if fn == nil || w.seen[fn] || depth > maxWorkDepth {
		return
	}
	w.seen[fn] = true
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			call, ok := i.(*ssa.Call)
			if !ok {
				continue
			}
			w.writes = w.writes || writes(call)
			w.fails = w.fails || w.mayFail(call)
			for _, t := range w.Res.CalledWith(call, nil) {
				w.body(t.Fn, depth+1)
			}
		}
	}
}

// mayFail reports whether a call is of the program's own, through an interface as a rule, with a context or on some
// entity, and returns an error: work, then, and neither logging nor counting.
func (c *checker) mayFail(call *ssa.Call) bool {
	return c.Res.IsWork(call) && c.unseenWork(&call.Call)
}

// startsUnseen reports whether a go statement calls such a function itself.
func (c *checker) startsUnseen(start ssa.CallInstruction) bool {
	g, ok := start.(*ssa.Go)
	return ok && c.unseenWork(&g.Call)
}

func (c *checker) unseenWork(common *ssa.CallCommon) bool {
	results := common.Signature().Results()
	if results.Len() == 0 || !lockflow.IsError(results.At(results.Len()-1).Type()) {
		return false
	}
	if common.IsInvoke() {
		return common.Method.Pkg() != nil && c.own(common.Method.Pkg().Path())
	}
	fn := common.StaticCallee()
	return fn != nil && fn.Pkg != nil && len(fn.Blocks) == 0 && c.own(fn.Pkg.Pkg.Path())
}

// own reports whether a package belongs to the program.
func (c *checker) own(path string) bool {
	if m := c.Pass.Module; m != nil && m.Path != "" {
		return path == m.Path || strings.HasPrefix(path, m.Path+"/")
	}
	return path == c.Pass.Pkg.Path()
}

// writers are the methods by which database libraries write, by the package of the method.
var writers = map[string][]string{
	"database/sql":                         {"Exec", "ExecContext", "Commit"},
	"github.com/jmoiron/sqlx":              {"NamedExec", "NamedExecContext", "MustExec", "MustExecContext", "MustExecTx"},
	"github.com/jackc/pgx":                 {"Exec", "CopyFrom", "SendBatch", "Commit"},
	"gorm.io/gorm":                         {"Create", "CreateInBatches", "Save", "Update", "Updates", "UpdateColumn", "UpdateColumns", "Delete", "Exec", "Commit"},
	"github.com/jinzhu/gorm":               {"Create", "Save", "Update", "Updates", "UpdateColumn", "UpdateColumns", "Delete", "Exec", "Commit"},
	"github.com/uptrace/bun":               {"Exec"},
	"xorm.io/xorm":                         {"Insert", "Update", "Delete", "Exec"},
	"go.mongodb.org/mongo-driver":          {"InsertOne", "InsertMany", "UpdateOne", "UpdateMany", "UpdateByID", "ReplaceOne", "DeleteOne", "DeleteMany", "FindOneAndUpdate", "FindOneAndReplace", "BulkWrite"},
	"github.com/aws/aws-sdk-go-v2/service": {"PutItem", "UpdateItem", "DeleteItem", "PutObject", "DeleteObject", "TransactWriteItems"},
}

// writes reports whether a call writes to a database.
func writes(call *ssa.Call) bool {
	var obj *types.Func
	if call.Call.IsInvoke() {
		obj = call.Call.Method
	} else if fn := call.Call.StaticCallee(); fn != nil {
		obj, _ = fn.Object().(*types.Func)
	}
	if obj == nil || obj.Pkg() == nil {
		return false
	}
	path := obj.Pkg().Path()
	for lib, names := range writers {
		if path != lib && !strings.HasPrefix(path, lib+"/") {
			continue
		}
		for _, n := range names {
			if n == obj.Name() {
				return true
			}
		}
	}
	return false
}
