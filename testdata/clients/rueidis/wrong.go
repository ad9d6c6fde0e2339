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

func shedKey(shed int64) string { return "harbour:shed:" + strconv.FormatInt(shed, 10) }

func tugKey(tug string) string { return "harbour:tug:" + tug }

func lockKey(chamber int64) string { return "harbour:chamber:" + strconv.FormatInt(chamber, 10) }

func netKey(net string) string { return "harbour:net:" + net }

// Shed fills a shed, and opens it whoever fills it by then.
func (h *Harbour) Shed(ctx context.Context, shed int64, fill func(context.Context) error) error {
	set := h.client.B().Set().Key(shedKey(shed)).Value(uuid.NewString()).Nx().Ex(time.Minute).Build()
	if err := h.client.Do(ctx, set).Error(); rueidis.IsRedisNil(err) {
		return errBusy
	} else if err != nil {
		return err
	}
	defer func() {
		_ = h.client.Do(context.WithoutCancel(ctx), h.client.B().Del().Key(shedKey(shed)).Build()).Error() // EXPECT: ownerless-release
	}()
	return fill(ctx)
}

// Tug is taken by a name that all tug masters share.
func (h *Harbour) Tug(ctx context.Context, tug string, pull func(context.Context) error) error {
	err := h.client.Do(ctx, h.client.B().Set().Key(tugKey(tug)).Value("tug master").Nx().Px(40*time.Second).Build()).Error() // EXPECT: constant-owner
	if err != nil {
		return errors.Join(errBusy, err)
	}
	defer compareAndDelete.Exec(ctx, h.client, []string{tugKey(tug)}, []string{"tug master"})
	return pull(ctx)
}

// Chamber sets the key and its end in two commands of one pipeline.
func (h *Harbour) Chamber(ctx context.Context, chamber int64, fill func(context.Context) error) error {
	own := uuid.NewString()
	replies := h.client.DoMulti(ctx, // EXPECT: nonatomic-ttl
		h.client.B().Setnx().Key(lockKey(chamber)).Value(own).Build(),
		h.client.B().Expire().Key(lockKey(chamber)).Seconds(30).Build())
	won, err := replies[0].AsBool()
	if err != nil {
		return err
	}
	if !won {
		return errBusy
	}
	defer compareAndDelete.Exec(context.WithoutCancel(ctx), h.client, []string{lockKey(chamber)}, []string{own})
	return fill(ctx)
}

// Net is mended by one crew, which never ends if the crew goes home.
func (h *Harbour) Net(ctx context.Context, net string, mend func(context.Context) error) error {
	own := uuid.NewString()
	won, err := h.client.Do(ctx, h.client.B().Setnx().Key(netKey(net)).Value(own).Build()).AsInt64() // EXPECT: no-ttl
	if err != nil || won == 0 {
		return errors.Join(errBusy, err)
	}
	defer func() {
		get := h.client.B().Get().Key(netKey(net)).Build()
		if now, err := h.client.Do(ctx, get).ToString(); err == nil && now == own { // ALSO-OK: nonatomic-release
			_ = h.client.Do(ctx, h.client.B().Unlink().Key(netKey(net)).Build()).Error() // EXPECT: nonatomic-release
		}
	}()
	return mend(ctx)
}

func buoyKey(buoy string) string { return "harbour:buoy:" + buoy }

// Buoy is moored with a number of the wrong unit, and cast loose by whoever came too late.
func (h *Harbour) Buoy(ctx context.Context, buoy string, moor func(context.Context) error) error {
	own, ttl := uuid.NewString(), 30*time.Second
	err := h.client.Do(ctx, h.client.B().Set().Key(buoyKey(buoy)).Value(own).Nx().ExSeconds(ttl.Milliseconds()).Build()).Error() // EXPECT: ttl-unit
	defer berth.Clear(ctx, h.client, h.client.B().Del().Key(buoyKey(buoy)).Build())                                              // EXPECT: ownerless-release, release-not-acquired
	if rueidis.IsRedisNil(err) {
		return errBusy
	}
	if err != nil {
		return err
	}
	return moor(ctx)
}

func lampKey(lamp string) string { return "harbour:lamp:" + lamp }

var swapped = rueidis.NewLuaScript(`if redis.call("GET",KEYS[1]) == ARGV[1] then return redis.call("DEL",KEYS[2]) end return 0`)

// Lamp lights a lamp; the release reads a key that nobody passes.
func (h *Harbour) Lamp(ctx context.Context, lamp string, light func(context.Context) error) error {
	own := uuid.NewString()
	err := h.client.Do(ctx, h.client.B().Set().Key(lampKey(lamp)).Value(own).Nx().Px(20*time.Second).Build()).Error()
	if err != nil {
		return errors.Join(errBusy, err)
	}
	defer swapped.Exec(ctx, h.client, []string{lampKey(lamp)}, []string{own}) // EXPECT: broken-release
	return light(ctx)
}

func dredgeKey(stretch string) string { return "harbour:dredge:" + stretch }

// Dredge deepens a stretch, and holds on to it whoever has it now.
func (h *Harbour) Dredge(ctx context.Context, stretch string, steps []func(context.Context) error) error {
	b := berth.New(h.client, dredgeKey(stretch), berth.As("dredger")) // ALSO-OK: constant-owner
	if ok, err := b.Take(ctx, 30*time.Second); err != nil || !ok {    // ALSO-OK: constant-owner
		return errors.Join(errBusy, err)
	}
	defer b.Leave(context.WithoutCancel(ctx))
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
		more := h.client.B().Pexpire().Key(dredgeKey(stretch)).Milliseconds(30000).Build()
		if err := h.client.Do(ctx, more).Error(); err != nil { // EXPECT: ownerless-extend
			return err
		}
	}
	return nil
}

func sternKey(boat string) string { return "harbour:stern:" + boat }

// Stern ties a boat; who finds it tied cuts the rope.
func (h *Harbour) Stern(ctx context.Context, boat string, tie func(context.Context) error) error {
	own := uuid.NewString()
	err := h.client.Do(ctx, h.client.B().Set().Key(sternKey(boat)).Value(own).Nx().Px(20*time.Second).Build()).Error()
	if rueidis.IsRedisNil(err) {
		_ = h.client.Do(ctx, h.client.B().Del().Key(sternKey(boat)).Build()).Error() // EXPECT: release-not-acquired // ALSO-OK: ownerless-release
		return errBusy
	}
	if err != nil {
		return err
	}
	defer compareAndDelete.Exec(context.WithoutCancel(ctx), h.client, []string{sternKey(boat)}, []string{own})
	return tie(ctx)
}

func flagKey(flag string) string { return "harbour:flag:" + flag }

// Flag is right in what it asks and wrong in what it deletes: the replies come through a method that runs any command.
func (h *Harbour) Flag(ctx context.Context, flag string, hoist func(context.Context) error) error {
	own := uuid.NewString()
	reply := h.run(ctx, h.client.B().Set().Key(flagKey(flag)).Value(own).Nx().Px(15*time.Second).Build())
	if err := reply.Error(); err != nil {
		return err
	}
	defer func() {
		_ = h.run(context.WithoutCancel(ctx), h.client.B().Del().Key(flagKey(flag)).Build()).Error() // EXPECT: ownerless-release
	}()
	return hoist(ctx)
}
