// Package golangci is leasevet as a module plugin of golangci-lint. A golangci-lint that is built with it, such as
// cmd/golangci-leasevet, knows a linter named leasevet. A whole .golangci.yml:
//
//	version: "2"
//	linters:
//	  enable: [leasevet]
//	  settings:
//	    custom:
//	      leasevet:
//	        type: module
//	        description: misuse of distributed locks
//	        original-url: github.com/leasevet/leasevet
//	        settings:
//	          level: warning
//	          kinds: [ownerless-release, no-ttl]
//	issues:
//	  uniq-by-line: false
//	  max-issues-per-linter: 0
//	  max-same-issues: 0
//
// The settings stand in .golangci.yml and nowhere else: golangci-lint keeps results, and what it does not know of does
// not make it look again. Both may be left out: all kinds, from level warning on. Without the part about issues
// golangci-lint drops the second finding of a line, the fourth with the same text, and all after the fiftieth.
//
// Findings that need the whole program are the command's alone. A //nolint comment is golangci-lint's own business; a
// //leasevet:ignore comment holds here as it does everywhere.
package golangci

import (
	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/leasevet/leasevet/analyzers"
)

// Name is what the linter is called in .golangci.yml.
const Name = "leasevet"

func init() { register.Plugin(Name, New) }

// plugin is leasevet with its settings.
type plugin struct{ settings settings }

// New makes the plugin from the settings of .golangci.yml, nil for none. What is wrong with them is an error here,
// before anything is analysed.
func New(raw any) (register.LinterPlugin, error) {
	s, err := decode(raw)
	if err != nil {
		return nil, err
	}
	return plugin{s}, nil
}

// BuildAnalyzers lists the analyzers, each reporting only what the settings ask for.
func (p plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	return selected(analyzers.All(), p.settings)
}

// GetLoadMode asks for types: without them there is nothing to analyse.
func (plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
