// Command shop shows what happens to a lock whose owner is late, and serves the shop with -serve.
//
// It runs on an embedded Redis, or on the one that REDIS_URL names.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/leasevet/leasevet/examples/shop/api"
	"github.com/leasevet/leasevet/examples/shop/batch"
	"github.com/leasevet/leasevet/examples/shop/internal/lock"
	"github.com/leasevet/leasevet/examples/shop/internal/store"
	"github.com/leasevet/leasevet/examples/shop/members"
)

func main() {
	addr := flag.String("serve", "", "serve the shop's API at this `address` instead of showing the locks")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, os.Getenv("REDIS_URL"), *addr); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "shop:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, url, addr string) error {
	rd, err := connect(url)
	if err != nil {
		return err
	}
	defer rd.close()
	if addr == "" {
		return show(ctx, out, rd)
	}
	return serve(ctx, newShop(rd), addr)
}

// shop is the wired services.
type shop struct {
	api        *api.Service
	limits     members.Limits
	reviews    members.Reviews
	day        *members.ReviewDay
	settlement *batch.Settlement
	payouts    *batch.Payouts
	jobs       *batch.Jobs
}

func newShop(rd *conns) *shop {
	rows := store.New(rd.rows)
	owned := lock.NewOwned(rd.locks, lock.Lease, lock.RenewEvery)
	reviews := members.NewReviews(rows, owned)
	return &shop{
		api:        api.New(rows, rd.locks),
		limits:     members.NewLimits(rows, rd.locks),
		reviews:    reviews,
		day:        members.NewReviewDay(reviews),
		settlement: batch.NewSettlement(rows, lock.NewSpin(rd.locks, lock.Lease)),
		payouts:    batch.NewPayouts(rows, logBank{}, rd.locks),
		jobs:       batch.NewJobs(rows, rd.locks, owned),
	}
}

// logBank stands for the bank's gateway.
type logBank struct{}

func (logBank) Send(ctx context.Context, merchant string, amount int64) error {
	slog.InfoContext(ctx, "money sent", "merchant", merchant, "amount", amount)
	return nil
}

func serve(ctx context.Context, s *shop, addr string) error {
	server := &http.Server{Addr: addr, Handler: s.api.Handler(), ReadHeaderTimeout: 5 * time.Second}
	go s.nights(ctx)
	failed := make(chan error, 1)
	go func() { failed <- server.ListenAndServe() }()
	slog.InfoContext(ctx, "serving", "addr", addr)
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer stop()
		return server.Shutdown(end)
	}
}

func (s *shop) nights(ctx context.Context) {
	tick := time.NewTicker(24 * time.Hour)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			if err := s.night(ctx, now); err != nil {
				slog.ErrorContext(ctx, "night", "err", err)
			}
		}
	}
}

// night runs each job, also when the one before it failed.
func (s *shop) night(ctx context.Context, now time.Time) error {
	settling, settled := s.settlement.CloseDay(ctx)
	paying, paid := s.payouts.PayAll(ctx)
	slog.InfoContext(ctx, "left to others", "settlements", settling, "payouts", paying)
	return errors.Join(settled, paid,
		s.jobs.ExpireHolds(ctx, now),
		s.jobs.FillQuotas(ctx, 10),
		s.jobs.ArchiveMonth(ctx, now.Format("2006-01")))
}
