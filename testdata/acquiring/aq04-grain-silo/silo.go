// Package grainsilo weighs grain. A silo is weighed by one scale at a time.
package grainsilo

import (
	"errors"
	"fmt"
	"log"
	"time"

	v7 "github.com/go-redis/redis/v7"
	"github.com/gomodule/redigo/redis"
	"github.com/google/uuid"
)

var ErrWeighing = errors.New("silo is being weighed")

var giveBack = redis.NewScript(1, `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

var giveBack7 = v7.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

type Silo struct {
	pool  *redis.Pool
	rdb   *v7.Client
	weigh func(silo int) error
}

func siloKey(silo int) string { return fmt.Sprintf("silo:%d:scale", silo) }

func (s *Silo) free(silo int, token string) {
	c := s.pool.Get()
	defer c.Close()
	if _, err := giveBack.Do(c, siloKey(silo), token); err != nil {
		log.Printf("silo %d stays locked: %v", silo, err)
	}
}

func (s *Silo) free7(silo int, token string) {
	if err := giveBack7.Run(s.rdb, []string{siloKey(silo)}, token).Err(); err != nil {
		log.Printf("silo %d stays locked: %v", silo, err)
	}
}

// take reports whether the scale is ours.
func (s *Silo) take(silo int, token string) (bool, error) {
	c := s.pool.Get()
	defer c.Close()
	_, err := redis.String(c.Do("SET", siloKey(silo), token, "NX", "EX", 30))
	if err == redis.ErrNil {
		return false, nil
	}
	return err == nil, err
}

// takeQuietly says no for everything.
func (s *Silo) takeQuietly(silo int, token string) bool {
	c := s.pool.Get()
	defer c.Close()
	reply, err := redis.String(c.Do("SET", siloKey(silo), token, "NX", "EX", 30))
	return err == nil && reply == "OK" // EXPECT: error-conflated
}

// Weigh has one branch for both.
func (s *Silo) Weigh(silo int) error {
	token := uuid.NewString()
	ok, err := s.take(silo, token)
	if err != nil || !ok { // EXPECT: error-conflated
		return ErrWeighing
	}
	defer s.free(silo, token)
	return s.weigh(silo)
}

// WeighIfFree is not to blame: its helper does not tell.
func (s *Silo) WeighIfFree(silo int) error {
	token := uuid.NewString()
	if !s.takeQuietly(silo, token) {
		return ErrWeighing
	}
	defer s.free(silo, token)
	return s.weigh(silo)
}

// WeighAll skips a silo whatever the reason.
func (s *Silo) WeighAll(silos []int) error {
	for _, n := range silos {
		token := uuid.NewString()
		ok, err := s.take(n, token)
		if !ok || err != nil { // EXPECT: error-conflated
			log.Printf("silo %d is skipped", n)
			continue
		}
		err = s.weigh(n)
		s.free(n, token)
		if err != nil {
			return err
		}
	}
	return nil
}

// Empty reads the value alone.
func (s *Silo) Empty(silo int) error {
	token := uuid.NewString()
	if !s.rdb.SetNX(siloKey(silo), token, 30*time.Second).Val() { // EXPECT: error-conflated
		return ErrWeighing
	}
	defer s.free7(silo, token)
	return s.weigh(silo)
}

// Fill has one sentinel in two statements.
func (s *Silo) Fill(silo int) (err error) {
	token := uuid.NewString()
	ok, err := s.rdb.SetNX(siloKey(silo), token, 30*time.Second).Result()
	if err != nil {
		log.Printf("silo %d: %v", silo, err)
		return ErrWeighing // EXPECT: error-conflated
	}
	if !ok {
		return ErrWeighing
	}
	defer s.free7(silo, token)
	return s.weigh(silo)
}

// Sweep makes mere texts of both.
func (s *Silo) Sweep(silo int) error {
	token := uuid.NewString()
	ok, err := s.rdb.SetNX(siloKey(silo), token, 30*time.Second).Result()
	if err != nil {
		return fmt.Errorf("silo %d: %v", silo, err) // ALSO-OK: error-conflated
	}
	if !ok {
		return fmt.Errorf("silo %d is being weighed", silo) // EXPECT: error-conflated
	}
	defer s.free7(silo, token)
	return s.weigh(silo)
}

// Seal is right.
func (s *Silo) Seal(silo int) error {
	token := uuid.NewString()
	ok, err := s.take(silo, token)
	if err != nil {
		return fmt.Errorf("silo %d: %w", silo, err)
	}
	if !ok {
		return ErrWeighing
	}
	defer s.free(silo, token)
	return s.weigh(silo)
}

// Open hands the error on in the one branch that it has.
func (s *Silo) Open(silo int) (bool, error) {
	token := uuid.NewString()
	ok, err := s.take(silo, token)
	if err != nil || !ok {
		return false, err
	}
	defer s.free(silo, token)
	return true, s.weigh(silo)
}

// Air logs each in its own words; it runs at night and nobody waits for it.
func (s *Silo) Air(silo int) {
	token := uuid.NewString()
	ok, err := s.take(silo, token)
	switch {
	case err != nil:
		log.Printf("silo %d: redis: %v", silo, err)
	case !ok:
		log.Printf("silo %d is being weighed", silo)
	default:
		defer s.free(silo, token)
		if err := s.weigh(silo); err != nil {
			log.Printf("silo %d: %v", silo, err)
		}
	}
}
