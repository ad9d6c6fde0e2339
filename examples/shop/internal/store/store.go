// Package store keeps the shop's rows as Redis hashes, one hash a row and one set of ids a table.
package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"
)

var (
	// ErrNoRow says that the row does not exist.
	ErrNoRow = errors.New("store: no such row")
	// ErrStale says that the row was changed since it was read.
	ErrStale = errors.New("store: row has changed meanwhile")
)

// Store reads and writes rows. It has a Redis client of its own, apart from the one for locks.
type Store struct{ rdb redis.UniversalClient }

// New returns the store on a client.
func New(rdb redis.UniversalClient) *Store { return &Store{rdb: rdb} }

// Account is a member's money.
type Account struct {
	Member  string `redis:"member"`
	Balance int64  `redis:"balance"`
	Version int64  `redis:"version"`
}

// Limit is how far below zero a member may go.
type Limit struct {
	Member string `redis:"member"`
	Amount int64  `redis:"amount"`
}

// Case is a request that a person decides.
type Case struct {
	ID      string `redis:"id"`
	State   string `redis:"state"`
	Version int64  `redis:"version"`
}

// Settlement is what a merchant has earned: still open, settled, and paid out.
type Settlement struct {
	Merchant string `redis:"merchant"`
	Open     int64  `redis:"open"`
	Settled  int64  `redis:"settled"`
}

// Payout is the last money order of a merchant.
type Payout struct {
	Merchant string `redis:"merchant"`
	Due      int64  `redis:"due"`
	Sent     int64  `redis:"sent"`
}

// Quota is how many offers a member may still reserve.
type Quota struct {
	Member string `redis:"member"`
	Left   int64  `redis:"left"`
}

// Hold is an amount set aside until it expires.
type Hold struct {
	ID      string `redis:"id"`
	Expires int64  `redis:"expires"`
	State   string `redis:"state"`
}

// Archive is a member's balance at the end of a month.
type Archive struct {
	Month   string `redis:"month"`
	Member  string `redis:"member"`
	Balance int64  `redis:"balance"`
}

// Account reads a member's account.
func (s *Store) Account(ctx context.Context, member string) (Account, error) {
	return read[Account](ctx, s.rdb, "row:account:"+member)
}

// SaveAccount writes an account.
func (s *Store) SaveAccount(ctx context.Context, a Account) error {
	return s.write(ctx, "ids:account", "row:account:"+a.Member, a.Member, a)
}

// ChangeAccount writes an account if nobody has changed it since it was read.
func (s *Store) ChangeAccount(ctx context.Context, a Account) error {
	return s.change(ctx, "row:account:"+a.Member, a.Version, "balance", a.Balance)
}

// Limit reads a member's limit.
func (s *Store) Limit(ctx context.Context, member string) (Limit, error) {
	return read[Limit](ctx, s.rdb, "row:limit:"+member)
}

// SaveLimit writes a limit.
func (s *Store) SaveLimit(ctx context.Context, l Limit) error {
	return s.write(ctx, "ids:limit", "row:limit:"+l.Member, l.Member, l)
}

// Case reads a case.
func (s *Store) Case(ctx context.Context, id string) (Case, error) {
	return read[Case](ctx, s.rdb, "row:case:"+id)
}

// SaveCase writes a new case.
func (s *Store) SaveCase(ctx context.Context, c Case) error {
	return s.write(ctx, "ids:case", "row:case:"+c.ID, c.ID, c)
}

// ChangeCase writes the state of a case if nobody has changed it since it was read.
func (s *Store) ChangeCase(ctx context.Context, c Case) error {
	return s.change(ctx, "row:case:"+c.ID, c.Version, "state", c.State)
}

// Settlement reads a merchant's settlement.
func (s *Store) Settlement(ctx context.Context, merchant string) (Settlement, error) {
	return read[Settlement](ctx, s.rdb, "row:settlement:"+merchant)
}

// SaveSettlement writes a settlement.
func (s *Store) SaveSettlement(ctx context.Context, t Settlement) error {
	return s.write(ctx, "ids:settlement", "row:settlement:"+t.Merchant, t.Merchant, t)
}

// Payout reads a merchant's payout.
func (s *Store) Payout(ctx context.Context, merchant string) (Payout, error) {
	return read[Payout](ctx, s.rdb, "row:payout:"+merchant)
}

// SavePayout writes a payout.
func (s *Store) SavePayout(ctx context.Context, p Payout) error {
	return s.write(ctx, "ids:payout", "row:payout:"+p.Merchant, p.Merchant, p)
}

// Quota reads a member's quota.
func (s *Store) Quota(ctx context.Context, member string) (Quota, error) {
	return read[Quota](ctx, s.rdb, "row:quota:"+member)
}

// SaveQuota writes a quota.
func (s *Store) SaveQuota(ctx context.Context, q Quota) error {
	return s.write(ctx, "ids:quota", "row:quota:"+q.Member, q.Member, q)
}

// Hold reads a hold.
func (s *Store) Hold(ctx context.Context, id string) (Hold, error) {
	return read[Hold](ctx, s.rdb, "row:hold:"+id)
}

// SaveHold writes a hold.
func (s *Store) SaveHold(ctx context.Context, h Hold) error {
	return s.write(ctx, "ids:hold", "row:hold:"+h.ID, h.ID, h)
}

// Archive reads what was kept of a member in a month.
func (s *Store) Archive(ctx context.Context, month, member string) (Archive, error) {
	return read[Archive](ctx, s.rdb, "row:archive:"+month+":"+member)
}

// SaveArchive writes what is kept of a member in a month.
func (s *Store) SaveArchive(ctx context.Context, a Archive) error {
	id := a.Month + ":" + a.Member
	return s.write(ctx, "ids:archive", "row:archive:"+id, id, a)
}

// IDs lists the ids of a table: account, limit, case, settlement, payout, quota, hold or archive.
func (s *Store) IDs(ctx context.Context, table string) ([]string, error) {
	return s.rdb.SMembers(ctx, "ids:"+table).Result()
}

func read[T any](ctx context.Context, rdb redis.UniversalClient, key string) (row T, err error) {
	all := rdb.HGetAll(ctx, key)
	if err := all.Err(); err != nil {
		return row, err
	}
	if len(all.Val()) == 0 {
		return row, fmt.Errorf("%s: %w", key, ErrNoRow)
	}
	err = all.Scan(&row)
	return row, err
}

func (s *Store) write(ctx context.Context, table, key, id string, row any) error {
	_, err := s.rdb.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.HSet(ctx, key, row)
		p.SAdd(ctx, table, id)
		return nil
	})
	return err
}

// changeIf sets one column and raises the version, provided that the version is still the one that was read.
var changeIf = redis.NewScript(`
if redis.call("HGET", KEYS[1], "version") ~= ARGV[1] then
  return 0
end
redis.call("HSET", KEYS[1], ARGV[2], ARGV[3])
return redis.call("HINCRBY", KEYS[1], "version", 1)`)

func (s *Store) change(ctx context.Context, key string, version int64, column string, value any) error {
	n, err := changeIf.Run(ctx, s.rdb, []string{key}, version, column, value).Int64()
	if err != nil {
		return err
	}
	if n == 0 {
		return fmt.Errorf("%s: %w", key, ErrStale)
	}
	return nil
}
