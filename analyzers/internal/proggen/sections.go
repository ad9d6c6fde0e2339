package proggen

import "fmt"

// header is what every program begins with.
const header = `package p

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var errTaken = errors.New("somebody else is at it")

var _ = fmt.Sprint
var _ sync.Mutex

type service struct {
	mu    sync.Mutex
	count int
	list  []string
	table map[string]int
	fn    func(int) error
	store store
}

type store interface {
	Save(ctx context.Context, id int) error
	Load(ctx context.Context, id int) (string, error)
}

func (s *service) step(ctx context.Context, n int) error {
	if n > s.count {
		return errors.New("too many")
	}
	s.count++
	return ctx.Err()
}

func randomText() string {
	var b [16]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

func first[T any](list []T) (zero T) {
	for _, x := range list {
		return x
	}
	return zero
}
`

// section is one lock with all that belongs to it.
type section struct {
	n       int
	prefix  string
	client  string // type of the client
	keyBody string
	owner   string
	ttl     string
	late    string // a TTL that is given in a second command
	script  string
	release string // body of the release
	extend  string // a statement in the section
	self    string // a statement of the decorated type
	early   string // how to release too early
	body    string
	form    string
}

// lateText gives the TTL in a second command, if that is what the section does.
func (s *section) lateText() string {
	if s.late == "" {
		return ""
	}
	return "if err == nil && ok {\n\terr = rdb.Expire(ctx, key, " + s.late + ").Err()\n}\n"
}

// section chooses how a lock is made and used.
func (g *generator) section(n int) *section {
	s := &section{n: n, prefix: fmt.Sprintf("%s%d", g.one("settle", "invoice:close", "jobs/nightly", "lock:user"), n)}
	s.client = g.one("*redis.Client", "redis.Cmdable", "redis.UniversalClient")
	s.keyBody = g.one(
		`return fmt.Sprintf("`+s.prefix+`:%d", id)`,
		`return "`+s.prefix+`:" + fmt.Sprint(id)`,
		`return "`+s.prefix+`"`,
		"const prefix = \""+s.prefix+":\"\nreturn prefix + fmt.Sprintf(\"%d\", id)",
		"if id == 0 {\n\treturn \""+s.prefix+":all\"\n}\nreturn fmt.Sprintf(\""+s.prefix+":%d\", id)",
	)
	s.owner = g.one("uuid.NewString()", "randomText()", "uuid.New().String()")
	s.ttl = g.one("20*time.Second", "30*time.Second", "15000*time.Millisecond")
	s.script = g.one(
		`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`,
		`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("UNLINK", KEYS[1]) else return 0 end`,
		`local v = redis.call("get", KEYS[1]) if v ~= ARGV[1] then return 0 end return redis.call("del", KEYS[1])`,
	)
	s.release = g.one(
		"return script_N_.Run(ctx, rdb, []string{key}, owner).Err()",
		"return rdb.Eval(ctx, text_N_, []string{key}, owner).Err()",
		"n, err := script_N_.Run(ctx, rdb, []string{key}, owner).Int()\nif err == nil && n == 0 {\n\treturn errors.New(\"lost\")\n}\nreturn err",
	)
	s.self = "p.s.count += len(ids)"
	s.early = earlyWays[g.pick(len(earlyWays))]
	s.form = forms[g.pick(len(forms))]
	g.depth = 0
	s.body = g.block()
	return s
}

// write writes a section's functions.
func (g *generator) write(s *section) {
	text := s.expand(common + s.form)
	g.line(s.expand(text)) // what was put in names the section, too
}

// common are the functions that every form of a section builds on.
const common = `
const text_N_ = ` + "`SCRIPT`" + `

var script_N_ = redis.NewScript(text_N_)

func key_N_(id int, region, name string) string {
	KEYBODY
}

func take_N_(ctx context.Context, rdb CLIENT, key, owner string) (bool, error) {
	ok, err := rdb.SetNX(ctx, key, owner, LEASE).Result()
	LATEif err != nil {
		return false, err
	}
	return ok, nil
}

func give_N_(ctx context.Context, rdb CLIENT, key, owner string) error {
	RELEASE
}

func prolong_N_(ctx context.Context, rdb CLIENT, key string) error { return rdb.Expire(ctx, key, time.Minute).Err() }
`

