package lockfacts

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// End says what can end a context.
type End uint8

// The ends, the mildest first.
const (
	Never    End = iota // Background, or detached
	Unseen              // it cannot be known
	Shutdown            // the process shuts down
	Cancel              // the program cancels it: see Ending.At
	Timeout             // its own deadline: see Ending.At
	Caller              // whoever calls the function, and nobody in sight does
	Request             // the client of a request goes away
)

// Ending is what can end a context, and where that was made: the call that derived it, or that handed it over.
type Ending struct {
	How End
	At  keyterm.Pos
	Fn  string // the function of At
}

// Ends says what can end a context: the worst of all possibilities.
func (r *Result) Ends(ctx keyterm.Term) Ending {
	e := &ender{Result: r, busy: map[string]bool{}}
	return e.ends(ctx, 0)
}

const maxDerived = 16

// ender is one search for what can end a context.
type ender struct {
	*Result
	busy map[string]bool // parameters whose callers are being looked at
}

func (e *ender) ends(t keyterm.Term, depth int) Ending {
	t = t.Strip()
	if depth > maxDerived {
		return Ending{How: Unseen}
	}
	switch t.Op {
	case keyterm.Const:
		return Ending{How: Never}
	case keyterm.Call:
		return e.derived(t, depth)
	case keyterm.Param:
		return e.parameter(t, depth)
	case keyterm.Set:
		worst := Ending{How: Never}
		for _, a := range t.Args {
			worst = worse(worst, e.ends(a, depth+1))
		}
		return worst
	case keyterm.Field:
		if v := e.u.resolve(t); v.Op != keyterm.Field && v.Op != keyterm.Unknown {
			if end := e.ends(v, depth+1); end.How != Caller { // what a constructor is given may live as long as the process
				return end
			}
		}
	}
	return Ending{How: Unseen}
}

func worse(a, b Ending) Ending {
	if b.How > a.How {
		return b
	}
	return a
}

// derivations say how a function of a library makes a context of its first argument.
var derivations = map[string]End{
	"context.Background": Never, "context.TODO": Never, "context.WithoutCancel": Never,
	"context.WithTimeout": Timeout, "context.WithDeadline": Timeout, "context.WithTimeoutCause": Timeout, "context.WithDeadlineCause": Timeout,
	"context.WithCancel": Cancel, "context.WithCancelCause": Cancel, "golang.org/x/sync/errgroup.WithContext": Cancel,
	"context.WithValue": Never, "os/signal.NotifyContext": Shutdown,
}

// roots are functions of libraries that return the context of something that ends.
var roots = map[string]End{
	"(*net/http.Request).Context":                              Request,
	"(google.golang.org/grpc.ServerStream).Context":            Request,
	"(google.golang.org/grpc.ServerStreamingServer).Context":   Request,
	"(google.golang.org/grpc.BidiStreamingServer).Context":     Request,
	"(google.golang.org/grpc.ClientStreamingServer).Context":   Request,
	"(*github.com/spf13/cobra.Command).Context":                Shutdown,
	"(*github.com/gofiber/fiber/v2.Ctx).Context":               Shutdown,
	"(github.com/IBM/sarama.ConsumerGroupSession).Context":     Shutdown,
	"(github.com/Shopify/sarama.ConsumerGroupSession).Context": Shutdown,
	"(*testing.common).Context":                                Shutdown,
}

// derived is the context that a call makes.
func (e *ender) derived(t keyterm.Term, depth int) Ending {
	if how, ok := roots[t.Text]; ok {
		return Ending{How: how, At: t.At, Fn: t.Fn}
	}
	how, ok := derivations[t.Text]
	switch {
	case !ok && strings.HasSuffix(t.Text, ").Context") && len(t.Args) == 1: // of a stream that a generated interface stands for
		return Ending{How: Unseen}
	case !ok:
		return Ending{How: Unseen}
	case t.Text == "context.WithoutCancel" || len(t.Args) == 0:
		return Ending{How: Never}
	}
	parent := t.Args[0]
	if t.Text == "golang.org/x/sync/errgroup.WithContext" && t.Index != 1 {
		return Ending{How: Unseen}
	}
	own := Ending{How: how, At: t.At, Fn: t.Fn}
	return worse(own, e.ends(parent, depth+1))
}

