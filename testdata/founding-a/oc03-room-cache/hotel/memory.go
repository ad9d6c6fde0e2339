// EXPECT-NONE

package hotel

import (
	"context"
	"sync"
	"time"
)

// Memory is the cache of a hotel with one desk.
type Memory struct {
	mu     sync.Mutex
	states map[int64]string
	busy   map[int64]bool
}

var _ Cache = (*Memory)(nil)

func (m *Memory) RoomState(_ context.Context, room int64) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.states[room], nil
}

func (m *Memory) SetRoomState(_ context.Context, room int64, state string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.states[room] = state
	return nil
}

func (m *Memory) LockRoom(_ context.Context, room int64, _ time.Duration) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.busy[room] {
		return false, nil
	}
	m.busy[room] = true
	return true, nil
}

func (m *Memory) UnlockRoom(_ context.Context, room int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.busy[room] = false
	return nil
}
