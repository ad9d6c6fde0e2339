package main

import (
	"context"
	"io"

	"golang.org/x/tools/go/analysis"

	"github.com/leasevet/leasevet/analyzers"
	"github.com/leasevet/leasevet/internal/directive"
	"github.com/leasevet/leasevet/internal/driver"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/internal/kinds"
	"github.com/leasevet/leasevet/internal/link"
	"github.com/leasevet/leasevet/internal/report"
	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// analyse runs all analyzers, with everything that the link knows.
func analyse(ctx context.Context, cfg driver.Config) (*driver.Result, error) {
	cfg.Analyzers = analyzers.All()
	cfg.Clients = clientmodel.IsClient
	cfg.Link = link.Plan
	cfg.Worth, cfg.WorthTests = lockfacts.Worth, lockfacts.WorthTests
	cfg.Keep = keep
	return driver.Run(ctx, cfg)
}

// keep picks out of the results of a package what is needed after its analysis.
func keep(_ string, results map[*analysis.Analyzer]any) any {
	var k kept
	if facts, ok := results[lockfacts.Analyzer].(*lockfacts.Result); ok {
		k.reasons = facts.Unknowns
	}
	dirs, _ := results[directive.Reader].([]directive.Directive)
	k.ignores = directive.Ignores(dirs)
	return k
}

// vet runs the same analyzers over one package for go vet. The flags that choose findings are the same ones, too.
func vet(args []string, stdout, stderr io.Writer) int {
	o := &options{level: finding.Warning}
	fs := newFlagSet("leasevet")
	chooseFlags(fs, o)
	return driver.Vet(args, analyzers.All(), driver.VetOptions{
		Clients: clientmodel.IsClient,
		Flags:   fs,
		Keep: func(f finding.Finding) bool {
			return f.Suppressed == nil && o.wants(f) && f.Level.Rank() >= o.level.Rank()
		},
		Message: report.VetMessage,
		URL:     func(f finding.Finding) string { return kinds.URL(f.Kind) },
		Stdout:  stdout,
		Stderr:  stderr,
	})
}
