package lua

import (
	"strings"

	"github.com/leasevet/leasevet/passes/clientmodel"
)

// family says which commands are judged together.
type family uint8

const (
	fWrite  family = iota // stores a value
	fDelete               // removes the key
	fExpire               // sets the TTL
	fRead                 // reads the value
	fOther                // anything else
)

// event is one command on one key, on one path.
type event struct {
	family family
	site   string
	key    *value
	// value is what is stored.
	value, ttl *value
	unit       clientmodel.Unit
	guard      guard
	// nx and xx are the conditions of the command itself, hash says that only a field of a hash is written.
	nx, xx, hash bool
	// record is true for a hash of constant fields that was not asked for any of them.
	record bool
	// present is true where the path knows that the key is there.
	present bool
	// done is true where the command had its effect.
	done bool
	// broken is true where Redis has stopped the path before, because of a global variable.
	broken bool
}

// command is one call of redis.call.
type command struct {
	name string
	site string
	args []*value
}

// command executes a Redis command, and gives its reply.
func (r *run) command(site string, args []*value) *value {
	name, ok := at(args, 0).text()
	if !ok {
		r.forgetAll()
		return r.unknown(r.fresh("reply"), tAny, args...)
	}
	c := command{strings.ToUpper(name), site, args[1:]}
	for _, a := range c.args {
		if a.kind == kNil || a.kind == kBool || a.kind == kTable {
			r.fail() // Redis takes strings and numbers only
			return nilValue
		}
	}
	if len(r.events) > maxEvents {
		r.giveUp()
		return nilValue
	}
	return r.dispatch(c)
}

// add records an event.
func (r *run) add(e event) *event {
	e.broken = r.broken
	r.events = append(r.events, &e)
	return &e
}

func (r *run) dispatch(c command) *value {
	switch c.name {
	case "GET", "GETRANGE", "SUBSTR", "GETEX", "GETDEL", "MGET", "EXISTS", "TYPE",
		"TTL", "PTTL", "EXPIRETIME", "PEXPIRETIME":
		return r.readCommand(c)
	case "SET", "SETNX", "SETEX", "PSETEX", "GETSET", "MSET", "MSETNX":
		return r.writeCommand(c)
	case "DEL", "UNLINK":
		return r.deleteAll(c)
	case "DELEX":
		return r.deleteIf(c)
	case "EXPIRE", "PEXPIRE", "EXPIREAT", "PEXPIREAT":
		return r.expire(c)
	case "HGET", "HEXISTS", "HMGET", "HSET", "HMSET", "HSETNX", "HINCRBY", "HINCRBYFLOAT", "HDEL":
		return r.hashCommand(c)
	case "TIME", "PUBLISH", "SPUBLISH", "PING", "ECHO", "LOLWUT", "SELECT", "DBSIZE", "KEYS", "SCAN", "CONFIG", "INFO":
		return r.unknown(r.fresh(c.name), tAny)
	case "EVAL", "EVALSHA", "FCALL", "RENAME", "RENAMENX", "COPY", "MOVE", "RESTORE", "FLUSHDB", "FLUSHALL", "SORT":
		r.forgetAll()
		return r.unknown(r.fresh(c.name), tAny)
	}
	return r.otherCommand(c)
}

// firstKey is the key of a command. A command without one is refused by Redis.
func (r *run) firstKey(c command) (*keyState, bool) {
	if len(c.args) == 0 {
		r.fail()
		return nil, false
	}
	return r.key(c.args[0]), true
}

// counting are the commands that make a key a counter, a queue or a set.
var counting = []string{
	"INCR", "INCRBY", "INCRBYFLOAT", "DECR", "DECRBY", "ZADD", "ZINCRBY", "ZREM", "ZREMRANGEBYSCORE", "ZREMRANGEBYRANK",
	"ZPOPMIN", "ZPOPMAX", "SADD", "SREM", "SPOP", "SMOVE", "LPUSH", "RPUSH", "LPUSHX", "RPUSHX", "LPOP", "RPOP", "LREM",
	"LTRIM", "LSET", "LINSERT", "RPOPLPUSH", "LMOVE", "SETRANGE", "SETBIT", "BITFIELD", "APPEND", "PFADD", "XADD",
}

