package driver

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/leasevet/leasevet/passes/lockfacts"
)

// maxRounds bounds how often the link is asked. Every round can bring new facts, and new facts new questions.
const maxRounds = 3

// Run analyses the packages that match the patterns. An error means that there is no result at all; what went wrong
// with single packages is in the result's Coverage.
func Run(ctx context.Context, cfg Config) (*Result, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	runner, err := NewPassRunner(cfg.Analyzers)
	if err != nil {
		return nil, err
	}
	r := &run{cfg: cfg, full: runner, facts: runner.FactsOnly()}
	if r.loader, err = newLoader(ctx, cfg, &r.stats); err != nil {
		return nil, err
	}
	if err := r.tooOld(); err != nil {
		return nil, err
	}
	if err := finish(ctx, r.analyse); err != nil {
		return nil, err
	}
	return r.result(), nil
}

// run is the state of one Run.
type run struct {
	*loader
	cfg         Config
	full, facts *PassRunner
	stats       Stats

	mu          sync.Mutex // guards what follows, and Config.Progress
	done, total int

	gate sync.RWMutex // held for writing while types are read, for reading while units use them
}

// analyse runs all units, then asks the link and runs again what it knows more about, until it knows nothing new.
func (r *run) analyse(ctx context.Context) error {
	linked := map[*node]bool{}
	for round := 0; ; round++ {
		if err := r.prepare(ctx); err != nil {
			return err
		}
		start := time.Now()
		r.round(ctx, round, linked)
		r.stats.Analysis += time.Since(start)
		if err := interrupted(ctx); err != nil {
			return err
		}
		if r.cfg.Link == nil || round == maxRounds {
			return nil
		}
		if linked = r.link(); len(linked) == 0 {
			return nil
		}
	}
}

// link asks what the program knows about its packages and returns the units for which that is new.
func (r *run) link() map[*node]bool {
	r.stats.Rounds++
	linked := map[*node]bool{}
	answers := r.cfg.Link(r.units())
	for _, path := range sortedKeys(answers) {
		key := factKey(answers[path])
		for _, n := range r.graph.ask(path) {
			if key != "" && n.progKey != key {
				n.program, n.progKey = answers[path], key
				linked[n] = true
			}
		}
	}
	return linked
}

// units lists what was analysed, for the link.
func (r *run) units() []Unit {
	var units []Unit
	for _, n := range r.graph.nodes {
		switch {
		case n.ran:
			units = append(units, Unit{ImportPath: n.path, ForTest: n.ForTest, Fact: n.fact, Result: n.keep})
		case n.late != nil:
			units = append(units, Unit{ImportPath: n.path, ForTest: n.ForTest, Fact: n.late})
		}
	}
	slices.SortFunc(units, func(a, b Unit) int {
		return strings.Compare(a.ImportPath+" "+a.ForTest, b.ImportPath+" "+b.ForTest)
	})
	return units
}

// round visits all packages, imports first: in the first round every unit is run; later those that the link has news
// for, and those that a change in the facts of what they import concerns.
func (r *run) round(ctx context.Context, round int, linked map[*node]bool) {
	r.begin()
	r.done, r.total = 0, r.expected(round, linked)
	s := newSchedule(r.graph)
	s.run(r.cfg.Parallel, func(n *node) {
		inherit(n)
		if n.unit && ctx.Err() == nil && (round == 0 || linked[n] || r.stale(n)) {
			safely(n, func() { r.unit(n, round) })
		}
		if n.unit {
			r.loader.done(n)
		}
		n.publish()
	})
}

// expected is how many units the round will run at most.
func (r *run) expected(round int, linked map[*node]bool) int {
	above := map[*node]bool{}
	count := 0
	for _, n := range r.graph.nodes {
		above[n] = linked[n] || slices.ContainsFunc(n.imports, func(m *node) bool { return above[m] })
		if n.unit && (round == 0 || above[n]) {
			count++
		}
	}
	return count
}

