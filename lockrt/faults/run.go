package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/lockrt/internal/redistest"
)

// run is one schedule: some processes, one Redis, and faults at random moments. Everything that is drawn follows from the
// seed; what the machine makes of it does not.
type run struct {
	tb     redistest.TB
	rnd    *rand.Rand
	lease  time.Duration
	length time.Duration
	locks  *redistest.Server
	backup *redistest.Server // a replica, in runs with a lossy failover
	store  *redistest.Server
	admin  *redis.Client
	proxy  *proxy
	until  time.Time

	mu    sync.Mutex
	procs []*proc
	h     history
	names []string // of the faults
	lossy bool     // Redis has lost acknowledged writes, so overlaps are to be expected
}

// proc is a worker as the run sees it.
type proc struct {
	cmd  *exec.Cmd
	in   io.Closer
	done chan struct{}
}

// result is what came of a run.
type result struct {
	Seed   int64
	Faults []string
	Lossy  bool
	verdict
}

// violations returns what must not have happened.
func (r result) violations() []string {
	var v []string
	if !r.Lossy {
		v = append(append(v, r.Overlaps...), r.ForeignDeletes...)
	}
	v = append(v, r.Fences...)
	if r.Register != "" {
		v = append(v, "the register: "+r.Register)
	}
	return v
}

func oneRun(tb redistest.TB, seed int64) (result, error) {
	r := &run{tb: tb, rnd: rand.New(rand.NewSource(seed))}
	r.lease = time.Duration(400+r.rnd.Intn(600)) * time.Millisecond
	r.length = 2500 * time.Millisecond
	kind := r.rnd.Intn(10)
	args := []string{"--enable-debug-command", "yes"}
	if kind < 7 {
		// What Redis has acknowledged survives its crash.
		args = append(args, "--appendonly", "yes", "--appendfsync", "always")
	}
	r.locks, r.store = redistest.Start(tb, args...), redistest.Start(tb)
	if kind == 9 {
		r.backup = redistest.StartReplica(tb, r.locks, "--repl-diskless-sync-delay", "0")
	}
	r.admin = redis.NewClient(&redis.Options{Addr: r.locks.Addr})
	defer r.admin.Close()
	var err error
	if r.proxy, err = newProxy(r.locks.Addr); err != nil {
		return result{}, err
	}
	defer r.proxy.close()
	r.until = time.Now().Add(r.length)
	r.h.lease = r.lease
	for range 2 + r.rnd.Intn(3) {
		if err := r.startWorker(); err != nil {
			return result{}, err
		}
	}
	r.inflict(kind)
	r.finish()
	return result{Seed: seed, Faults: r.names, Lossy: r.lossy, verdict: r.h.judge()}, nil
}

func (r *run) startWorker() error {
	r.mu.Lock()
	number := len(r.procs)
	r.mu.Unlock()
	text, err := json.Marshal(workerConfig{
		Proc: number, Seed: r.rnd.Int63(), Locks: r.proxy.addr(), Store: r.store.Addr,
		Lease: r.lease, Flows: 1 + r.rnd.Intn(4), Keys: 2, Pool: r.rnd.Intn(2), Until: r.until,
	})
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), workerEnv+"="+string(text), "GOMAXPROCS=1")
	cmd.Stderr = io.Discard // go-redis reports every broken connection
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	p := &proc{cmd: cmd, in: in, done: make(chan struct{})}
	r.mu.Lock()
	r.procs = append(r.procs, p)
	r.mu.Unlock()
	go r.listen(number, p, out)
	return nil
}

// listen collects what a worker says. A line that was cut when it was killed is dropped.
func (r *run) listen(number int, p *proc, out io.Reader) {
	defer close(p.done)
	dec := json.NewDecoder(bufio.NewReader(out))
	for {
		var e event
		if dec.Decode(&e) != nil {
			return
		}
		r.mu.Lock()
		r.h.events = append(r.h.events, stamped{e, number})
		r.mu.Unlock()
	}
}

// finish lets the workers end by themselves, and kills those that do not.
func (r *run) finish() {
	limit := time.After(time.Until(r.until) + r.lease*3 + 5*time.Second)
	for _, p := range r.procs {
		_ = p.cmd.Process.Signal(syscall.SIGCONT)
		select {
		case <-p.done:
		case <-limit:
			_ = p.cmd.Process.Kill()
			<-p.done
		}
		_ = p.in.Close()
		_ = p.cmd.Wait()
	}
}

// do sends a command to the Redis with the locks, and does not wait long for it.
func (r *run) do(args ...any) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = r.admin.Do(ctx, args...).Err()
}

func (r *run) note(format string, args ...any) {
	r.names = append(r.names, fmt.Sprintf(format, args...))
}
