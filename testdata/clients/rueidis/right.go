// EXPECT-NONE

// Package harbour runs a harbour.
package harbour

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/redis/rueidis"

	"example.test/clients/rueidis/berth"
)

var errBusy = errors.New("in use")

type Harbour struct{ client rueidis.Client }

func quayKey(quay int64) string { return "harbour:quay:" + strconv.FormatInt(quay, 10) }

func craneKey(crane int64) string { return "harbour:crane:" + strconv.FormatInt(crane, 10) }

func pilotKey(pilot string) string { return "harbour:pilot:" + pilot }

func dockKey(dock string) string { return "harbour:dock:" + dock }

var compareAndDelete = rueidis.NewLuaScript(`if redis.call("GET",KEYS[1]) == ARGV[1] then return redis.call("DEL",KEYS[1]) end return 0`)

// Quay works at a quay.
func (h *Harbour) Quay(ctx context.Context, quay int64, work func(context.Context) error) (err error) {
	own := uuid.NewString()
	set := h.client.B().Set().Key(quayKey(quay)).Value(own).Nx().Ex(time.Minute).Build()
	if err := h.client.Do(ctx, set).Error(); rueidis.IsRedisNil(err) {
		return errBusy
	} else if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, compareAndDelete.Exec(context.WithoutCancel(ctx), h.client, []string{quayKey(quay)}, []string{own}).Error())
	}()
	return work(ctx)
}

// Crane works with a crane; the script is spelled by the builder.
func (h *Harbour) Crane(ctx context.Context, crane int64, work func(context.Context) error) error {
	own := uuid.NewString()
	set := h.client.B().Arbitrary("SET").Keys(craneKey(crane)).Args(own, "NX", "PX", "45000").Build()
	reply, err := h.client.Do(ctx, set).ToMessage()
	if err != nil && !rueidis.IsRedisNil(err) {
		return err
	}
	if reply.IsNil() {
		return errBusy
	}
	defer func() {
		end := h.client.B().Eval().Script(`if redis.call("GET",KEYS[1]) == ARGV[1] then return redis.call("DEL",KEYS[1]) end return 0`).Numkeys(1).Key(craneKey(crane)).Arg(own).Build()
		_ = h.client.Do(context.WithoutCancel(ctx), end).Error()
	}()
	return work(ctx)
}

// Pilot sends a pilot out; given back on a connection that watches the key.
func (h *Harbour) Pilot(ctx context.Context, pilot string, steer func(context.Context) error) (err error) {
	own := uuid.NewString()
	won, err := h.client.Do(ctx, h.client.B().Set().Key(pilotKey(pilot)).Value(own).Nx().ExSeconds(90).Build()).ToString()
	if rueidis.IsRedisNil(err) || err == nil && won != "OK" {
		return errBusy
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.ashore(ctx, pilot, own)) }()
	return steer(ctx)
}

func (h *Harbour) ashore(ctx context.Context, pilot, own string) error {
	return h.client.Dedicated(func(c rueidis.DedicatedClient) error {
		if err := c.Do(ctx, c.B().Watch().Key(pilotKey(pilot)).Build()).Error(); err != nil {
			return err
		}
		now, err := c.Do(ctx, c.B().Get().Key(pilotKey(pilot)).Build()).ToString()
		if err != nil || now != own {
			return err
		}
		for _, r := range c.DoMulti(ctx, c.B().Multi().Build(), c.B().Del().Key(pilotKey(pilot)).Build(), c.B().Exec().Build()) {
			if err := r.Error(); err != nil {
				return err
			}
		}
		return nil
	})
}

// Dock goes through the helper of another package, and holds on while the work takes.
func (h *Harbour) Dock(ctx context.Context, dock string, work func(context.Context) error) error {
	b := berth.New(h.client, dockKey(dock))
	if ok, err := b.Take(ctx, 30*time.Second); err != nil {
		return err
	} else if !ok {
		return berth.ErrOccupied
	}
	defer b.Leave(context.WithoutCancel(ctx))
	if err := work(ctx); err != nil {
		return err
	}
	_, err := b.Stay(ctx, "30000")
	return err
}

func hornKey(ship string) string { return "harbour:horn:" + ship }

// Horn allows a ship one blast a minute.
func (h *Harbour) Horn(ctx context.Context, ship string) (bool, error) {
	err := h.client.Do(ctx, h.client.B().Set().Key(hornKey(ship)).Value("1").Nx().Ex(time.Minute).Build()).Error()
	return err == nil, err
}

func tideKey(day string) string { return "harbour:tide:" + day }

// Tide is kept for an hour, and dropped when the gauge was wrong.
func (h *Harbour) Tide(ctx context.Context, day string, measure func(context.Context) (string, error)) (string, error) {
	tide, err := h.client.DoCache(ctx, h.client.B().Get().Key(tideKey(day)).Cache(), time.Minute).ToString()
	if !rueidis.IsRedisNil(err) {
		return tide, err
	}
	if tide, err = measure(ctx); err != nil {
		return "", err
	}
	return tide, h.client.Do(ctx, h.client.B().Setex().Key(tideKey(day)).Seconds(3600).Value(tide).Build()).Error()
}

// Forget drops the tides of some days.
func (h *Harbour) Forget(ctx context.Context, days ...string) error {
	del := h.client.B().Del()
	keys := make([]string, len(days))
	for i, d := range days {
		keys[i] = tideKey(d)
	}
	return h.client.Do(ctx, del.Key(keys...).Build()).Error()
}

func (h *Harbour) run(ctx context.Context, command rueidis.Completed) rueidis.RedisResult {
	return h.client.Do(ctx, command)
}

func sailKey(sail string) string { return "harbour:sail:" + sail }

// Sail hoists a sail; the replies come through a method that runs any command.
func (h *Harbour) Sail(ctx context.Context, sail string, hoist func(context.Context) error) error {
	own := uuid.NewString()
	reply := h.run(ctx, h.client.B().Set().Key(sailKey(sail)).Value(own).Nx().Px(15*time.Second).Build())
	if err := reply.Error(); rueidis.IsRedisNil(err) {
		return errBusy
	} else if err != nil {
		return err
	}
	end := h.client.B().Eval().Script(`if redis.call("GET",KEYS[1]) == ARGV[1] then return redis.call("DEL",KEYS[1]) end return 0`).Numkeys(1).Key(sailKey(sail)).Arg(own)
	defer func() { _ = h.run(context.WithoutCancel(ctx), end.Build()).Error() }()
	return hoist(ctx)
}
