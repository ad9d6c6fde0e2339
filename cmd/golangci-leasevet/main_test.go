package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/golangci/golangci-lint/v2/pkg/exitcodes"

	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/internal/marked"
)

// program is the golangci-lint that all tests run: linking it takes longer than they do.
var program string

func TestMain(m *testing.M) {
	code, err := buildAndRun(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(code)
}

func buildAndRun(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "golangci-leasevet-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "golangci-leasevet.exe") // the ending does no harm where none is needed
	if text, err := exec.Command("go", "build", "-buildvcs=false", "-o", program, ".").CombinedOutput(); err != nil {
		return 0, fmt.Errorf("go build: %w\n%s", err, text)
	}
	return m.Run(), nil
}

// project is a copy of the test program, with a cache of its own.
type project struct {
	dir, cache string
}

func newProject(t *testing.T) project {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "gym")
	must(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "gym"))))
	return project{dir: dir, cache: t.TempDir()}
}

// lint runs golangci-lint, wants it to exit with the given code, and returns what it prints on issues, and on the rest.
func (p project) lint(t *testing.T, code int) (issues, messages string) {
	t.Helper()
	cmd := exec.Command(program, "run", "--output.text.print-issued-lines=false", "--output.text.colors=false", "--show-stats=false", "./...")
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "GOLANGCI_LINT_CACHE="+p.cache, "GOWORK=off", "GOFLAGS=-buildvcs=false")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Fatalf("exit status %d, want %d\n%s%s", got, code, stdout, &stderr)
	}
	return string(stdout), stderr.String()
}

// issue is a line of golangci-lint's output: the place, the analyzer, the kind with its rule, the message, the linter.
var issue = regexp.MustCompile(`^(.+?):(\d+):(\d+): (\w+): ([a-z-]+)(?:/([a-z-]+))?: (.*) \(leasevet\)$`)

// parse reads issues as findings.
func parse(t *testing.T, issues string) []finding.Finding {
	t.Helper()
	var all []finding.Finding
	for line := range strings.Lines(issues) {
		m := issue.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			t.Fatalf("no finding: %q", line)
		}
		row, err := strconv.Atoi(m[2])
		must(t, err)
		all = append(all, finding.Finding{
			Analyzer: m[4], Kind: m[5], Rule: m[6], Message: m[7],
			Place: finding.Place{File: filepath.ToSlash(m[1]), Line: row},
		})
	}
	return all
}

// score fails the test if the issues are not what the marks in the program say.
func (p project) score(t *testing.T, issues string) {
	t.Helper()
	r := marked.Score(p.dir, parse(t, issues), nil)
	if !r.Ok() {
		t.Errorf("%s\ngolangci-lint said:\n%s", r, issues)
	}
	if len(r.Hits) == 0 {
		t.Error("nothing was found at all")
	}
}

// TestFindings checks the findings of a first run, that a second one takes the same from the cache, and that it stays so
// when facts come from the cache while the package that needs them is analysed anew.
func TestFindings(t *testing.T) {
	p := newProject(t)
	first, _ := p.lint(t, exitcodes.IssuesFound)
	p.score(t, first)

	second, _ := p.lint(t, exitcodes.IssuesFound)
	if first != second {
		t.Errorf("the cached run differs. First:\n%s\nsecond:\n%s", first, second)
	}

	appendTo(t, filepath.Join(p.dir, "desk", "desk.go"), "\nvar _ = checkInKey\n")
	appendTo(t, filepath.Join(p.dir, "janitor", "janitor.go"), "\nvar _ = Free\n")
	third, _ := p.lint(t, exitcodes.IssuesFound)
	p.score(t, third)
}

// TestComments checks that both ways of saying that a finding is meant do what they do by being the only thing that
// keeps a finding away.
func TestComments(t *testing.T) {
	for name, comment := range map[string]string{
		"nolint": "//nolint:leasevet // cleaning twice does no harm",
		"ignore": "//leasevet:ignore ownerless-release airing twice does no harm",
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t)
			file := filepath.Join(p.dir, "meant", "meant.go")
			line := strip(t, file, comment)
			issues, _ := p.lint(t, exitcodes.IssuesFound)
			for _, f := range parse(t, issues) {
				if f.File == "meant/meant.go" && f.Kind == "ownerless-release" && near(f.Line, line) {
					return
				}
			}
			t.Errorf("no finding near line %d after the comment was taken away:\n%s", line, issues)
		})
	}
}

// TestSettings checks that settings reach the analyzers, and that a wrong one stops the run.
func TestSettings(t *testing.T) {
	p := newProject(t)
	config := filepath.Join(p.dir, ".golangci.yml")
	plain, err := os.ReadFile(config)
	must(t, err)
	set := func(settings string) {
		text := strings.Replace(string(plain), "        type: module\n", "        type: module\n        settings: "+settings+"\n", 1)
		must(t, os.WriteFile(config, []byte(text), 0o666))
	}

	set("{kinds: [long-ttl]}")
	issues, _ := p.lint(t, exitcodes.IssuesFound)
	for _, f := range parse(t, issues) {
		if f.Kind != "long-ttl" {
			t.Errorf("not asked for: %s:%d %s", f.File, f.Line, f.Kind)
		}
	}
	set("{kinds: [long-tll]}")
	if _, messages := p.lint(t, exitcodes.Failure); !strings.Contains(messages, `is it "long-ttl"?`) {
		t.Errorf("a misspelled kind gave:\n%s", messages)
	}
}

// strip removes a text from a file and says on which line it stood.
func strip(t *testing.T, file, text string) int {
	t.Helper()
	old, err := os.ReadFile(file)
	must(t, err)
	before, after, found := strings.Cut(string(old), text)
	if !found {
		t.Fatalf("%s does not contain %q", file, text)
	}
	must(t, os.WriteFile(file, []byte(before+after), 0o666))
	return strings.Count(before, "\n") + 1
}

// near allows for a comment that stands above its statement.
func near(a, b int) bool { return a == b || a == b+1 }

func appendTo(t *testing.T, file, text string) {
	t.Helper()
	old, err := os.ReadFile(file)
	must(t, err)
	must(t, os.WriteFile(file, append(old, text...), 0o666))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
