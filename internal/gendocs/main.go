// Gendocs writes one page per kind of finding, from the table of kinds and from the doc.go of each analyzer.
//
// Usage: gendocs [-check] DIR
//
// With -check it writes nothing, and fails if a page in DIR is not what it would write.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/leasevet/leasevet/internal/kinds"
)

func main() {
	check := flag.Bool("check", false, "report pages that are not up to date, write nothing")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: gendocs [-check] DIR")
		os.Exit(2)
	}
	if err := run(os.Stderr, ".", flag.Arg(0), *check); err != nil {
		fmt.Fprintln(os.Stderr, "gendocs:", err)
		os.Exit(1)
	}
}

// run makes the pages from the sources below root, and writes them to dir or compares them with it.
func run(log io.Writer, root, dir string, check bool) error {
	pages, err := build(root, kinds.All())
	if err != nil {
		return err
	}
	stale, err := differences(dir, pages)
	if err != nil {
		return err
	}
	if !check {
		return write(dir, stale, pages)
	}
	for _, name := range stale {
		fmt.Fprintln(log, "not up to date:", filepath.Join(dir, name))
	}
	if len(stale) > 0 {
		return fmt.Errorf("%d pages are not up to date, run make generate", len(stale))
	}
	return nil
}

// differences lists the files of dir that have to be written or removed, sorted. A page that nothing makes any more is
// one of them, or the page of a kind that was dropped would stay for ever.
func differences(dir string, pages map[string][]byte) ([]string, error) {
	found, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		return nil, err
	}
	stale := map[string]bool{}
	for _, file := range found {
		if _, wanted := pages[filepath.Base(file)]; !wanted {
			stale[filepath.Base(file)] = true
		}
	}
	for name, text := range pages {
		// A file that cannot be read has to be written, whatever the reason.
		if old, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(old, text) {
			stale[name] = true
		}
	}
	return slices.Sorted(maps.Keys(stale)), nil
}

// write brings the named files of dir up to date.
func write(dir string, names []string, pages map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, name := range names {
		file := filepath.Join(dir, name)
		text, wanted := pages[name]
		if !wanted {
			if err := os.Remove(file); err != nil {
				return err
			}
			continue
		}
		if err := os.WriteFile(file, text, 0o666); err != nil {
			return err
		}
	}
	return nil
}
