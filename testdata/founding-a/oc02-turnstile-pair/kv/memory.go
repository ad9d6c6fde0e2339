// EXPECT-NONE

package kv

import (
	"context"
	"sync"
	"time"
)

// memory is the store of a single process, for stadiums without a network.
type memory struct {
	mu     sync.Mutex
	counts map[string]int64
	held   map[string]time.Time
}

// NewMemory returns a store that nobody shares.
func NewMemory() Store {
	return &memory{counts: map[string]int64{}, held: map[string]time.Time{}}
}

func (m *memory) Count(_ context.Context, key string) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts[key]++
	return m.counts[key], nil
}

func (m *memory) TryLock(_ context.Context, key string, ttl time.Duration) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if time.Now().Before(m.held[key]) {
		return false, nil
	}
	m.held[key] = time.Now().Add(ttl)
	return true, nil
}

func (m *memory) Unlock(_ context.Context, key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.held, key)
	return nil
}
