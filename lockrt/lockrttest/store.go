package lockrttest

import (
	"sort"
	"time"
)

// store is the data: strings, and queues, which are sorted sets. It forgets what has expired when it is asked for it.
type store struct {
	strings map[string]value
	queues  map[string]queue
}

type value struct {
	text    string
	expires time.Time // zero for never
}

type queue struct {
	since   map[string]int64 // member → score
	expires time.Time
}

func newStore() store { return store{strings: map[string]value{}, queues: map[string]queue{}} }

func (d store) get(key string) (string, bool) {
	v, ok := d.strings[key]
	if ok && over(v.expires) {
		delete(d.strings, key)
		ok = false
	}
	return v.text, ok
}

// set sets a key; a ttl of 0 or less is none.
func (d store) set(key, text string, ttl time.Duration) {
	v := value{text: text}
	if ttl > 0 {
		v.expires = time.Now().Add(ttl)
	}
	d.strings[key] = v
}

func (d store) del(key string) bool {
	_, ok := d.get(key)
	delete(d.strings, key)
	return ok
}

// pttl answers as PTTL does: ms, -1 for a key that never expires, -2 for none.
func (d store) pttl(key string) int64 {
	if _, ok := d.get(key); !ok {
		return -2
	}
	v := d.strings[key]
	if v.expires.IsZero() {
		return -1
	}
	return time.Until(v.expires).Milliseconds()
}

func (d store) expire(key string, ttl time.Duration) {
	if v, ok := d.strings[key]; ok {
		v.expires = time.Now().Add(ttl)
		d.strings[key] = v
	}
}

// enqueue keeps the place of a member that is there already.
func (d store) enqueue(key, member string, score int64, kept time.Duration) {
	q := d.queue(key)
	if _, ok := q.since[member]; !ok {
		q.since[member] = score
	}
	q.expires = time.Now().Add(kept)
	d.queues[key] = q
}

func (d store) dequeue(key, member string) {
	q := d.queue(key)
	delete(q.since, member)
	d.trim(key, q)
}

// first takes the first member out, "" if there is none.
func (d store) first(key string) string {
	q := d.queue(key)
	members := make([]string, 0, len(q.since))
	for m := range q.since {
		members = append(members, m)
	}
	sort.Slice(members, func(i, j int) bool {
		a, b := members[i], members[j]
		return q.since[a] < q.since[b] || q.since[a] == q.since[b] && a < b
	})
	if len(members) == 0 {
		return ""
	}
	delete(q.since, members[0])
	d.trim(key, q)
	return members[0]
}

func (d store) queue(key string) queue {
	q, ok := d.queues[key]
	if !ok || over(q.expires) {
		return queue{since: map[string]int64{}}
	}
	return q
}

// trim deletes a queue that is empty, as Redis does.
func (d store) trim(key string, q queue) {
	if len(q.since) == 0 {
		delete(d.queues, key)
	}
}

func (d store) keys() []string {
	var keys []string
	for k := range d.strings {
		if _, ok := d.get(k); ok {
			keys = append(keys, k)
		}
	}
	for k := range d.queues {
		if len(d.queue(k).since) > 0 {
			keys = append(keys, k)
		}
	}
	sort.Strings(keys)
	return keys
}

func over(expires time.Time) bool { return !expires.IsZero() && !time.Now().Before(expires) }
