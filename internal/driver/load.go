package driver

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// A loader knows the import graph and has the types of what the units import.
type loader struct {
	cfg     Config
	tool    goTool
	env     goEnv
	graph   *graph
	fset    *token.FileSet
	sizes   types.Sizes
	plain   *universe // of all that is not a test variant
	overlay map[string]string
	stats   *Stats
	groups  map[string]*group // by the package under test
}

// A group is the units that import variants compiled for one test. They share a universe and take turns in it.
type group struct {
	sync.Mutex
	u    *universe
	left int // units that still need it in this round
}

// newLoader lists the packages.
func newLoader(ctx context.Context, cfg Config, stats *Stats) (*loader, error) {
	if err := checkDir(cfg.Dir); err != nil {
		return nil, err
	}
	l := &loader{
		cfg: cfg, tool: goTool{dir: cfg.Dir, tags: cfg.Tags, env: cfg.Env},
		fset: token.NewFileSet(), stats: stats, groups: map[string]*group{},
	}
	start := time.Now()
	if err := l.list(ctx); err != nil {
		return nil, err
	}
	stats.List = time.Since(start)
	stats.Listed = len(l.graph.nodes)
	l.sizes = sizesFor(l.env.GOARCH)
	l.plain = newUniverse(l.fset, l.sizes, l.overlay)
	return l, nil
}

// sizesFor is how large types are on the architecture; on an unknown one, as on this machine.
func sizesFor(goarch string) types.Sizes {
	if sizes := types.SizesFor("gc", goarch); sizes != nil {
		return sizes
	}
	return types.SizesFor("gc", runtime.GOARCH)
}

// checkDir says plainly what starting the go command in dir would say in other words.
func checkDir(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%s: no such directory", dir)
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s: not a directory", dir)
	}
	return nil
}

// list asks the go command for the import graph, and for its settings meanwhile.
func (l *loader) list(ctx context.Context) error {
	var envErr error
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.env, envErr = l.tool.goEnv(ctx)
	}()
	pkgs, absent, err := l.listGraph(ctx)
	<-done
	if err = l.explain(err, pkgs); err != nil {
		return err
	}
	if envErr != nil {
		return envErr
	}
	if l.overlay, err = readOverlay(l.env.GOFLAGS, l.cfg.Dir); err != nil {
		return err
	}
	l.graph = newGraph(pkgs, l.cfg.Clients)
	l.graph.absent = absent
	return l.graph.nothing()
}

// listGraph lists the packages, with the test variants if their files have to be read. One call that also names the
// export data costs less than one for the graph and another for that, and what it compiles would be compiled anyway.
func (l *loader) listGraph(ctx context.Context) ([]*listed, []string, error) {
	if l.cfg.Tests && l.cfg.WorthTests == nil {
		return l.tool.list(ctx, []string{"-deps", "-test", "-json=" + graphFields}, l.cfg.Patterns)
	}
	flags := []string{"-deps", "-json=" + graphFields + ",Export,TestGoFiles,XTestGoFiles"}
	if !l.cfg.OwnFromSource {
		flags = append(flags, "-export")
	}
	pkgs, absent, err := l.tool.list(ctx, flags, l.cfg.Patterns)
	if err != nil || l.cfg.Tests && slices.ContainsFunc(pkgs, l.testsMatter) {
		return l.tool.list(ctx, []string{"-deps", "-test", "-json=" + graphFields}, l.cfg.Patterns)
	}
	for _, p := range pkgs {
		if p.Error != nil && strings.HasPrefix(p.Error.Err, "# ") {
			p.compile, p.Error = p.Error, nil
		}
	}
	return pkgs, absent, nil
}

// testsMatter reports whether some test file of a package that was asked for has to be read.
func (l *loader) testsMatter(p *listed) bool {
	if p.DepOnly {
		return false
	}
	return l.cfg.WorthTests(func(visit func([]byte) bool) {
		for _, name := range absFiles(p.Dir, slices.Concat(p.TestGoFiles, p.XTestGoFiles)) {
			if text, err := os.ReadFile(name); err == nil && !visit(text) {
				return
			}
		}
	})
}

// explain turns what the go command says outside a module into what to do about it.
func (l *loader) explain(err error, pkgs []*listed) error {
	outside := l.env.GOMOD == os.DevNull
	broken := !slices.ContainsFunc(pkgs, func(p *listed) bool { return p.Error == nil })
	if outside && (err != nil || broken) && !errors.Is(err, context.Canceled) {
		return errors.New("no go.mod here or above: run leasevet inside a Go module, or in the directory of a go.work")
	}
	return err
}

// nothing is the error for patterns that match no package at all.
func (g *graph) nothing() error {
	var reasons []string
	for _, n := range g.nodes {
		switch {
		case !n.matched:
		case n.hasFiles() || n.Error == nil:
			return nil
		default:
			reasons = append(reasons, n.ImportPath+": "+n.Error.reason())
		}
	}
	for _, p := range g.absent {
		reasons = append(reasons, p+": matches no packages")
	}
	return errors.New("nothing to analyse: " + strings.Join(reasons, "; "))
}

// prepare makes the types available that the units import. No unit may run meanwhile.
func (l *loader) prepare(ctx context.Context) error {
	start := time.Now()
	if err := l.fetch(ctx); err != nil {
		return err
	}
	l.stats.Export += time.Since(start)
	return interrupted(ctx)
}

// interrupted is the error for a context that has ended.
func interrupted(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("interrupted: %w", context.Cause(ctx))
}

// begin gets the groups ready for a round in which the given units may run.
func (l *loader) begin() {
	clear(l.groups)
	for _, n := range l.graph.nodes {
		if !n.unit || !n.mixed() {
			continue
		}
		g := l.groups[n.ForTest]
		if g == nil {
			g = new(group)
			l.groups[n.ForTest] = g
		}
		g.left++
	}
}

// check reads a unit from source. The caller calls free when it is done with it.
func (l *loader) check(n *node) (c *checked, free func()) {
	if !n.mixed() {
		c = l.plain.source(n).check()
		return c, c.free
	}
	g := l.groups[n.ForTest]
	g.Lock()
	if g.u == nil {
		g.u = newUniverse(l.fset, l.sizes, l.overlay)
	}
	err := g.u.loadImports(n)
	c = g.u.source(n).check()
	if err != nil {
		c.problems = append(c.problems, err.Error())
	}
	return c, func() {
		c.free()
		g.Unlock()
	}
}

// done notes that n needs its group no more in this round, whether it was read or not.
func (l *loader) done(n *node) {
	if !n.mixed() {
		return
	}
	g := l.groups[n.ForTest]
	g.Lock()
	defer g.Unlock()
	if g.left--; g.left == 0 {
		g.u = nil
	}
}

// relative shortens file names below the directory of the run, in text that mentions some.
func (l *loader) relative(text string) string {
	dir, err := filepath.Abs(l.cfg.Dir)
	if err != nil {
		return text
	}
	return strings.ReplaceAll(text, dir+string(filepath.Separator), "")
}
