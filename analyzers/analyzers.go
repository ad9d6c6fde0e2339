// Package analyzers lists the analyzers of leasevet. Each stands in a folder of its own, named as the analyzer.
package analyzers

import (
	"golang.org/x/tools/go/analysis"

	"github.com/leasevet/leasevet/analyzers/acquirecheck"
	"github.com/leasevet/leasevet/analyzers/lockapi"
	"github.com/leasevet/leasevet/analyzers/lockkey"
	"github.com/leasevet/leasevet/analyzers/lockorder"
	"github.com/leasevet/leasevet/analyzers/lockscope"
	"github.com/leasevet/leasevet/analyzers/lockttl"
	"github.com/leasevet/leasevet/analyzers/lockwait"
	"github.com/leasevet/leasevet/analyzers/ownercheck"
	"github.com/leasevet/leasevet/analyzers/selfcall"
	"github.com/leasevet/leasevet/internal/directive"
)

// All returns the reporting analyzers, in the order of their names, and the one that judges directives.
func All() []*analysis.Analyzer {
	return []*analysis.Analyzer{
		directive.Analyzer, acquirecheck.Analyzer, lockapi.Analyzer, lockkey.Analyzer, lockorder.Analyzer, lockscope.Analyzer,
		lockttl.Analyzer, lockwait.Analyzer, ownercheck.Analyzer, selfcall.Analyzer,
	}
}
