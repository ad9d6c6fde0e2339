package lua

import (
	"strconv"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/yuin/gopher-lua/ast"
)

// Limits. A lock script has fewer than twenty paths; what goes over a limit is unknown.
const (
	maxPaths  = 512
	maxConds  = 64
	maxSteps  = 200_000
	maxDepth  = 200
	maxCalls  = 16
	maxEvents = 128
)

// class is what kind of question an atom asks.
type class uint8

const (
	cOther    class = iota // one that the reader does not understand
	cThere                 // is there something under the key, or in a field of it
	cOwner                 // is the key's value the given argument
	cKeyName               // is the key's value the name of a key
	cConstant              // is the key's value the given constant
	cCount                 // how often the caller itself holds the key
	cTTL                   // how long the key has to live
	cShape                 // was the parameter val passed, is it empty; how many were passed (val is nil)
)

// atom is one question that a path answers with yes or no.
type atom struct {
	class class
	id    string
	key   string // id of the key that it is about
	val   *value // what the key's value is compared with
	src   []string
	// exact is true where the whole value is compared with a plain operand.
	exact bool
}

// cond is an answered question.
type cond struct {
	atom
	held bool
}

// path is one way through the script.
type path struct {
	conds  []cond
	events []*event
	reply  Reply
}

// reader collects what all paths have in common.
type reader struct {
	// meant makes comparisons that can never be true come out as their author meant them.
	meant bool
	paths []*path
	// faults are of the whole script, never those of comparisons that can never be true.
	faults, never faultSet
	// sites numbers the calls of the script by first execution.
	sites map[ast.Expr]int
	// keys and args are the constant indexes that were read, optional those that were asked for first.
	keys, args, optionalKeys, optionalArgs []int
	// counted are the ids of keys that are counters or queues.
	counted          []string
	dynamic, unknown bool
	// resp3 is true once the script asked for replies in which nothing is nil and not false.
	resp3 bool
	steps int
	// lost is true once a limit was passed.
	lost bool
}

// faultSet keeps faults once each, in order.
type faultSet struct{ list []clientmodel.Fault }

func (s *faultSet) add(rule, text string) {
	f := clientmodel.Fault{Rule: rule, Text: text}
	for _, old := range s.list {
		if old == f {
			return
		}
	}
	s.list = append(s.list, f)
}

// run executes one path. The first answers are given by script, all later ones are yes.
type run struct {
	rd      *reader
	script  []bool
	conds   []cond
	events  []*event
	keys    []*keyState
	globals []field
	// bound are the constants that values were found equal to.
	bound []field
	// ret is what the last return statement returned.
	ret []*value
	// ended is true once the path is over: an error was raised, or a limit passed.
	ended, failed bool
	// broken is true once Redis would have stopped, and the reading goes on with what is meant.
	broken bool
	// calls is the chain of call sites that led here.
	calls              string
	depth, nested, gen int
	// loops counts the loops around the current statement whose body is executed once for all rounds.
	loops int
}

// explore executes every path of the script, answers of yes first.
func explore(stmts chunk, meant bool) *reader {
	rd := &reader{meant: meant, sites: map[ast.Expr]int{}, steps: maxSteps}
	for script, more := []bool{}, true; more; {
		if len(rd.paths) >= maxPaths {
			rd.lost = true
		}
		if rd.lost {
			return rd
		}
		r := &run{rd: rd, script: script}
		rd.paths = append(rd.paths, r.execute(stmts))
		script, more = nextScript(r.conds)
	}
	return rd
}

// execute runs the whole script.
func (r *run) execute(stmts chunk) *path {
	flow := r.block(stmts, &env{})
	p := &path{conds: r.conds, events: r.events, reply: Reply{Kind: NilReply}}
	switch {
	case r.failed:
		p.reply = Reply{Kind: ErrorReply, Any: true}
	case flow == leaveFunction && len(r.ret) > 0:
		p.reply = replyOf(r.ret[0])
	}
	return p
}

