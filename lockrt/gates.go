package lockrt

import (
	"sync"
	"time"

	"github.com/leasevet/leasevet/lockrt/internal/protocol"
)

// gates order the flows of this Locker that wait, first come first served for each key. Only the first one, the head, talks
// to Redis; so what waiting costs there does not depend on how many wait here.
type gates struct {
	mu    sync.Mutex
	byKey map[string]*gate
}

// gate is the line in front of one lock. It is there while somebody stands in it.
type gate struct {
	line []*waiter
	// queued is true when the server's queue may have this Locker.
	queued bool
	// last is what the head last learned of the holder.
	last protocol.AcquireReply
	// outage is the error since which, at down, Redis cannot be asked; nil when it can.
	outage error
	down   time.Time
}

// waiter is one flow in a line.
type waiter struct {
	key    string
	gate   *gate
	signal chan struct{} // has room for one: look at your gate
	due    bool          // the head is to ask Redis now
	cause  string        // why, for the event
}

func (w *waiter) poke() {
	select {
	case w.signal <- struct{}{}:
	default:
	}
}

// standing returns what is known of the holder if flows of this Locker wait for it. When it is not known, because they have
// no answer yet or Redis is away, a newcomer has to ask for itself: it must not be told that somebody holds the lock.
func (g *gates) standing(key string) (protocol.AcquireReply, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	gt, ok := g.byKey[key]
	if !ok || gt.outage != nil || gt.last.Answer == protocol.Unknown {
		return protocol.AcquireReply{}, false
	}
	return gt.last, true
}

// join puts a flow at the end of the line. If that is the front too, it is to ask at once.
func (g *gates) join(key string) *waiter {
	g.mu.Lock()
	defer g.mu.Unlock()
	gt, ok := g.byKey[key]
	if !ok {
		gt = &gate{}
		g.byKey[key] = gt
	}
	w := &waiter{key: key, gate: gt, signal: make(chan struct{}, 1), due: len(gt.line) == 0}
	gt.line = append(gt.line, w)
	return w
}

// leave takes a flow out of the line. Whoever comes to the front asks at once, unless the one before has just queued this
// Locker behind itself (settled). It reports whether nobody stands here any more while the server may still think so.
func (g *gates) leave(w *waiter, settled bool) (abandonedQueue bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	gt := w.gate
	head := gt.line[0] == w
	gt.remove(w)
	if len(gt.line) == 0 {
		delete(g.byKey, w.key)
		return gt.queued
	}
	if head {
		next := gt.line[0]
		next.due = !(settled && gt.queued)
		next.poke()
	}
	return false
}

func (gt *gate) remove(w *waiter) {
	if gt.line[0] == w {
		gt.line[0] = nil
		gt.line = gt.line[1:]
		return
	}
	for i, x := range gt.line {
		if x == w {
			gt.line = append(gt.line[:i], gt.line[i+1:]...)
			return
		}
	}
}

// turn is what a flow finds when it looks at its line.
type turn struct {
	head   bool
	due    bool   // it is to ask Redis now
	cause  string // why, or ""
	more   bool   // others stand behind it
	queued bool   // the server's queue may have this Locker
}

// look returns a flow's turn. That it is due is said once.
func (g *gates) look(w *waiter) turn {
	g.mu.Lock()
	defer g.mu.Unlock()
	gt := w.gate
	if gt.line[0] != w {
		return turn{}
	}
	t := turn{head: true, due: w.due, cause: w.cause, more: len(gt.line) > 1, queued: gt.queued}
	w.due, w.cause = false, ""
	return t
}

// asking notes that the head is about to ask to be queued. Whether it was is not known if there is no answer.
func (g *gates) asking(w *waiter, r protocol.AcquireRequest) {
	g.mu.Lock()
	defer g.mu.Unlock()
	w.gate.queued = w.gate.queued || r.Queue
}

// note keeps what an answer of the server says about this Locker's place.
func (g *gates) note(w *waiter, r protocol.AcquireRequest, reply protocol.AcquireReply) {
	g.mu.Lock()
	defer g.mu.Unlock()
	gt := w.gate
	gt.outage = nil
	gt.last = reply
	if reply.Answer == protocol.Done {
		gt.queued = r.More
	}
}

// noteOutage tells everybody in the line that Redis cannot be asked; each has its own patience.
func (g *gates) noteOutage(w *waiter, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	gt := w.gate
	if gt.outage == nil {
		gt.down = time.Now()
	}
	gt.outage = err
	for _, x := range gt.line {
		x.poke()
	}
}

// outage returns since when Redis cannot be asked, as far as the line knows.
func (g *gates) outage(w *waiter) (error, time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return w.gate.outage, w.gate.down
}

// wake makes the head of a line ask now. It reports whether there is one.
func (g *gates) wake(key, cause string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	gt, ok := g.byKey[key]
	if !ok {
		return false
	}
	gt.wakeHead(cause)
	return true
}

// wakeAll makes the heads of all lines ask now: messages may have been missed.
func (g *gates) wakeAll(cause string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, gt := range g.byKey {
		gt.wakeHead(cause)
	}
}

func (gt *gate) wakeHead(cause string) {
	head := gt.line[0]
	head.due, head.cause = true, cause
	head.poke()
}
