package lockrt_test

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/lockrt/internal/redistest"
)

// scenario is a story of owners that are processes. It returns an error where the story goes wrong.
type scenario struct {
	name string
	run  func(*story) error
}

// story is what a scenario is told with.
type story struct {
	t     *testing.T
	addr  string
	rdb   *redis.Client
	fault string
}

const storyLease = time.Second

func (s *story) owner(skew time.Duration) (*worker, error) {
	return startWorker(s.t, workerConfig{Addr: s.addr, Lease: storyLease, Fault: s.fault, Skew: skew})
}

var scenarios = []scenario{
	{"founding timeline", foundingTimeline},
	{"late release while the next owner works", lateRelease},
	{"clock ten minutes off", clockOff},
	{"client hangs up", clientHangsUp},
	{"key deleted by hand", deletedByHand},
	{"owner killed", ownerKilled},
	{"owner stopped for half a lease", stoppedHalf},
}

func TestScenarios(t *testing.T) {
	for _, sc := range scenarios {
		sc := sc
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			if err := tell(t, sc, ""); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestFaultsPutBack puts known faults back, one at a time. Each must make the scenarios fail that are there for it; so
// they would notice if it came back by itself.
func TestFaultsPutBack(t *testing.T) {
	for fault, names := range map[string][]string{
		"plain DEL":                       {"founding timeline", "late release while the next owner works"},
		"client-clock TTL":                {"clock ten minutes off"},
		"no fence":                        {"founding timeline"},
		"release on the caller's context": {"client hangs up"},
		"renew that creates":              {"key deleted by hand"},
	} {
		fault, names := fault, names
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			for _, sc := range scenarios {
				if !contains(names, sc.name) {
					continue
				}
				err := tell(t, sc, fault)
				t.Logf("%s: %v", sc.name, err)
				if err == nil {
					t.Errorf("%q does not notice", sc.name)
				}
			}
		})
	}
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

func tell(t *testing.T, sc scenario, fault string) error {
	t.Helper()
	server := redistest.Start(t)
	return sc.run(&story{t: t, addr: server.Addr, rdb: server.Client(t), fault: fault})
}

// foundingTimeline: A acquires; A is stopped; its lease ends; B acquires and writes; A continues.
func foundingTimeline(s *story) error {
	a, b, err := s.pair()
	if err != nil {
		return err
	}
	gotA, err := a.ask(order{Do: "acquire", Key: "1"})
	if err != nil || gotA.Err != "" {
		return fmt.Errorf("A cannot acquire: %v %s", err, gotA.Err)
	}
	if err := a.order(order{Do: "watch"}); err != nil {
		return err
	}
	time.Sleep(50 * time.Millisecond) // A is looking
	a.signal(syscall.SIGSTOP)
	gotB, err := b.ask(order{Do: "acquire", Key: "1", Wait: 5 * time.Second})
	if err != nil || gotB.Err != "" {
		return fmt.Errorf("B cannot acquire: %v %s", err, gotB.Err)
	}
	if gotB.Fence <= gotA.Fence {
		return fmt.Errorf("B's fence is %d, A's was %d", gotB.Fence, gotA.Fence)
	}
	if wrote, err := b.ask(order{Do: "write", Key: "1", Text: "B"}); err != nil || wrote.Err != "" {
		return fmt.Errorf("B cannot write: %v %s", err, wrote.Err)
	}
	before, err := s.look("1")
	if err != nil {
		return err
	}
	a.signal(syscall.SIGCONT)
	if err := s.staleOwner(a); err != nil {
		return err
	}
	if err := s.untouched("1", before); err != nil {
		return err
	}
	if v := s.rdb.Get(context.Background(), "guarded:1").Val(); v != "B" {
		return fmt.Errorf("the guarded value is %q", v)
	}
	freed, err := b.ask(order{Do: "release", Key: "1"})
	if err != nil || freed.Err != "" {
		return fmt.Errorf("B cannot release: %v %s", err, freed.Err)
	}
	return nil
}

// staleOwner checks what an owner that was stopped past its lease sees and may do.
func (s *story) staleOwner(a *worker) error {
	saw, err := a.answer()
	switch {
	case err != nil:
		return err
	case !saw.Dead:
		return fmt.Errorf("A continued after %v and its context was alive at the first look", saw.Gap)
	case !contains(saw.Classes, "ErrLeaseLost"):
		return fmt.Errorf("A's context ended with %s", saw.Err)
	}
	wrote, err := a.ask(order{Do: "write", Key: "1", Text: "A, late"})
	if err != nil || !contains(wrote.Classes, "ErrStale") {
		return fmt.Errorf("A's guarded write: %v, error %q", err, wrote.Err)
	}
	freed, err := a.ask(order{Do: "release", Key: "1"})
	if err != nil || !contains(freed.Classes, "ErrNotOwner") {
		return fmt.Errorf("A's release: %v, error %q", err, freed.Err)
	}
	return nil
}

// lateRelease is the founding timeline without anything but the release.
func lateRelease(s *story) error {
	a, b, err := s.pair()
	if err != nil {
		return err
	}
	if got, err := a.ask(order{Do: "acquire", Key: "1"}); err != nil || got.Err != "" {
		return fmt.Errorf("A cannot acquire: %v %s", err, got.Err)
	}
	a.signal(syscall.SIGSTOP)
	if got, err := b.ask(order{Do: "acquire", Key: "1", Wait: 5 * time.Second}); err != nil || got.Err != "" {
		return fmt.Errorf("B cannot acquire: %v %s", err, got.Err)
	}
	before, err := s.look("1")
	if err != nil {
		return err
	}
	a.signal(syscall.SIGCONT)
	if _, err := a.ask(order{Do: "release", Key: "1"}); err != nil {
		return err
	}
	return s.untouched("1", before)
}

// clockOff: A's clock is ten minutes behind. It must hold its lock all the same.
func clockOff(s *story) error {
	a, err := s.owner(-10 * time.Minute)
	if err != nil {
		return err
	}
	b, err := s.owner(0)
	if err != nil {
		return err
	}
	if got, err := a.ask(order{Do: "acquire", Key: "1"}); err != nil || got.Err != "" {
		return fmt.Errorf("A cannot acquire: %v %s", err, got.Err)
	}
	got, err := b.ask(order{Do: "acquire", Key: "1"})
	if err != nil || !contains(got.Classes, "ErrNotAcquired") {
		return fmt.Errorf("A holds the lock and B got fence %d, error %q, %v", got.Fence, got.Err, err)
	}
	return nil
}

// clientHangsUp: the request's context is cancelled while the lock is held.
func clientHangsUp(s *story) error {
	a, err := s.owner(0)
	if err != nil {
		return err
	}
	for i := 0; i < 20; i++ {
		got, err := a.ask(order{Do: "do-cancelled", Key: "1"})
		if err != nil || got.Err != "" {
			return fmt.Errorf("Do: %v %s", err, got.Err)
		}
		if got.Release != "" {
			return fmt.Errorf("the release failed: %s", got.Release)
		}
		if n := s.rdb.Exists(context.Background(), "test:order:1").Val(); n != 0 {
			return fmt.Errorf("the key is there after Do")
		}
	}
	return nil
}

// deletedByHand: somebody deletes the key. The owner is told within a renewal, and the key does not come back.
func deletedByHand(s *story) error {
	a, err := s.owner(0)
	if err != nil {
		return err
	}
	if got, err := a.ask(order{Do: "acquire", Key: "1"}); err != nil || got.Err != "" {
		return fmt.Errorf("A cannot acquire: %v %s", err, got.Err)
	}
	s.rdb.Del(context.Background(), "test:order:1")
	if err := a.order(order{Do: "watch"}); err != nil {
		return err
	}
	time.Sleep(storyLease * 3 / 4)
	if n := s.rdb.Exists(context.Background(), "test:order:1").Val(); n != 0 {
		return fmt.Errorf("the key came back")
	}
	saw, err := a.answer()
	if err != nil || !contains(saw.Classes, "ErrLeaseLost") || saw.Elapsed > storyLease/2 {
		return fmt.Errorf("A was told %q after %v, %v", saw.Err, saw.Elapsed, err)
	}
	return nil
}

// ownerKilled: the next owner waits for the rest of the lease, not longer.
func ownerKilled(s *story) error {
	a, b, err := s.pair()
	if err != nil {
		return err
	}
	if got, err := a.ask(order{Do: "acquire", Key: "1"}); err != nil || got.Err != "" {
		return fmt.Errorf("A cannot acquire: %v %s", err, got.Err)
	}
	a.signal(syscall.SIGKILL)
	got, err := b.ask(order{Do: "acquire", Key: "1", Wait: 5 * time.Second})
	if err != nil || got.Err != "" || got.Elapsed > storyLease+500*time.Millisecond {
		return fmt.Errorf("B got fence %d after %v: %v %s", got.Fence, got.Elapsed, err, got.Err)
	}
	return nil
}

// stoppedHalf: an owner that is stopped for half a lease keeps it.
func stoppedHalf(s *story) error {
	a, err := s.owner(0)
	if err != nil {
		return err
	}
	if got, err := a.ask(order{Do: "acquire", Key: "1"}); err != nil || got.Err != "" {
		return fmt.Errorf("A cannot acquire: %v %s", err, got.Err)
	}
	time.Sleep(storyLease * 2 / 5) // a renewal has been
	a.signal(syscall.SIGSTOP)
	time.Sleep(storyLease / 2)
	a.signal(syscall.SIGCONT)
	time.Sleep(storyLease / 2)
	if got, err := a.ask(order{Do: "release", Key: "1"}); err != nil || got.Err != "" {
		return fmt.Errorf("A lost its lock: %v %s", err, got.Err)
	}
	return nil
}

// pair returns two owners.
func (s *story) pair() (a, b *worker, err error) {
	if a, err = s.owner(0); err != nil {
		return nil, nil, err
	}
	b, err = s.owner(0)
	return a, b, err
}

// held is what is seen of a lock that is held.
type held struct {
	value string
	ttl   time.Duration
	at    time.Time
}

func (s *story) look(key string) (held, error) {
	ctx := context.Background()
	h := held{value: s.rdb.Get(ctx, "test:order:"+key).Val(), at: time.Now()}
	h.ttl = s.rdb.PTTL(ctx, "test:order:"+key).Val()
	if h.value == "" || h.ttl <= 0 {
		return h, fmt.Errorf("nobody holds the lock: %+v", h)
	}
	return h, nil
}

// untouched checks that the same owner still holds the lock and that its TTL was not made shorter.
func (s *story) untouched(key string, before held) error {
	now, err := s.look(key)
	if err != nil {
		return err
	}
	if now.value != before.value {
		return fmt.Errorf("the owner value changed")
	}
	if least := before.ttl - time.Since(before.at) - 20*time.Millisecond; now.ttl < least {
		return fmt.Errorf("the TTL is %v, was %v %v ago", now.ttl, before.ttl, time.Since(before.at))
	}
	return nil
}
