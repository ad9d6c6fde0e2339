package settle

import (
	"context"

	"example.com/shop/kv"
)

// Service settles accounts.
type Service struct{ locks *kv.Store }

// Run settles one account.
func (s *Service) Run(ctx context.Context, user string) error {
	return s.with(ctx, "settle:user:"+user, s.settle)
}

func (s *Service) with(ctx context.Context, key string, work func(context.Context) error) error {
	held, err := s.locks.Lock(ctx, key, "me")
	if err != nil || !held {
		return err
	}
	defer s.locks.Unlock(ctx, key)
	return work(ctx)
}
