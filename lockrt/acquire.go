package lockrt

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/leasevet/leasevet/lockrt/internal/protocol"
)

// Acquire takes a lock and returns its lease, which the caller must release. Prefer Do, which cannot forget that.
//
// The errors are ErrNotAcquired, ErrUnavailable, ErrMisconfigured, ErrReentrant, ErrBadKey and ErrClosed; if ctx ended
// first, its error matches too. The lease's context is derived from ctx, so ctx must live as long as the work.
func (l *Locker) Acquire(ctx context.Context, key Key, opts ...AcquireOption) (*Lease, error) {
	le, _, err := l.acquire(ctx, key, acquireCall(opts))
	return le, err
}

// acquire also returns how long it took.
func (l *Locker) acquire(ctx context.Context, key Key, c call) (*Lease, time.Duration, error) {
	start := time.Now()
	a := &acquisition{l: l, ctx: ctx, key: key, call: c, start: start}
	le, err := a.run()
	took := time.Since(start)
	l.obs.emit(Event{Kind: EventAcquire, Prefix: key.prefix, Label: acquireLabel(err, c), Duration: took, Err: err})
	return le, took, err
}

// acquisition is one call's way to a lock.
type acquisition struct {
	l     *Locker
	ctx   context.Context
	key   Key
	keys  protocol.Keys
	owner string
	call  call
	start time.Time

	contended bool  // an answer said that the lock is taken
	outage    error // the last look got no answer
	last      protocol.AcquireReply
}

func (a *acquisition) run() (*Lease, error) {
	if err := a.refuse(); err != nil {
		return nil, err
	}
	if err := a.l.users.enter(); err != nil {
		return nil, err
	}
	defer a.l.users.leave()
	if err := a.l.strict(a.ctx); err != nil {
		return nil, err
	}
	a.keys = protocol.KeysOf(a.key.name)
	if err := a.newOwner(); err != nil {
		return nil, err
	}
	return a.enter()
}

// refuse finds what needs no server.
func (a *acquisition) refuse() error {
	if err := a.key.err(); err != nil {
		return err
	}
	if a.l.holds(a.ctx, a.key) {
		return fmt.Errorf("%w: %q", ErrReentrant, a.key.name)
	}
	if err := contextErr(a.ctx); err != nil {
		return fmt.Errorf("lockrt: acquire %q was not tried: %w", a.key.name, err)
	}
	return nil
}

// enter asks once, and waits if it must and may. Flows that wait here already come first.
func (a *acquisition) enter() (*Lease, error) {
	last, others := a.l.gates.standing(a.key.name)
	if others {
		a.taken(last)
	} else if got, err := a.ask(a.ctx, protocol.AcquireRequest{}); got != nil || !a.mayWait(err) {
		return got, err
	}
	if !a.call.waits() {
		return nil, a.notAcquired(nil)
	}
	return a.wait()
}

// mayWait reports whether a first look that ended with err (nil: taken) leaves something to wait for.
func (a *acquisition) mayWait(err error) bool {
	return err == nil || a.call.waits() && a.call.onOutage == Deny && errors.Is(err, ErrUnavailable) && a.ctx.Err() == nil
}

// ask asks Redis once. It returns neither lease nor error if the lock is taken.
func (a *acquisition) ask(ctx context.Context, r protocol.AcquireRequest) (*Lease, error) {
	r.Keys, r.Owner, r.Locker, r.Lease = a.keys, a.owner, a.l.id, a.l.leaseArg()
	reply, got, err := a.l.try(ctx, a.key, r, a.patience())
	switch {
	case errors.Is(err, errAbandoned):
		return nil, a.abandoned()
	case err != nil:
		return nil, a.failed(err)
	}
	a.last, a.outage = reply, nil
	if reply.Answer != protocol.Done {
		a.taken(reply)
		return nil, nil
	}
	return a.l.newLease(a.ctx, a.key, a.keys, a.owner, got), nil
}

// newOwner gives the acquisition an owner value that Redis has never seen.
func (a *acquisition) newOwner() (err error) {
	if a.owner, err = protocol.NewOwner(); err != nil {
		return &UnavailableError{Op: "acquire", Key: a.key.name, Cause: err}
	}
	return nil
}

// failed notes a look that got no answer. A later one must not have the same owner value: what this one may have taken is
// being given back in the background, and that would hit the later one.
func (a *acquisition) failed(err error) error {
	err = classifyAcquire(a.key.name, err)
	a.outage = err
	if e := a.newOwner(); e != nil {
		return e
	}
	return err
}

// patience bounds one look: not longer than a command may take, nor much longer than the caller will wait.
func (a *acquisition) patience() time.Duration {
	if a.call.wait <= 0 {
		return a.l.timing.attempt
	}
	return min2(a.l.timing.attempt, max2(a.call.wait, shortestLook))
}

// shortestLook is how long an answer may take however short the wait: slow is not an outage.
const shortestLook = 250 * time.Millisecond

// taken notes that the lock is somebody else's.
func (a *acquisition) taken(reply protocol.AcquireReply) {
	a.last = reply
	if !a.contended {
		a.contended = true
		a.l.obs.emit(Event{Kind: EventContention, Prefix: a.key.prefix})
	}
}

// abandoned is the error of a call whose time ended before the answer came. If an earlier answer said that the lock is
// taken, that is what the call ends with; otherwise nothing is known of the lock.
func (a *acquisition) abandoned() error {
	cause := contextErr(a.ctx)
	if a.contended {
		return a.notAcquired(cause)
	}
	if cause == nil {
		cause = errAbandoned
	}
	return &UnavailableError{Op: "acquire", Key: a.key.name, Cause: cause}
}

func (a *acquisition) notAcquired(cause error) error {
	ttl := a.last.TTL
	if a.last.Answer == protocol.Unknown {
		ttl = 0
	}
	return &NotAcquiredError{
		Key: a.key.name, Waited: time.Since(a.start), HolderTTL: ttl, Foreign: a.last.Foreign, Cause: cause,
		reserved: a.last.Answer == protocol.Reserved,
	}
}

func classifyAcquire(key string, err error) error {
	err = classify("acquire", key, err)
	var u *UnavailableError
	if errors.As(err, &u) {
		u.NotReplicated = errors.As(u.Cause, new(notReplicated))
	}
	return err
}

// acquireLabel names what came of an acquisition, for events.
func acquireLabel(err error, c call) string {
	switch l := label(err, "acquired"); {
	case l == "contended" && c.waits():
		return "timeout"
	default:
		return l
	}
}

// label names an error for events; fine is the name of none.
func label(err error, fine string) string {
	for _, x := range [...]struct {
		class error
		label string
	}{
		{ErrClosed, "closed"},
		{ErrUnavailable, "unavailable"},
		{ErrMisconfigured, "misconfigured"},
		{ErrNotOwner, "not_owner"},
		{ErrExpired, "expired"},
		{ErrReentrant, "refused"},
		{ErrBadKey, "refused"},
		{context.Canceled, "context"},
		{context.DeadlineExceeded, "context"},
		{ErrNotAcquired, "contended"},
	} {
		if errors.Is(err, x.class) {
			return x.label
		}
	}
	return fine
}