// forms are the ways to use a lock.
var forms = []string{
	// Everything in one function.
	`
func (s *service) run_N_(ctx context.Context, rdb CLIENT, id int, region, name string) error {
	key, owner := key_N_(id, region, name), OWNER
	ok, err := rdb.SetNX(ctx, key, owner, LEASE).Result()
	LATEif err != nil {
		return fmt.Errorf("acquire: %w", err)
	}
	if !ok {
		return errTaken
	}
	defer func() {
		if err := give_N_(context.WithoutCancel(ctx), rdb, key, owner); err != nil {
			s.list = append(s.list, err.Error())
		}
	}()
	EXTENDBODY
	return nil
}
`,
	// Two helpers.
	`
func (s *service) run_N_(ctx context.Context, rdb CLIENT, id int, region, name string) error {
	key := key_N_(id, region, name)
	owner := OWNER
	switch ok, err := take_N_(ctx, rdb, key, owner); {
	case err != nil:
		return err
	case !ok:
		return errTaken
	}
	defer give_N_(context.WithoutCancel(ctx), rdb, key, owner)
	EXTENDBODY
	return nil
}
`,
	// A handle.
	`
type lease_N_ struct {
	rdb        CLIENT
	key, owner string
}

func acquire_N_(ctx context.Context, rdb CLIENT, key string) (*lease_N_, error) {
	owner := OWNER
	ok, err := take_N_(ctx, rdb, key, owner)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errTaken
	}
	return &lease_N_{rdb, key, owner}, nil
}

func (l *lease_N_) release(ctx context.Context) error {
	rdb, key, owner := l.rdb, l.key, l.owner
	RELEASE
}

func (s *service) run_N_(ctx context.Context, rdb CLIENT, id int, region, name string) error {
	key := key_N_(id, region, name)
	l, err := acquire_N_(ctx, rdb, key)
	if err != nil {
		return err
	}
	defer l.release(context.WithoutCancel(ctx))
	EXTENDBODY
	return nil
}
`,
	// A helper that runs a function.
	`
type locker_N_ struct{ rdb CLIENT }

func (l *locker_N_) with(ctx context.Context, key string, work func(context.Context) error) (err error) {
	owner := OWNER
	ok, err := take_N_(ctx, l.rdb, key, owner)
	if err != nil {
		return err
	}
	if !ok {
		return errTaken
	}
	defer func() { err = errors.Join(err, give_N_(context.WithoutCancel(ctx), l.rdb, key, owner)) }()
	return work(ctx)
}

func (s *service) run_N_(ctx context.Context, rdb CLIENT, id int, region, name string) error {
	l := &locker_N_{rdb: rdb}
	key := key_N_(id, region, name)
	return l.with(ctx, key, func(ctx context.Context) error {
		EXTENDBODY
		return nil
	})
}
`,
	// An interface, with a release function as result.
	`
type guard_N_ interface {
	Acquire(ctx context.Context, key string) (release func(), err error)
}

type redisGuard_N_ struct{ rdb CLIENT }

var _ guard_N_ = (*redisGuard_N_)(nil)

func (g *redisGuard_N_) Acquire(ctx context.Context, key string) (func(), error) {
	owner := OWNER
	ok, err := take_N_(ctx, g.rdb, key, owner)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errTaken
	}
	return func() {
		if err := give_N_(context.WithoutCancel(ctx), g.rdb, key, owner); err != nil {
			println(err.Error())
		}
	}, nil
}

func newGuard_N_(rdb CLIENT) guard_N_ { return &redisGuard_N_{rdb} }

func (s *service) run_N_(ctx context.Context, rdb CLIENT, id int, region, name string) error {
	g := newGuard_N_(rdb)
	key := key_N_(id, region, name)
	release, err := g.Acquire(ctx, key)
	if err != nil {
		return err
	}
	defer release()
	EXTENDBODY
	return nil
}
`,
	// A few tries.
	`
func (s *service) run_N_(ctx context.Context, rdb CLIENT, id int, region, name string) error {
	key, owner := key_N_(id, region, name), OWNER
	held := false
	for try := range 5 {
		ok, err := rdb.SetNX(ctx, key, owner, LEASE).Result()
		LATEif err != nil {
			return err
		}
		if ok {
			held = true
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(1<<try) * 10 * time.Millisecond):
		}
	}
	if !held {
		return errTaken
	}
	defer give_N_(context.WithoutCancel(ctx), rdb, key, owner)
	EXTENDBODY
	return nil
}
`,
	// A generic helper.
	`
func locked_N_[T any](ctx context.Context, rdb CLIENT, key string, work func() (T, error)) (result T, err error) {
	owner := OWNER
	ok, err := take_N_(ctx, rdb, key, owner)
	if err != nil || !ok {
		return result, errors.Join(errTaken, err)
	}
	defer give_N_(context.WithoutCancel(ctx), rdb, key, owner)
	return work()
}

func (s *service) run_N_(ctx context.Context, rdb CLIENT, id int, region, name string) error {
	key := key_N_(id, region, name)
	_, err := locked_N_(ctx, rdb, key, func() (int, error) {
		EXTENDif err := s.body_N_(ctx, rdb, id, name); err != nil {
			return 0, err
		}
		return id, nil
	})
	return err
}

func (s *service) body_N_(ctx context.Context, rdb CLIENT, id int, name string) error {
	BODY
	return nil
}
`,
	// Released where it is done, on every way out.
	`
func (s *service) run_N_(ctx context.Context, rdb CLIENT, id int, region, name string) error {
	key, owner := key_N_(id, region, name), OWNER
	if ok, err := take_N_(ctx, rdb, key, owner); err != nil || !ok {
		return errors.Join(errTaken, err)
	}
	EXTENDif err := s.body_N_(ctx, rdb, id, name); err != nil {
		give_N_(context.WithoutCancel(ctx), rdb, key, owner)
		return err
	}
	return give_N_(context.WithoutCancel(ctx), rdb, key, owner)
}

func (s *service) body_N_(ctx context.Context, rdb CLIENT, id int, name string) error {
	BODY
	return nil
}
`,
	// SET with NX, and the reply's error.
	`
func (s *service) run_N_(ctx context.Context, rdb CLIENT, id int, region, name string) error {
	key, owner := key_N_(id, region, name), OWNER
	err := rdb.SetArgs(ctx, key, owner, redis.SetArgs{Mode: "NX", TTL: LEASE}).Err()
	ok := err == nil
	LATEswitch {
	case errors.Is(err, redis.Nil):
		return errTaken
	case err != nil:
		return err
	}
	defer give_N_(context.WithoutCancel(ctx), rdb, key, owner)
	EXTENDBODY
	_ = ok
	return nil
}
`,
	// A lock object that is made for every use, its TTL a field.
	`
type mutex_N_ struct {
	rdb        CLIENT
	key, owner string
	lease      time.Duration
}

func newMutex_N_(rdb CLIENT, id int, region, name string) *mutex_N_ {
	return &mutex_N_{rdb: rdb, key: key_N_(id, region, name), owner: OWNER, lease: LEASE}
}

func (m *mutex_N_) tryAcquire(ctx context.Context) (bool, error) {
	rdb, key := m.rdb, m.key
	ok, err := rdb.SetNX(ctx, key, m.owner, m.lease).Result()
	LATEreturn ok, err
}

func (m *mutex_N_) release(ctx context.Context) error {
	rdb, key, owner := m.rdb, m.key, m.owner
	RELEASE
}

func (s *service) run_N_(ctx context.Context, rdb CLIENT, id int, region, name string) error {
	m := newMutex_N_(rdb, id, region, name)
	key := m.key
	ok, err := m.tryAcquire(ctx)
	if err != nil {
		return err
	}
	if ok {
		defer m.release(context.WithoutCancel(ctx))
		EXTENDBODY
		return nil
	}
	return errors.Join(errTaken, errors.New(key))
}
`,
	// A lease that is prolonged while the work goes on.
	`
const renew_N_ = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0"

func (s *service) keep_N_(ctx context.Context, rdb CLIENT, key, owner string, lost func()) {
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			n, err := rdb.Eval(ctx, renew_N_, []string{key}, owner, 15000).Int()
			if err != nil || n == 0 {
				lost()
				return
			}
		}
	}
}

func (s *service) run_N_(ctx context.Context, rdb CLIENT, id int, region, name string) error {
	key, owner := key_N_(id, region, name), OWNER
	ok, err := take_N_(ctx, rdb, key, owner)
	if err != nil {
		return err
	}
	if !ok {
		return errTaken
	}
	ctx, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { s.keep_N_(ctx, rdb, key, owner, stop) })
	defer func() {
		stop()
		wg.Wait()
		give_N_(context.WithoutCancel(ctx), rdb, key, owner)
	}()
	EXTENDBODY
	return nil
}
`,
	decorator,
}

