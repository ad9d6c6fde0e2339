package lockrt

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/lockrt/internal/protocol"
)

// listener hears who is woken. It has one connection and one channel for the whole Locker, from the first flow that waits
// until the Locker is closed. Without it waiting still works, by looking from time to time.
type listener struct {
	l *Locker

	mu      sync.Mutex
	started bool
	stopped bool
	cancel  context.CancelFunc
	state   hearing
	first   chan struct{} // closed when the first attempt to subscribe has been answered
	settled bool          // first is closed
}

type hearing int

const (
	connecting hearing = iota
	subscribed
	deaf // Redis will not let us subscribe
)

const (
	// firstSubscription is how long the first flow that waits gives the subscription before it queues without.
	firstSubscription = time.Second
	// deafFor is how long a refusal of Redis is taken as final.
	deafFor = 30 * time.Second
	// hearPing is after how much silence the connection is tried, so that one that is cut without a word is found.
	hearPing = 30 * time.Second
	// subscribeAgainMax bounds the pause between attempts to subscribe again.
	subscribeAgainMax = time.Second
)

// listening reports whether a waiter may rely on being woken. The first call starts the subscription and waits until it is
// confirmed: a release that comes between the look at the lock and the subscription would be missed. Later, while the
// connection is made again, waiters poll; all of them are woken when it is there.
func (e *listener) listening(ctx context.Context) bool {
	e.mu.Lock()
	e.start()
	state, settled, first := e.state, e.settled, e.first
	e.mu.Unlock()
	if settled {
		return state == subscribed
	}
	t := time.NewTimer(firstSubscription)
	defer t.Stop()
	select {
	case <-first:
	case <-t.C:
	case <-ctx.Done():
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.state == subscribed
}

// start needs mu.
func (e *listener) start() {
	if e.first == nil {
		e.first = make(chan struct{})
	}
	if e.started || e.stopped {
		return
	}
	e.started = true
	ctx, cancel := context.WithCancel(context.Background())
	e.cancel = cancel
	e.l.users.stay()
	go e.run(ctx)
}

func (e *listener) stop() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stopped = true
	if e.cancel != nil {
		e.cancel()
	}
}

func (e *listener) set(state hearing, label string, err error) {
	e.mu.Lock()
	same := e.state == state
	e.state = state
	if !e.settled {
		e.settled = true
		close(e.first)
	}
	e.mu.Unlock()
	if !same {
		e.l.obs.emit(Event{Kind: EventSubscription, Label: label, Err: err})
	}
}

func (e *listener) run(ctx context.Context) {
	defer e.l.users.leave()
	for ctx.Err() == nil {
		err := e.hear(ctx)
		switch {
		case ctx.Err() != nil:
		case refusesSubscription(err):
			e.set(deaf, "forbidden", err)
			e.l.log(slog.LevelWarn, "pub/sub is refused; waiters poll", "error", err)
			sleep(ctx, deafFor)
		default:
			e.set(connecting, "lost", err)
		}
	}
}

// errSilent is a connection on which not even a ping is answered: it was cut without a word.
var errSilent = errors.New("no answer to a ping on the subscription")

// hear keeps one subscription until it is refused, falls silent, or ctx ends. go-redis makes the connection again by itself when it
// breaks, and subscribes again.
func (e *listener) hear(ctx context.Context) error {
	sub := e.l.conn.Subscribe(ctx, protocol.WakeChannels+e.l.id)
	defer sub.Close()
	stop := context.AfterFunc(ctx, func() { _ = sub.Close() })
	defer stop()
	pinged := false
	for fails := 0; ctx.Err() == nil; {
		msg, err := sub.ReceiveTimeout(ctx, hearPing)
		switch {
		case err == nil:
			fails, pinged = 0, false
			e.heard(msg)
		case refusesSubscription(err):
			return err
		case isTimeout(err) && pinged:
			return errSilent
		case isTimeout(err):
			pinged = true
			_ = sub.Ping(ctx)
		default:
			e.set(connecting, "lost", err)
			sleep(ctx, min2(10*time.Millisecond<<uint(fails), subscribeAgainMax))
			fails = int(min2(time.Duration(fails+1), 10))
		}
	}
	return ctx.Err()
}

func (e *listener) heard(msg interface{}) {
	switch m := msg.(type) {
	case *redis.Subscription:
		if m.Kind == "subscribe" {
			e.set(subscribed, "subscribed", nil)
			// Messages from before are lost, so everybody looks.
			e.l.gates.wakeAll("resubscribed")
		}
	case *redis.Message:
		if !e.l.gates.wake(m.Payload, "message") {
			// Nobody waits for it any more: it is somebody else's turn.
			e.l.sweep.leaveQueue(Key{name: m.Payload}, protocol.KeysOf(m.Payload))
		}
	}
}

// refusesSubscription reports whether Redis said that it will not.
func refusesSubscription(err error) bool {
	return err != nil && refused(err) && !isOutage(err)
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout() && !strings.Contains(err.Error(), "dial")
}
