// EXPECT-NONE

// Package clubmembers admits people to a club.
package clubmembers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var ErrBusy = errors.New("applicant is being admitted")

// Members is what the office uses.
type Members interface {
	Admit(ctx context.Context, applicant int64) error
	AdmitAll(ctx context.Context, applicants []int64) error
}

// Files stores who is in.
type Files interface {
	NextNumber(ctx context.Context) (int64, error)
	Enter(ctx context.Context, applicant, number int64) error
}

// office calls itself by way of self, which has the lock in front.
type office struct {
	files Files
	self  Members
}

func (o *office) Admit(ctx context.Context, applicant int64) error {
	number, err := o.files.NextNumber(ctx)
	if err != nil {
		return err
	}
	return o.files.Enter(ctx, applicant, number)
}

func (o *office) AdmitAll(ctx context.Context, applicants []int64) error {
	for _, a := range applicants {
		if err := o.self.Admit(ctx, a); err != nil {
			return fmt.Errorf("applicant %d: %w", a, err)
		}
	}
	return nil
}

var unlock = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

type doorman struct {
	next Members
	rdb  redis.UniversalClient
}

// New returns the office with its doorman.
func New(files Files, rdb redis.UniversalClient) Members {
	o := &office{files: files}
	d := &doorman{next: o, rdb: rdb}
	o.self = d
	return d
}

func applicantKey(applicant int64) string { return fmt.Sprintf("club:applicant:%d", applicant) }

func (d *doorman) Admit(ctx context.Context, applicant int64) (err error) {
	key, owner := applicantKey(applicant), uuid.NewString()
	ok, err := d.rdb.SetNX(ctx, key, owner, 15*time.Second).Result()
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !ok {
		return ErrBusy
	}
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		err = errors.Join(err, unlock.Run(end, d.rdb, []string{key}, owner).Err())
	}()
	work, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return d.next.Admit(work, applicant)
}

func (d *doorman) AdmitAll(ctx context.Context, applicants []int64) error {
	return d.next.AdmitAll(ctx, applicants)
}
