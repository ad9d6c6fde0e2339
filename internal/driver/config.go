package driver

import (
	"cmp"
	"errors"
	"runtime"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// Config says what to analyse, and with what.
type Config struct {
	Dir      string   // where the go command runs; "" is the current directory
	Patterns []string // package patterns; none means ./...
	Tags     string   // build tags, as -tags takes them
	Tests    bool     // analyse test files too
	Env      []string // environment of the go command; nil is the one of this process

	// Analyzers are the reporting analyzers, each with ResultType []finding.Finding. What they require is run for them.
	Analyzers []*analysis.Analyzer

	// Clients reports whether an import path belongs to a known client library. Such packages are leaves: the
	// analysis knows them by its table and never reads them.
	Clients func(importPath string) bool

	// Link joins all units and returns, by import path, what the rest of the program knows about a package. Packages
	// with a new answer are analysed again. Nil means no link.
	Link func(units []Unit) map[string]*lockfacts.Program

	// Worth reports, before a package is type-checked, whether it can have anything to say, from the paths of its imports,
	// the facts in sight, and its source if need be. A package that is not worth it is only analysed if the link asks for
	// it. Nil means that all are.
	Worth func(imports []string, facts map[string]*lockfacts.Fact, source func(visit func(text []byte) bool)) bool

	// WorthTests is Worth for what only tests add: the test files of a package, and packages of tests. Nil means that all
	// are.
	WorthTests func(source func(visit func(text []byte) bool)) bool

	// OwnFromSource reads the types of the program's own packages from source, so that the go command need not compile
	// them. That costs less than export data where the build cache has none and nobody wants it later, as for a copy of
	// a module; errors of the compiler are then found by the type checker alone.
	OwnFromSource bool

	// Keep picks what of a unit's results should outlive it; it becomes Unit.Result. It must not return anything that
	// holds on to syntax or SSA of a large program. Nil keeps nothing. It may be called from several goroutines.
	Keep func(importPath string, results map[*analysis.Analyzer]any) any

	// Progress is called, one call at a time, after each unit of a round. Nil is fine.
	Progress func(done, total int)

	Parallel int // how many units at once; 0 is one per processor
}

// Unit is one analysed package as the link sees it.
type Unit struct {
	ImportPath string          // without the suffix that the go command gives to test variants
	ForTest    string          // for a test variant, the import path of the package under test
	Fact       *lockfacts.Fact // nil if the package has nothing to say
	Result     any             // what Config.Keep returned
}

// Result is what a run yields.
type Result struct {
	Findings []finding.Finding // normalised; file names are absolute
	Coverage Coverage
	Stats    Stats
	Units    []Unit // as the last link saw them, sorted by import path
}

// Coverage says what was looked at. Packages are those that match the patterns.
type Coverage struct {
	Packages   int       `json:"packages"`
	Analysed   int       `json:"analysed"`   // those with an answer, irrelevant ones included
	Irrelevant int       `json:"irrelevant"` // those that cannot have anything to do with a lock
	Partial    []Problem `json:"partial"`    // analysed as far as they have types
	Failed     []Problem `json:"failed"`     // not analysed, or only by some analyzers
	Unknowns   int       `json:"unknowns"`   // calls that the analysis could not see through
}

// Problem is why something was not, or not fully, analysed. The reason begins with file:line:column where there is one.
type Problem struct {
	Package string `json:"package"`
	Reason  string `json:"reason"`
}

// Stats are counts and times for the curious.
type Stats struct {
	Listed   int // packages in the import graph
	Units    int // packages analysed from source
	Runs     int // analyses of units, repeated ones included
	Rounds   int // how often the link was asked
	Exports  int // packages whose types were read from export data
	List     time.Duration
	Export   time.Duration
	Import   time.Duration
	Analysis time.Duration
}

// Counter is what an analyzer's result can implement to have its unknowns counted in Coverage.
type Counter interface {
	Unknowns() int
}

// withDefaults fills in what the caller left out, and rejects what cannot work.
func (c Config) withDefaults() (Config, error) {
	if c.Clients == nil {
		return c, errors.New("driver: no client predicate given")
	}
	if len(c.Patterns) == 0 {
		c.Patterns = []string{"./..."}
	}
	if c.Progress == nil {
		c.Progress = func(int, int) {}
	}
	if c.Keep == nil {
		c.Keep = func(string, map[*analysis.Analyzer]any) any { return nil }
	}
	c.Parallel = cmp.Or(max(c.Parallel, 0), runtime.GOMAXPROCS(0))
	return c, nil
}
