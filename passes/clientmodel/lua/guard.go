package lua

// keyState is what a path knows about one key at one point.
type keyState struct {
	id  string
	val *value // the key as an operand
	// version rises with every write, so that what was read before is not confused with what is read after.
	version int
	// known says whether there is known.
	known, there bool
	// removed is true where the key is absent because the path deleted it.
	removed bool
	// own is true once the path stored something itself, other than over a value that it had compared.
	own bool
	// stored is what the path stored as a string.
	stored *value
	// last is the write that made own true; an EXPIRE after it belongs to it.
	last   *event
	fields []fieldState
}

// fieldState is what a path knows about a field of a hash.
type fieldState struct {
	id    string
	there bool
}

// guardKind says on what a command that changes a key stands, on one path.
type guardKind uint8

const (
	gBare     guardKind = iota // on nothing
	gAbsent                    // the key is not there
	gRemoved                   // the key is not there, because the path deleted it
	gTaken                     // the key is there, so a command that wants it absent does nothing
	gOwn                       // the path stored the value itself
	gOwner                     // the key's value is an argument
	gKeyName                   // the key's value is a name of a key
	gConstant                  // the key's value is a constant
	gUnknown                   // the value is looked at in a way that is not understood
	gInverted                  // the key's value is not the argument
	gOtherKey                  // another key's value is an argument
)

// guard is a guardKind with what was compared.
type guard struct {
	kind guardKind
	with *value
	// all are the values that the path has found the key's value equal to; with is the first of the strongest kind.
	all []*value
	// key is, for gOtherKey, the id of the key that was compared.
	key string
	// doubtful is true where the path also stands on a condition that is not understood.
	doubtful bool
}

// key finds the state of a key.
func (r *run) key(v *value) *keyState {
	for _, st := range r.keys {
		if st.id == v.id {
			return st
		}
	}
	st := &keyState{id: v.id, val: v}
	r.keys = append(r.keys, st)
	return st
}

// forgetAll drops what is known about keys, after a command that may do anything.
func (r *run) forgetAll() {
	r.rd.unknown = true
	for _, st := range r.keys {
		st.change()
		st.known, st.own = false, false
	}
}

// change marks that the key has another value now.
func (st *keyState) change() {
	st.version++
	st.stored, st.fields = nil, nil
}

// put marks that the key is there, with a value that the path stored.
func (st *keyState) put(v *value) {
	st.change()
	st.known, st.there, st.removed = true, true, false
	st.stored = v
}

// remove marks that the path deleted the key.
func (st *keyState) remove() {
	st.change()
	st.known, st.there, st.removed = true, false, true
	st.own, st.last = false, nil
}

// exists asks whether the key is there.
func (r *run) exists(st *keyState) bool {
	if !st.known {
		st.there = r.choose(atom{class: cThere, id: "there " + st.id + r.versionOf(st), key: st.id})
		st.known, st.removed = true, false
	}
	return st.there
}

func (r *run) versionOf(st *keyState) string { return "@" + numText(float64(st.version)) }

// fieldExists asks whether a hash has a field. With HEXISTS, a field named by an argument is how re-entrant locks keep
// the owner; read in another way it may as well be a table of many things.
func (r *run) fieldExists(st *keyState, name *value, hexists bool) bool {
	if st.known && !st.there {
		return false
	}
	for _, f := range st.fields {
		if f.id == name.id {
			return f.there
		}
	}
	q := atom{class: cThere, id: "field " + st.id + "." + name.id + r.versionOf(st), key: st.id}
	switch {
	case hexists && name.isParameter() && name.id != st.id:
		q.class, q.val, q.exact = cOwner, name, true
	case name.isParameter():
		q.class, q.src = cOther, []string{"v:" + st.id}
	}
	there := r.choose(q)
	if there {
		st.known, st.there = true, true
	}
	st.setField(name.id, there)
	return there
}

func (st *keyState) setField(id string, there bool) {
	for i := range st.fields {
		if st.fields[i].id == id {
			st.fields[i].there = there
			return
		}
	}
	st.fields = append(st.fields, fieldState{id, there})
}

// fieldKnownAbsent reports whether the path has found that the field is not there.
func (st *keyState) fieldKnownAbsent(id string) bool {
	for _, f := range st.fields {
		if f.id == id {
			return !f.there
		}
	}
	return false
}

// holds reports whether the path has found, or made, the caller the holder of the key.
func (r *run) holds(key string) bool {
	for _, st := range r.keys {
		if st.id == key && st.own {
			return true
		}
	}
	for _, c := range r.conds {
		if c.held && c.key == key && (c.class == cOwner || c.class == cConstant || c.class == cKeyName) {
			return true
		}
	}
	return false
}

// guardOf says on what a command on the key stands at this point of the path.
func (r *run) guardOf(st *keyState) guard {
	switch {
	case st.own:
		return guard{kind: gOwn}
	case st.known && !st.there && st.removed:
		return guard{kind: gRemoved}
	case st.known && !st.there:
		return guard{kind: gAbsent}
	}
	return r.comparison(st.id)
}

// comparison finds the strongest comparison that the path has made for a key.
func (r *run) comparison(key string) guard {
	best := guard{kind: gBare}
	doubtful := false
	var all []*value
	for _, c := range r.conds {
		g := c.guards(key)
		if isChecked(g.kind) {
			all = append(all, g.with)
		}
		if rank(g.kind) > rank(best.kind) {
			best = g
		}
		doubtful = doubtful || c.class == cOther || c.class == cShape
	}
	best.doubtful, best.all = doubtful, all
	return best
}

// rank orders comparisons: the stronger one decides.
func rank(k guardKind) int {
	switch k {
	case gOwner:
		return 6
	case gKeyName:
		return 5
	case gConstant:
		return 4
	case gUnknown:
		return 3
	case gInverted:
		return 2
	case gOtherKey:
		return 1
	}
	return 0
}

// guards says how one condition protects a key.
func (c cond) guards(key string) guard {
	if c.class == cOther {
		for _, s := range c.src {
			if s == "v:"+key || s == "c:"+key {
				return guard{kind: gUnknown}
			}
		}
		return guard{}
	}
	if c.key != key {
		return c.foreignGuard()
	}
	return c.ownGuard()
}

// foreignGuard says how a condition about another key protects a key.
func (c cond) foreignGuard() guard {
	switch {
	case c.held && c.class == cOwner && c.exact:
		return guard{kind: gOtherKey, with: c.val, key: c.key}
	case c.held && (c.class == cOwner || c.class == cKeyName):
		return guard{kind: gUnknown} // the head of a queue, a part of a value
	}
	return guard{}
}

// ownGuard says how a condition about the key itself protects it.
func (c cond) ownGuard() guard {
	switch {
	case c.class == cOwner && c.held:
		return guard{kind: gOwner, with: c.val}
	case c.class == cOwner:
		return guard{kind: gInverted, with: c.val}
	case c.class == cKeyName && c.held:
		return guard{kind: gKeyName, with: c.val}
	case c.class == cConstant && c.held:
		return guard{kind: gConstant, with: c.val}
	}
	return guard{}
}
