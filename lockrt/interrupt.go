package lockrt

import (
	"context"
	"net"
	"sync"
	"syscall"
	"time"
)

// interrupts let a command end at once when its context is cancelled. go-redis obeys the deadline of a context while it
// waits for a reply, but not its cancellation. The usual way out is a goroutine per command. Its context switches made an
// uncontended lock cost 1.57 times the floor on loopback where it now costs 1.3 times, for something that hardly ever
// happens.
//
// Here the connection is told instead. The Locker's own client dials through interrupts.dialer, and each command has a
// deadline that no other one has, to the nanosecond. go-redis sets it on the connection that it takes from its pool, by
// which the connection is known to belong to that command. If a version of go-redis set another deadline, cancellation
// would be obeyed only when the command's time is over; TestCancelInFlight notices.
type interrupts struct {
	mu      sync.Mutex
	pending map[int64]*command // by deadline
}

// command is the context of a command that is under way: that of the call, with a deadline that needs no timer, since
// whoever waits for something here (the pool, the dialer, the connection) asks for the deadline itself.
type command struct {
	context.Context
	end  time.Time
	conn *deadlineConn // guarded by interrupts.mu, as is cut
	cut  bool
}

// Deadline implements context.Context.
func (c *command) Deadline() (time.Time, bool) { return c.end, true }

func newInterrupts() *interrupts { return &interrupts{pending: map[int64]*command{}} }

// bound returns a context for one command: ctx, but not longer than d. The command ends when ctx does. done must be called
// after it. Without interrupts, for a client of which nothing is known, it is an ordinary context with a timeout.
func (i *interrupts) bound(ctx context.Context, d time.Duration) (bounded context.Context, done func()) {
	if i == nil {
		return context.WithTimeout(ctx, d)
	}
	c := &command{Context: ctx, end: time.Now().Add(d)}
	if ctx.Done() == nil {
		return c, func() {}
	}
	if e, ok := ctx.Deadline(); ok && e.Before(c.end) {
		c.end = e
	}
	i.register(c)
	stop := context.AfterFunc(ctx, func() { i.interrupt(c) })
	return c, func() {
		stop()
		i.forget(c)
	}
}

// register makes the deadline one that no other command has, by a few nanoseconds if need be.
func (i *interrupts) register(c *command) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for i.pending[c.end.UnixNano()] != nil {
		c.end = c.end.Add(1)
	}
	i.pending[c.end.UnixNano()] = c
}

func (i *interrupts) forget(c *command) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.pending, c.end.UnixNano())
}

// interrupt ends the wait for a reply, if the connection still serves this command.
func (i *interrupts) interrupt(c *command) {
	i.mu.Lock()
	defer i.mu.Unlock()
	c.cut = true
	if c.conn != nil && c.conn.serves == c {
		_ = c.conn.Conn.SetDeadline(longAgo)
	}
}

var longAgo = time.Unix(1, 0)

// dialer wraps the connections of another dialer, and gives up on it when the command's time is over: go-redis's own one
// does not look at the context while it greets a TLS server.
func (i *interrupts) dialer(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		result := make(chan dialed, 1)
		go func() { result <- dialNow(ctx, dial, network, addr) }()
		select {
		case d := <-result:
			return i.wrap(d)
		case <-over(ctx):
			go discard(result)
			return nil, &net.OpError{Op: "dial", Net: network, Err: context.DeadlineExceeded}
		}
	}
}

type dialFunc func(ctx context.Context, network, addr string) (net.Conn, error)

// dialed is what a dialer returned.
type dialed struct {
	conn net.Conn
	err  error
}

func dialNow(ctx context.Context, dial dialFunc, network, addr string) dialed {
	conn, err := dial(ctx, network, addr)
	return dialed{conn, err}
}

// discard closes a connection that comes too late.
func discard(late <-chan dialed) {
	if d := <-late; d.err == nil {
		_ = d.conn.Close()
	}
}

// over returns a channel on which something comes when ctx has ended, also if ctx has its deadline without a timer.
func over(ctx context.Context) <-chan time.Time {
	end, ok := ctx.Deadline()
	if !ok {
		return nil
	}
	return time.After(time.Until(end))
}

func (i *interrupts) wrap(d dialed) (net.Conn, error) {
	if d.err != nil {
		return nil, d.err
	}
	c := &deadlineConn{Conn: d.conn, of: i}
	if raw, ok := d.conn.(syscall.Conn); ok {
		return rawDeadlineConn{deadlineConn: c, raw: raw}, nil
	}
	return c, nil
}

// deadlineConn is a connection that sees by its deadline which command it serves.
type deadlineConn struct {
	net.Conn
	of     *interrupts
	serves *command // guarded by of.mu
}

// SetReadDeadline implements net.Conn. go-redis calls it before it reads a reply.
func (c *deadlineConn) SetReadDeadline(t time.Time) error {
	return c.set(t, c.Conn.SetReadDeadline)
}

// SetWriteDeadline implements net.Conn. go-redis calls it before it sends a command.
func (c *deadlineConn) SetWriteDeadline(t time.Time) error {
	return c.set(t, c.Conn.SetWriteDeadline)
}

func (c *deadlineConn) set(t time.Time, set func(time.Time) error) error {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.serves = c.of.pending[t.UnixNano()]
	if c.serves != nil {
		c.serves.conn = c
		if c.serves.cut {
			t = longAgo
		}
	}
	return set(t)
}

// rawDeadlineConn is a deadlineConn on a socket, which go-redis looks at before it uses an idle connection again.
type rawDeadlineConn struct {
	*deadlineConn
	raw syscall.Conn
}

// SyscallConn implements syscall.Conn.
func (c rawDeadlineConn) SyscallConn() (syscall.RawConn, error) { return c.raw.SyscallConn() }
