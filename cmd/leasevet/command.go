package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/leasevet/leasevet/internal/driver"
)

// The exit statuses.
const (
	clean    = 0
	findings = 1 // at or above -fail-level
	trouble  = 2 // the tool could not do its work
)

// command is one call of leasevet. What it needs from outside comes in as fields.
type command struct {
	stdout, stderr io.Writer
	env            []string
	// analyse runs the analyzers over packages.
	analyse func(context.Context, driver.Config) (*driver.Result, error)
	// vet answers the protocol of go vet -vettool.
	vet func(args []string, stdout, stderr io.Writer) int
}

// run carries out the command line and returns the exit status. A fault of ours is one line, never a stack trace.
func (c *command) run(ctx context.Context, args []string) (status int) {
	defer func() {
		if r := recover(); r != nil {
			status = c.fail(fmt.Errorf("internal error: %v; please report it", r))
		}
	}()
	if driver.IsVet(args) {
		return c.vet(args, c.stdout, c.stderr)
	}
	name, rest := "check", args
	if len(args) > 0 && slices.Contains(subcommands, args[0]) {
		name, rest = args[0], args[1:]
	}
	switch name {
	case "help":
		return c.help()
	case "version":
		return c.version(rest)
	case "kinds":
		return c.kinds(rest)
	}
	return c.check(ctx, rest)
}

// subcommands are the first words that are no package patterns.
var subcommands = []string{"check", "help", "kinds", "version"}

// fail tells what went wrong, in one line.
func (c *command) fail(err error) int {
	text, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n")
	fmt.Fprintf(c.stderr, "leasevet: %s\n", text)
	return trouble
}

// usageError is a mistake in the command line.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text + " (leasevet help shows how to call it)" }

// badUsage makes a usageError.
func badUsage(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// lookup is the value of an environment variable.
func (c *command) lookup(name string) string {
	for _, pair := range slices.Backward(c.env) {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}

// isTerminal reports whether people watch what is written to w.
func (c *command) isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok || c.lookup("TERM") == "dumb" {
		return false
	}
	info, err := file.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull) // a character device, too
	return err != nil || !os.SameFile(info, null)
}

// wrote is the status after a write of the output: output that is lost is trouble.
func (c *command) wrote(err error, status int) int {
	if err != nil {
		return c.fail(err)
	}
	return status
}
