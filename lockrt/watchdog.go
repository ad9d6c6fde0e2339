package lockrt

import (
	"container/heap"
	"context"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/lockrt/internal/protocol"
)

// renewBatch is how many renewals share a pipeline: enough to save the round trips, few enough that other commands get
// their turn.
const renewBatch = 100

// watchdog renews the leases of a Locker, all in one goroutine that lives while something is due. It never waits for a
// lease's end: that is the business of the lease's own timer, so a Redis that hangs cannot keep a context alive.
type watchdog struct {
	l *Locker

	mu      sync.Mutex
	due     renewals
	timer   *time.Timer
	at      time.Time // when the timer fires, if armed
	armed   bool
	running bool
	stopped bool
}

// renewal is a lease's place in the watchdog's heap.
type renewal struct {
	at    time.Time
	index int // 0 when not in the heap, else place + 1
	fails int // in a row
}

// add plans the first renewal.
func (d *watchdog) add(le *Lease) { d.plan(le, d.l.timing.renewIn()) }

func (d *watchdog) plan(le *Lease, in time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopped || le.task.index != 0 {
		return
	}
	le.task.at = time.Now().Add(in)
	heap.Push(&d.due, le)
	d.arm()
}

// remove ends the renewing of a lease. A renewal that is under way does no harm: its script finds another owner value.
func (d *watchdog) remove(le *Lease) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if le.task.index != 0 {
		heap.Remove(&d.due, le.task.index-1)
	}
}

// stop ends all renewing.
func (d *watchdog) stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stopped = true
	for len(d.due) > 0 {
		d.due.Pop()
	}
	if d.timer != nil {
		d.timer.Stop()
	}
}

// arm sets the timer for the first renewal; it needs mu. A timer that fires too early costs nothing, so releases leave it.
func (d *watchdog) arm() {
	if d.running || d.stopped || len(d.due) == 0 {
		return
	}
	first := d.due[0].task.at
	if d.armed && !first.Before(d.at) {
		return
	}
	d.at, d.armed = first, true
	in := max2(time.Until(first), 0)
	if d.timer == nil {
		d.timer = time.AfterFunc(in, d.run)
		return
	}
	d.timer.Reset(in)
}

// run renews what is due, again and again while something is.
func (d *watchdog) run() {
	for batch := d.start(); len(batch) > 0; batch = d.next() {
		d.renew(batch)
	}
}

// start is next for a run that the timer began; there is only one at a time.
func (d *watchdog) start() []*Lease {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.armed = false
	if d.running {
		return nil
	}
	d.running = true
	return d.take()
}

func (d *watchdog) next() []*Lease {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.take()
}

// take returns the next batch, or ends the run; it needs mu.
func (d *watchdog) take() []*Lease {
	horizon := time.Now()
	var batch []*Lease
	for len(d.due) > 0 && len(batch) < renewBatch && !d.due[0].task.at.After(horizon) {
		// What is nearly due comes along, but does not start a batch.
		horizon = time.Now().Add(d.l.timing.renewSlack())
		if le, ok := heap.Pop(&d.due).(*Lease); ok {
			batch = append(batch, le)
		}
	}
	if len(batch) == 0 {
		d.running = false
		d.arm()
	}
	return batch
}

// renew sends a batch. Each lease of it is planned again, or lost.
func (d *watchdog) renew(batch []*Lease) {
	l := d.l
	ctx, cancel := context.WithTimeout(context.Background(), l.timing.attempt)
	defer cancel()
	sent := readClocks()
	pipe := l.conn.Pipeline()
	replies := make([]*redis.Cmd, len(batch))
	for i, le := range batch {
		replies[i] = l.scripts.QueueRenew(ctx, pipe, le.keys.Lock, le.owner, l.leaseArg())
	}
	_, _ = pipe.Exec(ctx) // every reply has its own error
	for i, le := range batch {
		d.settle(le, sent, replies[i])
	}
}

// settle draws the conclusion from one reply.
func (d *watchdog) settle(le *Lease, sent instant, reply *redis.Cmd) {
	answer, err := protocol.RenewAnswer(reply)
	switch {
	case answer == protocol.Done:
		if le.renewed(sent) {
			d.l.obs.emit(Event{Kind: EventRenewLag, Prefix: le.key.prefix, Duration: max2(time.Since(le.task.at), 0)})
			le.task.fails = 0
			d.again(le, d.l.timing.renewIn())
		}
	case answer == protocol.Taken, isWrongType(err):
		d.mismatch(le, LostToOwner, err)
	case answer == protocol.Gone:
		d.mismatch(le, LostKey, nil)
	default:
		d.failed(le, err)
	}
}

// mismatch is a reply that is final: the key is not ours. If the lease is being released just now, that is why.
func (d *watchdog) mismatch(le *Lease, reason LossReason, err error) {
	if !le.active() {
		return
	}
	d.l.obs.emit(Event{Kind: EventOwnerMismatch, Prefix: le.key.prefix, Label: "renew", Err: err})
	le.lose(reason, err)
}

// failed is a renewal of which nothing is known. It is tried until the lease's own time is over.
func (d *watchdog) failed(le *Lease, err error) {
	if !le.renewFailed(err) {
		return
	}
	d.l.obs.emit(Event{Kind: EventRenewFailure, Prefix: le.key.prefix, Label: "passing", Err: err})
	le.task.fails++
	d.again(le, d.l.timing.retryIn(le.task.fails-1))
}

// again plans the next renewal of a lease that was held a moment ago. One that was released in between must not stay.
func (d *watchdog) again(le *Lease, in time.Duration) {
	d.plan(le, in)
	if !le.renewable() {
		d.remove(le)
	}
}

func isWrongType(err error) bool { return err != nil && strings.Contains(err.Error(), "WRONGTYPE") }

// renewals is a heap by time.
type renewals []*Lease

func (r renewals) Len() int           { return len(r) }
func (r renewals) Less(i, j int) bool { return r[i].task.at.Before(r[j].task.at) }
func (r renewals) Swap(i, j int) {
	r[i], r[j] = r[j], r[i]
	r[i].task.index, r[j].task.index = i+1, j+1
}

// Push implements heap.Interface.
func (r *renewals) Push(x any) {
	le, ok := x.(*Lease)
	if !ok {
		return
	}
	*r = append(*r, le)
	le.task.index = len(*r)
}

// Pop implements heap.Interface.
func (r *renewals) Pop() any {
	old := *r
	le := old[len(old)-1]
	old[len(old)-1] = nil
	*r = old[:len(old)-1]
	le.task.index = 0
	return le
}
