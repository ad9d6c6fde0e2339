package double

import (
	"context"
	"errors"
	"testing"
	"time"
)

type free bool

func (f free) TryLock(context.Context, string, time.Duration) (bool, error) { return bool(f), nil }
func (f free) Unlock(context.Context, string) error                         { return nil }

func TestBook(t *testing.T) {
	d := NewDesk(free(false), func(context.Context, string) error { return nil })
	if err := d.Book(t.Context(), "12"); !errors.Is(err, ErrBusy) {
		t.Fatalf("booked a room that somebody else books: %v", err)
	}
}
