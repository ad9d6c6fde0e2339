package lockrt

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	defaultLease = 30 * time.Second
	// minLease leaves room for a renewal every third of it, on a machine that is busy.
	minLease = 100 * time.Millisecond
)

// Option changes a Locker.
type Option func(*config)

type config struct {
	lease    time.Duration
	observer Observer
	logger   *slog.Logger
	replicas int
	ackWait  time.Duration
	strict   bool
}

func newConfig(opts []Option) (config, error) {
	c := config{lease: defaultLease}
	for _, o := range opts {
		o(&c)
	}
	switch {
	case c.lease < minLease:
		return c, fmt.Errorf("a lease of %v is shorter than %v", c.lease, minLease)
	case c.lease%time.Millisecond != 0:
		return c, fmt.Errorf("a lease of %v is not a number of whole milliseconds", c.lease)
	case c.replicas < 0 || (c.replicas > 0 && c.ackWait < time.Millisecond):
		return c, errors.New("WithReplicaAck needs a number of replicas and at least a millisecond")
	}
	return c, nil
}

// WithLease sets how long a lock stays valid after its last renewal: 30 s if it is not given, at least 100 ms, whole
// milliseconds. A lease is renewed while it is held, so this is not how long the work may take; it is how long others wait
// after a holder was killed, and how long an outage of Redis a holder can survive (six tenths of it).
func WithLease(d time.Duration) Option { return func(c *config) { c.lease = d } }

// WithObserver sets who is told what happens. Without it nobody is.
func WithObserver(o Observer) Option { return func(c *config) { c.observer = o } }

// WithLogger sets where the few things are written that a person should read: a lost lease, pub/sub that is forbidden.
// Without it nothing is written.
func WithLogger(l *slog.Logger) Option { return func(c *config) { c.logger = l } }

// WithReplicaAck makes an acquisition wait up to d until n replicas have confirmed it. If they do not, the lock is given
// back and the call ends with ErrUnavailable (NotReplicated). This makes losing a lock in a failover less likely, not
// impossible: a replica that has not confirmed can still be promoted. It cannot be had on a cluster client.
func WithReplicaAck(n int, d time.Duration) Option {
	return func(c *config) { c.replicas, c.ackWait = n, d }
}

// WithStrictServer makes the first acquisition run Check, and any problem that Check finds an ErrMisconfigured, there and
// from Check itself.
func WithStrictServer() Option { return func(c *config) { c.strict = true } }

// DoOption changes one call of Do or DoValue.
type DoOption interface{ applyDo(*call) }

// AcquireOption changes one call of Acquire.
type AcquireOption interface{ applyAcquire(*call) }

// call is what the options of one call say.
type call struct {
	wait         time.Duration
	forContext   bool
	onContention ContentionPolicy
	onOutage     OutagePolicy
	maxHold      time.Duration
}

func (c call) waits() bool { return c.forContext || c.wait > 0 }

// WaitOption says how long a call waits for a lock that is held. It is for Do and for Acquire.
type WaitOption struct {
	d          time.Duration
	forContext bool
}

func (o WaitOption) applyDo(c *call)      { c.wait, c.forContext = o.d, o.forContext }
func (o WaitOption) applyAcquire(c *call) { c.wait, c.forContext = o.d, o.forContext }

// Wait makes a call wait at most d for a lock that is held; also less, if its context ends before. With d <= 0 it tries
// once, which is what it does without this option. The wait has nothing to do with the lease.
//
// While Redis cannot be asked, a call that waits goes on trying for a third of the lease, since a failover takes seconds;
// then it ends with ErrUnavailable. A call that tries once, or has OnOutage(Proceed), ends at the first failure.
func Wait(d time.Duration) WaitOption { return WaitOption{d: d} }

// WaitForContext makes a call wait until its context ends. Use it in background work that has a stop signal.
func WaitForContext() WaitOption { return WaitOption{forContext: true} }

// ContentionPolicy says what Do does when somebody else holds the lock.
type ContentionPolicy int

const (
	// Fail returns ErrNotAcquired. It is the default: whoever asked must know that the work is being done elsewhere.
	Fail ContentionPolicy = iota
	// Skip returns no error, with Outcome.Mode Skipped: for jobs of which one run at a time is enough.
	Skip
)

func (p ContentionPolicy) applyDo(c *call) { c.onContention = p }

// OnContention sets what Do does when the lock is not acquired within its wait. Skip never hides that the caller's context
// ended.
func OnContention(p ContentionPolicy) DoOption { return p }

// OutagePolicy says what Do does when Redis cannot be asked.
type OutagePolicy int

const (
	// Deny returns ErrUnavailable and does not run the function. It is the default.
	Deny OutagePolicy = iota
	// Proceed runs the function without the lock, with Outcome.Mode Degraded: for work that must not stand still because
	// Redis does, and that something else keeps from happening twice.
	Proceed
)

func (p OutagePolicy) applyDo(c *call) { c.onOutage = p }

// OnOutage sets what Do does when Redis cannot be asked. It does not cover ErrMisconfigured, nor contention.
func OnOutage(p OutagePolicy) DoOption { return p }

type maxHold time.Duration

func (d maxHold) applyDo(c *call) { c.maxHold = time.Duration(d) }

// MaxHold bounds how long Do holds the lock. After d the function's context ends, with a cause that matches
// context.DeadlineExceeded, and the lease is not renewed any more; so a function that hangs blocks others for one more
// lease and not for ever. d <= 0 sets no bound, which is the default.
func MaxHold(d time.Duration) DoOption { return maxHold(d) }

func doCall(opts []DoOption) call {
	var c call
	for _, o := range opts {
		o.applyDo(&c)
	}
	return c
}

func acquireCall(opts []AcquireOption) call {
	var c call
	for _, o := range opts {
		o.applyAcquire(&c)
	}
	return c
}

// holdEnded is the cause of a context that MaxHold ended.
type holdEnded struct{ after time.Duration }

func (e holdEnded) Error() string { return fmt.Sprintf("lockrt: held for the %v of MaxHold", e.after) }
func (e holdEnded) Unwrap() error { return context.DeadlineExceeded }

// fits tells what cannot be had on this client.
func (c config) fits(conn connection) error {
	if c.replicas == 0 {
		return nil
	}
	if _, single := conn.UniversalClient.(*redis.Client); !single {
		return errors.New("WithReplicaAck needs a *redis.Client: WAIT must go to the server that took the lock")
	}
	return nil
}
