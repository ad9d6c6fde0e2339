package lua

import (
	"slices"
	"strings"

	"github.com/leasevet/leasevet/passes/clientmodel"
)

// maxEffects is the number of effects that are kept of one script.
const maxEffects = 32

// located is an event and the path that it is on.
type located struct {
	*event
	path int
}

// group are the events that are judged together: those of one family on one key, for writes those of one call.
type group struct {
	id     string
	key    *value
	family family
	events []located
}

// summary sums a script up.
type summary struct {
	rd      *reader
	groups  []*group
	effects []Effect
	// keys are the ids of the effects' keys, in parallel.
	keys []string
}

// summarise judges what all paths together say.
func (rd *reader) summarise() Script {
	s := &summary{rd: rd, groups: rd.group()}
	s.writes()
	for _, g := range s.groups {
		switch g.family {
		case fDelete, fExpire:
			s.change(g)
		}
	}
	s.foldReentrant()
	for _, f := range []family{fRead, fOther, fWrite} {
		s.rest(f)
	}
	script := Script{
		Effects: s.effects,
		Keys:    highest(rd.keys, rd.optionalKeys), Args: highest(rd.args, rd.optionalArgs),
		Dynamic: rd.dynamic, Unknown: rd.unknown, Faults: rd.faults.list,
	}
	script.Counts = len(rd.counted) > 0 && !locks(s.effects)
	return script
}

// locks reports whether an effect is one of a lock.
func locks(effects []Effect) bool {
	for _, e := range effects {
		switch e.Op {
		case clientmodel.SetIfAbsent, clientmodel.CompareAndDelete, clientmodel.CompareAndExpire, clientmodel.CompareAndSet:
			return true
		}
	}
	return false
}

// highest is the highest index that is not optional.
func highest(read, optional []int) int {
	top := 0
	for _, n := range read {
		if n > top && !slices.Contains(optional, n) {
			top = n
		}
	}
	return top
}

// group sorts the events of all paths into groups, in the order of their first event.
func (rd *reader) group() []*group {
	var groups []*group
	for i, p := range rd.paths {
		for _, e := range p.events {
			id := string('0'+rune(e.family)) + e.key.id
			if e.family == fWrite {
				id += " " + e.site
			}
			g := findGroup(groups, id)
			if g == nil {
				g = &group{id: id, key: e.key, family: e.family}
				groups = append(groups, g)
			}
			g.events = append(g.events, located{e, i})
		}
	}
	return groups
}

func findGroup(groups []*group, id string) *group {
	for _, g := range groups {
		if g.id == id {
			return g
		}
	}
	return nil
}

// add appends an effect.
func (s *summary) add(key string, e Effect) {
	if len(s.effects) >= maxEffects {
		s.rd.unknown = true
		return
	}
	s.effects = append(s.effects, e)
	s.keys = append(s.keys, key)
}

// start begins the effect of events on one key.
func (s *summary) start(op clientmodel.Op, events []located) Effect {
	e := Effect{Op: op, Key: operandOf(events[0].key), Maybe: s.maybe(events), Never: true}
	for _, ev := range events {
		e.Never = e.Never && ev.broken
	}
	return e
}

// has reports whether a key has an effect already.
func (s *summary) has(key string) bool { return slices.Contains(s.keys, key) }

// writes judges the calls that store something. Those that acquire the same key are one effect.
func (s *summary) writes() {
	var acquires, others []*group
	for _, g := range s.groups {
		switch {
		case g.family != fWrite:
		case !s.acquires(g):
			others = append(others, g)
		default:
			acquires = joinGroup(acquires, g)
		}
	}
	for _, g := range acquires {
		s.acquire(g)
	}
	for _, g := range others {
		s.write(g)
	}
}

// joinGroup adds a group to the one with the same key, or to the list.
func joinGroup(list []*group, g *group) []*group {
	for _, old := range list {
		if old.key.id == g.key.id {
			old.events = append(old.events, g.events...)
			return list
		}
	}
	return append(list, &group{key: g.key, family: g.family, events: slices.Clone(g.events)})
}

// acquires reports whether a write only happens where nobody holds the key, or where the caller itself does.
func (s *summary) acquires(g *group) bool {
	if contains(s.rd.counted, g.key.id) {
		return false
	}
	absent := false
	for _, e := range g.events {
		if e.record && e.ttl == nil && e.guard.kind == gAbsent {
			return false
		}
		switch e.guard.kind {
		case gAbsent:
			absent = true
		case gTaken:
		case gRemoved:
			if !e.nx {
				return false
			}
		case gOwner, gKeyName, gConstant:
			if !s.sameValue(g, e.guard.with) {
				return false
			}
		default:
			return false
		}
	}
	return absent
}