// parameter is what callers hand in. A function literal's parameter is what the helper that runs it hands in.
func (e *ender) parameter(p keyterm.Term, depth int) Ending {
	name := keyterm.ParamName(p.Text, p.Index)
	fn := e.u.byName[p.Text]
	if end, ok := e.u.endings[name]; ok {
		return end
	}
	if fn == nil || p.Index >= len(fn.Params) || e.busy[name] {
		return Ending{How: Unseen}
	}
	end := e.fromCallers(p, fn, name, depth)
	if e.u.endings == nil {
		e.u.endings = map[string]Ending{}
	}
	e.u.endings[name] = end
	return end
}

// fromCallers is the worst of what callers hand in.
func (e *ender) fromCallers(p keyterm.Term, fn *ssa.Function, name string, depth int) Ending {
	if end, ok := ofType(fn.Params[p.Index]); ok {
		return end
	}
	e.busy[name] = true
	defer delete(e.busy, name)
	worst, seen := Ending{How: Never}, false
	for _, ran := range e.u.runsOf[fn] {
		if v, ok := ran.env[name]; ok {
			worst, seen = worse(worst, e.ends(v, depth+1)), true
		}
	}
	for _, edge := range e.callers(fn) {
		c := edge.Site.Common()
		n := p.Index - (len(fn.Params) - len(c.Args))
		if e.u.onlyTested(fn, edge.Caller.Func) || n < 0 || n >= len(c.Args) {
			continue
		}
		worst, seen = worse(worst, e.handed(edge.Site, c.Args[n], depth)), true
	}
	if !seen {
		return Ending{How: Caller, At: p.At, Fn: p.Text}
	}
	return worst
}

// handed is what one caller hands in. A context on which the caller's loop also waits lives as long as the loop.
func (e *ender) handed(site ssa.CallInstruction, v ssa.Value, depth int) Ending {
	end := e.ends(e.u.frame(site.Parent()).value(v), depth+1)
	if end.How == Caller && e.InServiceLoop(site) {
		end.How = Shutdown
	}
	return end
}

// ofType is what ends a parameter that is no plain context.
func ofType(p *ssa.Parameter) (Ending, bool) {
	switch name := typeName(p.Type()); name {
	case "context.Context":
		return Ending{}, false
	case "github.com/gin-gonic/gin.Context": // its Done never fires, unless the engine is told so
		return Ending{How: Never}, true
	case "github.com/valyala/fasthttp.RequestCtx":
		return Ending{How: Shutdown}, true
	}
	return Ending{How: Unseen}, true
}

// InServiceLoop reports whether an instruction runs in a loop that also waits for a context to end and for something
// else, or asks whether it has ended: the loop of a worker, which lives as long as its process.
func (r *Result) InServiceLoop(i ssa.Instruction) bool {
	at := i.Block()
	for _, b := range i.Parent().Blocks {
		if asksContextEnd(b) && lockflow.CanReach(b, at) && lockflow.CanReach(at, b) {
			return true
		}
	}
	return false
}

// asksContextEnd reports whether a block has a select on the end of a context and on something else, or on nothing.
func asksContextEnd(b *ssa.BasicBlock) bool {
	for _, x := range b.Instrs {
		if s, ok := x.(*ssa.Select); ok && (!s.Blocking || len(s.States) > 1) && waitsForContext(s) {
			return true
		}
	}
	return false
}

func waitsForContext(s *ssa.Select) bool {
	for _, st := range s.States {
		if c, ok := st.Chan.(*ssa.Call); ok && c.Call.IsInvoke() && c.Call.Method.FullName() == "(context.Context).Done" {
			return true
		}
	}
	return false
}
