package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/lockrt"
	"github.com/leasevet/leasevet/lockrt/fence"
)

// workerEnv makes this program a worker.
const workerEnv = "LOCKRT_FAULTS_WORKER"

// workerConfig is a worker's environment.
type workerConfig struct {
	Proc  int
	Seed  int64
	Locks string // address of the Redis with the locks, behind the proxy
	Store string // address of the Redis with what they guard
	Lease time.Duration
	Flows int
	Keys  int
	Pool  int // connections; 0 for go-redis's default
	Until time.Time
}

// event is a line of a worker's output: something that happened at a moment of the machine's clock.
type event struct {
	Kind  string // acquired, alive, ended, released, write, wrote, read, got
	At    int64
	Lease int // number of the lease, or of the operation on the register, in this process
	Key   int
	Fence int64  `json:",omitempty"`
	Text  string `json:",omitempty"` // value, or why
}

var faultLock = lockrt.MustPrefix("faults")

// worker is a process with some flows that take locks and write under them.
type worker struct {
	cfg   workerConfig
	l     *lockrt.Locker
	store *redis.Client

	mu  sync.Mutex
	out *json.Encoder
	n   int
}

func workerMain(text string) error {
	var cfg workerConfig
	if err := json.Unmarshal([]byte(text), &cfg); err != nil {
		return err
	}
	rdb := redis.NewClient(&redis.Options{Addr: cfg.Locks, PoolSize: cfg.Pool})
	l, err := lockrt.New(rdb, lockrt.WithLease(cfg.Lease))
	if err != nil {
		return err
	}
	w := &worker{cfg: cfg, l: l, store: redis.NewClient(&redis.Options{Addr: cfg.Store}), out: json.NewEncoder(os.Stdout)}
	var wg sync.WaitGroup
	for f := range cfg.Flows {
		wg.Go(func() { w.flow(rand.New(rand.NewSource(cfg.Seed + int64(f)))) })
	}
	// Whoever started this process may be gone.
	go func() {
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
		os.Exit(1)
	}()
	wg.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_ = l.Close(ctx)
	return nil
}

func now() int64 { return time.Now().UnixNano() }

func (w *worker) emit(e event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = w.out.Encode(e)
}

func (w *worker) next() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n++
	return w.n
}

// flow takes locks in all three ways of waiting until the time is over.
func (w *worker) flow(rnd *rand.Rand) {
	for time.Now().Before(w.cfg.Until) {
		k := rnd.Intn(w.cfg.Keys)
		ctx, cancel := context.WithDeadline(context.Background(), w.cfg.Until.Add(w.cfg.Lease))
		wait := []lockrt.WaitOption{lockrt.Wait(0), lockrt.Wait(w.cfg.Lease), lockrt.WaitForContext()}[rnd.Intn(3)]
		work := time.Duration(rnd.Int63n(int64(w.cfg.Lease / 4)))
		if rnd.Intn(10) == 0 {
			work = w.cfg.Lease * 3 / 2
		}
		if rnd.Intn(5) == 0 {
			time.AfterFunc(time.Duration(rnd.Int63n(int64(w.cfg.Lease))), cancel) // a client that hangs up
		}
		n := w.next()
		out, _ := w.l.Do(ctx, faultLock.Of(strconv.Itoa(k)), func(ctx context.Context) error {
			return w.hold(ctx, n, k, work)
		}, wait)
		if out.Mode == lockrt.Locked {
			w.emit(event{Kind: "released", At: now(), Lease: n, Key: k, Text: why(out.ReleaseErr)})
		} else {
			w.read(k)
			time.Sleep(10 * time.Millisecond)
		}
		cancel()
	}
}

// hold is the work under a lock: it looks at its lease all the time, and writes once.
func (w *worker) hold(ctx context.Context, n, key int, work time.Duration) error {
	le, _ := lockrt.FromContext(ctx)
	w.emit(event{Kind: "acquired", At: now(), Lease: n, Key: key, Fence: le.Fence()})
	end := time.Now().Add(work)
	wrote := false
	for {
		at := now()
		if ctx.Err() != nil {
			break
		}
		// The lease was valid at that moment, since it is valid now.
		w.emit(event{Kind: "alive", At: at, Lease: n, Key: key})
		if left := time.Until(end); left <= 0 {
			break
		} else if !wrote && left < work/2 {
			wrote = true
			w.write(le, key)
		}
		time.Sleep(2 * time.Millisecond)
	}
	// Also without a lease: the store must refuse it then.
	w.write(le, key)
	w.emit(event{Kind: "ended", At: now(), Lease: n, Key: key, Text: reason(context.Cause(ctx))})
	return nil
}

func (w *worker) write(le *lockrt.Lease, key int) {
	n := w.next()
	v := fmt.Sprintf("%d.%d", w.cfg.Proc, n)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	w.emit(event{Kind: "write", At: now(), Lease: n, Key: key, Fence: le.Fence(), Text: v})
	err := fence.Set(ctx, w.store, "register:"+strconv.Itoa(key), v, 0, le.Fence())
	w.emit(event{Kind: "wrote", At: now(), Lease: n, Key: key, Text: why(err)})
}

func (w *worker) read(key int) {
	n := w.next()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	w.emit(event{Kind: "read", At: now(), Lease: n, Key: key})
	v, err := w.store.Get(ctx, "register:"+strconv.Itoa(key)).Result()
	if err == nil || errors.Is(err, redis.Nil) {
		w.emit(event{Kind: "got", At: now(), Lease: n, Key: key, Text: v})
	}
}

// why names the class of an error.
func why(err error) string {
	for _, c := range []struct {
		class error
		name  string
	}{
		{fence.ErrStale, "stale"}, {lockrt.ErrNotOwner, "not owner"}, {lockrt.ErrExpired, "expired"},
		{lockrt.ErrUnavailable, "unavailable"}, {lockrt.ErrMisconfigured, "misconfigured"},
	} {
		if errors.Is(err, c.class) {
			return c.name
		}
	}
	if err != nil {
		return "unknown"
	}
	return "ok"
}

func reason(cause error) string {
	var lost *lockrt.LeaseLostError
	if errors.As(cause, &lost) {
		return string(lost.Reason)
	}
	return ""
}
