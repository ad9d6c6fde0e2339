package lockrt

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/lockrt/internal/protocol"
)

var unitPrefix = MustPrefix("unit:")

func TestKeys(t *testing.T) {
	if got := unitPrefix.Of("a", "b").String(); got != "unit:a:b" || unitPrefix.String() != "unit" {
		t.Errorf("key %q of prefix %q", got, unitPrefix)
	}
	for _, c := range []struct {
		key Key
		bad string // part of the error, "" if it is fine
	}{
		{unitPrefix.Of("a"), ""},
		{unitPrefix.Of("a", "b", "c"), ""},
		{unitPrefix.Of("{a}"), ""},
		{unitPrefix.Of("a{b"), ""},
		{unitPrefix.Legacy("any:thing::goes"), ""},
		{unitPrefix.Of(""), "part is empty"},
		{unitPrefix.Of("a", ""), "part is empty"},
		{unitPrefix.Of("a", "", "b:c"), "part is empty"},
		{unitPrefix.Of("a:b"), "contains"},
		{unitPrefix.Of("a", "b:c"), "contains"},
		{unitPrefix.Of("a}b"), "closing brace"},
		{unitPrefix.Legacy(""), "name is empty"},
		{unitPrefix.Legacy("{}x"), "closing brace"},
		{Prefix{}.Of("a"), "MustPrefix"},
		{Key{}, "not made"},
	} {
		err := c.key.err()
		if (err == nil) != (c.bad == "") || err != nil && !(errors.Is(err, ErrBadKey) && strings.Contains(err.Error(), c.bad)) {
			t.Errorf("%q: %v, want %q", c.key, err, c.bad)
		}
	}
}

func TestMustPrefixPanics(t *testing.T) {
	for _, p := range []string{"", ":", "unit", "unit:"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q was accepted", p)
				}
			}()
			MustPrefix(p)
		}()
	}
}

// Companions are in the slot of the lock, as the cluster computes it.
func TestCompanionSlots(t *testing.T) {
	t.Parallel()
	rdb := startCluster(t)
	ctx := context.Background()
	for _, name := range []string{"a", "a{b", "{t}a", "a{t}b", "x{}y{z", "{a{b}c}", "ключ"} {
		if !protocol.CanHaveCompanions(name) {
			continue
		}
		for _, k := range protocol.KeysOf(name).All() {
			want := rdb.ClusterKeySlot(ctx, name).Val()
			if got := rdb.ClusterKeySlot(ctx, k).Val(); got != want {
				t.Errorf("%q is in slot %d, %q in %d", name, want, k, got)
			}
		}
	}
}

