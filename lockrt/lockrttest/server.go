package lockrttest

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/lockrt"
	"github.com/leasevet/leasevet/lockrt/internal/protocol"
)

// TB is what the package needs of a *testing.T, a *testing.B or the T of a bubble.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// Server is a Redis in memory. All methods are safe for concurrent use.
type Server struct {
	t TB

	mu    sync.Mutex
	data  store
	conns map[*conn]bool
	out   bool // during an outage
}

// New returns a server that is gone when the test ends.
func New(t TB) *Server {
	s := &Server{t: t, data: newStore(), conns: map[*conn]bool{}}
	t.Cleanup(s.hangUp)
	return s
}

// Client returns a client of the server, closed when the test ends.
func (s *Server) Client() *redis.Client {
	// Nothing is dialled there; a name would be looked up by newer versions of go-redis.
	c := redis.NewClient(&redis.Options{Addr: "127.0.0.1:6379", Dialer: s.dial})
	s.t.Cleanup(func() { _ = c.Close() })
	return c
}

// Locker returns a Locker on the server. It is closed when the test ends, which fails the test if a lease is still held
// then.
func (s *Server) Locker(opts ...lockrt.Option) *lockrt.Locker {
	s.t.Helper()
	l, err := lockrt.New(s.Client(), opts...)
	if err != nil {
		s.t.Fatalf("lockrttest: %v", err)
	}
	s.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := l.Close(ctx); err != nil {
			s.t.Errorf("lockrttest: a lease is still held: %v", err)
		}
	})
	return l
}

// Outage begins or ends an outage: connections break, and new ones break at once. The data stay, and go on expiring.
func (s *Server) Outage(on bool) {
	s.mu.Lock()
	s.out = on
	s.mu.Unlock()
	if on {
		s.hangUp()
	}
}

// LoseLease deletes the lock, as an eviction, a failover or a person would. Its holder is told at its next renewal.
func (s *Server) LoseLease(key lockrt.Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data.del(key.String())
}

// HoldForeign takes the lock as a program would that uses an older lock: under a value that is not lockrt's. A ttl of 0 or
// less is none. The result frees it again, without waking anybody.
func (s *Server) HoldForeign(key lockrt.Key, ttl time.Duration) (free func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data.set(key.String(), "held by an older lock", ttl)
	return func() { s.LoseLease(key) }
}

// Held reports whether anybody holds the lock.
func (s *Server) Held(key lockrt.Key) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.data.get(key.String())
	return ok
}

// leakPatience is how long AssertNoLeak gives what runs in the background: what is left of a queue that was abandoned
// lives for ten seconds.
const leakPatience = protocol.QueueKept + time.Second

// AssertNoLeak fails the test if a lock, a queue or a reservation is left on the server. It gives what is being cleaned up
// a few seconds for that, virtual ones in a bubble.
func (s *Server) AssertNoLeak() {
	s.t.Helper()
	var left []string
	for end := time.Now().Add(leakPatience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if left = s.left(); len(left) == 0 {
			return
		}
	}
	s.t.Errorf("lockrttest: left on the server: %s", strings.Join(left, ", "))
}

// left returns the keys that are there, but for fences, which stay for an hour.
func (s *Server) left() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var keys []string
	for _, k := range s.data.keys() {
		if !strings.HasSuffix(k, ":f") && !strings.HasSuffix(k, ":fenced") {
			keys = append(keys, k)
		}
	}
	return keys
}

// dial makes a connection without a network. In an outage it does not fail, but what it returns is broken: go-redis counts
// failed dials and then keeps a goroutine that tries again, even after the client was closed.
func (s *Server) dial(context.Context, string, string) (net.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ours, theirs := net.Pipe()
	if s.out {
		return theirs, ours.Close()
	}
	c := newConn(s, ours)
	s.conns[c] = true
	go c.read()
	go c.write()
	return theirs, nil
}

// hangUp breaks all connections.
func (s *Server) hangUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.close()
		delete(s.conns, c)
	}
}

// do runs one command.
func (s *Server) do(c *conn, args []string) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := strings.ToUpper(args[0])
	h, ok := handlers[name]
	if !ok || len(args) < h.args {
		return replyError(fmt.Sprintf("ERR unknown command '%s', or too few arguments", args[0]))
	}
	return h.run(s, c, args[1:])
}