// stale reports whether the facts that n sees are not those of the last round, in something that n can depend on.
func (r *run) stale(n *node) bool {
	return n.changed.Concerns(n.importPaths(), func(visit func([]byte) bool) {
		r.eachSource(n, func(_ string, text []byte) bool { return visit(text) })
	})
}

// inherit collects the facts that n sees, and what has changed in them since the last round.
func inherit(n *node) {
	var from []map[string]*lockfacts.Fact
	n.changed = lockfacts.Change{}
	for _, m := range n.imports {
		n.changed.Add(m.changed)
		if len(m.visible) > 0 {
			from = append(from, m.visible)
		}
	}
	switch len(from) {
	case 0:
		n.visible = nil
	case 1:
		n.visible = from[0] // shared; publish copies before it adds
	default:
		n.visible = maps.Clone(from[0])
		for _, more := range from[1:] {
			maps.Copy(n.visible, more)
		}
	}
}

// publish adds the fact of n to what importers see.
func (n *node) publish() {
	if n.fact == nil {
		return
	}
	visible := make(map[string]*lockfacts.Fact, len(n.visible)+1)
	maps.Copy(visible, n.visible)
	visible[n.path] = n.fact
	n.visible = visible
}

// worth reports whether a package has to be read at all. What the link asked for, and what could not be loaded as it
// should, always is.
func (r *run) worth(n *node) bool {
	if r.cfg.Worth == nil || n.program != nil || n.Error != nil || n.compile != nil {
		return true
	}
	source := func(visit func([]byte) bool) {
		r.eachSource(n, func(_ string, text []byte) bool { return visit(text) })
	}
	onlyTests := n.variant() && (n.path != n.ForTest || r.graph.plain(n) == nil || !r.graph.plain(n).hasFiles())
	if onlyTests && r.cfg.WorthTests != nil {
		return r.cfg.WorthTests(source)
	}
	return r.cfg.Worth(n.importPaths(), n.visible, source)
}

// importPaths are the paths of what n imports itself.
func (n *node) importPaths() []string {
	paths := make([]string, len(n.imports))
	for i, m := range n.imports {
		paths[i] = m.path
	}
	return paths
}

// types reads the types of what a unit imports. A universe must not change while units use it, so they wait.
func (r *run) types(n *node) error {
	if n.mixed() {
		return nil
	}
	r.gate.Lock()
	defer r.gate.Unlock()
	start := time.Now()
	err := r.plain.loadImports(n)
	r.stats.Import += time.Since(start)
	return err
}

// unit analyses one package.
func (r *run) unit(n *node, round int) {
	if r.covered(n) {
		return
	}
	if !r.worth(n) {
		n.forget()
		return
	}
	passes := r.facts
	if n.reports {
		passes = r.full
	}
	out := r.passes(n, passes, n.onDemand())
	if out == nil {
		return
	}
	n.take(out, round == 0)
	n.keep = r.cfg.Keep(n.path, out.results)
	r.progress()
}

// covered reports whether a test variant needs no analysis of its own, because the plain package says the same. That is
// so for what is merely compiled again for somebody's test, and for a package whose test files have nothing to do with a
// lock; then the plain package reports. The variant passes on its fact.
func (r *run) covered(n *node) bool {
	if r.cfg.Worth == nil {
		return false
	}
	plain, tested := r.graph.plain(n), r.graph.tested(n)
	switch {
	case tested != nil && tested.reports && !r.testsWorth(n, tested):
		n.reports, tested.reports = true, false
		return false
	case plain == nil:
		return false
	case !plain.unit && n.path == n.ForTest && !r.testsWorth(plain, n):
		return true // only its tests reach a client
	case !plain.ran && plain.fact == nil:
		return n.path == n.ForTest && !n.reports
	case n.path == n.ForTest && n.reports:
		return false
	}
	n.replace(plain.fact, plain.factKey)
	return true
}

// testsWorth reports whether the test files that a variant adds to a package have to be read.
func (r *run) testsWorth(n, variant *node) bool {
	if variant.Error != nil || variant.program != nil || r.cfg.WorthTests == nil {
		return true
	}
	own := n.sources()
	return r.cfg.WorthTests(func(visit func([]byte) bool) {
		r.eachSource(variant, func(name string, text []byte) bool { return slices.Contains(own, name) || visit(text) })
	})
}