// early is a section in which the release is arranged before anybody knows whether the lock was acquired.
const early = `
func (s *service) run_N_(ctx context.Context, rdb CLIENT, id int, region, name string) error {
	key, owner := key_N_(id, region, name), OWNER
	WAY
	EXTENDBODY
	return nil
}
`

// earlyWays are ways to do that.
var earlyWays = []string{
	`ok, err := rdb.SetNX(ctx, key, owner, LEASE).Result()
	LATEdefer give_N_(context.WithoutCancel(ctx), rdb, key, owner)
	if err != nil {
		return err
	}
	if !ok {
		return errTaken
	}`,
	`ok, err := take_N_(ctx, rdb, key, owner)
	defer func() {
		if err := give_N_(context.WithoutCancel(ctx), rdb, key, owner); err != nil {
			s.list = append(s.list, err.Error())
		}
	}()
	if err != nil || !ok {
		return errors.Join(errTaken, err)
	}`,
	`ok, err := take_N_(ctx, rdb, key, owner)
	if err != nil || !ok {
		give_N_(context.WithoutCancel(ctx), rdb, key, owner)
		return errors.Join(errTaken, err)
	}
	defer give_N_(context.WithoutCancel(ctx), rdb, key, owner)`,
}

// decorator is a type that stands for another one and locks.
const decorator = `
type runner_N_ interface {
	Run(ctx context.Context, id int, name string) error
	Batch(ctx context.Context, ids []int, name string) error
}

type plain_N_ struct {
	s   *service
	rdb CLIENT
}

func (p *plain_N_) Run(ctx context.Context, id int, name string) error {
	s, rdb := p.s, p.rdb
	BODY
	return nil
}

func (p *plain_N_) Batch(ctx context.Context, ids []int, name string) error {
	SELFCALL
	return ctx.Err()
}

type locked_N_ struct {
	runner_N_
	rdb    CLIENT
	region string
}

func (l *locked_N_) Run(ctx context.Context, id int, name string) error {
	rdb := l.rdb
	key, owner := key_N_(id, l.region, name), OWNER
	ok, err := take_N_(ctx, rdb, key, owner)
	if err != nil {
		return err
	}
	if !ok {
		return errTaken
	}
	defer give_N_(context.WithoutCancel(ctx), rdb, key, owner)
	EXTENDreturn l.runner_N_.Run(ctx, id, name)
}

func (l *locked_N_) Batch(ctx context.Context, ids []int, name string) error {
	for _, id := range ids {
		if err := l.Run(ctx, id, name); err != nil {
			return err
		}
	}
	return nil
}

func (s *service) run_N_(ctx context.Context, rdb CLIENT, id int, region, name string) error {
	var r runner_N_ = &locked_N_{&plain_N_{s, rdb}, rdb, region}
	if err := r.Run(ctx, id, name); err != nil {
		return err
	}
	return r.Batch(ctx, []int{id}, name)
}
`

