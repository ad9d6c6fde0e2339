package driver

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// A node is a package of the import graph: "p", or a test variant such as "p [p.test]" or "p_test [p.test]".
type node struct {
	*listed
	path    string  // ImportPath without the suffix of a variant: what the type checker calls it
	imports []*node // direct imports, variants resolved, sorted by ImportPath
	order   int     // position in an order in which imports come first

	client  bool // a known client library
	missing bool // could not be loaded at all, so that what it imports is not known
	reaches bool // imports a client, directly or not
	matched bool // matches the patterns, itself or by the package that it is the test of
	reports bool // matched, and not superseded by its variant with test files
	needed  bool // reports, or is imported by what does
	unit    bool // is analysed from source

	state
}

// state is what the analysis of a node left, over all rounds.
type state struct {
	visible  map[string]*lockfacts.Fact // facts that importers see: its own, and those of all its imports
	fact     *lockfacts.Fact
	factKey  string // fact, encoded, to see whether it changed
	program  *lockfacts.Program
	progKey  string
	changed  lockfacts.Change // in this round: what of visible is not what it was
	ran      bool
	first    []finding.Finding // of the first run, unless the link asked for it
	latest   []finding.Finding // of the last run
	partial  []string
	failed   []string
	unknowns int
	keep     any

	once sync.Once       // guards late
	late *lockfacts.Fact // of a package that did not seem worth reading, and was wanted
}

// variant reports whether the node is compiled for one test only.
func (n *node) variant() bool { return n.ForTest != "" }

// mixed reports whether n imports a test variant, so that it lives in a type universe of its own.
func (n *node) mixed() bool {
	return slices.ContainsFunc(n.imports, (*node).variant)
}

// main reports whether the package is the user's own: of a main module or workspace, or outside any module.
func (n *node) main() bool {
	if n.Standard {
		return false
	}
	return n.Module == nil || n.Module.Main
}

// hasFiles reports whether there is anything to parse.
func (n *node) hasFiles() bool { return len(n.GoFiles)+len(n.CgoFiles) > 0 }

// graph is the import graph, imports first.
type graph struct {
	nodes  []*node
	byID   map[string]*node
	files  map[string]bool // files of packages that match the patterns
	absent []string        // patterns that match nothing
}

// newGraph links what `go list` printed.
func newGraph(pkgs []*listed, clients func(string) bool) *graph {
	g := &graph{byID: make(map[string]*node, len(pkgs)), files: map[string]bool{}}
	for _, p := range pkgs {
		if testMain(p) {
			continue
		}
		n := &node{listed: p, path: plainPath(p.ImportPath)}
		n.client = clients(n.path)
		n.missing = p.Error != nil && !n.hasFiles()
		g.byID[p.ImportPath] = n
	}
	g.link(pkgs)
	for _, n := range g.nodes {
		n.reaches = n.client || slices.ContainsFunc(n.imports, func(m *node) bool { return m.reaches })
		n.matched = g.matches(n)
	}
	g.pick()
	return g
}

// testMain reports whether p is the generated main package of a test binary: its one file lies in the build cache.
func testMain(p *listed) bool {
	return p.Name == "main" && strings.HasSuffix(p.ImportPath, ".test") &&
		len(p.GoFiles) == 1 && filepath.IsAbs(p.GoFiles[0])
}

// plainPath cuts the suffix " [p.test]" off.
func plainPath(id string) string {
	path, _, _ := strings.Cut(id, " [")
	return path
}

// link resolves imports and sorts the nodes so that imports come first. Import cycles are the compiler's to report;
// here the edge that closes one is dropped.
func (g *graph) link(pkgs []*listed) {
	onPath := map[*node]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		onPath[n] = true
		for _, id := range n.allImports() {
			m := g.byID[id]
			if m == nil || onPath[m] {
				continue
			}
			if m.order == 0 {
				visit(m)
			}
			n.imports = append(n.imports, m)
		}
		slices.SortFunc(n.imports, func(a, b *node) int { return strings.Compare(a.ImportPath, b.ImportPath) })
		n.imports = slices.Compact(n.imports)
		delete(onPath, n)
		g.nodes = append(g.nodes, n)
		n.order = len(g.nodes)
	}
	for _, p := range pkgs {
		if n := g.byID[p.ImportPath]; n != nil && n.order == 0 {
			visit(n)
		}
	}
}

// allImports are the packages that n imports, by ImportPath, and those that cgo adds to it.
func (n *node) allImports() []string {
	if len(n.CgoFiles) == 0 {
		return n.Imports
	}
	return append(slices.Clone(n.Imports), "runtime/cgo", "syscall", "unsafe")
}

