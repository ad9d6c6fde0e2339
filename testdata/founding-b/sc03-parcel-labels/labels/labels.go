// Package labels buys shipping labels for parcels.
package labels

import (
	"context"
	"fmt"
)

// Shop sells labels.
type Shop interface {
	Bought(ctx context.Context, parcel int64) (bool, error)
	Buy(ctx context.Context, parcel int64) error
}

// Labeler gives a parcel its label.
type Labeler interface {
	Label(ctx context.Context, parcel int64) error
	LabelAll(ctx context.Context, parcels []int64) error
}

// Buyer is the Labeler of a single replica.
type Buyer struct{ Shop Shop }

// Label buys a label for a parcel that has none.
func (b *Buyer) Label(ctx context.Context, parcel int64) error {
	done, err := b.Shop.Bought(ctx, parcel)
	if err != nil || done {
		return err
	}
	return b.Shop.Buy(ctx, parcel)
}

// LabelAll labels a whole pallet.
func (b *Buyer) LabelAll(ctx context.Context, parcels []int64) error {
	for _, p := range parcels {
		if err := b.Label(ctx, p); err != nil { // EXPECT: self-call
			return fmt.Errorf("parcel %d: %w", p, err)
		}
	}
	return nil
}
