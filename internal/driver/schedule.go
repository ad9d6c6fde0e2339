package driver

import "sync"

// A schedule runs a function over nodes in parallel, each after all its imports.
//
// Units that share a universe run one after the other, each waiting for the one before it, so that no worker stands
// still for it. The first of them waits for all that any of them needs from outside, and what became ready last runs
// first: so a universe, once begun, is soon done with, and few exist at a time.
type schedule struct {
	mu      sync.Mutex
	wake    *sync.Cond
	ready   []*node
	above   map[*node][]*node // who waits for it
	waiting map[*node]int     // for how many it waits
	left    int
}

func newSchedule(g *graph) *schedule {
	nodes := g.nodes
	s := &schedule{above: map[*node][]*node{}, waiting: map[*node]int{}, left: len(nodes)}
	s.wake = sync.NewCond(&s.mu)
	for _, n := range nodes {
		for _, m := range n.imports {
			s.wait(n, m)
		}
		if p := g.plain(n); p != nil { // see run.covered
			s.wait(n, p)
		}
	}
	s.chain(nodes)
	for i := len(nodes) - 1; i >= 0; i-- {
		if s.waiting[nodes[i]] == 0 {
			s.ready = append(s.ready, nodes[i])
		}
	}
	return s
}

// chain orders the units of each group. Only plain packages count as outside: a variant may itself wait for the group.
func (s *schedule) chain(nodes []*node) {
	first, last := map[string]*node{}, map[string]*node{} // by group
	for _, n := range nodes {
		if !n.unit || !n.mixed() {
			continue
		}
		if m := last[n.ForTest]; m != nil {
			s.wait(n, m)
		} else {
			first[n.ForTest] = n
		}
		last[n.ForTest] = n
		for _, m := range n.imports {
			if f := first[n.ForTest]; f != n && !m.variant() {
				s.wait(f, m)
			}
		}
	}
}

// wait makes n run after m.
func (s *schedule) wait(n, m *node) {
	s.waiting[n]++
	s.above[m] = append(s.above[m], n)
}

func (s *schedule) run(workers int, f func(*node)) {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for n := s.next(); n != nil; n = s.next() {
				f(n)
				s.finish(n)
			}
		})
	}
	wg.Wait()
}

// next is a node whose turn it is, nil when all are done.
func (s *schedule) next() *node {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.ready) == 0 && s.left > 0 {
		s.wake.Wait()
	}
	if len(s.ready) == 0 {
		return nil
	}
	n := s.ready[len(s.ready)-1]
	s.ready = s.ready[:len(s.ready)-1]
	return n
}

// finish releases the nodes that waited for n only.
func (s *schedule) finish(n *node) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left--
	for _, m := range s.above[n] {
		if s.waiting[m]--; s.waiting[m] == 0 {
			s.ready = append(s.ready, m)
		}
	}
	s.wake.Broadcast()
}
