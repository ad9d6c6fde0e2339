package lockrttest_test

import (
	"context"
	"fmt"
	"math/rand"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/lockrt/fence"
	"github.com/leasevet/leasevet/lockrt/internal/protocol"
	"github.com/leasevet/leasevet/lockrt/internal/redistest"
	"github.com/leasevet/leasevet/lockrt/lockrttest"
)

// The model answers as Redis does: the same orders at random to both, and the same answers from both.
func TestModelIsRedis(t *testing.T) {
	real := redistest.Start(t).Client(t)
	model := lockrttest.New(t).Client()
	for _, c := range []redis.UniversalClient{real, model} {
		sub := c.Subscribe(context.Background(), protocol.WakeChannels+"L0") // L0 is alive, L1 and L2 are not
		defer sub.Close()
		if _, err := sub.Receive(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	for seed := int64(1); seed <= 200; seed++ {
		a, b := transcript(real, seed), transcript(model, seed)
		for i := range a {
			if a[i] != b[i] {
				t.Fatalf("seed %d, order %d:\nredis: %s\nmodel: %s", seed, i, a[i], b[i])
			}
		}
	}
}

// transcript runs orders and writes down the answers, but for times and fences, of which it checks the order.
func transcript(c redis.UniversalClient, seed int64) []string {
	rnd := rand.New(rand.NewSource(seed))
	ctx := context.Background()
	s := protocol.Default()
	keys := protocol.KeysOf(fmt.Sprint("model:", seed))
	var lines []string
	var last int64
	for i := 0; i < 40; i++ {
		owner := protocol.OwnerPrefix + string(rune('A'+rnd.Intn(3)))
		locker := "L" + string(rune('0'+rnd.Intn(3)))
		leave := protocol.LeaveRequest{Keys: keys, Owner: owner, Locker: locker, Counted: rnd.Intn(2) == 0}
		line := ""
		switch op := rnd.Intn(10); {
		case op < 4:
			r, err := s.TryAcquire(ctx, c, protocol.AcquireRequest{
				Keys: keys, Owner: owner, Locker: locker, Lease: time.Minute,
				Queue: rnd.Intn(2) == 0, More: rnd.Intn(2) == 0, Queued: rnd.Intn(2) == 0,
			})
			rises := r.Fence == 0 || r.Fence > last
			if r.Fence != 0 {
				last = r.Fence
			}
			line = fmt.Sprint("acquire ", owner, locker, r.Answer, r.Foreign, rises, r.TTL > 59*time.Second, r.TTL < 0, err)
		case op < 7:
			a, woken, err := s.TryRelease(ctx, c, leave)
			line = fmt.Sprint("release ", owner, locker, a, woken, err)
		case op < 8:
			a, woken, err := s.TryLeave(ctx, c, leave)
			line = fmt.Sprint("leave ", locker, a, woken, err)
		case op < 9:
			p := c.Pipeline()
			cmd := s.QueueRenew(ctx, p, keys.Lock, owner, time.Minute)
			_, _ = p.Exec(ctx)
			a, err := protocol.RenewAnswer(cmd)
			line = fmt.Sprint("renew ", owner, a, err)
		case rnd.Intn(2) == 0:
			line = fmt.Sprint("foreign ", c.SetNX(ctx, keys.Lock, "1", time.Minute).Val())
		default:
			line = fmt.Sprint("del ", c.Del(ctx, keys.Lock).Val())
		}
		lines = append(lines, line)
	}
	f := int64(10 + rnd.Intn(3))
	for i := 0; i < 5; i++ {
		err := fence.Set(ctx, c, keys.Lock+":data", "v", 0, f-int64(rnd.Intn(3)))
		lines = append(lines, fmt.Sprint(err, c.Get(ctx, keys.Lock+":data").Val(), c.Exists(ctx, keys.Lock+":data").Val()))
	}
	return lines
}