// otherCommand records a command that the model has no word for. Its key is its first argument, in nearly all.
func (r *run) otherCommand(c command) *value {
	st, ok := r.firstKey(c)
	if !ok {
		return nilValue
	}
	if c.name == "PERSIST" && st.own && st.last != nil {
		st.last.ttl = nil
	}
	typ := tAny
	if contains(counting, c.name) {
		r.rd.count(st.id)
		if strings.HasPrefix(c.name, "INCR") || strings.HasPrefix(c.name, "DECR") || strings.HasPrefix(c.name, "ZREM") {
			typ = tNumber
		}
		st.change()
		st.known = false
	}
	r.add(event{family: fOther, site: c.site, key: st.val})
	v := r.unknown(r.fresh(c.name), typ)
	v.src, v.positive = []string{"v:" + st.id}, c.name == "INCR"
	return v
}

// count remembers that a key is a counter.
func (rd *reader) count(id string) {
	if !contains(rd.counted, id) {
		rd.counted = append(rd.counted, id)
	}
}

func (r *run) readCommand(c command) *value {
	st, ok := r.firstKey(c)
	if !ok {
		return nilValue
	}
	switch c.name {
	case "EXISTS":
		return r.existsAll(c)
	case "MGET":
		return r.getAll(c)
	case "TTL", "PTTL", "EXPIRETIME", "PEXPIRETIME":
		return r.ttl(c, st)
	case "TYPE":
		return r.derived(c, st, tTable)
	case "GETRANGE", "SUBSTR":
		if !r.exists(st) {
			return strValue("")
		}
		return r.derived(c, st, tString)
	}
	v := r.get(c.site, st)
	switch c.name {
	case "GETDEL":
		r.deleteKey(c.site, st)
	case "GETEX":
		r.getAndExpire(c, st)
	}
	return v
}

// get reads the value of a key. The path splits on whether the key is there.
func (r *run) get(site string, st *keyState) *value {
	r.add(event{family: fRead, site: site, key: st.val})
	if st.stored != nil {
		return st.stored
	}
	if !r.exists(st) {
		return missingValue
	}
	return readValue(st, "", r.versionOf(st))
}

// readValue is what was read from a key, or a field of a hash.
func readValue(st *keyState, field, version string) *value {
	return &value{
		kind: kRead, typ: tString, key: st.id, id: "get(" + st.id + field + ")" + version, src: []string{"v:" + st.id},
	}
}

// derived is a reply that depends on a key's value in a way that is not followed.
func (r *run) derived(c command, st *keyState, typ luaType) *value {
	r.add(event{family: fRead, site: c.site, key: st.val})
	v := r.unknown(c.name+"("+ids(c.args)+")"+r.versionOf(st), typ)
	v.src = []string{"v:" + st.id}
	return v
}

// maxEager is the number of keys of one command up to which the path splits on each.
const maxEager = 4

func (r *run) existsAll(c command) *value {
	if len(c.args) > maxEager {
		return r.unknown(r.fresh("exists"), tNumber, c.args...)
	}
	n := 0.0
	for _, k := range c.args {
		st := r.key(k)
		r.add(event{family: fRead, site: c.site, key: k})
		if r.exists(st) {
			n++
		}
	}
	return r.each(c, n)
}

// each is a number of keys. If one of the arguments stands for all of KEYS, it is not known.
func (r *run) each(c command, n float64) *value {
	for _, a := range c.args {
		if a.many && n > 0 {
			return r.unknown(r.fresh("number"), tNumber)
		}
	}
	v := numValue(n)
	v.reply = true
	return v
}

func (r *run) getAll(c command) *value {
	t := &table{}
	if len(c.args) > maxEager {
		for _, k := range c.args {
			t.push(r.derived(c, r.key(k), tAny))
		}
		return tableValue(t)
	}
	for _, k := range c.args {
		t.push(r.get(c.site, r.key(k)))
		t.open = t.open || k.many
	}
	return tableValue(t)
}

// ttl is the time to live: -2 if there is no key.
func (r *run) ttl(c command, st *keyState) *value {
	r.add(event{family: fRead, site: c.site, key: st.val})
	if !r.exists(st) {
		return numValue(-2)
	}
	v := r.unknown(c.name+"("+st.id+")"+r.versionOf(st), tNumber)
	v.src = []string{"t:" + st.id}
	return v
}

