// Package dunningletters reminds customers of what they owe.
package dunningletters

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/go-redis/redis/v8"
	"github.com/google/uuid"
	"github.com/hibiken/asynq"
)

const remindTask = "dunning:remind"

type reminder struct{ Customer int64 }

var errBusy = errors.New("customer is being reminded")

var unlock = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Letters writes and sends.
type Letters interface {
	Reminded(ctx context.Context, customer int64) (bool, error)
	Send(ctx context.Context, customer int64) error
	Forgotten(ctx context.Context) ([]int64, error)
}

type Clerk struct{ letters Letters }

func customerOf(t *asynq.Task) (int64, error) {
	var r reminder
	if err := json.Unmarshal(t.Payload(), &r); err != nil {
		return 0, fmt.Errorf("%w: %w", asynq.SkipRetry, err)
	}
	if r.Customer <= 0 {
		return 0, fmt.Errorf("%w: no customer named", asynq.SkipRetry)
	}
	return r.Customer, nil
}

func (c *Clerk) remind(ctx context.Context, t *asynq.Task) error {
	customer, err := customerOf(t)
	if err != nil {
		return err
	}
	done, err := c.letters.Reminded(ctx, customer)
	if err != nil || done {
		return err
	}
	return c.letters.Send(ctx, customer)
}

func debtorKey(customer int64) string { return fmt.Sprintf("dunning:debtor:%d", customer) }

// perDebtor lets one task per customer through, whichever worker got it.
func perDebtor(cli *redis.Client, next asynq.Handler) asynq.HandlerFunc {
	return func(ctx context.Context, t *asynq.Task) (err error) {
		customer, err := customerOf(t)
		if err != nil {
			return err
		}
		key, owner := debtorKey(customer), uuid.NewString()
		ok, err := cli.SetNX(ctx, key, owner, 45*time.Second).Result()
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		if !ok {
			return errBusy
		}
		defer func() {
			end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
			defer stop()
			err = errors.Join(err, unlock.Run(end, cli, []string{key}, owner).Err())
		}()
		work, cancel := context.WithTimeout(ctx, 30*time.Second)
		defer cancel()
		return next.ProcessTask(work, t)
	}
}

// Routes tells the queue who handles what.
func Routes(c *Clerk, cli *redis.Client) *asynq.ServeMux {
	mux := asynq.NewServeMux()
	mux.Handle(remindTask, perDebtor(cli, asynq.HandlerFunc(c.remind)))
	return mux
}

// CatchUp reminds the customers whose tasks were lost; a timer in every worker calls it.
func (c *Clerk) CatchUp(ctx context.Context) error {
	forgotten, err := c.letters.Forgotten(ctx)
	if err != nil {
		return err
	}
	for _, customer := range forgotten {
		body, err := json.Marshal(reminder{Customer: customer})
		if err != nil {
			return err
		}
		if err := c.remind(ctx, asynq.NewTask(remindTask, body)); err != nil { // EXPECT: self-call
			return fmt.Errorf("customer %d: %w", customer, err)
		}
	}
	return nil
}