// matches reports whether n was asked for. A test variant was, if it is the test of a package that was; the variants
// of other packages that the test merely imports were not.
func (g *graph) matches(n *node) bool {
	if !n.variant() {
		return !n.DepOnly
	}
	tested := g.byID[n.ForTest]
	own := n.path == n.ForTest || n.path == n.ForTest+"_test"
	return own && tested != nil && !tested.DepOnly
}

// pick decides which nodes report and which are units.
func (g *graph) pick() {
	for _, n := range g.nodes {
		if n.matched {
			g.addFiles(n)
			n.reports = !n.client && !n.Standard && n.hasFiles() && !g.superseded(n)
		}
	}
	below := map[*node]bool{}
	for _, n := range g.nodes {
		if n.reports {
			n.pickNeeded(below)
		}
	}
}

// superseded reports whether a variant with the test files added holds all that n holds.
func (g *graph) superseded(n *node) bool {
	return g.tested(n) != nil
}

// tested is the variant of n with its test files, nil if there is none.
func (g *graph) tested(n *node) *node {
	if n.variant() {
		return nil
	}
	return g.byID[n.ImportPath+" ["+n.ImportPath+".test]"]
}

// plain is the package that n is a variant of, nil if n is none or only exists for the test.
func (g *graph) plain(n *node) *node {
	if !n.variant() {
		return nil
	}
	return g.byID[n.path]
}

// pickNeeded makes units of the relevant packages that n needs, n among them.
func (n *node) pickNeeded(below map[*node]bool) {
	if n.needed || n.client {
		return
	}
	n.needed = true
	if n.relevant() {
		n.unit = true
		n.pickBelow(below)
	}
	for _, m := range n.imports {
		m.pickNeeded(below)
	}
}

// pickBelow makes units of the user's own packages below the unit n: they may hold the functions that build keys.
func (n *node) pickBelow(below map[*node]bool) {
	for _, m := range n.imports {
		if below[m] || m.client || m.Standard {
			continue
		}
		below[m] = true
		m.unit = m.unit || m.main() && m.hasFiles()
		m.pickBelow(below)
	}
}

// relevant reports whether the package may have to do with a lock. It does if a client can be reached from it. For the
// user's own packages, what cannot be loaded may be a client, and a package with errors may import what its broken
// files do not say.
func (n *node) relevant() bool {
	switch {
	case n.Standard || !n.hasFiles():
		return false
	case n.reaches:
		return true
	case !n.main():
		return false
	}
	broken := func(m *node) bool { return m.missing }
	return n.Error != nil || slices.ContainsFunc(n.imports, broken)
}

// ask makes units of the packages with the given import path, because the link wants to know more about them, and
// returns all units that have it.
func (g *graph) ask(path string) []*node {
	var asked []*node
	for _, n := range g.nodes {
		if n.path == path && n.needed && !n.client && !n.Standard && n.hasFiles() {
			n.unit = true
			asked = append(asked, n)
		}
	}
	return asked
}

// below is the plain package with the given path, if n imports it, directly or not.
func (g *graph) below(n *node, path string) *node {
	seen := map[*node]bool{}
	var find func(n *node) *node
	find = func(n *node) *node {
		for _, m := range n.imports {
			if m.path == path && !m.variant() {
				return m
			}
			if seen[m] || m.Standard || m.client {
				continue
			}
			seen[m] = true
			if got := find(m); got != nil {
				return got
			}
		}
		return nil
	}
	return find(n)
}

// addFiles notes the files of a package that was asked for.
func (g *graph) addFiles(n *node) {
	for _, list := range [][]string{n.GoFiles, n.CgoFiles, n.IgnoredGoFiles} {
		for _, name := range absFiles(n.Dir, list) {
			g.files[name] = true
		}
	}
}

// absFiles joins names with the directory that they are relative to.
func absFiles(dir string, names []string) []string {
	abs := make([]string, len(names))
	for i, name := range names {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		abs[i] = name
	}
	return abs
}

// otherFiles are the files of the package that are not Go.
func (n *node) otherFiles() []string {
	return absFiles(n.Dir, slices.Concat(n.SFiles, n.HFiles, n.CFiles, n.CXXFiles))
}

// ignoredFiles are the files that build constraints exclude.
func (n *node) ignoredFiles() []string {
	return absFiles(n.Dir, slices.Concat(n.IgnoredGoFiles, n.IgnoredOtherFiles))
}
