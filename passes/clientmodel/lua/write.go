package lua

import (
	"strings"

	"github.com/leasevet/leasevet/passes/clientmodel"
)

// options are the options of SET.
type options struct {
	nx, xx, get, keepTTL bool

	ifeq, ttl *value
	unit      clientmodel.Unit
	// bad is true where an option is not a constant, or not one that is known.
	bad bool
}

func parseOptions(args []*value) (o options) {
	for i := 0; i < len(args); i++ {
		name, ok := args[i].text()
		if !ok {
			o.bad = true
			return o
		}
		switch name = strings.ToUpper(name); name {
		case "NX":
			o.nx = true
		case "XX":
			o.xx = true
		case "GET":
			o.get = true
		case "KEEPTTL":
			o.keepTTL = true
		case "PERSIST":
		case "EX", "PX", "EXAT", "PXAT", "IFEQ":
			i++
			o.take(name, args, i)
		default:
			o.bad = true
		}
	}
	return o
}

// take reads the argument of an option.
func (o *options) take(name string, args []*value, i int) {
	if i >= len(args) {
		o.bad = true
		return
	}
	if name == "IFEQ" {
		o.ifeq = args[i]
		return
	}
	o.ttl, o.unit = args[i], expireUnit(name)
}

func (r *run) writeCommand(c command) *value {
	switch c.name {
	case "MSET", "MSETNX":
		return r.setAll(c)
	}
	if len(c.args) < 2 || strings.HasSuffix(c.name, "SETEX") && len(c.args) < 3 {
		r.fail()
		return nilValue
	}
	st := r.key(c.args[0])
	switch c.name {
	case "SETNX":
		return count01(r.setIfAbsent(c.site, st, c.args[1], options{nx: true}))
	case "SETEX", "PSETEX":
		r.overwrite(c.site, st, c.args[2], options{ttl: c.args[1], unit: expireUnit(c.name)})
		return statusValue("ok", "OK")
	case "GETSET":
		old := r.get(c.site, st)
		r.overwrite(c.site, st, c.args[1], options{})
		return old
	}
	return r.set(c, st)
}

// set is SET with its options.
func (r *run) set(c command, st *keyState) *value {
	o := parseOptions(c.args[2:])
	if o.bad {
		r.rd.unknown = true
		r.add(event{family: fOther, site: c.site, key: st.val})
		st.change()
		st.known, st.own = false, false
		return r.unknown(r.fresh("set"), tAny)
	}
	var old *value
	if o.get {
		old = r.get(c.site, st)
	}
	done := r.setWith(c, st, o)
	switch {
	case o.get:
		return old
	case done:
		return statusValue("ok", "OK")
	}
	return missingValue
}

// setWith stores the value if the options allow, and reports whether they did.
func (r *run) setWith(c command, st *keyState, o options) bool {
	switch {
	case o.nx:
		return r.setIfAbsent(c.site, st, c.args[1], o)
	case o.ifeq != nil && (!r.exists(st) || !r.equal(r.get(c.site, st), o.ifeq)):
		return false
	case o.xx && !r.exists(st):
		return false
	}
	r.overwrite(c.site, st, c.args[1], o)
	return true
}

// setIfAbsent stores a value if the key is not there.
func (r *run) setIfAbsent(site string, st *keyState, v *value, o options) bool {
	e := event{family: fWrite, site: site, key: st.val, value: v, ttl: o.ttl, unit: o.unit, nx: true}
	if r.exists(st) {
		e.guard, e.present = guard{kind: gTaken}, true
		r.add(e)
		return false
	}
	e.guard, e.done = r.guardOf(st), true
	st.put(v)
	st.own, st.last = true, r.add(e)
	return true
}

// overwrite stores a value whatever is there. A TTL that is over at once makes a delete of it.
func (r *run) overwrite(site string, st *keyState, v *value, o options) {
	if o.ttl != nil && isOver(o.ttl, o.unit) {
		r.deleteKey(site, st)
		return
	}
	g := r.guardOf(st)
	if g.kind == gOwn {
		st.stored = v
		if st.last != nil && !o.keepTTL {
			st.last.ttl, st.last.unit = o.ttl, o.unit // a plain SET drops the TTL
		}
		return
	}
	e := r.add(event{
		family: fWrite, site: site, key: st.val, value: v, ttl: o.ttl, unit: o.unit, xx: o.xx,
		guard: g, present: st.known && st.there, done: true,
	})
	st.put(v)
	if g.kind != gOwner && g.kind != gConstant && g.kind != gKeyName {
		st.own, st.last = true, e
	}
}

// setAll is MSET and MSETNX.
func (r *run) setAll(c command) *value {
	if len(c.args) < 2 {
		r.fail()
		return nilValue
	}
	if len(c.args)%2 != 0 || len(c.args) > 2*maxEager {
		r.forgetAll()
		return r.unknown(r.fresh(c.name), tAny)
	}
	if c.name == "MSET" {
		for i := 0; i < len(c.args); i += 2 {
			r.overwrite(c.site, r.key(c.args[i]), c.args[i+1], options{})
		}
		return statusValue("ok", "OK")
	}
	return count01(r.setAllIfAbsent(c))
}

// setAllIfAbsent stores all values if none of the keys is there.
func (r *run) setAllIfAbsent(c command) bool {
	free := true
	for i := 0; i < len(c.args); i += 2 {
		free = !r.exists(r.key(c.args[i])) && free
	}
	for i := 0; i < len(c.args); i += 2 {
		st := r.key(c.args[i])
		if free {
			r.setIfAbsent(c.site, st, c.args[i+1], options{nx: true})
			continue
		}
		r.add(event{family: fWrite, site: c.site, key: st.val, value: c.args[i+1], nx: true, guard: guard{kind: gTaken}})
	}
	return free
}
