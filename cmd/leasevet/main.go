// Leasevet finds misuse of distributed locks in Go programs. Run leasevet help for how to call it.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	lazyCollector()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal ends the analysis in order; the second one has its usual effect.
	context.AfterFunc(ctx, stop)
	c := &command{stdout: os.Stdout, stderr: os.Stderr, env: os.Environ(), analyse: analyse, vet: vet}
	os.Exit(c.run(ctx, os.Args[1:]))
}
