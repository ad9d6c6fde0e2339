package driver

import "sync"

// schedule runs a function over nodes in parallel, each after all its imports.
type schedule struct {
	ready   chan *node
	above   map[*node][]*node // who imports it
	waiting map[*node]int     // imports that are not done
	left    int
	mu      sync.Mutex
}

func newSchedule(nodes []*node) *schedule {
	s := &schedule{
		ready: make(chan *node, len(nodes)), above: map[*node][]*node{}, waiting: map[*node]int{}, left: len(nodes),
	}
	for _, n := range nodes {
		s.waiting[n] = len(n.imports)
		for _, m := range n.imports {
			s.above[m] = append(s.above[m], n)
		}
		if len(n.imports) == 0 {
			s.ready <- n
		}
	}
	if len(nodes) == 0 {
		close(s.ready)
	}
	return s
}

func (s *schedule) run(workers int, f func(*node)) {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for n := range s.ready {
				f(n)
				s.finish(n)
			}
		})
	}
	wg.Wait()
}

// finish releases the nodes that waited for n only.
func (s *schedule) finish(n *node) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.above[n] {
		if s.waiting[m]--; s.waiting[m] == 0 {
			s.ready <- m
		}
	}
	if s.left--; s.left == 0 {
		close(s.ready)
	}
}
