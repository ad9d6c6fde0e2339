package studio

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/google/uuid"
)

func pianoKey(piano int64) string { return "studio:piano:" + strconv.FormatInt(piano, 10) }

func tapeKey(tape int64) string { return "studio:tape:" + strconv.FormatInt(tape, 10) }

func drumsKey(kit int64) string { return "studio:drums:" + strconv.FormatInt(kit, 10) }

func harpKey(harp int64) string { return "studio:harp:" + strconv.FormatInt(harp, 10) }

// Piano is tuned, and given back whoever tunes it.
func (s *Studio) Piano(ctx context.Context, piano int64, tune func(context.Context) error) error {
	ok, err := s.store.SetnxExCtx(ctx, pianoKey(piano), uuid.NewString(), 60)
	if err != nil {
		return err
	}
	if !ok {
		return errRecording
	}
	defer s.store.DelCtx(context.WithoutCancel(ctx), pianoKey(piano)) // EXPECT: ownerless-release
	return tune(ctx)
}

// Tape winds a tape.
func (s *Studio) Tape(tape int64, wind func() error) error {
	ok, err := s.store.Setnx(tapeKey(tape), "tape") // EXPECT: constant-owner, nonatomic-ttl
	if err != nil || !ok {
		return errors.Join(errRecording, err)
	}
	if err := s.store.Expire(tapeKey(tape), 30); err != nil { // ALSO-OK: nonatomic-ttl
		return err
	}
	defer s.store.Eval(compareAndDelete, []string{tapeKey(tape)}, "tape")
	return wind()
}

// Drums counts milliseconds, and gives back what it did not get.
func (s *Studio) Drums(kit int64, play func() error) error {
	own, ttl := uuid.NewString(), 20*time.Second
	ok, err := s.store.SetnxEx(drumsKey(kit), own, int(ttl.Milliseconds())) // EXPECT: ttl-unit
	defer s.store.Del(drumsKey(kit))                                        // EXPECT: ownerless-release, release-not-acquired
	if err != nil || !ok {
		return errors.Join(errRecording, err)
	}
	return play()
}

// Harp never ends, and compares before it deletes.
func (s *Studio) Harp(harp int64, play func() error) error {
	own := uuid.NewString()
	ok, err := s.store.Setnx(harpKey(harp), own) // EXPECT: no-ttl
	if err != nil || !ok {
		return errors.Join(errRecording, err)
	}
	defer func() {
		if now, err := s.store.Get(harpKey(harp)); err == nil && now == own { // ALSO-OK: nonatomic-release
			_, _ = s.store.Del(harpKey(harp)) // EXPECT: nonatomic-release
		}
	}()
	return play()
}

func organKey(organ int64) string { return "studio:organ:" + strconv.FormatInt(organ, 10) }

// Organ hands the operands over in the wrong order.
func (s *Studio) Organ(organ int64, play func() error) error {
	own := uuid.NewString()
	ok, err := s.store.SetnxEx(organKey(organ), own, 30)
	if err != nil || !ok {
		return errors.Join(errRecording, err)
	}
	defer s.store.Eval(compareAndDelete, []string{own}, organKey(organ)) // EXPECT: broken-release
	return play()
}
