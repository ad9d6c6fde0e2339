package driver

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/leasevet/leasevet/passes/lockfacts"
)

// twoPackages is a module of two packages that both have to be read.
func twoPackages(t *testing.T) Config {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m\n\ngo 1.26\n",
		"a/a.go": "package a\n\nimport \"database/sql\"\n\nfunc A() { sql.Open(\"x\", \"y\") }\n",
		"b/b.go": "package b\n\nimport \"database/sql\"\n\nfunc B() { sql.Open(\"x\", \"y\") }\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return Config{
		Dir: dir, Patterns: []string{"./..."}, Analyzers: probeAnalyzers, Clients: probeClients,
		Env: append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOPROXY=off"),
	}
}

// TestUnitThatNeverEnds checks that an interrupt is answered while a unit runs that does not look at the context.
func TestUnitThatNeverEnds(t *testing.T) {
	cfg := twoPackages(t)
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	cfg.Analyzers = []*analysis.Analyzer{{
		Name: "stuck", Doc: "never ends",
		Run: func(*analysis.Pass) (any, error) {
			cancel()
			<-release
			return nil, nil
		},
	}}
	if _, err := Run(ctx, cfg); err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("the run ended with %v", err)
	}
}

// TestPanicOutsideAnalyzers checks that a fault of ours costs one package, wherever it is.
func TestPanicOutsideAnalyzers(t *testing.T) {
	cfg := twoPackages(t)
	cfg.Keep = func(path string, _ map[*analysis.Analyzer]any) any {
		if path == "m/a" {
			panic("told to\nand more")
		}
		return nil
	}
	res, err := Run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	c := res.Coverage
	if len(c.Failed) != 1 || c.Failed[0] != (Problem{"m/a", "internal error: told to; please report it"}) || c.Analysed != 1 {
		t.Errorf("coverage %+v", c)
	}
	for _, f := range res.Findings {
		if f.Package == "m/a" {
			t.Errorf("a finding of a package that was lost: %v", f)
		}
	}

	cfg.Keep = nil
	cfg.Link = func([]Unit) map[string]*lockfacts.Program { panic("told to") }
	if _, err := Run(t.Context(), cfg); err == nil || err.Error() != "internal error: told to; please report it" {
		t.Errorf("a panic in the link: %v", err)
	}
}
