package lockrt

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/lockrt/internal/protocol"
)

// Locker takes locks on one Redis. It is safe for concurrent use; a process needs one.
type Locker struct {
	cfg     config
	timing  timing
	conn    connection
	id      string // by which waiters of this Locker are queued and woken
	scripts protocol.Scripts

	obs   observer
	gates gates
	dog   watchdog
	ears  listener
	sweep sweeper
	users users

	strictly sync.Mutex
	checked  bool

	// What the tests replace to put a known fault back, see export_test.go.
	detach   func(context.Context) context.Context
	leaseArg func() time.Duration
}

// New returns a Locker that takes its locks on the server of client. It does no I/O; Check does. The Locker makes a client
// of its own from the options of the given one, without its hooks and limiters, and closes it in Close; the given client
// stays as it is. A client of another type than go-redis's own is used directly, with whatever it does.
//
// A Ring is refused with ErrMisconfigured: it moves keys between servers, so it cannot exclude anybody. So are options
// that cannot work.
func New(client redis.UniversalClient, opts ...Option) (*Locker, error) {
	cfg, err := newConfig(opts)
	if err != nil {
		return nil, &MisconfiguredError{Op: "new", Cause: err}
	}
	t := newTiming(cfg.lease)
	conn, err := connect(client, t.attempt)
	if err != nil {
		return nil, &MisconfiguredError{Op: "new", Cause: err}
	}
	if err := cfg.fits(conn); err != nil {
		_ = conn.shut()
		return nil, &MisconfiguredError{Op: "new", Cause: err}
	}
	id, err := protocol.NewLocker()
	if err != nil {
		_ = conn.shut()
		return nil, &UnavailableError{Op: "new", Cause: err}
	}
	return assemble(cfg, t, conn, id), nil
}

func assemble(cfg config, t timing, conn connection, id string) *Locker {
	l := &Locker{
		cfg: cfg, timing: t, conn: conn, id: id,
		scripts:  protocol.Default(),
		detach:   context.WithoutCancel,
		leaseArg: func() time.Duration { return t.lease },
	}
	l.obs.to = cfg.observer
	l.gates.byKey = map[string]*gate{}
	l.dog.l, l.ears.l, l.sweep.l = l, l, l
	l.users.init(func() { _ = conn.shut() })
	return l
}

// Close ends the Locker: new calls are refused and calls that wait end with ErrClosed. It waits for the holders of locks
// and for what is still to be cleaned up, until ctx ends. Then it stops renewing: the leases of those who still hold one
// run out, and their contexts end before that. Close never deletes the key of a function that still runs, and must not
// be called by one. It returns the error of ctx if somebody still held a lock. Calling it again waits again.
func (l *Locker) Close(ctx context.Context) error {
	l.users.close()
	l.ears.stop()
	defer l.sweep.stop()
	defer l.dog.stop()
	select {
	case <-l.users.gone:
		return nil
	default:
	}
	select {
	case <-l.users.gone:
		return nil
	case <-ctx.Done():
		return contextErr(ctx)
	}
}

func (l *Locker) log(level slog.Level, msg string, args ...any) {
	if l.cfg.logger != nil {
		l.cfg.logger.Log(context.Background(), level, "lockrt: "+msg, args...)
	}
}

// users counts what still needs the client: calls under way, leases, cleaning up.
type users struct {
	mu      sync.Mutex
	n       int
	closed  bool
	closing chan struct{} // closed by Close
	gone    chan struct{} // closed when Close was called and nobody is left
	last    func()
}

func (u *users) init(last func()) {
	u.closing, u.gone, u.last = make(chan struct{}), make(chan struct{}), last
}

// enter counts a new call, or returns ErrClosed.
func (u *users) enter() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return ErrClosed
	}
	u.n++
	return nil
}

// stay counts something that a counted user leaves behind, also while the Locker is being closed.
func (u *users) stay() {
	u.mu.Lock()
	u.n++
	u.mu.Unlock()
}

func (u *users) isClosing() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.closed
}

func (u *users) leave() {
	u.mu.Lock()
	u.n--
	empty := u.closed && u.n == 0
	u.mu.Unlock()
	if empty {
		u.finish()
	}
}

func (u *users) close() {
	u.mu.Lock()
	first := !u.closed
	u.closed = true
	empty := u.n == 0
	u.mu.Unlock()
	if !first {
		return
	}
	close(u.closing)
	if empty {
		u.finish()
	}
}

// finish runs once: closed stays true, so n can reach 0 for the last time only once.
func (u *users) finish() {
	u.last()
	close(u.gone)
}
