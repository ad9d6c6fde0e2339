// Package quizspread evaluates the answers of a quiz show.
package quizspread

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-redis/redis/v8"
)

var ErrEvaluating = errors.New("round is being evaluated")

// Words are the parts of a command.
type Words []interface{}

type Show struct {
	rdb  *redis.Client
	eval func(ctx context.Context, round int) error
}

func roundKey(round int) string { return fmt.Sprintf("quiz:round:%d:evaluate", round) }

func (s *Show) run(ctx context.Context, w Words) *redis.Cmd { return s.rdb.Do(ctx, w...) } // ALSO-OK: constant-owner, ownerless-release

// Evaluate evaluates one round.
func (s *Show) Evaluate(ctx context.Context, round int) error {
	words := Words{"SET", roundKey(round), "busy"}
	words = append(words, "NX", "PX", 25000)
	reply, err := s.run(ctx, words).Result() // EXPECT: constant-owner
	if errors.Is(err, redis.Nil) {
		return ErrEvaluating
	}
	if err != nil {
		return fmt.Errorf("round %d: %w", round, err)
	}
	slog.Debug("evaluating", "round", round, "reply", reply)
	defer func() {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer stop()
		if err := s.run(end, Words{"UNLINK", roundKey(round)}).Err(); err != nil { // EXPECT: ownerless-release
			slog.Warn("round stays locked", "round", round, "err", err)
		}
	}()
	return s.eval(ctx, round)
}
