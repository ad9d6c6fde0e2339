// EXPECT-NONE

// Package laststep does several things under a lock and ends in a step that others take without it.
package laststep

import (
	"context"
	"fmt"
	"time"

	"github.com/go-redsync/redsync/v4"
)

// Message is one delivery.
type Message struct{ ID, Body string }

// Queue is where messages come from.
type Queue interface {
	Commit(ctx context.Context, m Message) error
}

// Worker handles messages.
type Worker struct {
	locks *redsync.Redsync
	queue Queue
	check func(ctx context.Context, m Message) (bool, error)
	store func(ctx context.Context, m Message) error
}

func messageKey(id string) string { return "message:" + id }

// Handle drops what is empty, and processes the rest.
func (w *Worker) Handle(ctx context.Context, m Message) error {
	if m.Body == "" {
		return w.commit(ctx, m)
	}
	return w.process(ctx, m)
}

func (w *Worker) process(ctx context.Context, m Message) error {
	mutex := w.locks.NewMutex(messageKey(m.ID), redsync.WithExpiry(20*time.Second), redsync.WithTries(1))
	if err := mutex.LockContext(ctx); err != nil {
		return fmt.Errorf("message %s: %w", m.ID, err)
	}
	defer func() { _, _ = mutex.UnlockContext(context.WithoutCancel(ctx)) }()
	if err := w.save(ctx, m); err != nil {
		return err
	}
	return w.commit(ctx, m)
}

func (w *Worker) save(ctx context.Context, m Message) error {
	ok, err := w.check(ctx, m)
	if err != nil || !ok {
		return err
	}
	return w.store(ctx, m)
}

func (w *Worker) commit(ctx context.Context, m Message) error { return w.queue.Commit(ctx, m) }
