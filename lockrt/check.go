package lockrt

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/leasevet/leasevet/lockrt/internal/protocol"
)

// Report is what Check found out about the server and the client. What the server would not tell is empty.
type Report struct {
	Server  string // redis or valkey
	Version string
	Mode    string // standalone, cluster, sentinel: what the server that answered says of itself
	// Eviction is the server's maxmemory-policy. Locks all have a TTL, so the volatile policies evict them first.
	Eviction string
	// Scripts is whether the user may run the scripts on the keys of every prefix that is declared in this program; PubSub,
	// whether it may subscribe to the wake channel.
	Scripts, PubSub bool
	// ClockOffset is how far the server's clock is ahead of this machine's. No lock depends on it.
	ClockOffset time.Duration
	// OwnClient is whether locks have a client of their own, see New.
	OwnClient bool
	// Problems are what should be mended, in words.
	Problems []string
}

// maxOffset is how far the clocks may be apart before somebody should look at them.
const maxOffset = time.Second

// Check asks the server for what locks depend on. It returns ErrUnavailable if it cannot be asked. Problems are in the
// report; they are an error, ErrMisconfigured, only with WithStrictServer.
func (l *Locker) Check(ctx context.Context) (Report, error) {
	if err := l.users.enter(); err != nil {
		return Report{}, err
	}
	defer l.users.leave()
	return l.check(ctx)
}

func (l *Locker) check(ctx context.Context) (Report, error) {
	r := Report{OwnClient: l.conn.own}
	for _, step := range []func(context.Context, *Report) error{
		l.checkServer, l.checkMemory, l.checkClock, l.checkScripts, l.checkPubSub,
	} {
		if err := l.checkStep(ctx, &r, step); err != nil {
			return r, err
		}
	}
	if !r.OwnClient {
		r.problem("the client is not one of go-redis's own types: its hooks, retries and timeouts apply to locks too")
	}
	if l.cfg.strict && len(r.Problems) > 0 {
		return r, &MisconfiguredError{Op: "check", Cause: errors.New(strings.Join(r.Problems, "; "))}
	}
	return r, nil
}

// checkStep makes a refusal a problem, and anything else an error.
func (l *Locker) checkStep(ctx context.Context, r *Report, step func(context.Context, *Report) error) error {
	ctx, cancel := context.WithTimeout(ctx, l.timing.attempt)
	defer cancel()
	err := step(ctx, r)
	switch {
	case err == nil:
		return nil
	case isOutage(err):
		return classify("check", "", err)
	}
	r.problem("%v", err)
	return nil
}

func (r *Report) problem(format string, args ...interface{}) {
	r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
}

func (l *Locker) checkServer(ctx context.Context, r *Report) error {
	info, err := l.conn.Info(ctx, "server").Result()
	if err != nil {
		return fmt.Errorf("INFO: %w", err)
	}
	f := infoFields(info)
	r.Server, r.Version, r.Mode = "redis", f["redis_version"], f["redis_mode"]
	if v := f["valkey_version"]; v != "" {
		r.Server, r.Version = "valkey", v
	}
	return nil
}

func (l *Locker) checkMemory(ctx context.Context, r *Report) error {
	info, err := l.conn.Info(ctx, "memory").Result()
	if err != nil {
		return fmt.Errorf("INFO: %w", err)
	}
	f := infoFields(info)
	r.Eviction = f["maxmemory_policy"]
	if r.Eviction != "" && r.Eviction != "noeviction" && f["maxmemory"] != "0" {
		r.problem("maxmemory-policy is %s: a lock can be evicted while it is held; use noeviction", r.Eviction)
	}
	return nil
}

func (l *Locker) checkClock(ctx context.Context, r *Report) error {
	before := time.Now()
	server, err := l.conn.Time(ctx).Result()
	if err != nil {
		return fmt.Errorf("TIME: %w", err)
	}
	r.ClockOffset = server.Sub(before.Add(time.Since(before) / 2))
	if r.ClockOffset > maxOffset || r.ClockOffset < -maxOffset {
		r.problem("the server's clock is off by %v: fences rise over a failover only if the servers' clocks agree",
			r.ClockOffset.Round(time.Millisecond))
	}
	return nil
}

// checkScripts runs the script that does nothing to a lock that nobody holds, on the keys of every declared prefix.
func (l *Locker) checkScripts(ctx context.Context, r *Report) error {
	r.Scripts = true
	for _, prefix := range declaredPrefixes() {
		keys := protocol.KeysOf(prefix + separator + "lockrt-check")
		if _, _, err := l.sendLeave(ctx, keys, ""); err != nil {
			r.Scripts = false
			return fmt.Errorf("the scripts on keys such as %q: %w", keys.All(), err)
		}
	}
	return nil
}

func (l *Locker) checkPubSub(ctx context.Context, r *Report) error {
	sub := l.conn.Subscribe(ctx, protocol.WakeChannels+l.id+":check")
	defer sub.Close()
	if _, err := sub.ReceiveTimeout(ctx, l.timing.attempt); err != nil {
		return fmt.Errorf("SUBSCRIBE to %s*, without which waiters poll: %w", protocol.WakeChannels, err)
	}
	r.PubSub = true
	return nil
}

// strict runs Check before the first acquisition, if it was asked for. An outage does not count as a check.
func (l *Locker) strict(ctx context.Context) error {
	if !l.cfg.strict {
		return nil
	}
	l.strictly.Lock()
	defer l.strictly.Unlock()
	if l.checked {
		return nil
	}
	_, err := l.check(ctx)
	l.checked = err == nil
	return err
}

// declaredPrefixes returns at least one.
func declaredPrefixes() []string {
	prefixes.Lock()
	defer prefixes.Unlock()
	names := make([]string, 0, len(prefixes.taken)+1)
	for name := range prefixes.taken {
		names = append(names, name)
	}
	if len(names) == 0 {
		names = append(names, "lock")
	}
	sort.Strings(names)
	return names
}

// infoFields reads the lines of INFO.
func infoFields(info string) map[string]string {
	fields := map[string]string{}
	for _, line := range strings.Split(info, "\n") {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			fields[name] = value
		}
	}
	return fields
}