// sameValue reports whether a write stores the value that was compared with.
func (s *summary) sameValue(g *group, with *value) bool {
	for _, e := range g.events {
		if e.value.id == with.id {
			return true
		}
	}
	return false
}

// acquire adds the effect of calls that acquire a key.
func (s *summary) acquire(g *group) {
	e := s.start(clientmodel.SetIfAbsent, g.events)
	value := g.events[0].value
	for _, ev := range g.events {
		if ev.guard.kind != gTaken && ev.value.isParameter() {
			value = ev.value
			break
		}
	}
	e.Value = operandOf(value)
	s.takeTTL(&e, g.events)
	for _, ev := range g.events {
		e.Reentrant = e.Reentrant || ev.guard.kind == gOwner
	}
	held := make([]bool, len(s.rd.paths))
	for i, p := range s.rd.paths {
		held[i] = p.holds(g.key.id, value.id)
	}
	if !slices.Contains(held, true) {
		return // taken and given back in one script
	}
	e.Done, e.Not = s.replies(held)
	s.add(g.key.id, e)
}

// holds reports whether the caller holds the key when the path ends: it has stored the value, or found it there, and
// has not deleted it again.
func (p *path) holds(key, value string) bool {
	held := false
	for _, c := range p.conds {
		held = held || c.class == cOwner && c.held && c.key == key && c.val.id == value
	}
	for _, e := range p.events {
		if e.key.id != key || !e.done {
			continue
		}
		switch e.family {
		case fDelete:
			held = false
		case fWrite:
			held = true
		case fExpire:
			held = held || isChecked(e.guard.kind)
		}
	}
	return held
}

// takeTTL finds the TTL of an effect: that of the first event that has one, rather an argument than anything else.
func (s *summary) takeTTL(e *Effect, events []located) {
	for _, ev := range events {
		if ev.ttl == nil || ev.guard.kind == gTaken || e.HasTTL && (e.TTL.Kind == Arg || ev.ttl.kind != kArg) {
			continue
		}
		e.HasTTL, e.TTL, e.Unit = true, operandOf(ev.ttl), ev.unit
	}
}

// write adds the effect of a call that stores a value and does not acquire.
func (s *summary) write(g *group) {
	first := g.events[0]
	if first.hash {
		return // a field of a hash: NoOp, if nothing else is done to the key
	}
	e := s.start(clientmodel.Set, g.events)
	e.Value, e.Guard = operandOf(first.value), clientmodel.Unchecked
	s.takeTTL(&e, g.events)
	v := s.judge(g)
	switch {
	case v.checked:
		s.checkedWrite(&e, v, first)
	case v.guard == clientmodel.UnknownGuarantee || first.guard.kind == gOtherKey:
		e.Guard = clientmodel.UnknownGuarantee // data that is written under another key's lock, perhaps
	case overPresent(g.events):
		e.Op = clientmodel.SetIfPresent
	}
	e.Done, e.Not = s.replies(s.doneOn(g.events))
	s.add(g.key.id, e)
}

// checkedWrite words a write under a comparison: the same value with a TTL extends, another value takes over.
func (s *summary) checkedWrite(e *Effect, v verdict, first located) {
	e.Op, e.Guard, e.Faults = clientmodel.CompareAndSet, clientmodel.Atomic, v.faults
	if e.HasTTL && v.with != nil && v.with.id == first.value.id {
		e.Op = clientmodel.CompareAndExpire
	}
	if e.Op == clientmodel.CompareAndExpire || v.with != nil {
		e.Value = operandOf(v.with)
	}
	s.compareFaults(e)
}

// overPresent reports whether every write is over another value.
func overPresent(events []located) bool {
	for _, e := range events {
		if !e.present && !e.xx || e.nx {
			return false
		}
	}
	return true
}

// change adds the effect of the commands that delete a key, or set its TTL.
func (s *summary) change(g *group) {
	v := s.judge(g)
	if len(v.events) == 0 {
		return // nothing was there, or it was the path's own
	}
	e := s.start(clientmodel.Delete, v.events)
	e.Guard, e.Faults = v.guard, v.faults
	if g.family == fExpire {
		e.Op = clientmodel.Expire
		s.takeTTL(&e, v.events)
	}
	if v.checked {
		e.Op = checkedOp(g.family)
		e.Value = operandOf(v.with)
		s.compareFaults(&e)
	}
	e.Done, e.Not = s.replies(s.doneOn(v.events))
	s.add(g.key.id, e)
}

// checkedOp is what deleting or expiring under a comparison is called.
func checkedOp(f family) clientmodel.Op {
	if f == fExpire {
		return clientmodel.CompareAndExpire
	}
	return clientmodel.CompareAndDelete
}