// getAndExpire is GETEX. Without options it only reads.
func (r *run) getAndExpire(c command, st *keyState) {
	o := parseOptions(c.args[1:])
	if o.bad {
		r.rd.unknown = true
		return
	}
	if o.ttl != nil {
		r.prolong(c.site, st, o.ttl, o.unit)
	}
}

// count01 is 1 for yes and 0 for no, as Redis counts.
func count01(b bool) *value {
	v := numValue(0)
	if b {
		v = numValue(1)
	}
	v.reply = true
	return v
}

// deleteAll is DEL and UNLINK.
func (r *run) deleteAll(c command) *value {
	if _, ok := r.firstKey(c); !ok {
		return nilValue
	}
	n := 0.0
	for i, k := range c.args {
		if i >= maxEager {
			r.rd.unknown = true
			return r.unknown(r.fresh("deleted"), tNumber)
		}
		if r.deleteKey(c.site, r.key(k)) {
			n++
		}
	}
	return r.each(c, n)
}

// deleteKey removes a key, and reports whether it was there.
func (r *run) deleteKey(site string, st *keyState) bool {
	there := r.exists(st)
	r.add(event{family: fDelete, site: site, key: st.val, guard: r.guardOf(st), done: there, present: there})
	if there {
		st.remove()
	}
	return there
}

// deleteIf is DELEX of Redis 8.4.
func (r *run) deleteIf(c command) *value {
	st, ok := r.firstKey(c)
	if !ok {
		return nilValue
	}
	if len(c.args) == 1 {
		return count01(r.deleteKey(c.site, st))
	}
	mode, _ := at(c.args, 1).text()
	if len(c.args) != 3 || strings.ToUpper(mode) != "IFEQ" {
		r.add(event{family: fDelete, site: c.site, key: st.val, guard: guard{kind: gUnknown}})
		st.change()
		st.known, st.own = false, false
		return r.unknown(r.fresh("deleted"), tNumber)
	}
	if !r.exists(st) || !r.equal(r.get(c.site, st), c.args[2]) {
		return numValue(0)
	}
	return count01(r.deleteKey(c.site, st))
}

// expireUnit is the unit of a command, or an option, that sets a TTL.
func expireUnit(name string) clientmodel.Unit {
	switch name {
	case "EXPIRE", "SETEX", "EX":
		return clientmodel.Seconds
	case "PEXPIRE", "PSETEX", "PX":
		return clientmodel.Millis
	case "EXPIREAT", "EXAT":
		return clientmodel.UnixSeconds
	case "PEXPIREAT", "PXAT":
		return clientmodel.UnixMillis
	}
	return clientmodel.NoUnit
}

func (r *run) expire(c command) *value {
	if len(c.args) < 2 {
		r.fail()
		return nilValue
	}
	st := r.key(c.args[0])
	done := r.prolong(c.site, st, c.args[1], expireUnit(c.name))
	if len(c.args) > 2 {
		return r.unknown(r.fresh("expire"), tNumber) // NX, XX, GT, LT
	}
	return count01(done)
}

// prolong sets the TTL of a key, and reports whether the key is there. A TTL that is over at once deletes. After a
// write by the same path it belongs to that write.
func (r *run) prolong(site string, st *keyState, ttl *value, unit clientmodel.Unit) bool {
	if isOver(ttl, unit) {
		return r.deleteKey(site, st)
	}
	there := r.exists(st)
	if st.own && st.last != nil {
		st.last.ttl, st.last.unit = ttl, unit
		return there
	}
	r.add(event{
		family: fExpire, site: site, key: st.val, ttl: ttl, unit: unit, guard: r.guardOf(st), done: there, present: there,
	})
	return there
}

// isOver recognises a constant TTL that makes the key vanish at once.
func isOver(ttl *value, unit clientmodel.Unit) bool {
	n, ok := ttl.asNumber()
	if !ok {
		return false
	}
	switch unit {
	case clientmodel.Millis:
		return n <= 1
	case clientmodel.Seconds:
		return n <= 0
	}
	return n <= 1e6
}
