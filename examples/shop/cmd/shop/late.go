package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/examples/shop/internal/lock"
)

// The keys of the play belong to no resource of the shop.
const (
	spinKey    = "play:spin"
	ownedKey   = "play:owned"
	renewedKey = "play:renewed"
)

// enter tries once to take the lock of the play; leave gives it back. Its error is lock.ErrBusy when the lock is taken.
type enter func(ctx context.Context) (leave func(context.Context) error, err error)

func withSpin(spin *lock.Spin, key string) enter {
	return func(ctx context.Context) (func(context.Context) error, error) {
		ok, err := spin.Acquire(ctx, key, 0)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, lock.ErrBusy
		}
		return func(ctx context.Context) error { return spin.Release(ctx, key) }, nil
	}
}

func withOwned(owned *lock.Owned, key string) enter {
	return func(ctx context.Context) (func(context.Context) error, error) {
		held, err := owned.Acquire(ctx, key, 0)
		if err != nil {
			return nil, err
		}
		return held.Release, nil
	}
}

// course is how the play went: what each step showed, whether B's key stood when A had left, and whether C got in.
type course struct {
	steps  []string
	bStood bool
	cIn    bool
}

// play lets A overstay its lease, B come in, A leave late, and C try.
func (rd *conns) play(ctx context.Context, key string, enter enter) (c course, err error) {
	leaveA, err := enter(ctx)
	if err != nil {
		return c, fmt.Errorf("A: %w", err)
	}
	c.note("A is in")
	rd.pass(rd.lease)
	c.note("A still works")
	leaveB, err := enter(ctx)
	if err != nil {
		return c, fmt.Errorf("B: %w", err)
	}
	c.note("B is in beside A")
	late := leaveA(ctx)
	if late != nil && !errors.Is(late, lock.ErrLost) {
		return c, fmt.Errorf("A leaves: %w", late)
	}
	if c.bStood, err = rd.taken(ctx, key); err != nil {
		return c, err
	}
	c.note(ended(late, c.bStood))
	leaveC, err := enter(ctx)
	if errors.Is(err, lock.ErrBusy) {
		c.note("C is turned away")
		return c, leaveB(ctx)
	}
	if err != nil {
		return c, fmt.Errorf("C: %w", err)
	}
	c.cIn = true
	c.note("C is in beside B")
	return c, errors.Join(leaveB(ctx), leaveC(ctx))
}

func (c *course) note(step string) { c.steps = append(c.steps, step) }

func ended(late error, stood bool) string {
	refused, key := "done", "B's key is gone"
	if late != nil {
		refused = "refused"
	}
	if stood {
		key = "B's key stands"
	}
	return refused + ", " + key
}

func (rd *conns) taken(ctx context.Context, key string) (bool, error) {
	_, err := rd.locks.Get(ctx, key).Result()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	return err == nil, err
}

// show plays once with each helper and prints both side by side, then lets a renewed lock outlast its lease.
func show(ctx context.Context, out io.Writer, rd *conns) error {
	spin, err := rd.play(ctx, spinKey, withSpin(lock.NewSpin(rd.locks, rd.lease), spinKey))
	if err != nil {
		return err
	}
	// No renewal falls into the play: A stands for a process that is paused as a whole.
	paused := lock.NewOwned(rd.locks, rd.lease, time.Hour)
	owned, err := rd.play(ctx, ownedKey, withOwned(paused, ownedKey))
	if err != nil {
		return err
	}
	table(out, rd.lease, spin, owned)
	turned, err := rd.outlast(ctx, renewedKey)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nWith renewal A works for three leases of %s. B tries %d times meanwhile and is turned away each time; A releases as the owner.\n",
		renewedLease, turned)
	return nil
}

func table(out io.Writer, lease time.Duration, spin, owned course) {
	titles := []string{
		"A acquires", fmt.Sprintf("A stalls, its lease of %s passes", lease), "B acquires",
		"A wakes up and releases", "C tries while B works",
	}
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "\tlock.Spin\tlock.Owned")
	for i, title := range titles {
		fmt.Fprintf(w, "%d. %s\t%s\t%s\n", i+1, title, spin.steps[i], owned.steps[i])
	}
	w.Flush()
}

const (
	renewedLease = 300 * time.Millisecond
	beat         = 30 * time.Millisecond
)

// outlast holds a renewed lock for three leases and counts how often it turned another flow away.
func (rd *conns) outlast(ctx context.Context, key string) (turned int, err error) {
	owned := lock.NewOwned(rd.locks, renewedLease, renewedLease/6)
	err = owned.With(ctx, key, 0, func(work context.Context) error {
		//leasevet:ignore reentrant-deadlock,polling-wait one flow plays two owners: it knocks on purpose while it holds the lock
		for end := time.Now().Add(3 * renewedLease); time.Now().Before(end); {
			time.Sleep(beat)
			rd.pass(beat)
			held, err := owned.Acquire(work, key, 0)
			if err == nil {
				return errors.Join(errors.New("B got in"), held.Release(work))
			}
			if !errors.Is(err, lock.ErrBusy) {
				return err
			}
			turned++
		}
		return context.Cause(work)
	})
	return turned, err
}
