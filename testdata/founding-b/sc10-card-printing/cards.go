// Package cardprinting prints membership cards in batches.
package cardprinting

import (
	"context"
	"fmt"

	"example.test/foundingb/sc10-card-printing/guard"
	"github.com/redis/go-redis/v9"
)

// Batch is a stack of cards that one printer prints in one go.
type Batch struct {
	ID    int64
	Cards []string
}

// Printer prints cards, on real plastic.
type Printer interface {
	Printed(ctx context.Context, batch int64) (bool, error)
	Print(ctx context.Context, batch int64, cards []string) error
}

type press struct{ printer Printer }

// Do implements guard.Step.
func (p *press) Do(ctx context.Context, b Batch) error {
	done, err := p.printer.Printed(ctx, b.ID)
	if err != nil || done {
		return err
	}
	return p.printer.Print(ctx, b.ID, b.Cards)
}

// leftovers prints what was not printed during the day.
func (p *press) leftovers(ctx context.Context, batches []Batch) error {
	for _, b := range batches {
		if err := p.Do(ctx, b); err != nil { // EXPECT: self-call
			return fmt.Errorf("batch %d: %w", b.ID, err)
		}
	}
	return nil
}

func batchKey(b Batch) string { return fmt.Sprintf("cardstack:%d", b.ID) }

// Office prints cards on demand and at night.
type Office struct {
	press *press
	now   guard.Step[Batch]
}

// New wires an office.
func New(printer Printer, rdb redis.UniversalClient) *Office {
	p := &press{printer: printer}
	return &Office{press: p, now: guard.New(p, rdb, batchKey)}
}

// Print prints a batch at once.
func (o *Office) Print(ctx context.Context, b Batch) error { return o.now.Do(ctx, b) }

// Night prints what the day has left.
func (o *Office) Night(ctx context.Context, batches []Batch) error {
	return o.press.leftovers(ctx, batches)
}
