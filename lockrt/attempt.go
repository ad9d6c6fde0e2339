package lockrt

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/leasevet/leasevet/lockrt/internal/protocol"
)

// errAbandoned says that the caller's context ended while the server was being asked.
var errAbandoned = errors.New("no answer yet when the context ended")

// granted is a lock that was acquired.
type granted struct {
	fence int64
	sent  instant // before the command was sent
}

// try asks once for the lock. It returns when there is an answer, or none within the given time, or ctx ends. If the
// server may have taken the lock for a call that gets an error, it is given back in the background.
func (l *Locker) try(
	ctx context.Context, key Key, r protocol.AcquireRequest, within time.Duration,
) (protocol.AcquireReply, granted, error) {
	bounded, done := l.conn.interrupts.bound(ctx, within)
	defer done()
	out := l.ask(bounded, r)
	switch {
	case out.err == nil && out.reply.Answer == protocol.Done && ctx.Err() != nil:
		out.unsure, out.err = true, errAbandoned
	case out.err != nil && ctx.Err() != nil && isOutage(out.err):
		out.err = errAbandoned
	}
	if out.unsure {
		l.giveBack(ctx, key, r, out.err)
	}
	return out.reply, granted{fence: out.reply.Fence, sent: out.sent}, out.err
}

// giveBack releases what the server may have taken for a call that fails. Usually it cannot be asked just now, so that is
// left to the background; but a lock that too few replicas confirmed is known to be there.
func (l *Locker) giveBack(ctx context.Context, key Key, r protocol.AcquireRequest, err error) {
	if errors.As(err, new(notReplicated)) {
		ctx, done := l.conn.interrupts.bound(l.detach(ctx), l.timing.attempt)
		defer done()
		if _, woken, err := l.sendLeave(ctx, r.Keys, r.Owner); err == nil {
			l.handOver(key, woken)
			return
		}
	}
	l.sweep.giveBack(key, r.Keys, r.Owner)
}

// outcome is what came of asking.
type outcome struct {
	reply protocol.AcquireReply
	sent  instant
	err   error
	// unsure is set when the server may have taken the lock for us although nobody will use it.
	unsure bool
}

// ask sends the request, again if the network fails quickly: a connection that broke while it was idle must not look like
// an outage. The server knows a repeated request by its owner value.
func (l *Locker) ask(ctx context.Context, r protocol.AcquireRequest) outcome {
	var out outcome
	for n := 0; ; n++ {
		out.sent = readClocks()
		out.reply, out.err = l.send(ctx, r)
		if out.err == nil {
			return l.judge(out)
		}
		out.unsure = out.unsure || maybeDone(out.err)
		if n == len(quickRetries) || !worthAnother(out.err) || !sleep(ctx, quickRetries[n]) {
			return out
		}
	}
}

// worthAnother reports whether the same request may succeed in a moment. Replicas have had their time, and whoever
// refuses a connection now will do so in 50 ms.
func worthAnother(err error) bool {
	return isOutage(err) && !errors.As(err, new(notReplicated)) && !dialFailed(err)
}

var quickRetries = [...]time.Duration{10 * time.Millisecond, 50 * time.Millisecond}

// judge refuses a lock whose lease is over, or nearly, when the answer comes.
func (l *Locker) judge(out outcome) outcome {
	out.unsure = false
	if out.reply.Answer != protocol.Done {
		return out
	}
	if took := out.sent.until(readClocks()); took >= l.timing.live {
		out.err = fmt.Errorf("the answer took %v, the lease is %v", took, l.timing.lease)
		out.unsure = true
	}
	return out
}

// send runs the script, and waits for replicas if it must.
func (l *Locker) send(ctx context.Context, r protocol.AcquireRequest) (protocol.AcquireReply, error) {
	if l.cfg.replicas == 0 {
		return l.scripts.TryAcquire(ctx, l.conn, r)
	}
	reply, acked, err := l.scripts.TryAcquireAcked(ctx, l.conn.Pipeline(), r, l.cfg.replicas, l.cfg.ackWait)
	if err == nil && reply.Answer == protocol.Done && acked < int64(l.cfg.replicas) {
		err = notReplicated{want: l.cfg.replicas, got: acked}
	}
	return reply, err
}

// notReplicated says that too few replicas confirmed the lock.
type notReplicated struct {
	want int
	got  int64
}

func (e notReplicated) Error() string {
	return fmt.Sprintf("%d of %d replicas confirmed it in time", e.got, e.want)
}

// maybeDone reports whether a command that ended with this error may have been carried out. It was not if Redis refused
// it, or if there was no connection to send it on.
func maybeDone(err error) bool {
	return errors.As(err, new(notReplicated)) || !dialFailed(err) && !refused(err)
}

func dialFailed(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// sleep waits for d, and reports whether ctx was still alive then. It does not begin a wait that ctx would not survive.
func sleep(ctx context.Context, d time.Duration) bool {
	if end, ok := ctx.Deadline(); ok && time.Until(end) < d {
		return false
	}
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
