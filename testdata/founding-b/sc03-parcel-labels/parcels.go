// Package parcels is the packing station.
package parcels

import (
	"context"

	"example.test/foundingb/sc03-parcel-labels/labels"
	"example.test/foundingb/sc03-parcel-labels/serial"
	"github.com/redis/go-redis/v9"
)

// Station labels what the packers put on the belt.
type Station struct{ labels labels.Labeler }

// New wires the station.
func New(shop labels.Shop, rdb redis.UniversalClient) *Station {
	return &Station{labels: serial.New(&labels.Buyer{Shop: shop}, rdb)}
}

// Packed handles one parcel.
func (s *Station) Packed(ctx context.Context, parcel int64) error { return s.labels.Label(ctx, parcel) }

// Pallet handles the parcels of a pallet.
func (s *Station) Pallet(ctx context.Context, parcels []int64) error {
	return s.labels.LabelAll(ctx, parcels)
}
