package lockrt

import (
	"context"
	"sync"
	"time"

	"github.com/leasevet/leasevet/lockrt/internal/protocol"
)

// sweepMax bounds how much is left to clean up at once. What does not fit runs out by its TTL.
const sweepMax = 4096

// sweeper does what has to be done although nobody waits for it: give back a lock whose acquisition was given up, release
// what could not be released at once, leave a queue. It has one goroutine while there is something to do. During an outage
// it tries again until the lock has run out by itself, but only once when the Locker is being closed.
type sweeper struct {
	l *Locker

	mu      sync.Mutex
	jobs    []sweepJob
	ctx     context.Context
	cancel  context.CancelFunc
	stopped bool
}

// sweepJob is one thing to clean up.
type sweepJob struct {
	key   Key
	keys  protocol.Keys
	owner string // "" to leave the queue
	end   time.Time
	// again is when to look a second time for a lock that was not there: the request that takes it may arrive after this
	// one, on another connection, when a server that hung goes on.
	again  time.Time
	missed bool
}

func (s *sweeper) giveBack(key Key, keys protocol.Keys, owner string) {
	s.l.obs.emit(Event{Kind: EventCompensation, Prefix: key.prefix, Label: "queued"})
	s.put(sweepJob{key: key, keys: keys, owner: owner, end: time.Now().Add(s.l.timing.lease)})
}

func (s *sweeper) leaveQueue(key Key, keys protocol.Keys) {
	s.put(sweepJob{key: key, keys: keys, end: time.Now().Add(protocol.QueueKept)})
}

func (s *sweeper) put(j sweepJob) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped || len(s.jobs) >= sweepMax {
		s.givenUp(j)
		return
	}
	s.jobs = append(s.jobs, j)
	if s.cancel == nil {
		s.ctx, s.cancel = context.WithCancel(context.Background())
		s.l.users.stay()
		go s.run(s.ctx)
	}
}

// stop gives up what is left.
func (s *sweeper) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	if s.cancel != nil {
		s.cancel()
	}
}

func (s *sweeper) run(ctx context.Context) {
	defer s.l.users.leave()
	fails := 0
	for {
		j, ok := s.take(ctx)
		if !ok {
			return
		}
		if !sleep(ctx, time.Until(j.again)) || time.Now().After(j.end) {
			s.givenUp(j)
			continue
		}
		next, outage := s.sweep(ctx, j)
		switch {
		case outage && s.l.users.isClosing():
			s.givenUp(j)
		case outage:
			s.putBack(j)
			sleep(ctx, s.l.timing.retryIn(fails))
			fails++
			continue
		case next.missed:
			s.putBack(next)
		}
		fails = 0
	}
}

// take returns the next job, or ends the goroutine's duty.
func (s *sweeper) take(ctx context.Context) (sweepJob, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		for _, j := range s.jobs {
			s.givenUp(j)
		}
		s.jobs = nil
	}
	if len(s.jobs) == 0 {
		s.cancel()
		s.jobs, s.cancel = nil, nil
		return sweepJob{}, false
	}
	j := s.jobs[0]
	s.jobs = s.jobs[1:]
	return j, true
}

func (s *sweeper) putBack(j sweepJob) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.jobs = append(s.jobs, j)
}

// sweep does one job. It reports whether it must be done again because Redis could not be asked; a job that it returns
// with missed set is to be looked at once more.
func (s *sweeper) sweep(ctx context.Context, j sweepJob) (sweepJob, bool) {
	ctx, cancel := context.WithTimeout(ctx, s.l.timing.attempt)
	defer cancel()
	answer, woken, err := s.l.sendLeave(ctx, j.keys, j.owner)
	if err != nil {
		return j, isOutage(err)
	}
	s.l.handOver(j.key, woken)
	switch {
	case j.owner == "":
	case answer == protocol.Done:
		s.l.obs.emit(Event{Kind: EventCompensation, Prefix: j.key.prefix, Label: "released"})
	case answer == protocol.Gone && !j.missed:
		j.missed, j.again = true, time.Now().Add(lookTwice)
		return j, false
	}
	j.missed = false
	return j, false
}

// lookTwice is the pause before a lock that was not there is looked for again.
const lookTwice = 200 * time.Millisecond

func (s *sweeper) givenUp(j sweepJob) {
	s.l.obs.emit(Event{Kind: EventCompensation, Prefix: j.key.prefix, Label: "given_up"})
}
