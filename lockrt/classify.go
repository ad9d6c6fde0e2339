package lockrt

import (
	"context"
	"errors"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/lockrt/internal/protocol"
)

// passing are the replies with which a Redis that is there says that it cannot do it now. The same request can succeed
// later, on this server or on the one that is promoted.
var passing = []string{
	"LOADING",      // reading its data after a start
	"BUSY",         // a script runs too long
	"TRYAGAIN",     // a cluster slot is being moved
	"CLUSTERDOWN",  // slots without a master
	"MASTERDOWN",   // a replica that lost its master and may not serve stale data
	"READONLY",     // a replica: the client has not seen a failover yet
	"NOREPLICAS",   // min-replicas-to-write
	"MISCONF",      // the last snapshot failed, so writes are refused
	"OOM",          // maxmemory is reached and nothing may be evicted
	"MOVED", "ASK", // more redirections than the client follows
	"UNBLOCKED",
	"ERR max number of clients reached",
}

// classify wraps an error of Redis or of the way to it in the class that callers ask for. op and key tell where it
// happened.
func classify(op, key string, err error) error {
	switch {
	case err == nil:
		return nil
	case isOutage(err):
		return &UnavailableError{Op: op, Key: key, Cause: err}
	}
	return &MisconfiguredError{Op: op, Key: key, Cause: err}
}

// isOutage reports whether the same request may succeed later. What Redis says itself is an outage only if it is known to
// pass; everything else it says (NOAUTH, NOPERM, WRONGTYPE, CROSSSLOT, unknown command, and what no list can foresee)
// stays wrong until somebody mends it. What comes from the network is an outage.
func isOutage(err error) bool {
	// No script of ours answers nil, or anything but what protocol knows.
	if errors.Is(err, protocol.ErrReply) || errors.Is(err, redis.Nil) {
		return false
	}
	var said redis.Error
	return !errors.As(err, &said) || isPassing(said.Error())
}

// refused reports whether Redis itself said no, so that it certainly did nothing.
func refused(err error) bool {
	var said redis.Error
	return errors.As(err, &said)
}

func isPassing(reply string) bool {
	for _, p := range passing {
		if strings.HasPrefix(reply, p) {
			return true
		}
	}
	// Before Redis 7 an error inside a script was wrapped in a text.
	if _, inner, ok := strings.Cut(reply, "@user_script:"); ok && strings.HasPrefix(reply, "ERR Error running script") {
		_, inner, _ = strings.Cut(inner, ": ")
		return isPassing(strings.TrimPrefix(inner, "-"))
	}
	return false
}

// contextErr returns the error of a context that has ended, with its cause if that says more.
func contextErr(ctx context.Context) error {
	err := ctx.Err()
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, err) {
		return errors.Join(err, cause)
	}
	return err
}
