package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/lockrt"
	"github.com/leasevet/leasevet/lockrt/fence"
)

var accountLock = lockrt.MustPrefix("lock:account")

// teller is an owner. It does by orders, one at a time, what a program would do inside Do.
type teller struct {
	name  string
	rdb   *redis.Client
	l     *lockrt.Locker
	lease *lockrt.Lease
	read  int
}

func owner(name, addr string, in io.Reader, out io.Writer) error {
	rdb := redis.NewClient(&redis.Options{Addr: addr})
	l, err := lockrt.New(rdb, lockrt.WithLease(time.Second))
	if err != nil {
		return err
	}
	t := &teller{name: name, rdb: rdb, l: l}
	for orders := bufio.NewScanner(in); orders.Scan(); {
		fmt.Fprintf(out, "[%s]  %s\n", name, t.obey(strings.Fields(orders.Text())))
	}
	return nil
}

func (t *teller) obey(order []string) string {
	ctx := context.Background()
	switch order[0] {
	case "acquire":
		lease, err := t.l.Acquire(ctx, accountLock.Of(account), lockrt.WaitForContext())
		if err != nil {
			return err.Error()
		}
		t.lease = lease
		return "holds the lock, fence " + last(lease.Fence())
	case "read":
		t.read, _ = t.rdb.Get(ctx, balance).Int()
		return fmt.Sprintf("reads the balance: %d", t.read)
	case "look":
		return fmt.Sprintf("looks at its context: %v", context.Cause(t.lease.Context()))
	case "write":
		return t.write(ctx, order[1])
	case "release":
		return result("releases", t.lease.Release(ctx))
	}
	return "does not understand " + order[0]
}

// write books an amount on what was read. The store compares the fence; nothing else stands between A and B's money.
func (t *teller) write(ctx context.Context, amount string) string {
	n, _ := strconv.Atoi(amount)
	value := strconv.Itoa(t.read + n)
	err := fence.Set(ctx, t.rdb, balance, value, 0, t.lease.Fence())
	return result("writes "+value+" with fence "+last(t.lease.Fence()), err)
}

func result(what string, err error) string {
	if err != nil {
		return what + ": REFUSED: " + err.Error()
	}
	return what + ": ok"
}

// last shortens a fence for the reader: its last digits are what differs.
func last(fence int64) string {
	s := strconv.FormatInt(fence, 10)
	return "..." + s[len(s)-8:]
}
