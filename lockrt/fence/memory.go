package fence

import "sync"

// Memory guards what lives in this process: state that several goroutines write under different leases. It keeps one
// number for each resource until Forget. The zero Memory is ready.
type Memory struct {
	mu   sync.Mutex
	seen map[string]int64
}

// Write runs write if no later owner was seen, and keeps other writes of all resources out meanwhile. It returns ErrStale
// without running it, or write's error; then the fence counts as seen all the same.
func (m *Memory) Write(resource string, fence int64, write func() error) error {
	if err := valid(resource, fence); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if seen := m.seen[resource]; seen > fence {
		return &StaleError{Resource: resource, Fence: fence, Seen: seen}
	}
	if m.seen == nil {
		m.seen = map[string]int64{}
	}
	m.seen[resource] = fence
	return write()
}

// Forget drops what is known of a resource that is gone for good.
func (m *Memory) Forget(resource string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.seen, resource)
}
