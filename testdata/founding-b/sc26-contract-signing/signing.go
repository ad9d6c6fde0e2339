// EXPECT-NONE

// Package contractsigning signs contracts with the seal of the company.
package contractsigning

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-redis/redis/v8"
	"github.com/google/uuid"
)

var ErrBusy = errors.New("contract is being signed")

// Signer seals contracts.
type Signer interface {
	Sign(ctx context.Context, contract int64) error
	Preview(ctx context.Context, contract int64) ([]byte, error)
}

// Archive stores contracts.
type Archive interface {
	Text(ctx context.Context, contract int64) ([]byte, error)
	Signed(ctx context.Context, contract int64) (bool, error)
	PutSeal(ctx context.Context, contract int64, seal []byte) error
}

type sealer struct {
	archive Archive
	seal    func([]byte) []byte
}

// Sign seals a contract once.
//
//leasevet:external-only Preview was read, it does not sign; everybody else gets the queueing signer
func (s *sealer) Sign(ctx context.Context, contract int64) error {
	done, err := s.archive.Signed(ctx, contract)
	if err != nil || done {
		return err
	}
	text, err := s.archive.Text(ctx, contract)
	if err != nil {
		return err
	}
	return s.archive.PutSeal(ctx, contract, s.seal(text))
}

// Preview shows the text without the seal.
func (s *sealer) Preview(ctx context.Context, contract int64) ([]byte, error) {
	return s.archive.Text(ctx, contract)
}

var unlock = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

type queueing struct {
	Signer
	cli redis.Cmdable
}

// New returns a signer for several replicas.
func New(archive Archive, seal func([]byte) []byte, cli redis.Cmdable) Signer {
	return &queueing{Signer: &sealer{archive: archive, seal: seal}, cli: cli}
}

func contractKey(contract int64) string { return fmt.Sprintf("contract:%d:seal", contract) }

func (q *queueing) Sign(ctx context.Context, contract int64) (err error) {
	key, owner := contractKey(contract), uuid.NewString()
	ok, err := q.cli.SetNX(ctx, key, owner, 30*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, unlock.Run(end, q.cli, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	return q.Signer.Sign(work, contract)
}