func TestInstant(t *testing.T) {
	from := instant{wall: 100 * time.Second, mono: 10 * time.Second}
	for name, c := range map[string]struct {
		later instant
		want  time.Duration
	}{
		"both":                  {instant{101 * time.Second, 11 * time.Second}, time.Second},
		"clock set back":        {instant{50 * time.Second, 11 * time.Second}, time.Second},
		"clock set forward":     {instant{700 * time.Second, 11 * time.Second}, 600 * time.Second},
		"machine was suspended": {instant{160 * time.Second, 10 * time.Second}, 60 * time.Second},
	} {
		if got := from.until(c.later); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestTiming(t *testing.T) {
	for _, lease := range []time.Duration{minLease, time.Second, 5 * time.Second, 30 * time.Second, time.Hour} {
		g := newTiming(lease)
		if g.live >= lease-lease/100 || g.live < lease*9/10 {
			t.Errorf("%v: lives %v", lease, g.live)
		}
		if g.attempt > 2*time.Second || g.attempt > lease/2 {
			t.Errorf("%v: attempt %v", lease, g.attempt)
		}
		for i := 0; i < 1000; i++ {
			if d := g.renewIn(); d > lease/3 || d < lease*3/10-time.Millisecond {
				t.Errorf("%v: renewed in %v", lease, d)
			}
			if lost := g.live - g.renewIn(); lease >= time.Second && lost < lease*6/10 {
				t.Errorf("%v: survives an outage of %v only", lease, lost)
			}
		}
		for n := 0; n < 100; n++ {
			if d := g.retryIn(n); d <= 0 || d > time.Second || d > lease/10 {
				t.Errorf("%v: retry %d in %v", lease, n, d)
			}
		}
	}
	for n := 0; n < 100; n++ {
		if d := pollIn(n); d < 80*time.Millisecond || d > time.Second {
			t.Errorf("poll %d in %v", n, d)
		}
		if d := recheckIn(); d < time.Second || d > 2*time.Second {
			t.Errorf("recheck in %v", d)
		}
	}
	if afterTTL(time.Second) <= time.Second || jitter(0) != 0 {
		t.Error("jitter")
	}
}

// redisError is what go-redis makes of an error reply.
type redisError string

func (e redisError) Error() string { return string(e) }
func (redisError) RedisError()     {}

func TestClassify(t *testing.T) {
	for text, outage := range map[string]bool{
		"LOADING Redis is loading the dataset in memory":        true,
		"TRYAGAIN Multiple keys request during rehashing":       true,
		"MOVED 1 127.0.0.1:1":                                   true,
		"ERR max number of clients reached":                     true,
		"CROSSSLOT Keys in request don't hash to the same slot": false,
		"NOPERM this user has no permissions":                   false,
		"DENIED Redis is running in protected mode":             false,
		"ERR something nobody has foreseen":                     false,
		// As Redis 5 and 6 wrap it.
		"ERR Error running script (call to f_1): @user_script:12: OOM command not allowed":   true,
		"ERR Error running script (call to f_1): @user_script:12: -READONLY You can't write": true,
		"ERR Error running script (call to f_1): @user_script:12: WRONGTYPE Operation":       false,
	} {
		if got := isOutage(redisError(text)); got != outage {
			t.Errorf("%q: outage is %v", text, got)
		}
	}
	for _, err := range []error{redis.Nil, protocol.ErrReply} {
		if isOutage(err) {
			t.Errorf("%v is an outage", err)
		}
	}
	for _, err := range []error{context.DeadlineExceeded, redis.ErrClosed, errors.New("EOF")} {
		if !isOutage(err) {
			t.Errorf("%v is no outage", err)
		}
	}
	if classify("x", "k", nil) != nil {
		t.Error("an error from none")
	}
}

// A reply that no script gives is neither yes nor no.
func TestUnknownReplies(t *testing.T) {
	for _, v := range []interface{}{nil, int64(7), "OK", []interface{}{}, []interface{}{int64(1)}, []interface{}{"1", "2"}, []interface{}{int64(9), int64(9)}} {
		c := fakeClient{reply: v}
		s := protocol.Default()
		if _, err := s.TryAcquire(context.Background(), c, protocol.AcquireRequest{}); err == nil {
			t.Errorf("acquire took %v", v)
		}
		if _, ok := v.([]interface{}); ok && len(v.([]interface{})) == 2 {
			continue // Release looks at the first number only if it is not 1
		}
		if a, _, err := s.TryRelease(context.Background(), c, protocol.LeaveRequest{}); err == nil {
			t.Errorf("release took %v for %v", v, a)
		}
		cmd := redis.NewCmd(context.Background())
		cmd.SetVal(v)
		if a, err := protocol.RenewAnswer(cmd); err == nil {
			t.Errorf("renew took %v for %v", v, a)
		}
	}
}

// fakeClient answers every command alike.
type fakeClient struct{ reply interface{} }

func (f fakeClient) Process(_ context.Context, cmd redis.Cmder) error {
	if c, ok := cmd.(*redis.Cmd); ok {
		c.SetVal(f.reply)
	}
	return nil
}

func TestErrorsSayWhatHappened(t *testing.T) {
	cause := errors.New("the cause")
	for want, err := range map[string]error{
		`lockrt: not acquired: "k" is held by an older lock whose key never expires; waited 2s: the cause`: &NotAcquiredError{Key: "k", Waited: 2 * time.Second, HolderTTL: -1, Foreign: true, Cause: cause},
		`lockrt: redis unavailable: acquire "k": the cause`:                                                &UnavailableError{Op: "acquire", Key: "k", Cause: cause},
		`lockrt: misconfigured: check: the cause`:                                                          &MisconfiguredError{Op: "check", Cause: cause},
		`lockrt: lease lost: "k": the key is gone: the cause`:                                              &LeaseLostError{Key: "k", Reason: LostKey, Cause: cause},
		`lockrt: not the owner: release of "k"`:                                                            &releaseError{key: "k", class: ErrNotOwner},
		`lockrt: held for the 1s of MaxHold`:                                                               holdEnded{time.Second},
	} {
		if err.Error() != want {
			t.Errorf("%s\nwant %s", err, want)
		}
	}
	for mode, want := range map[Mode]string{NotRun: "not run", Locked: "locked", Skipped: "skipped", Degraded: "degraded"} {
		if mode.String() != want {
			t.Errorf("%v", mode)
		}
	}
}
