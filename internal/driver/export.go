package driver

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// fetch asks the go command for the export data of what the units import, and lets it run cgo for the units that need
// it. It compiles nothing else: not the units, and no test variants, whose types are read from source.
func (l *loader) fetch(ctx context.Context) error {
	if err := l.fetchCgo(ctx); err != nil {
		return err
	}
	asked := map[*node]bool{}
	for {
		want := l.wanted(asked)
		if len(want) == 0 {
			return nil
		}
		err := l.listChunks(ctx, []string{"-export", "-json=ImportPath,Export"}, want, func(p *listed) {
			if n := l.graph.byID[p.ImportPath]; n != nil {
				n.Export = p.Export
			}
		})
		if err != nil {
			return err
		}
	}
}

// wanted lists the packages whose export data is needed and was not asked for. What does not compile has none and is
// read from source; then what it imports is wanted in the next turn.
func (l *loader) wanted(asked map[*node]bool) []string {
	var want []string
	seen := map[*node]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		if seen[n] || n.missing || n.path == "unsafe" || n.Export != "" {
			return
		}
		seen[n] = true
		if n.variant() || asked[n] || l.cfg.OwnFromSource && n.main() {
			for _, m := range n.imports {
				visit(m)
			}
			return
		}
		asked[n] = true
		want = append(want, n.ImportPath)
	}
	for _, n := range l.graph.nodes {
		if n.unit {
			for _, m := range n.imports {
				visit(m)
			}
		}
	}
	return want
}

// fetchCgo finds out what cgo makes of the units that use it. A variant with test files is what cgo makes of the
// package, and the test files, which cannot use cgo.
func (l *loader) fetchCgo(ctx context.Context) error {
	var want []string
	for _, n := range l.graph.nodes {
		if n.unit && len(n.CgoFiles) > 0 && len(n.CompiledGoFiles) == 0 {
			want = append(want, n.path)
		}
	}
	if len(want) == 0 {
		return nil
	}
	slices.Sort(want)
	compiled := map[string]*listed{}
	flags := []string{"-compiled", "-json=ImportPath,Dir,GoFiles,CompiledGoFiles,Error"}
	err := l.listChunks(ctx, flags, slices.Compact(want), func(p *listed) { compiled[p.ImportPath] = p })
	if err != nil {
		return err
	}
	for _, n := range l.graph.nodes {
		if p := compiled[n.path]; p != nil && n.unit {
			n.useCompiled(p)
		}
	}
	return nil
}

// useCompiled takes over the files that cgo made of package p, of which n may be a variant.
func (n *node) useCompiled(p *listed) {
	if len(p.CompiledGoFiles) == 0 {
		if n.Error == nil {
			n.Error = cmp.Or(p.Error, &listError{Err: "cgo did not run"})
		}
		return
	}
	extra := keep(n.GoFiles, func(name string) bool { return !slices.Contains(p.GoFiles, name) })
	n.CompiledGoFiles = slices.Concat(p.CompiledGoFiles, extra)
}

// listChunks lists packages by import path, in as many calls as the length of a command line demands.
func (l *loader) listChunks(ctx context.Context, flags, paths []string, each func(*listed)) error {
	for len(paths) > 0 {
		n := chunk(paths, maxCommandLine())
		pkgs, _, err := l.tool.list(ctx, flags, paths[:n])
		if err != nil {
			return err
		}
		for _, p := range pkgs {
			each(p)
		}
		paths = paths[n:]
	}
	return nil
}

// maxCommandLine is a safe length for the arguments of one command, in bytes.
func maxCommandLine() int {
	if runtime.GOOS == "windows" {
		return 20_000
	}
	return 200_000
}

// chunk is how many of the arguments fit, at least one.
func chunk(args []string, most int) int {
	for i, a := range args {
		if most -= len(a) + 1; most < 0 {
			return max(i, 1)
		}
	}
	return len(args)
}

// readOverlay reads the file that GOFLAGS names as -overlay: which files' contents stand in which others.
func readOverlay(goflags, dir string) (map[string]string, error) {
	name := ""
	for _, flag := range strings.Fields(goflags) {
		if v, ok := strings.CutPrefix(strings.TrimLeft(flag, "-"), "overlay="); ok {
			name = v
		}
	}
	if name == "" {
		return nil, nil
	}
	data, err := os.ReadFile(absIn(dir, name))
	if err != nil {
		return nil, fmt.Errorf("the overlay that GOFLAGS names: %v", err)
	}
	var file struct{ Replace map[string]string }
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("the overlay that GOFLAGS names: %s: %v", name, err)
	}
	overlay := map[string]string{}
	for from, to := range file.Replace {
		overlay[absIn(dir, from)] = absIn(dir, to)
	}
	return overlay, nil
}

// absIn is name as seen from dir, as an absolute name. A name that cannot be made absolute stays as it is.
func absIn(dir, name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	name = filepath.Join(dir, name)
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}
