// Package signal sets signals, with the locks of Consul.
package signal

import (
	"errors"

	"github.com/hashicorp/consul/api"
)

var errSet = errors.New("signal is being set")

func signalKey(signal string) string { return "yard/signal/" + signal }

func pointKey(point string) string { return "yard/point/" + point }

func trackKey(track string) string { return "yard/track/" + track }

// Yard is a yard.
type Yard struct {
	consul  *api.Client
	session string
	set     map[string]bool
}

// Turn sets a signal.
func (y *Yard) Turn(signal string, green bool) error {
	y.set[signal] = green
	return nil
}

// TurnAll sets them all, past the guard.
func (y *Yard) TurnAll(green bool) error {
	for signal := range y.set {
		if err := y.Turn(signal, green); err != nil { // EXPECT: self-call
			return err
		}
	}
	return nil
}

// Guarded sets one signal at a time.
type Guarded struct{ *Yard } // ALSO-OK: self-call

func NewGuarded(consul *api.Client) *Guarded {
	return &Guarded{&Yard{consul: consul, set: map[string]bool{}}}
}

// Turn sets a signal while nobody else does.
func (g *Guarded) Turn(signal string, green bool) error {
	l, err := g.consul.LockOpts(&api.LockOptions{Key: signalKey(signal), LockTryOnce: true})
	if err != nil {
		return err
	}
	lost, err := l.Lock(nil)
	if err != nil {
		return err
	}
	if lost == nil {
		return errSet
	}
	defer l.Unlock()
	return g.Yard.Turn(signal, green)
}

// Point throws a point; the server compares the session.
func (y *Yard) Point(point string, throw func() error) error {
	pair := &api.KVPair{Key: pointKey(point), Session: y.session}
	ok, _, err := y.consul.KV().Acquire(pair, nil)
	if err != nil {
		return err
	}
	if !ok {
		return errSet
	}
	defer y.consul.KV().Release(pair, nil)
	return throw()
}

// Track takes the key away, whichever session it belongs to.
func (y *Yard) Track(track string, clear func() error) error {
	ok, _, err := y.consul.KV().Acquire(&api.KVPair{Key: trackKey(track), Session: y.session}, nil)
	if err != nil {
		return err
	}
	if !ok {
		return errSet
	}
	defer y.consul.KV().Delete(trackKey(track), nil) // EXPECT: ownerless-release
	return clear()
}

func noteKey(day string) string { return "yard/note/" + day }

// Note is a note, not a lock.
func (y *Yard) Note(day string, text []byte) error {
	_, err := y.consul.KV().Put(&api.KVPair{Key: noteKey(day), Value: text}, nil)
	return err
}

func (y *Yard) Tear(day string) error {
	_, err := y.consul.KV().Delete(noteKey(day), nil)
	return err
}