// foldReentrant makes one effect of an acquire and of the extend that its owner gets from the same script.
func (s *summary) foldReentrant() {
	for i := 0; i < len(s.effects); i++ {
		if s.effects[i].Op == clientmodel.SetIfAbsent {
			s.foldInto(i)
		}
	}
}

func (s *summary) foldInto(acquire int) {
	e := &s.effects[acquire]
	for j := len(s.effects) - 1; j > acquire; j-- {
		if s.keys[j] != s.keys[acquire] || !again(*e, s.effects[j]) {
			continue
		}
		e.Reentrant = true
		s.effects = slices.Delete(s.effects, j, j+1)
		s.keys = slices.Delete(s.keys, j, j+1)
	}
}

// again reports whether an effect is that of the same acquire for somebody who holds the key already.
func again(acquire, e Effect) bool {
	if e.Op != clientmodel.CompareAndExpire && e.Op != clientmodel.CompareAndSet {
		return false
	}
	return e.Value == acquire.Value || e.Value.Kind == Other
}

// rest adds what happens to keys that nothing else is said about: a read, or a command without a word.
func (s *summary) rest(f family) {
	for _, g := range s.groups {
		if g.family != f || s.has(g.key.id) {
			continue
		}
		e := s.start(clientmodel.NoOp, g.events)
		if f == fRead {
			if s.counts(g.key.id) {
				continue
			}
			e.Op = clientmodel.Get
		}
		s.add(g.key.id, e)
	}
}

// counts reports whether a key is also used in a way that the model has no word for.
func (s *summary) counts(key string) bool {
	for _, g := range s.groups {
		if g.key.id == key && (g.family == fOther || g.family == fWrite) {
			return true
		}
	}
	return false
}

// mergeMeant adds to what a script does what it was meant to do and never does, with the faults that are the reason.
func mergeMeant(real, meant Script, never []clientmodel.Fault) Script {
	real.Keys, real.Args = max(real.Keys, meant.Keys), max(real.Args, meant.Args)
	real.Dynamic, real.Unknown = real.Dynamic || meant.Dynamic, real.Unknown || meant.Unknown
	for _, e := range meant.Effects {
		i := slices.IndexFunc(real.Effects, func(old Effect) bool { return old.Key == e.Key && kindred(old.Op, e.Op) })
		switch {
		case i >= 0:
			real.Effects[i].Faults = append(real.Effects[i].Faults, decisive(real.Effects[i], e, never)...)
		case e.Op != clientmodel.NoOp && e.Op != clientmodel.Get && len(real.Effects) < maxEffects:
			e.Never = true
			e.Faults = append(e.Faults, never...)
			real.Effects = append(dropIdle(real.Effects, e.Key), e)
		}
	}
	real.Counts = real.Counts && !locks(real.Effects)
	return real
}

// decisive picks the faults that change what an effect is, or which replies tell of it. A comparison with nil is often
// just one test too many, so it counts only where it makes an effect impossible.
func decisive(real, meant Effect, never []clientmodel.Fault) []clientmodel.Fault {
	if real.Op == meant.Op && real.HasTTL == meant.HasTTL && real.Maybe == meant.Maybe && slices.Equal(real.Done, meant.Done) {
		return nil
	}
	var faults []clientmodel.Fault
	for _, f := range never {
		if f.Rule != "nil-compare" {
			faults = append(faults, f)
		}
	}
	return faults
}

// kindred reports whether two operations are of one sort, so that one takes the place of the other.
func kindred(a, b clientmodel.Op) bool {
	if a == clientmodel.NoOp || b == clientmodel.NoOp || a == clientmodel.Get || b == clientmodel.Get {
		return a == b
	}
	return a.Releases() && b.Releases() || a.Extends() && b.Extends() || stores(a) && stores(b)
}

func stores(o clientmodel.Op) bool { return o == clientmodel.SetIfAbsent || o == clientmodel.Set }

// dropIdle removes the read of a key of which something better is known.
func dropIdle(effects []Effect, key Operand) []Effect {
	return slices.DeleteFunc(effects, func(e Effect) bool {
		return e.Key == key && (e.Op == clientmodel.NoOp || e.Op == clientmodel.Get)
	})
}

// quotedParameter recognises a constant that was meant to be KEYS[n] or ARGV[n].
func quotedParameter(text string) bool {
	text = strings.ToUpper(strings.TrimSpace(text))
	return strings.HasSuffix(text, "]") && (strings.HasPrefix(text, "ARGV[") || strings.HasPrefix(text, "KEYS["))
}
