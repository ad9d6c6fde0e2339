package lockrt

import (
	"context"
	"log/slog"
	"time"

	"github.com/leasevet/leasevet/lockrt/internal/protocol"
)

// Release gives the lock to the next one. It ends the lease's context, so call it after the work is done. It returns nil
// if the lock was ours and is free now, ErrNotOwner or ErrExpired if it was not ours any more, which touches nobody's
// lock, and ErrUnavailable if Redis could not be asked; then it is tried again in the background until the lease has run
// out by itself. A second call returns what the first one did.
//
// Of ctx only the values are used: a lock whose release fails because a request was cancelled stays for a whole lease. It
// takes as long as one command may take (at most 2 s).
func (le *Lease) Release(ctx context.Context) error {
	le.once.Do(func() { le.releaseErr = le.release(ctx) })
	return le.releaseErr
}

func (le *Lease) release(ctx context.Context) error {
	le.end()
	l := le.l
	defer l.users.leave()
	ctx, done := l.conn.interrupts.bound(l.detach(ctx), l.timing.attempt)
	defer done()
	answer, err := l.releaseNow(ctx, le)
	err = le.releaseResult(answer, err)
	l.obs.count(EventHeld, le.key.prefix, -1)
	l.obs.emit(Event{Kind: EventHold, Prefix: le.key.prefix, Label: label(err, "released"), Duration: time.Since(le.began), Err: err})
	return err
}

// releaseNow sends the release, again if the network fails quickly.
func (l *Locker) releaseNow(ctx context.Context, le *Lease) (protocol.Answer, error) {
	unsure := false
	for n := 0; ; n++ {
		answer, woken, err := l.sendLeave(ctx, le.keys, le.owner)
		if err == nil {
			if unsure && answer == protocol.Gone {
				// An earlier try did it and its answer got lost. Whom it woke is unknown; to look costs little.
				answer, woken = protocol.Done, l.id
			}
			l.handOver(le.key, woken)
			return answer, nil
		}
		unsure = unsure || maybeDone(err)
		if n == len(quickRetries) || !worthAnother(err) || !sleep(ctx, quickRetries[n]) {
			return protocol.Unknown, err
		}
	}
}

// releaseResult turns an answer into the error of Release.
func (le *Lease) releaseResult(answer protocol.Answer, err error) error {
	l, prefix := le.l, le.key.prefix
	switch {
	case err != nil:
		if isOutage(err) {
			l.sweep.giveBack(le.key, le.keys, le.owner)
		}
		return classify("release", le.key.name, err)
	case answer == protocol.Taken:
		l.obs.emit(Event{Kind: EventOwnerMismatch, Prefix: prefix, Label: "release", Err: ErrNotOwner})
		return &releaseError{key: le.key.name, class: ErrNotOwner}
	case answer == protocol.Gone:
		l.obs.emit(Event{Kind: EventOwnerMismatch, Prefix: prefix, Label: "release", Err: ErrExpired})
		return &releaseError{key: le.key.name, class: ErrExpired}
	}
	return nil
}

// sendLeave releases a lock, or leaves its queue if there is no owner value.
func (l *Locker) sendLeave(ctx context.Context, keys protocol.Keys, owner string) (protocol.Answer, string, error) {
	r := protocol.LeaveRequest{Keys: keys, Owner: owner, Locker: l.id, Counted: !l.conn.cluster}
	if owner == "" {
		return l.scripts.TryLeave(ctx, l.conn, r)
	}
	return l.scripts.TryRelease(ctx, l.conn, r)
}

// handOver wakes the next flow of this Locker if the server said that it is this Locker's turn; other ones get a message.
func (l *Locker) handOver(key Key, woken string) {
	if woken != l.id {
		return
	}
	if !l.gates.wake(key.name, "local") {
		l.sweep.leaveQueue(key, protocol.KeysOf(key.name))
	}
}

func (l *Locker) logLost(le *Lease, lost *LeaseLostError) {
	l.log(slog.LevelWarn, "lease lost", "key", le.key.name, "reason", string(lost.Reason), "error", lost.Cause)
}

// releaseError is ErrNotOwner or ErrExpired, with the key.
type releaseError struct {
	key   string
	class error
}

func (e *releaseError) Error() string { return e.class.Error() + ": release of \"" + e.key + "\"" }
func (e *releaseError) Unwrap() error { return e.class }