// nextScript turns the last yes into a no. It reports false when every path was executed.
func nextScript(conds []cond) ([]bool, bool) {
	last := len(conds) - 1
	for last >= 0 && !conds[last].held {
		last--
	}
	if last < 0 {
		return nil, false
	}
	script := make([]bool, 0, last+1)
	for _, c := range conds[:last] {
		script = append(script, c.held)
	}
	return append(script, false), true
}

// choose answers a question: as before if the path has answered it already, else by splitting the path.
func (r *run) choose(a atom) bool {
	if r.ended {
		return false
	}
	for _, c := range r.conds {
		if c.id == a.id {
			return c.held
		}
	}
	if len(r.conds) >= maxConds {
		r.giveUp()
		return false
	}
	held := len(r.conds) >= len(r.script) || r.script[len(r.conds)]
	r.conds = append(r.conds, cond{a, held})
	return held
}

// step counts the work, and reports whether there is more to do.
func (r *run) step() bool {
	r.rd.steps--
	if r.rd.steps < 0 {
		r.giveUp()
	}
	return !r.ended
}

// giveUp ends the reading: a limit was passed.
func (r *run) giveUp() {
	r.rd.lost = true
	r.ended = true
}

// fail ends the path the way a Lua error does.
func (r *run) fail() {
	r.failed = true
	r.ended = true
}

// fresh makes an id that no other value of the path has.
func (r *run) fresh(prefix string) string {
	r.gen++
	return prefix + "#" + strconv.Itoa(r.gen)
}

// unknown makes a value of which only the type (perhaps) and the sources are known.
func (r *run) unknown(id string, typ luaType, from ...*value) *value {
	if len(id) > maxIDLen {
		id = r.fresh("value")
	}
	return &value{kind: kUnknown, typ: typ, id: id, src: sources(from...)}
}

// site names the place of a call: the call itself and the calls of local functions around it.
func (r *run) site(e ast.Expr) string {
	n, ok := r.rd.sites[e]
	if !ok {
		n = len(r.rd.sites)
		r.rd.sites[e] = n
	}
	return r.calls + "/" + strconv.Itoa(n)
}

// replyOf turns a returned value into what the client sees.
func replyOf(v *value) Reply {
	switch v.kind {
	case kNil:
		return Reply{Kind: NilReply}
	case kBool:
		if v.num == 0 {
			return Reply{Kind: NilReply}
		}
		return Reply{Kind: IntReply, Text: "1"}
	case kNum:
		return Reply{Kind: IntReply, Text: intText(v.num)}
	case kStr:
		return Reply{Kind: StringReply, Text: v.str}
	case kTable:
		return tableReply(v)
	case kLib, kFunc:
		return Reply{}
	}
	return typedReply(v)
}

// intText writes a number as Redis replies it: without its fraction.
func intText(n float64) string {
	if n != n || n > 1e18 || n < -1e18 {
		return "0"
	}
	return strconv.FormatInt(int64(n), 10)
}

func tableReply(v *value) Reply {
	if text := v.status(); text != "" {
		return Reply{Kind: StatusReply, Text: text}
	}
	if v.tab.field("err") != nil {
		return Reply{Kind: ErrorReply, Any: true}
	}
	return Reply{Kind: ArrayReply, Any: true}
}

// typedReply is the reply of a value of which only the type is known.
func typedReply(v *value) Reply {
	if v.optional {
		return Reply{}
	}
	switch v.typ {
	case tNumber:
		if v.positive {
			return Reply{Kind: IntReply, Any: true, Text: Positive}
		}
		return Reply{Kind: IntReply, Any: true}
	case tString:
		return Reply{Kind: StringReply, Any: true}
	case tTable:
		return Reply{Kind: ArrayReply, Any: true}
	}
	return Reply{}
}
