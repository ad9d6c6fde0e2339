// Cleancorpus runs leasevet over popular modules that have no distributed locks, where every finding is a false one. The
// list is testdata/clean-corpus.tsv; what is said of a module there is why it is in it.
//
//	go run ./internal/cleancorpus [MODULE...]
//
// It prints a line for each module and a total, and ends with 1 if there is a finding of any level, a package that could
// not be analysed, or too little that was really read. Modules are downloaded into the module cache and analysed there.
package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// list is where the modules are named.
const list = "testdata/clean-corpus.tsv"

// A clean run over modules of which hardly one reaches a client would prove nothing.
const (
	wantModules = 40
	wantReading = 10
)

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "cleancorpus: %v\n", err)
		os.Exit(1)
	}
}

// module is a row of the list.
type module struct{ path, version string }

// outcome is what leasevet says of a module.
type outcome struct {
	Findings []struct {
		File, Kind, Level, Message string
		Line                       int
	}
	Coverage struct {
		Packages, Analysed, Irrelevant int
		Partial, Failed                []struct{ Package, Reason string }
	}
	took time.Duration
}

// read is how many packages were not put aside at once.
func (o *outcome) read() int { return o.Coverage.Analysed - o.Coverage.Irrelevant }

func run(w io.Writer, only []string) error {
	modules, err := readList(list, only)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "cleancorpus")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c := &corpus{w: w, tool: filepath.Join(dir, "leasevet"), scratch: dir}
	if out, err := exec.Command("go", "build", "-o", c.tool, "./cmd/leasevet").CombinedOutput(); err != nil {
		return fmt.Errorf("cannot build leasevet: %v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module scratch\n"), 0o666); err != nil {
		return err
	}
	for _, m := range modules {
		c.add(m)
	}
	return c.total(len(only) == 0)
}

// readList reads the modules, those that are asked for if any are.
func readList(name string, only []string) ([]module, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comma, r.FieldsPerRecord = '\t', 3
	rows, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	var out []module
	for _, row := range rows[1:] {
		if len(only) == 0 || slices.Contains(only, row[0]) {
			out = append(out, module{row[0], row[1]})
		}
	}
	if len(out) == 0 {
		return nil, errors.New("no such module in the list")
	}
	return out, nil
}

// corpus is one run over the list.
type corpus struct {
	w                                            io.Writer
	tool, scratch                                string
	modules, reading, packages, findings, failed int
}

// add analyses a module and prints its line.
func (c *corpus) add(m module) {
	c.modules++
	o, err := c.analyse(m)
	if err != nil {
		c.failed++
		fmt.Fprintf(c.w, "%-44s FAILED %v\n", m.path, err)
		return
	}
	if o.read() > 0 {
		c.reading++
	}
	c.packages += o.Coverage.Analysed
	c.findings += len(o.Findings)
	c.failed += len(o.Coverage.Failed)
	fmt.Fprintf(c.w, "%-44s %4d packages, %3d read, %d partial, %d failed, %d findings %6.1fs\n", m.path,
		o.Coverage.Analysed, o.read(), len(o.Coverage.Partial), len(o.Coverage.Failed), len(o.Findings), o.took.Seconds())
	for _, p := range slices.Concat(o.Coverage.Failed, o.Coverage.Partial) {
		fmt.Fprintf(c.w, "    %s: %s\n", p.Package, p.Reason)
	}
	for _, f := range o.Findings {
		fmt.Fprintf(c.w, "    %s:%d: %s %s: %s\n", f.File, f.Line, f.Level, f.Kind, f.Message)
	}
	if o.Coverage.Analysed == 0 {
		c.failed++
		fmt.Fprintln(c.w, "    nothing was analysed")
	}
}

// analyse runs leasevet in the place where the go command keeps the module.
func (c *corpus) analyse(m module) (*outcome, error) {
	dir, pattern, err := c.find(m)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	cmd := exec.Command(c.tool, "-C", dir, "-json", "-level=note", pattern)
	cmd.Env = append(os.Environ(), "GOWORK=off") // a module that was downloaded has a workspace without its other modules
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	o := &outcome{took: time.Since(start)}
	if jsonErr := json.Unmarshal(out, o); jsonErr != nil {
		return nil, fmt.Errorf("%v: %s", err, strings.TrimSpace(stderr.String()))
	}
	return o, nil
}

// find downloads a module.
func (c *corpus) find(m module) (dir, pattern string, err error) {
	if m.path == "std" {
		out, err := exec.Command("go", "env", "GOROOT").Output()
		return filepath.Join(strings.TrimSpace(string(out)), "src"), "std", err
	}
	cmd := exec.Command("go", "mod", "download", "-json", m.path+"@"+m.version)
	cmd.Dir = c.scratch
	out, err := cmd.Output()
	var got struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &got); jsonErr != nil || got.Error != "" || got.Dir == "" {
		return "", "", fmt.Errorf("cannot download it: %s %v", got.Error, errors.Join(err, jsonErr))
	}
	return got.Dir, "./...", nil
}

// total prints the last line. A run over the whole list has to have read enough.
func (c *corpus) total(whole bool) error {
	fmt.Fprintf(c.w, "%d modules, %d of them with packages that were read, %d packages, %d failed, %d findings\n",
		c.modules, c.reading, c.packages, c.failed, c.findings)
	switch {
	case c.findings > 0:
		return errors.New("there are no locks in these modules: every finding is false")
	case c.failed > 0:
		return errors.New("not everything was analysed")
	case whole && (c.modules < wantModules || c.reading < wantReading):
		return fmt.Errorf("the list needs %d modules, and %d that use a client", wantModules, wantReading)
	}
	return nil
}
