// EXPECT-NONE

// Package rules decides how warm rooms shall be.
package rules

import (
	"context"
	"errors"
)

// Rules sets the wanted temperature of rooms.
type Rules interface {
	Set(ctx context.Context, room int64, degrees int) error
	Announce(ctx context.Context, room int64) error
	AnnounceAll(ctx context.Context, rooms []int64) error
}

// Devices are the thermostats on the walls.
type Devices interface {
	Wanted(ctx context.Context, room int64) (int, error)
	Want(ctx context.Context, room int64, degrees int) error
	Blink(ctx context.Context, room int64) error
}

// Plain is the Rules of a single replica.
type Plain struct{ Devices Devices }

// Set implements Rules.
func (p *Plain) Set(ctx context.Context, room int64, degrees int) error {
	was, err := p.Devices.Wanted(ctx, room)
	if err != nil || was == degrees {
		return err
	}
	if err := p.Devices.Want(ctx, room, degrees); err != nil {
		return err
	}
	return p.Announce(ctx, room)
}

// Announce lets the device blink, which harms nobody if it is done twice.
func (p *Plain) Announce(ctx context.Context, room int64) error { return p.Devices.Blink(ctx, room) }

// AnnounceAll lets all devices blink.
func (p *Plain) AnnounceAll(ctx context.Context, rooms []int64) error {
	var all error
	for _, r := range rooms {
		all = errors.Join(all, p.Announce(ctx, r))
	}
	return all
}
