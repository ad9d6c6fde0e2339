package lua

// Locks kept in a hash: {owner: token, count: n}, or, as re-entrant locks of some libraries do, {token: n}.

func (r *run) hashCommand(c command) *value {
	if len(c.args) < 2 {
		r.fail()
		return nilValue
	}
	st := r.key(c.args[0])
	switch c.name {
	case "HGET":
		return r.hget(c, st, c.args[1])
	case "HEXISTS":
		r.add(event{family: fRead, site: c.site, key: st.val})
		return count01(r.fieldExists(st, c.args[1], true))
	case "HMGET":
		return r.hmget(c, st)
	case "HSET", "HMSET":
		return r.hset(c, st)
	case "HSETNX":
		return r.hsetnx(c, st)
	case "HDEL":
		return r.hdel(c, st)
	}
	return r.hincrby(c, st)
}

// hget reads a field.
func (r *run) hget(c command, st *keyState, name *value) *value {
	r.add(event{family: fRead, site: c.site, key: st.val})
	if !r.fieldExists(st, name, false) {
		return missingValue
	}
	v := readValue(st, "."+name.id, r.versionOf(st))
	if name.isParameter() {
		v.src = []string{"c:" + st.id} // the field is the owner; what it holds is a count
	}
	return v
}

func (r *run) hmget(c command, st *keyState) *value {
	t := &table{}
	for _, name := range c.args[1:] {
		if len(c.args)-1 > maxEager {
			t.push(r.derived(c, st, tAny))
			continue
		}
		t.push(r.hget(c, st, name))
	}
	return tableValue(t)
}

// hashValue picks the operand that says who holds the lock: the first field that is a parameter, else the first value
// that is one, else the first value.
func hashValue(pairs []*value) *value {
	for _, start := range []int{0, 1} {
		for i := start; i < len(pairs); i += 2 {
			if pairs[i].isParameter() {
				return pairs[i]
			}
		}
	}
	return at(pairs, 1)
}

// hset stores fields. If nothing was there it acquires; over the caller's own fields it keeps books.
func (r *run) hset(c command, st *keyState) *value {
	if len(c.args) < 3 {
		r.fail()
		return nilValue
	}
	free := r.freeFor(st, c.args[1])
	r.writeField(c, st, hashValue(c.args[1:]), free)
	if c.name == "HMSET" {
		return statusValue("ok", "OK")
	}
	return r.unknown(r.fresh("added"), tNumber)
}

// freeFor reports whether the path knows that nobody holds the lock: the hash is not there, or it has no such field
// and the field's name is the same for every caller. A hash of constant fields that lives for ever is no lock but a
// record; see acquires.
func (r *run) freeFor(st *keyState, name *value) bool {
	if st.known && !st.there {
		return !st.removed
	}
	return name.kind == kStr && st.fieldKnownAbsent(name.id)
}

// writeField records that a field is written.
func (r *run) writeField(c command, st *keyState, v *value, free bool) {
	g := r.guardOf(st)
	if g.kind == gOwn {
		if st.last != nil && st.last.hash && !st.last.value.isParameter() && v.isParameter() {
			st.last.value = v
		}
		return
	}
	if free {
		g = guard{kind: gAbsent}
	}
	record := c.args[1].kind == kStr && !st.fieldKnownAbsent(c.args[1].id)
	e := r.add(event{
		family: fWrite, site: c.site, key: st.val, value: v, hash: true, record: record, guard: g, done: true,
	})
	known := st.fields
	st.change()
	st.fields = known
	st.known, st.there, st.removed = true, true, false
	st.setField(c.args[1].id, true)
	if free {
		st.own, st.last = true, e
	}
}

// hsetnx stores a field if it is not there. A field named by an argument is a key of its own, which is not followed.
func (r *run) hsetnx(c command, st *keyState) *value {
	if len(c.args) < 3 {
		r.fail()
		return nilValue
	}
	if c.args[1].kind != kStr {
		r.add(event{family: fOther, site: c.site, key: st.val})
		st.change()
		st.known = false
		return r.unknown(r.fresh("hsetnx"), tNumber)
	}
	if r.fieldExists(st, c.args[1], false) {
		r.add(event{
			family: fWrite, site: c.site, key: st.val, value: c.args[2], hash: true, nx: true, guard: guard{kind: gTaken},
		})
		return numValue(0)
	}
	r.writeField(c, st, c.args[2], true)
	return numValue(1)
}

// hincrby counts in a hash: how often the owner holds the lock, if the field is the owner or the owner was compared;
// else it is a counter.
func (r *run) hincrby(c command, st *keyState) *value {
	if len(c.args) < 3 {
		r.fail()
		return nilValue
	}
	name := c.args[1]
	free := name.isParameter() && r.freeFor(st, name)
	if !free && !r.holds(st.id) {
		r.rd.count(st.id)
	}
	r.writeField(c, st, name, free)
	if n, ok := c.args[2].asNumber(); ok && free {
		return numValue(n)
	}
	v := r.unknown(r.fresh("count"), tNumber)
	v.src = []string{"c:" + st.id}
	return v
}

// hdel removes fields. Under a comparison it releases; else it is a change of a hash.
func (r *run) hdel(c command, st *keyState) *value {
	there := r.fieldExists(st, c.args[1], false)
	if !there {
		return numValue(0)
	}
	g := r.guardOf(st)
	if g.kind != gOwner && g.kind != gConstant {
		r.add(event{family: fOther, site: c.site, key: st.val})
	} else {
		r.add(event{family: fDelete, site: c.site, key: st.val, guard: g, done: true, present: true})
	}
	st.setField(c.args[1].id, false)
	if len(c.args) > 2 {
		return r.unknown(r.fresh("deleted"), tNumber)
	}
	return numValue(1)
}
