package main

import (
	"syscall"
	"time"
)

// fault is something that goes wrong, and mends itself before it returns.
type fault struct {
	name string
	do   func(*run)
}

// survivable are faults in which Redis loses nothing that it has acknowledged.
var survivable = []fault{
	{"client stopped for half a lease", func(r *run) { r.stopWorker(r.lease / 2) }},
	{"client stopped for 1.5 leases", func(r *run) { r.stopWorker(r.lease * 3 / 2) }},
	{"client killed, another one started", (*run).killWorker},
	{"Redis stopped for half a lease", func(r *run) { r.stopRedis(r.lease / 2) }},
	{"Redis stopped for 1.5 leases", func(r *run) { r.stopRedis(r.lease * 3 / 2) }},
	{"Redis killed and started with its log", (*run).restartRedis},
	{"replies delayed by a tenth of a lease", func(r *run) { r.withProxy(func(p *proxy, on bool) { p.delay = pick(on, r.lease/10) }) }},
	{"replies lost", func(r *run) { r.withProxy(func(p *proxy, on bool) { p.drop = pick(on, 5) }) }},
	{"nothing goes through", func(r *run) { r.withProxy(func(p *proxy, on bool) { p.mute = on }) }},
	{"connections reset", func(r *run) { r.proxy.reset() }},
	{"CLIENT KILL TYPE normal", func(r *run) { r.do("CLIENT", "KILL", "TYPE", "normal") }},
	{"CLIENT KILL TYPE pubsub", func(r *run) { r.do("CLIENT", "KILL", "TYPE", "pubsub") }},
	{"CLIENT PAUSE WRITE", func(r *run) { r.do("CLIENT", "PAUSE", (r.lease / 2).Milliseconds(), "WRITE") }},
	{"SCRIPT FLUSH", func(r *run) { r.do("SCRIPT", "FLUSH") }},
	{"DEBUG SLEEP", func(r *run) { r.do("DEBUG", "SLEEP", "0.2") }},
}

// forgetful are faults in which it does. Mutual exclusion cannot be kept then; fences and what they guard must be.
var forgetful = []fault{
	{"FLUSHALL", func(r *run) { r.lossy = true; r.do("FLUSHALL") }},
	{"Redis killed and started empty", func(r *run) { r.lossy = true; r.restartRedis() }},
}

// inflict does faults until the time is over. The kind of the run says which ones.
func (r *run) inflict(kind int) {
	faults := survivable
	switch kind {
	case 7, 8:
		faults = append(append([]fault{}, survivable[:5]...), forgetful...)
	case 9:
		// One failover, in the middle, and clients that are stopped around it.
		faults = survivable[:3]
		r.pause(r.length / 3)
		r.failOver()
	}
	for time.Now().Before(r.until.Add(-r.lease)) {
		f := faults[r.rnd.Intn(len(faults))]
		r.note("%s", f.name)
		f.do(r)
		r.pause(time.Duration(r.rnd.Int63n(int64(r.lease / 2))))
	}
}

func (r *run) pause(d time.Duration) { time.Sleep(d) }

// worker returns one that is running, or nil.
func (r *run) worker() *proc {
	r.mu.Lock()
	defer r.mu.Unlock()
	for range 10 {
		p := r.procs[r.rnd.Intn(len(r.procs))]
		select {
		case <-p.done:
		default:
			return p
		}
	}
	return nil
}

func (r *run) stopWorker(d time.Duration) {
	if p := r.worker(); p != nil {
		_ = p.cmd.Process.Signal(syscall.SIGSTOP)
		r.pause(d)
		_ = p.cmd.Process.Signal(syscall.SIGCONT)
	}
}

func (r *run) killWorker() {
	if p := r.worker(); p != nil {
		_ = p.cmd.Process.Kill()
		<-p.done
		_ = r.startWorker()
	}
}

func (r *run) stopRedis(d time.Duration) {
	r.locks.Stop()
	r.pause(d)
	r.locks.Continue()
}

// restartRedis starts it with what is on disk: everything with an append-only file, nothing without.
func (r *run) restartRedis() {
	r.locks.Kill()
	r.pause(time.Duration(r.rnd.Int63n(int64(r.lease / 4))))
	if err := r.locks.Run(); err != nil {
		r.note("it did not start: %v", err)
	}
}

// failOver promotes a replica that has not seen the last writes.
func (r *run) failOver() {
	r.note("lossy failover")
	r.lossy = true
	r.backup.Stop()
	r.pause(r.lease)
	r.locks.Kill()
	r.backup.Continue()
	_ = r.admin.Close()
	r.admin = r.backup.Client(r.tb)
	r.do("REPLICAOF", "NO", "ONE")
	r.proxy.set(func(p *proxy) { p.target = r.backup.Addr })
	r.proxy.reset()
}

func (r *run) withProxy(change func(p *proxy, on bool)) {
	r.proxy.set(func(p *proxy) { change(p, true) })
	r.pause(r.lease / 2)
	r.proxy.set(func(p *proxy) { change(p, false) })
}

func pick[T any](on bool, v T) T {
	if on {
		return v
	}
	var none T
	return none
}
