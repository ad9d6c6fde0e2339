package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// checkout copies a module out of the module cache, where nobody may write.
func checkout(module, dir string) error {
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir = os.TempDir() // the module that the shell stands in has no say in this
	text, err := cmd.Output()
	var got struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(text, &got); jsonErr != nil || got.Dir == "" {
		return fmt.Errorf("download %s: %w", module, errors.Join(err, errors.New(got.Error)))
	}
	if err := os.CopyFS(dir, os.DirFS(got.Dir)); err != nil {
		return err
	}
	return writable(dir)
}

// writable gives the owner of the copy the rights that the module cache keeps from everybody.
func writable(dir string) error {
	return filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil || !(info.IsDir() || info.Mode().IsRegular()) {
			return err
		}
		return os.Chmod(path, info.Mode()|0o200)
	})
}

// countPackages counts the module's own packages and those below them.
func countPackages(dir string) (string, error) {
	own, err := lines(dir, "list", "./...")
	if err != nil {
		return "", err
	}
	all, err := lines(dir, "list", "-deps", "./...")
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d packages, %d with all dependencies", own, all), nil
}

// lines counts the lines that a go command prints.
func lines(dir string, args ...string) (int, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = environment()
	text, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return bytes.Count(text, []byte("\n")), nil
}

// environment is ours without what would let a surrounding workspace or flags decide.
func environment() []string {
	return append(os.Environ(), "GOWORK=off", "GOFLAGS=-buildvcs=false")
}

// builder builds leasevet so that no two builds have the same content: to the go command's cache each is a new tool, of
// which it has no result.
type builder struct {
	dir   string
	count int
}

// fresh builds one more.
func (b *builder) fresh() (string, error) {
	b.count++
	tool := filepath.Join(b.dir, fmt.Sprintf("leasevet-%d", b.count))
	id := fmt.Sprintf("-ldflags=-buildid=bench-%d-%d", os.Getpid(), b.count)
	cmd := exec.Command("go", "build", "-buildvcs=false", id, "-o", tool, "./cmd/leasevet")
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build leasevet: %w\n%s", err, text)
	}
	return tool, nil
}