// noise are functions that use Redis and take no lock. None of them deserves a finding of level error.
var noise = []string{
	// A throttle.
	`
func (s *service) noise_N_(ctx context.Context, rdb *redis.Client, id int, name string) (bool, error) {
	return rdb.SetNX(ctx, "seen:"+name, 1, time.Hour).Result()
}
`,
	// A mark that is taken back when the work fails.
	`
func (s *service) noise_N_(ctx context.Context, rdb *redis.Client, id int, name string) (bool, error) {
	key := "done:" + name
	ok, err := rdb.SetNX(ctx, key, time.Now().Unix(), 24*time.Hour).Result()
	if err != nil || !ok {
		return false, err
	}
	if err := s.step(ctx, id); err != nil {
		rdb.Del(ctx, key)
		return false, err
	}
	return true, nil
}
`,
	// A cache.
	`
func (s *service) noise_N_(ctx context.Context, rdb *redis.Client, id int, name string) (bool, error) {
	key := fmt.Sprintf("cache:%d", id)
	switch v, err := rdb.Get(ctx, key).Result(); {
	case err == nil:
		return v == name, nil
	case !errors.Is(err, redis.Nil):
		return false, err
	}
	if err := s.step(ctx, id); err != nil {
		rdb.Del(ctx, key)
		return false, err
	}
	return true, rdb.Set(ctx, key, name, time.Hour).Err()
}
`,
	// Sessions.
	`
func (s *service) noise_N_(ctx context.Context, rdb *redis.Client, id int, name string) (bool, error) {
	token := randomText()
	if err := rdb.SetNX(ctx, "session:"+token, id, 8*time.Hour).Err(); err != nil {
		return false, err
	}
	s.list = append(s.list, token)
	return true, nil
}

func (s *service) out_N_(ctx context.Context, rdb *redis.Client, token string) error {
	return rdb.Del(ctx, "session:"+token).Err()
}
`,
	// A rate limit.
	`
func (s *service) noise_N_(ctx context.Context, rdb *redis.Client, id int, name string) (bool, error) {
	n, err := rdb.Incr(ctx, "rate:"+name).Result()
	if err == nil && n == 1 {
		err = rdb.Expire(ctx, "rate:"+name, time.Minute).Err()
	}
	return n < 10, err
}
`,
	// A result that is kept for repeated requests.
	`
func (s *service) noise_N_(ctx context.Context, rdb *redis.Client, id int, name string) (bool, error) {
	key := "request:" + name
	ok, err := rdb.SetNX(ctx, key, "running", time.Minute).Result()
	if err != nil || !ok {
		return false, err
	}
	if err := s.step(ctx, id); err != nil {
		return false, err
	}
	return true, rdb.Set(ctx, key, "done", 24*time.Hour).Err()
}
`,
	// A queue.
	`
func (s *service) noise_N_(ctx context.Context, rdb *redis.Client, id int, name string) (bool, error) {
	got, err := rdb.BRPopLPush(ctx, "queue", "busy", time.Second).Result()
	if err != nil {
		return false, err
	}
	defer rdb.LRem(ctx, "busy", 1, got)
	return got == name, rdb.Del(ctx, "job:"+got).Err()
}
`,
	// A change under WATCH.
	`
func (s *service) noise_N_(ctx context.Context, rdb *redis.Client, id int, name string) (bool, error) {
	err := rdb.Watch(ctx, func(tx *redis.Tx) error {
		n, err := tx.Get(ctx, "stock").Int()
		if err != nil && !errors.Is(err, redis.Nil) {
			return err
		}
		_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			if n == 0 {
				p.Del(ctx, "stock")
				return nil
			}
			p.Set(ctx, "stock", n-1, 0)
			return nil
		})
		return err
	}, "stock")
	return err == nil, err
}
`,
	// Clearing by pattern.
	`
func (s *service) noise_N_(ctx context.Context, rdb *redis.Client, id int, name string) (bool, error) {
	it := rdb.Scan(ctx, 0, "cache:*", 100).Iterator()
	for it.Next(ctx) {
		if err := rdb.Unlink(ctx, it.Val()).Err(); err != nil {
			return false, err
		}
	}
	return true, it.Err()
}
`,
}
