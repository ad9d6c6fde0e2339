// Bench measures what leasevet costs on a large module that uses Redis, beside what the go command costs there anyway,
// and prints a Markdown table.
//
// Usage: go run ./bench [-module PATH@VERSION] [-runs N] [-o FILE]
//
// The module comes from the module proxy and is checked out into a temporary folder. Nothing is run twice into the same
// cache entry: every row says whether it is a cold or a warm one. CPU is what counts, since it does not depend on what
// else the machine does; the time on the clock is given for orientation.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// defaultModule has 369 packages of its own and about 1100 below them, and talks to Redis from five.
const defaultModule = "code.gitea.io/gitea@v1.26.0"

func main() {
	module := flag.String("module", defaultModule, "measure on this `path@version`")
	runs := flag.Int("runs", 3, "run each row so many times and show the cheapest")
	out := flag.String("o", "", "write the table to this `file` as well")
	flag.Parse()
	if err := bench(*module, max(1, *runs), *out); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench sets the scene, measures, and prints.
func bench(module string, runs int, out string) error {
	work, err := os.MkdirTemp("", "leasevet-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)

	dir := filepath.Join(work, "module")
	if err := checkout(module, dir); err != nil {
		return err
	}
	b := &builder{dir: work}
	rows, err := measureAll(rows(dir, b), runs)
	if err != nil {
		return err
	}
	packages, err := countPackages(dir)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	printPage(&text, page{module: module, packages: packages, runs: runs, rows: rows})
	os.Stdout.Write(text.Bytes())
	if out == "" {
		return nil
	}
	return os.WriteFile(out, text.Bytes(), 0o666)
}
