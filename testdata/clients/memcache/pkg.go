// Package kiosk sells tickets, with a lock in memcached.
package kiosk

import (
	"errors"
	"strconv"

	"github.com/bradfitz/gomemcache/memcache"
	"github.com/google/uuid"
)

var errSelling = errors.New("seat is being sold")

type Kiosk struct{ mc *memcache.Client }

func seatKey(seat int) string { return "kiosk-seat-" + strconv.Itoa(seat) }

func rowKey(row int) string { return "kiosk-row-" + strconv.Itoa(row) }

func tillKey(till int) string { return "kiosk-till-" + strconv.Itoa(till) }

func doorKey(door int) string { return "kiosk-door-" + strconv.Itoa(door) }

func barKey(bar int) string { return "kiosk-bar-" + strconv.Itoa(bar) }

// Seat sells a seat, and gives it up by a swap that fails if somebody else has it by then.
func (k *Kiosk) Seat(seat int, sell func() error) (err error) {
	own := uuid.NewString()
	err = k.mc.Add(&memcache.Item{Key: seatKey(seat), Value: []byte(own), Expiration: 30})
	if errors.Is(err, memcache.ErrNotStored) {
		return errSelling
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, k.giveUp(seatKey(seat), own)) }()
	return sell()
}

func (k *Kiosk) giveUp(key, own string) error {
	item, err := k.mc.Get(key)
	if err != nil {
		return err
	}
	if string(item.Value) != own {
		return nil
	}
	item.Expiration = -1
	return k.mc.CompareAndSwap(item)
}

// Row sells a row, and deletes whoever's key it is.
func (k *Kiosk) Row(row int, sell func() error) error {
	if err := k.mc.Add(&memcache.Item{Key: rowKey(row), Value: []byte(uuid.NewString()), Expiration: 30}); err != nil {
		return errors.Join(errSelling, err)
	}
	defer k.mc.Delete(rowKey(row)) // EXPECT: ownerless-release
	return sell()
}

// Till compares first.
func (k *Kiosk) Till(till int, count func() error) error {
	own := uuid.NewString()
	err := k.mc.Add(&memcache.Item{Key: tillKey(till), Value: []byte(own)}) // EXPECT: no-ttl
	if err != nil {
		return errors.Join(errSelling, err)
	}
	defer func() {
		if item, err := k.mc.Get(tillKey(till)); err == nil && string(item.Value) == own { // ALSO-OK: nonatomic-release
			_ = k.mc.Delete(tillKey(till)) // EXPECT: nonatomic-release
		}
	}()
	return count()
}

// Door is opened by a clerk like any other.
func (k *Kiosk) Door(door int, open func() error) error {
	err := k.mc.Add(&memcache.Item{Key: doorKey(door), Value: []byte("clerk"), Expiration: 30}) // EXPECT: constant-owner
	if err != nil {
		return errors.Join(errSelling, err)
	}
	defer func() {
		if item, err := k.mc.Get(doorKey(door)); err == nil && string(item.Value) == "clerk" { // ALSO-OK: nonatomic-release
			_ = k.mc.Delete(doorKey(door)) // EXPECT: ownerless-release
		}
	}()
	return open()
}

// Bar gives back what somebody else holds.
func (k *Kiosk) Bar(bar int, serve func() error) error {
	err := k.mc.Add(&memcache.Item{Key: barKey(bar), Value: []byte(uuid.NewString()), Expiration: 30})
	defer k.mc.Delete(barKey(bar)) // EXPECT: ownerless-release, release-not-acquired
	if err != nil {
		return errors.Join(errSelling, err)
	}
	return serve()
}

func postKey(mail string) string { return "kiosk-post-" + mail }

// Post allows one mail a minute.
func (k *Kiosk) Post(mail string, send func() error) error {
	if err := k.mc.Add(&memcache.Item{Key: postKey(mail), Value: []byte("1"), Expiration: 60}); err != nil {
		return err
	}
	return send()
}

func showKey(show string) string { return "kiosk-show-" + show }

// Show is cached, and Cancel drops it.
func (k *Kiosk) Show(show string, load func() ([]byte, error)) ([]byte, error) {
	if item, err := k.mc.Get(showKey(show)); err == nil {
		return item.Value, nil
	}
	b, err := load()
	if err != nil {
		return nil, err
	}
	return b, k.mc.Set(&memcache.Item{Key: showKey(show), Value: b, Expiration: 600})
}

func (k *Kiosk) Cancel(show string) error { return k.mc.Delete(showKey(show)) }
