package protocol

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrReply says that a script answered what it never answers: the server is not what it says it is, or something between
// it and us rewrites replies. It is never taken for a yes or a no.
var ErrReply = errors.New("unknown reply")

// Answer is what a script said of the owner value it was given.
type Answer int

// The answers.
const (
	Unknown  Answer = iota // no reply
	Done                   // acquired, released, renewed
	Taken                  // another owner is there
	Gone                   // no key
	Reserved               // free, but for the locker whose turn it is
)

// AcquireRequest is one attempt to take a lock.
type AcquireRequest struct {
	Keys   Keys
	Owner  string
	Locker string
	Lease  time.Duration // whole milliseconds
	Queue  bool          // queue this locker if the lock is taken
	More   bool          // others of this locker wait behind
	Queued bool          // this locker may be queued already
}

// AcquireReply is the answer to an AcquireRequest.
type AcquireReply struct {
	Answer  Answer        // Done, Taken or Reserved
	Fence   int64         // if Done
	TTL     time.Duration // otherwise: how long the holder's key or the reservation lives; below 0 for ever
	Foreign bool          // if Taken: the holder is not lockrt
}

// QueueKept is how long a queue outlives the last time that one of its lockers looked; they look at least every 1.5 s.
const QueueKept = 10 * time.Second

func (r AcquireRequest) args() []interface{} {
	k := r.Keys
	return []interface{}{
		4, k.lock, k.fence, k.queue, k.reservation, r.Owner, r.Lease.Milliseconds(), r.Locker, flags(r),
	}
}

// TryAcquire runs Acquire once.
func (s Scripts) TryAcquire(ctx context.Context, c Client, r AcquireRequest) (AcquireReply, error) {
	return acquireReply(s.Acquire.run(ctx, c, r.args()...))
}

// TryAcquireAcked is TryAcquire followed by WAIT on the same connection, which is what makes WAIT speak of that write. It
// returns how many replicas have confirmed within the given time.
func (s Scripts) TryAcquireAcked(
	ctx context.Context, p redis.Pipeliner, r AcquireRequest, replicas int, within time.Duration,
) (AcquireReply, int64, error) {
	got := p.Do(ctx, s.Acquire.eval(r.args()...)...)
	acked := p.Do(ctx, "WAIT", replicas, within.Milliseconds())
	if _, err := p.Exec(ctx); err != nil {
		return AcquireReply{}, 0, err
	}
	reply, err := acquireReply(got)
	n, _ := acked.Int64()
	return reply, n, err
}

func acquireReply(cmd *redis.Cmd) (AcquireReply, error) {
	n, err := numbers(cmd, 2)
	if err != nil {
		return AcquireReply{}, err
	}
	switch n[0] {
	case 1:
		return AcquireReply{Answer: Done, Fence: n[1]}, nil
	case 2:
		return AcquireReply{Answer: Reserved, TTL: millis(n[1])}, nil
	case 0:
		foreign := len(n) > 2 && n[2] == 1
		return AcquireReply{Answer: Taken, TTL: millis(n[1]), Foreign: foreign}, nil
	}
	return AcquireReply{}, fmt.Errorf("acquire: %w: %d", ErrReply, n[0])
}

// LeaveRequest names what Release and Leave need to know.
type LeaveRequest struct {
	Keys    Keys
	Owner   string // not used by Leave
	Locker  string
	Counted bool // PUBLISH counts all subscribers: not in a cluster
}

// TryRelease runs Release once. It returns Done with the locker that was woken, Taken or Gone.
func (s Scripts) TryRelease(ctx context.Context, c Client, r LeaveRequest) (Answer, string, error) {
	return leaveReply(s.Release.run(ctx, c, r.args()...))
}

// TryLeave runs Leave once. It returns Done with the locker that was woken.
func (s Scripts) TryLeave(ctx context.Context, c Client, r LeaveRequest) (Answer, string, error) {
	return leaveReply(s.Leave.run(ctx, c, r.args()...))
}

func (r LeaveRequest) args() []interface{} {
	k := r.Keys
	return []interface{}{3, k.lock, k.queue, k.reservation, r.Owner, r.Locker, WakeChannels, digit(r.Counted)}
}

func leaveReply(cmd *redis.Cmd) (Answer, string, error) {
	v, err := cmd.Slice()
	if err != nil {
		return Unknown, "", err
	}
	if len(v) == 0 {
		return Unknown, "", fmt.Errorf("release: %w: empty", ErrReply)
	}
	answer, err := ownerAnswer(v[0])
	if answer != Done {
		return answer, "", err
	}
	if len(v) < 2 {
		return Unknown, "", fmt.Errorf("release: %w: too short", ErrReply)
	}
	woken, _ := v[1].(string)
	return Done, woken, nil
}

// QueueRenew puts a renewal into a pipeline. RenewAnswer reads its reply after the pipeline has run.
func (s Scripts) QueueRenew(ctx context.Context, p redis.Pipeliner, lock, owner string, lease time.Duration) *redis.Cmd {
	return p.Do(ctx, s.Renew.eval(1, lock, owner, lease.Milliseconds())...)
}

// RenewAnswer returns Done, Taken or Gone.
func RenewAnswer(cmd *redis.Cmd) (Answer, error) {
	v, err := cmd.Result()
	if err != nil {
		return Unknown, err
	}
	return ownerAnswer(v)
}

// ownerAnswer reads the three numbers with which Release and Renew begin their replies.
func ownerAnswer(v interface{}) (Answer, error) {
	n, ok := v.(int64)
	switch {
	case ok && n == 1:
		return Done, nil
	case ok && n == 0:
		return Taken, nil
	case ok && n == -1:
		return Gone, nil
	}
	return Unknown, fmt.Errorf("%w: %v", ErrReply, v)
}

// numbers reads a reply of at least min integers.
func numbers(cmd *redis.Cmd, min int) ([]int64, error) {
	v, err := cmd.Slice()
	if err != nil {
		return nil, err
	}
	out := make([]int64, 0, 3)
	for _, x := range v {
		n, ok := x.(int64)
		if !ok {
			return nil, fmt.Errorf("%w: %v", ErrReply, v)
		}
		out = append(out, n)
	}
	if len(out) < min {
		return nil, fmt.Errorf("%w: %v", ErrReply, v)
	}
	return out, nil
}

func millis(n int64) time.Duration {
	if n < 0 {
		return -1
	}
	return time.Duration(n) * time.Millisecond
}

func flags(r AcquireRequest) string {
	s := ""
	if r.Queue {
		s += "q"
	}
	if r.More {
		s += "m"
	}
	if r.Queued {
		s += "d"
	}
	return s
}

func digit(b bool) string {
	if b {
		return "1"
	}
	return "0"
}