// eachSource reads the files of a package until visit has seen enough.
func (r *run) eachSource(n *node, visit func(name string, text []byte) bool) {
	for _, name := range n.sources() {
		text, err := (&source{overlay: r.overlay}).read(name)
		if err != nil || !visit(name, text) {
			return
		}
	}
}

// onDemand is what the link knows of n; and whoever wants facts of a package that has nothing to do with a lock asks.
func (n *node) onDemand() *lockfacts.Program {
	p := lockfacts.Program{}
	if n.program != nil {
		p = *n.program
	}
	p.OnDemand = true
	return &p
}

// passes runs analyzers over a package, nil if the types of its imports cannot be had.
func (r *run) passes(n *node, passes *PassRunner, program *lockfacts.Program) *passOutput {
	if err := r.types(n); err != nil {
		n.failed = []string{err.Error()}
		return nil
	}
	r.gate.RLock()
	defer r.gate.RUnlock()
	c, free := r.check(n)
	defer free()
	if endless := lockfacts.Endless(c.errs); endless != "" {
		n.failed = []string{r.relative(endless)}
		return nil
	}
	n.partial = r.problems(n, c)
	c.prune()
	return passes.run(&passInput{
		checked: c, other: n.otherFiles(), ignored: n.ignoredFiles(), module: passModule(n.Module),
		facts: n.visible, program: program,
		read:  (&source{overlay: r.overlay}).read,
		fetch: func(path string) map[string]*lockfacts.Fact { return r.fetch(n, path) },
	})
}

// fetch reads a package below n that did not seem worth it, and adds its fact to what n sees. Only n and its importers
// see it: whether another unit got there first must not matter. The unit that asks stands still meanwhile, so that types
// may be read.
func (r *run) fetch(n *node, path string) map[string]*lockfacts.Fact {
	m := r.graph.below(n, path)
	if m == nil || n.visible[path] != nil {
		return nil
	}
	r.gate.RUnlock()
	fact := r.wanted(m)
	r.gate.RLock()
	if fact == nil {
		return nil
	}
	visible := make(map[string]*lockfacts.Fact, len(n.visible)+1)
	maps.Copy(visible, n.visible)
	visible[path] = fact
	n.visible = visible
	return visible
}

// wanted is the fact of a package that did not seem worth reading. Its turn in the schedule is over, because importers
// come later.
func (r *run) wanted(m *node) *lockfacts.Fact {
	m.once.Do(func() {
		if out := r.passes(m, r.facts, &lockfacts.Program{Lazy: true}); out != nil {
			m.late = out.fact
		}
	})
	return m.late
}

// progress counts a unit that is done.
func (r *run) progress() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stats.Runs++
	r.done++
	r.cfg.Progress(r.done, max(r.done, r.total))
}

// take stores what a run of n yielded.
func (n *node) take(out *passOutput, first bool) {
	key := factKey(out.fact)
	n.replace(out.fact, key)
	n.failed, n.unknowns = out.failed, out.unknowns
	n.latest = out.findings
	if first {
		n.first = out.findings
	}
	n.ran = true
}

// forget leaves a package without an answer that an earlier round may have had one for.
func (n *node) forget() {
	if n.ran {
		n.replace(nil, "")
		n.ran, n.latest = false, nil
	}
}

// replace gives n another fact, whose encoding is key.
func (n *node) replace(fact *lockfacts.Fact, key string) {
	if key != n.factKey {
		n.changed.Add(lockfacts.Changes(n.fact, fact, n.visible))
	}
	n.fact, n.factKey = fact, key
}

// problems says why n is analysed only in part.
func (r *run) problems(n *node, c *checked) []string {
	problems := rebuildHint(c.problems, r.env.GOVERSION)
	if n.Error != nil {
		problems = append([]string{n.Error.reason()}, problems...)
	}
	for i, p := range problems {
		problems[i] = r.relative(p)
	}
	return problems
}
