// Package ledger posts to accounts, with the mutex of etcd.
package ledger

import (
	"context"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

var errPosting = errors.New("account is being posted to")

func accountKey(account string) string { return "/ledger/account/" + account }

// Book posts.
type Book struct{ sums map[string]int64 }

// Post posts one amount.
func (b *Book) Post(_ context.Context, account string, amount int64) error {
	b.sums[account] += amount
	return nil
}

// PostAll posts to many accounts.
func (b *Book) PostAll(ctx context.Context, amounts map[string]int64) error {
	for account, amount := range amounts {
		if err := b.Post(ctx, account, amount); err != nil { // EXPECT: self-call
			return err
		}
	}
	return nil
}

// Shared is a book that several clerks share.
type Shared struct {
	*Book   // ALSO-OK: self-call
	session *concurrency.Session
}

// New opens a session.
func New(client *clientv3.Client) (*Shared, error) {
	session, err := concurrency.NewSession(client, concurrency.WithTTL(10))
	if err != nil {
		return nil, err
	}
	return &Shared{&Book{map[string]int64{}}, session}, nil
}

// Post posts one amount while nobody else posts to the account.
func (s *Shared) Post(ctx context.Context, account string, amount int64) error {
	m := concurrency.NewMutex(s.session, accountKey(account))
	if err := m.TryLock(ctx); errors.Is(err, concurrency.ErrLocked) {
		return errPosting
	} else if err != nil {
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	return s.Book.Post(ctx, account, amount)
}

// Close is right: it calls under the lock what Shared calls under the lock.
func (s *Shared) Close(ctx context.Context, account string) error {
	m := concurrency.NewMutex(s.session, accountKey(account))
	if err := m.Lock(ctx); err != nil {
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	return s.Book.Post(ctx, account, -s.sums[account])
}
