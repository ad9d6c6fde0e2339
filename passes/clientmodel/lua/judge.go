package lua

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/leasevet/leasevet/passes/clientmodel"
)

// verdict says what all paths together know about the commands of a group.
type verdict struct {
	// events are those that matter: the key was there, and the path had not stored it itself.
	events []located
	// checked is true where every one stands on a comparison of the value.
	checked bool
	guard   clientmodel.Guarantee
	// with is what the value was compared with.
	with   *value
	faults []clientmodel.Fault
}

// tally counts events by what they stand on.
type tally struct {
	checked, bare, unknown, inverted, other int
	// doubtful counts events that are not checked and stand on a condition that is not understood.
	doubtful int
}

// judge sums a group up. What is checked on every path is checked; what is not, is not; a mixture that hangs on a
// condition that the reader does not understand is unknown.
func (s *summary) judge(g *group) verdict {
	v := verdict{guard: clientmodel.Unchecked}
	var t tally
	for _, e := range g.events {
		if e.guard.kind == gAbsent || e.guard.kind == gOwn || e.guard.kind == gRemoved || e.guard.kind == gTaken {
			if g.family != fWrite {
				continue
			}
		}
		v.events = append(v.events, e)
		t.add(e.guard)
	}
	v.with = compared(v.events)
	s.decide(&v, t)
	return v
}

// compared is what the value is compared with before every event: of several comparisons the one that all events have
// in common, else the first.
func compared(events []located) *value {
	var first *value
	for _, e := range events {
		if !isChecked(e.guard.kind) {
			continue
		}
		if first == nil {
			first = e.guard.with
		}
		for _, candidate := range e.guard.all {
			if inAll(events, candidate.id) {
				return candidate
			}
		}
	}
	return first
}

// inAll reports whether all events stand on a comparison with the value.
func inAll(events []located, id string) bool {
	return !slices.ContainsFunc(events, func(e located) bool {
		return !slices.ContainsFunc(e.guard.all, func(v *value) bool { return v.id == id })
	})
}

func isChecked(k guardKind) bool { return k == gOwner || k == gKeyName || k == gConstant }

func (t *tally) add(g guard) {
	switch {
	case isChecked(g.kind):
		t.checked++
		return
	case g.kind == gUnknown:
		t.unknown++
	case g.kind == gInverted:
		t.inverted++
	case g.kind == gOtherKey:
		t.other++
	default:
		t.bare++
	}
	if g.doubtful {
		t.doubtful++
	}
}

func (s *summary) decide(v *verdict, t tally) {
	total := len(v.events)
	switch {
	case total == 0:
	case t.checked == total:
		v.checked, v.guard = true, clientmodel.Atomic
	case t.unknown > 0, t.checked > 0 && t.doubtful > 0:
		v.guard = clientmodel.UnknownGuarantee
	case t.inverted == total && t.doubtful == 0:
		v.faults = append(v.faults, clientmodel.Fault{Rule: "compare-inverted",
			Text: "the script acts when the key's value is not the caller's, and does nothing when it is"})
	case t.other == total:
		s.otherKey(v)
	case t.other > 0:
		v.guard = clientmodel.UnknownGuarantee
	}
}

// otherKey judges a command that stands on the comparison of another key. If the script does something to that key as
// well, the key at hand is a companion of it.
func (s *summary) otherKey(v *verdict) {
	first := v.events[0]
	for _, g := range s.groups {
		if g.key.id == first.guard.key && (g.family == fDelete || g.family == fExpire || g.family == fWrite) {
			v.guard = clientmodel.UnknownGuarantee
			return
		}
	}
	v.faults = append(v.faults, clientmodel.Fault{Rule: "compares-other-key",
		Text: "the script compares the value of " + first.guard.key + " and then changes " + first.key.id})
}

// compareFaults looks at what a value is compared with.
func (s *summary) compareFaults(e *Effect) {
	add := func(rule, text string) { e.Faults = append(e.Faults, clientmodel.Fault{Rule: rule, Text: text}) }
	switch {
	case e.Value.Kind == Key && (e.Value == e.Key || s.isUsedAsKey(e.Value)):
		add("compares-with-key", "the value of "+e.Key.String()+" is compared with "+e.Value.String()+
			", which is the name of a key and not an owner")
	case e.Value.Kind == Const && quotedParameter(e.Value.Text):
		add("compares-constant", "the value is compared with the text "+e.Value.String()+"; without quotes it would be the parameter")
	case e.HasTTL && e.Value.Kind == Arg && e.Value.Index > 0 && e.TTL.Kind == Arg && e.TTL.Index == e.Value.Index:
		add("compares-with-ttl", "the value is compared with "+e.Value.String()+", which the same script uses as a TTL")
	}
}

// isUsedAsKey reports whether a command of the script has the operand as its key.
func (s *summary) isUsedAsKey(o Operand) bool {
	return slices.ContainsFunc(s.groups, func(g *group) bool { return operandOf(g.key) == o })
}

