package tables

import (
	"os"
	"strconv"
	"time"

	"github.com/go-redis/redis"
	"github.com/google/uuid"

	"example.test/clients/goredis6/guard"
)

func boothKey(booth int) string { return "floor:booth:" + strconv.Itoa(booth) }

func cellarKey(rack string) string { return "floor:cellar:" + rack }

func ovenKey(oven int) string { return "floor:oven:" + strconv.Itoa(oven) }

func tillKey(till int) string { return "floor:till:" + strconv.Itoa(till) }

// Booth frees the booth whoever sits in it.
func (f *Floor) Booth(booth int, party func() error) error {
	ok, err := f.ring.SetNX(boothKey(booth), uuid.NewString(), time.Minute).Result()
	if err != nil {
		return err
	}
	if !ok {
		return errSeated
	}
	defer f.ring.Del(boothKey(booth)) // EXPECT: ownerless-release
	return party()
}

// Cellar takes the name of the machine for an owner.
func (f *Floor) Cellar(rack string, fetch func() error) error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	ok, err := f.rdb.SetNX(cellarKey(rack), host, 30*time.Second).Result() // EXPECT: constant-owner
	if err != nil || !ok {
		return errSeated
	}
	defer free.Run(f.rdb, []string{cellarKey(rack)}, host)
	return fetch()
}

// Oven keeps the key for ever if the kitchen loses power.
func (f *Floor) Oven(oven int, bake func() error) error {
	own := uuid.NewString()
	if ok, err := f.rdb.SetNX(ovenKey(oven), own, 0).Result(); err != nil || !ok { // EXPECT: nonatomic-ttl
		return errSeated
	}
	if err := f.rdb.Expire(ovenKey(oven), time.Minute).Err(); err != nil { // ALSO-OK: nonatomic-ttl
		return err
	}
	defer free.Run(f.rdb, []string{ovenKey(oven)}, own)
	return bake()
}

// Till opens a till, and closes it also for the waiter who did not get it.
func (f *Floor) Till(till int, count func() error) error {
	own := uuid.NewString()
	ok, err := f.rdb.SetNX(tillKey(till), own, 5).Result() // EXPECT: ttl-unit
	defer f.rdb.Del(tillKey(till))                         // EXPECT: ownerless-release, release-not-acquired
	if err != nil || !ok {
		return errSeated
	}
	return count()
}

func grillKey(grill int) string { return "floor:grill:" + strconv.Itoa(grill) }

// Grill compares, then deletes; Hearth does it as it should be.
func (f *Floor) Grill(grill int, roast func() error) error {
	own := uuid.NewString()
	if ok, err := f.rdb.SetNX(grillKey(grill), own, 30*time.Second).Result(); err != nil || !ok {
		return errSeated
	}
	defer func() {
		if now, err := f.rdb.Get(grillKey(grill)).Result(); err == nil && now == own { // ALSO-OK: nonatomic-release
			f.rdb.Del(grillKey(grill)) // EXPECT: nonatomic-release
		}
	}()
	return roast()
}

func hearthKey(hearth int) string { return "floor:hearth:" + strconv.Itoa(hearth) }

func (f *Floor) Hearth(hearth int, roast func() error) error {
	own := uuid.NewString()
	if ok, err := f.rdb.SetNX(hearthKey(hearth), own, 30*time.Second).Result(); err != nil || !ok {
		return errSeated
	}
	defer f.rdb.Watch(func(tx *redis.Tx) error {
		now, err := tx.Get(hearthKey(hearth)).Result()
		if err != nil || now != own {
			return err
		}
		_, err = tx.TxPipelined(func(p redis.Pipeliner) error {
			p.Del(hearthKey(hearth))
			return nil
		})
		return err
	}, hearthKey(hearth))
	return roast()
}

func lampKey(lamp int) string { return "floor:lamp:" + strconv.Itoa(lamp) }

// Lamp drops by the helper what it holds by itself.
func (f *Floor) Lamp(lamp int, light func() error) error {
	ok, err := f.rdb.SetNX(lampKey(lamp), uuid.NewString(), 30*time.Second).Result()
	if err != nil || !ok {
		return errSeated
	}
	defer guard.Drop(f.rdb, lampKey(lamp)) // ALSO-OK: ownerless-release
	return light()
}
