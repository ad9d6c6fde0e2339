// EXPECT-NONE

package greenhousewater

import (
	"context"
	"errors"
	"testing"
	"time"
)

type pipes struct {
	dry    map[int64]bool
	opened []int64
	broken error
}

func (p *pipes) Dry(_ context.Context, bed int64) (bool, error) { return p.dry[bed], p.broken }

func (p *pipes) Open(_ context.Context, bed int64, _ time.Duration) error {
	p.opened = append(p.opened, bed)
	p.dry[bed] = false
	return nil
}

// The rules are tested without Redis, on the value inside the lock.
func TestWatersOnlyDryBeds(t *testing.T) {
	p := &pipes{dry: map[int64]bool{1: true, 2: false}}
	w := plain{p}
	for _, bed := range []int64{1, 2, 1} {
		if err := w.Water(context.Background(), bed); err != nil {
			t.Fatal(err)
		}
	}
	if len(p.opened) != 1 || p.opened[0] != 1 {
		t.Errorf("opened %v, want [1]", p.opened)
	}
}

func TestReportsBrokenSensor(t *testing.T) {
	broken := errors.New("no sensor")
	var w Waterer = plain{&pipes{broken: broken}}
	if err := w.Water(context.Background(), 1); !errors.Is(err, broken) {
		t.Errorf("err = %v, want %v", err, broken)
	}
}
