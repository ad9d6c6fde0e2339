package lockrt

import (
	"context"
	"errors"
	"time"

	"github.com/leasevet/leasevet/lockrt/internal/protocol"
)

// wait stands in line for a lock. The head of the line asks Redis when it is woken, and by itself at times that its last
// answer suggests; the others sleep until they are the head.
func (a *acquisition) wait() (*Lease, error) {
	l := a.l
	l.obs.count(EventWaiting, a.key.prefix, 1)
	defer l.obs.count(EventWaiting, a.key.prefix, -1)

	ctx, cancel := a.waitContext()
	defer cancel()
	s := &stander{acquisition: a, ctx: ctx, w: l.gates.join(a.key.name), timer: newStoppedTimer()}
	defer s.timer.Stop()
	le, err := s.stand()
	if l.gates.leave(s.w, le != nil) {
		l.sweep.leaveQueue(a.key, a.keys)
	}
	return le, err
}

// waitContext ends when the caller's does, or when its wait is over.
func (a *acquisition) waitContext() (context.Context, context.CancelFunc) {
	if a.call.forContext {
		return context.WithCancel(a.ctx)
	}
	return context.WithDeadline(a.ctx, a.start.Add(a.call.wait))
}

// stander is an acquisition that stands in line.
type stander struct {
	*acquisition
	ctx   context.Context // of the wait
	w     *waiter
	timer *time.Timer

	polls  int // looks without being woken by anybody, behind a holder that wakes nobody
	fails  int // outages in a row
	asleep string
}

func (s *stander) stand() (*Lease, error) {
	for {
		if err := s.over(); err != nil {
			return nil, err
		}
		t := s.l.gates.look(s.w)
		if t.head && t.due {
			s.wokenBy(t.cause)
			le, err := s.askAsHead(t)
			if le != nil || err != nil {
				return le, err
			}
			continue
		}
		s.sleep(t.head)
	}
}

// over returns the error with which the call ends now, if it does.
func (s *stander) over() error {
	select {
	case <-s.l.users.closing:
		return ErrClosed
	default:
	}
	down, since := s.l.gates.outage(s.w)
	if s.ctx.Err() != nil {
		return s.ended(down)
	}
	if down != nil && (s.call.onOutage == Proceed || time.Since(since) >= s.l.timing.patience) {
		return down
	}
	return nil
}

// ended is the error of a wait that is over. If Redis could not be asked lately, that is what it says.
func (s *stander) ended(down error) error {
	cause := contextErr(s.acquisition.ctx)
	if last, known := s.l.gates.standing(s.key.name); known {
		// The head of the line has had an answer since this flow's own look failed.
		s.taken(last)
	} else if down == nil {
		down = s.acquisition.outage
	}
	if down != nil {
		if cause == nil {
			return down
		}
		return errors.Join(down, cause)
	}
	if cause == nil {
		s.l.obs.emit(Event{Kind: EventAcquireTimeout, Prefix: s.key.prefix, Duration: s.call.wait})
	}
	return s.notAcquired(cause)
}

// askAsHead asks Redis for everybody in the line. It returns neither lease nor error if the line goes on waiting.
func (s *stander) askAsHead(t turn) (*Lease, error) {
	r := protocol.AcquireRequest{Queue: s.l.ears.listening(s.ctx), More: t.more, Queued: t.queued}
	s.l.gates.asking(s.w, r)
	le, err := s.ask(s.ctx, r)
	switch {
	case s.ctx.Err() != nil && le == nil:
		return nil, nil // over says what that means
	case errors.Is(err, ErrUnavailable):
		s.l.gates.noteOutage(s.w, err)
		s.after("outage", s.l.timing.retryIn(s.fails))
		s.fails++
		return nil, nil
	case err != nil:
		return nil, err
	}
	s.fails = 0
	s.l.gates.note(s.w, r, s.last)
	if le == nil {
		s.plan(r.Queue)
	}
	return le, nil
}

// plan sets the timer for the next look, from what the last one showed.
func (s *stander) plan(woken bool) {
	cause, in := "recheck", recheckIn()
	switch {
	case s.last.Answer == protocol.Taken && (s.last.Foreign || !woken):
		cause, in = "poll", pollIn(s.polls)
		s.polls++
	default:
		s.polls = 0
	}
	if s.last.TTL >= 0 {
		in = min2(in, afterTTL(s.last.TTL))
	}
	s.after(cause, in)
}

func (s *stander) after(cause string, in time.Duration) {
	s.asleep = cause
	s.timer.Reset(in)
}

// sleep waits for something that can change the turn: a signal, the timer of the head, the end.
func (s *stander) sleep(head bool) {
	if head && s.asleep == "" {
		// It came to the front while this Locker is queued already.
		s.after("recheck", recheckIn())
	}
	var patience <-chan time.Time
	if down, since := s.l.gates.outage(s.w); down != nil {
		t := time.NewTimer(time.Until(since.Add(s.l.timing.patience)))
		defer t.Stop()
		patience = t.C
	}
	select {
	case <-s.w.signal:
	case <-s.timer.C:
		s.l.gates.wake(s.key.name, s.asleep)
		s.asleep = ""
	case <-patience:
	case <-s.ctx.Done():
	case <-s.l.users.closing:
	}
}

func (s *stander) wokenBy(cause string) {
	if cause == "" {
		return
	}
	s.l.obs.emit(Event{Kind: EventWakeup, Prefix: s.key.prefix, Label: cause})
	if s.asleep != "" && !s.timer.Stop() {
		select {
		case <-s.timer.C:
		default:
		}
	}
	s.asleep = ""
}

// newStoppedTimer returns a timer that can be Reset, also by the rules of Go before 1.23.
func newStoppedTimer() *time.Timer {
	t := time.NewTimer(time.Hour)
	if !t.Stop() {
		<-t.C
	}
	return t
}
