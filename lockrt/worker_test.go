package lockrt_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/lockrt"
	"github.com/leasevet/leasevet/lockrt/fence"
)

// Owners in these tests are processes of their own: this test binary, run again as a worker that takes orders on its
// standard input. They are really stopped and killed.

const workerEnv = "LOCKRT_TEST_WORKER"

func TestMain(m *testing.M) {
	if os.Getenv(workerEnv) != "" {
		os.Exit(workerMain())
	}
	// Most of these tests wait for something; two at a time, as two processors suggest, would take minutes.
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(m.Run())
}

// workerConfig is the worker's environment.
type workerConfig struct {
	Addr  string
	Lease time.Duration
	Fault string
	Skew  time.Duration // of the worker's wall clock, where the fault uses it
}

// order is a line of a worker's input.
type order struct {
	Do   string // acquire, watch, write, release, do-cancelled
	Key  string
	Wait time.Duration
	Text string
}

// answer is a line of its output.
type answer struct {
	Fence   int64
	Err     string
	Classes []string // of Err
	Gap     time.Duration
	Dead    bool // the lease's context was dead at the first look after a gap
	Release string
	Elapsed time.Duration
}

var classes = map[string]error{
	"ErrNotAcquired": lockrt.ErrNotAcquired, "ErrUnavailable": lockrt.ErrUnavailable,
	"ErrMisconfigured": lockrt.ErrMisconfigured, "ErrLeaseLost": lockrt.ErrLeaseLost, "ErrNotOwner": lockrt.ErrNotOwner,
	"ErrExpired": lockrt.ErrExpired, "ErrStale": fence.ErrStale,
}

func classesOf(err error) []string {
	var is []string
	for name, class := range classes {
		if errors.Is(err, class) {
			is = append(is, name)
		}
	}
	return is
}

type workerState struct {
	rdb   *redis.Client
	l     *lockrt.Locker
	lease *lockrt.Lease
}

func workerMain() int {
	var cfg workerConfig
	if err := json.Unmarshal([]byte(os.Getenv(workerEnv)), &cfg); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	rdb := redis.NewClient(&redis.Options{Addr: cfg.Addr})
	l, err := lockrt.New(rdb, lockrt.WithLease(cfg.Lease))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	l.PutBack(cfg.Fault, cfg.Skew)
	w := &workerState{rdb: rdb, l: l}
	in, out := json.NewDecoder(bufio.NewReader(os.Stdin)), json.NewEncoder(os.Stdout)
	for {
		var o order
		if err := in.Decode(&o); err != nil {
			if errors.Is(err, io.EOF) {
				return 0
			}
			return 2
		}
		if err := out.Encode(w.obey(o)); err != nil {
			return 2
		}
	}
}

func (w *workerState) obey(o order) answer {
	ctx := context.Background()
	key := orders.Of(o.Key)
	var a answer
	var err error
	start := time.Now()
	switch o.Do {
	case "acquire":
		if w.lease, err = w.l.Acquire(ctx, key, lockrt.Wait(o.Wait)); err == nil {
			a.Fence = w.lease.Fence()
		}
	case "watch":
		a.Gap, a.Dead = w.watch()
		err = context.Cause(w.lease.Context())
	case "write":
		err = fence.Set(ctx, w.rdb, "guarded:"+o.Key, o.Text, 0, w.lease.Fence())
	case "release":
		err = w.lease.Release(ctx)
	case "do-cancelled":
		a.Release, err = w.doCancelled(key)
	}
	a.Elapsed = time.Since(start)
	if err != nil {
		a.Err, a.Classes = err.Error(), classesOf(err)
	}
	return a
}

// watch looks at the lease without a pause until its context is dead or this process was stopped. The first look after
// that is the one that counts.
func (w *workerState) watch() (gap time.Duration, dead bool) {
	ctx := w.lease.Context()
	last := time.Now()
	for {
		now := time.Now()
		gap = now.Sub(last)
		dead = ctx.Err() != nil
		if dead || gap > 500*time.Millisecond {
			return gap, dead
		}
		last = now
	}
}

// doCancelled is a request whose client hangs up while the lock is held.
func (w *workerState) doCancelled(key lockrt.Key) (string, error) {
	ctx, cancel := context.WithCancel(context.Background())
	out, err := w.l.Do(ctx, key, func(context.Context) error {
		cancel()
		return nil
	})
	if out.ReleaseErr != nil {
		return out.ReleaseErr.Error(), err
	}
	return "", err
}

// worker is a worker process as the test sees it.
type worker struct {
	cmd *exec.Cmd
	in  *json.Encoder
	out *json.Decoder
}

// startWorker returns an error, not a failed test: a scenario must be able to fail.
func startWorker(t *testing.T, cfg workerConfig) (*worker, error) {
	t.Helper()
	text, err := json.Marshal(cfg)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), workerEnv+"="+string(text))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	w := &worker{cmd: cmd, in: json.NewEncoder(in), out: json.NewDecoder(bufio.NewReader(out))}
	t.Cleanup(func() {
		w.signal(syscall.SIGCONT)
		w.signal(syscall.SIGKILL)
		_ = cmd.Wait()
	})
	return w, nil
}

func (w *worker) signal(s syscall.Signal) { _ = w.cmd.Process.Signal(s) }

func (w *worker) order(o order) error { return w.in.Encode(o) }

func (w *worker) answer() (answer, error) {
	var a answer
	err := w.out.Decode(&a)
	return a, err
}

// ask orders and waits for the answer.
func (w *worker) ask(o order) (answer, error) {
	if err := w.order(o); err != nil {
		return answer{}, err
	}
	return w.answer()
}
