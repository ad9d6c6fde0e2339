package driver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"golang.org/x/tools/go/analysis"
)

// goTool runs the go command.
type goTool struct {
	dir, tags string
	env       []string
}

// listed is what `go list` says about a package. Only what the driver needs is asked for: the go command is fast as
// long as it need not compute what nobody reads.
type listed struct {
	ImportPath string
	Name       string
	Dir        string
	ForTest    string
	Standard   bool
	DepOnly    bool

	GoFiles, CgoFiles, CompiledGoFiles []string
	SFiles, HFiles, CFiles, CXXFiles   []string
	IgnoredGoFiles, IgnoredOtherFiles  []string
	TestGoFiles, XTestGoFiles          []string
	Imports                            []string
	ImportMap                          map[string]string
	Module                             *analysis.Module
	Export                             string
	Error                              *listError
	DepsErrors                         []*listError

	compile *listError // what the compiler says, where it was asked
}

// listError is a package error of `go list -e`.
type listError struct {
	Pos string
	Err string
}

// reason is the error in one line, its position first.
func (e *listError) reason() string {
	text := compilerText(e.Err)
	if e.Pos != "" && !strings.HasPrefix(text, e.Pos) {
		return e.Pos + ": " + text
	}
	return text
}

// compilerText makes one line of what a tool printed: the "# package" headings and what is no complaint go, further lines
// are joined.
func compilerText(s string) string {
	var keep []string
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "# ") && !strings.HasPrefix(line, "go: downloading ") {
			keep = append(keep, strings.TrimPrefix(line, "./"))
		}
	}
	const most = 3
	if len(keep) > most {
		keep = append(keep[:most], fmt.Sprintf("and %d more", len(keep)-most))
	}
	return strings.ReplaceAll(strings.Join(keep, "; "), ":; ", ": ")
}

// graphFields are the fields of the first list call, exportFields those of the second.
const (
	graphFields = "ImportPath,Name,Dir,ForTest,Standard,DepOnly,GoFiles,CgoFiles,SFiles,HFiles,CFiles,CXXFiles," +
		"IgnoredGoFiles,IgnoredOtherFiles,Imports,ImportMap,Module,Error"
	exportFields = "ImportPath,Export,CompiledGoFiles,Error,DepsErrors"
)

// list calls `go list -e` and decodes what it prints. The second result are the patterns that match nothing.
func (g goTool) list(ctx context.Context, flags, patterns []string) ([]*listed, []string, error) {
	args := append([]string{"list", "-e"}, flags...)
	if g.tags != "" {
		args = append(args, "-tags="+g.tags)
	}
	args = append(append(args, "--"), patterns...)
	stdout, stderr, err := g.run(ctx, args...)
	if err != nil {
		return nil, nil, err
	}
	pkgs, err := decodeList(stdout)
	return pkgs, unmatched(stderr), err
}

func decodeList(out []byte) ([]*listed, error) {
	var pkgs []*listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(listed)
		switch err := dec.Decode(p); {
		case errors.Is(err, io.EOF):
			return pkgs, nil
		case err != nil:
			return nil, fmt.Errorf("cannot read what go list printed: %v", err)
		}
		pkgs = append(pkgs, p)
	}
}

var noMatch = regexp.MustCompile(`go: warning: "(.*)" matched no packages`)

// unmatched finds the patterns that the go command warned about.
func unmatched(stderr []byte) []string {
	var patterns []string
	for _, m := range noMatch.FindAllSubmatch(stderr, -1) {
		patterns = append(patterns, string(m[1]))
	}
	return patterns
}

// goEnv is what `go env` says about the go command that does the listing.
type goEnv struct {
	GOVERSION, GOARCH, GOMOD, GOFLAGS string
}

func (g goTool) goEnv(ctx context.Context) (goEnv, error) {
	var env goEnv
	out, _, err := g.run(ctx, "env", "-json", "GOVERSION", "GOARCH", "GOMOD", "GOFLAGS")
	if err != nil {
		return env, err
	}
	if err := json.Unmarshal(out, &env); err != nil {
		return env, fmt.Errorf("cannot read what go env printed: %v", err)
	}
	return env, nil
}

// run runs the go command. An error is one line that says what the go command said.
func (g goTool) run(ctx context.Context, args ...string) (stdout, stderr []byte, err error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = g.dir
	cmd.Env = g.environ()
	cmd.Cancel = func() error { return interrupt(cmd.Process) }
	cmd.WaitDelay = 5 * time.Second
	var outBuf, errBuf bytes.Buffer
	cmd.Stdout, cmd.Stderr = &outBuf, &errBuf
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, nil, fmt.Errorf("interrupted: %w", ctx.Err())
	case errors.Is(err, exec.ErrNotFound):
		return nil, nil, errors.New("the go command is not in PATH; leasevet needs it to load packages")
	case err != nil:
		return nil, nil, commandError(args, errBuf.String(), err)
	}
	return outBuf.Bytes(), errBuf.Bytes(), nil
}

func commandError(args []string, stderr string, err error) error {
	if text := compilerText(stderr); text != "" {
		return errors.New(text)
	}
	return fmt.Errorf("go %s: %v", args[0], err)
}

// interrupt lets the go command clean up and stop its own children. Windows has no such signal.
func interrupt(p *os.Process) error {
	if runtime.GOOS == "windows" {
		return p.Kill()
	}
	return p.Signal(os.Interrupt)
}

// environ is the environment of the go command. PWD makes it see a directory under the name that the user gave it.
func (g goTool) environ() []string {
	env := g.env
	if env == nil {
		env = os.Environ()
	}
	if dir, err := filepath.Abs(g.dir); err == nil && g.dir != "" {
		env = append(env[:len(env):len(env)], "PWD="+dir)
	}
	return env
}