// doneOn says of each path whether one of the events had its effect on it.
func (s *summary) doneOn(events []located) []bool {
	done := make([]bool, len(s.rd.paths))
	for _, e := range events {
		done[e.path] = done[e.path] || e.done
	}
	return done
}

// replies splits the replies of the script by whether an effect happened. A reply that may mean both is in neither.
func (s *summary) replies(done []bool) (yes, no []Reply) {
	for i, p := range s.rd.paths {
		if done[i] {
			yes = addReply(yes, p.reply)
		} else {
			no = addReply(no, p.reply)
		}
	}
	return apart(yes, no), apart(no, yes)
}

func addReply(list []Reply, r Reply) []Reply {
	at, found := slices.BinarySearchFunc(list, r, compareReplies)
	if found {
		return list
	}
	return slices.Insert(list, at, r)
}

func compareReplies(a, b Reply) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Text, b.Text))
}

// apart keeps the replies that none of the others can be.
func apart(list, others []Reply) []Reply {
	var kept []Reply
	for _, r := range list {
		if r.Kind != AnyReply && !slices.ContainsFunc(others, r.overlaps) {
			kept = append(kept, r)
		}
	}
	return kept
}

// overlaps reports whether two replies can be the same.
func (r Reply) overlaps(o Reply) bool {
	if r.Kind == AnyReply || o.Kind == AnyReply {
		return true
	}
	if r.Kind.decoded() != o.Kind.decoded() || r.excludes(o) || o.excludes(r) {
		return false
	}
	return r.Any || o.Any || r.Text == o.Text
}

// decoded is the kind as most clients see it: a status is a string.
func (k ReplyKind) decoded() ReplyKind {
	if k == StatusReply {
		return StringReply
	}
	return k
}

// excludes reports whether a positive number cannot be the other one.
func (r Reply) excludes(o Reply) bool {
	n, err := strconv.ParseInt(o.Text, 10, 64)
	return r.Any && r.Text == Positive && err == nil && n <= 0
}

// maybe reports whether events hang on a condition that is not understood: there is such a condition, with a path that
// reaches an event on one side of it and a path that reaches none on the other.
func (s *summary) maybe(events []located) bool {
	t := &tree{paths: s.rd.paths, events: events, reached: make([]bool, len(s.rd.paths))}
	for _, e := range events {
		t.reached[e.path] = true
	}
	t.split(0, len(t.paths), 0)
	return t.maybe
}

// tree is the binary tree of all paths. They are in the order of its leaves.
type tree struct {
	paths   []*path
	events  []located
	reached []bool
	maybe   bool
}

// sides says what the paths of a subtree do: reach an event, miss it, miss it without an error.
type sides struct{ reach, miss, missQuietly bool }

func (a sides) or(b sides) sides {
	return sides{a.reach || b.reach, a.miss || b.miss, a.missQuietly || b.missQuietly}
}

// split looks at the paths from..to, which answer their first depth questions alike.
func (t *tree) split(from, to, depth int) sides {
	if from == to {
		return sides{}
	}
	if depth == len(t.paths[from].conds) {
		missed := !t.reached[from]
		return sides{!missed, missed, missed && t.paths[from].reply.Kind != ErrorReply}
	}
	middle := from
	for middle < to && t.paths[middle].conds[depth].held {
		middle++
	}
	yes, no := t.split(from, middle, depth+1), t.split(middle, to, depth+1)
	t.maybe = t.maybe || t.hangs(t.paths[from].conds[depth], yes, no)
	return yes.or(no)
}

// hangs reports whether a condition that is not understood decides about the events. A script that checks its
// parameters and answers with an error, or checks the parameter that the event needs, just does not want to be misused.
func (t *tree) hangs(c cond, yes, no sides) bool {
	switch c.class {
	case cOther:
		return (yes.reach && no.miss || no.reach && yes.miss) && !t.examines(c)
	case cConstant, cKeyName:
		return c.key != t.events[0].key.id && (yes.reach && no.miss || no.reach && yes.miss)
	case cShape:
		return (yes.reach && no.missQuietly || no.reach && yes.missQuietly) && !t.need(c.val)
	}
	return false
}

// examines reports whether a condition only looks closer at a value that is compared with the caller's anyway.
func (t *tree) examines(c cond) bool {
	key := "v:" + t.events[0].key.id
	if len(c.src) == 0 || slices.ContainsFunc(c.src, func(s string) bool { return s != key }) {
		return false
	}
	return !slices.ContainsFunc(t.events, func(e located) bool { return !isChecked(e.guard.kind) })
}

// need reports whether an event needs the parameter.
func (t *tree) need(parameter *value) bool {
	if parameter == nil {
		return false
	}
	needs := func(v *value) bool {
		return v != nil && (v.kind == kArg || v.kind == kKey) && v.kind == parameter.kind && v.str == parameter.str
	}
	return slices.ContainsFunc(t.events, func(e located) bool {
		return needs(e.key) || needs(e.value) || needs(e.ttl) || needs(e.guard.with)
	})
}
