package driver

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/leasevet/leasevet/internal/finding"
)

// vetEnv makes the test binary a vet tool.
const vetEnv = "LEASEVET_DRIVER_TEST_AS_VETTOOL"

func TestMain(m *testing.M) {
	if os.Getenv(vetEnv) != "" && IsVet(os.Args[1:]) {
		os.Exit(Vet(os.Args[1:], probeAnalyzers, VetOptions{
			Clients: probeClients, Flags: flag.NewFlagSet("probe", flag.ContinueOnError),
			Keep: func(finding.Finding) bool { return true },
		}))
	}
	os.Exit(m.Run())
}

// A module of the tests is a txtar archive. Lines that should be reported end in "// want KIND", or "// want
// program:KIND" where it takes the program. coverage.json is the expected coverage. The comment of the archive may hold
// settings: "patterns: ...", "tags: ...", "tests: false", "dir: ...", "env: K=V", "needs: gcc", "novet: reason",
// "want: FILE:LINE KIND", "error: text of the error that ends the run".
type testModule struct {
	dir      string
	settings map[string][]string
	want     []string
	coverage string
}

func (m *testModule) one(name string) string {
	if len(m.settings[name]) == 0 {
		return ""
	}
	return m.settings[name][0]
}

func (m *testModule) config() Config {
	return Config{
		Dir: filepath.Join(m.dir, m.one("dir")), Patterns: m.settings["patterns"], Tags: m.one("tags"),
		Tests: m.one("tests") != "false", Env: m.env(), Analyzers: probeAnalyzers, Clients: probeClients, Link: probeLink,
	}
}

// env keeps the tests off the network and away from the settings of whoever runs them.
func (m *testModule) env() []string {
	return append(append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=", "GORACE=atexit_sleep_ms=0"), m.settings["env"]...)
}

var wantComment = regexp.MustCompile(`// want (\S+)$`)

func loadModule(t *testing.T, archive string) *testModule {
	t.Helper()
	ar, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &testModule{dir: dir, settings: map[string][]string{}}
	for line := range strings.Lines(string(ar.Comment)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			m.set(name, strings.ReplaceAll(value, "$DIR", dir))
		}
	}
	if tool := m.one("needs"); tool != "" {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	for _, f := range ar.Files {
		m.add(t, f)
	}
	slices.Sort(m.want)
	return m
}

// set notes a setting. Patterns may stand several in a line.
func (m *testModule) set(name, value string) {
	switch name {
	case "want":
		m.want = append(m.want, value)
	case "patterns":
		m.settings[name] = append(m.settings[name], strings.Fields(value)...)
	default:
		m.settings[name] = append(m.settings[name], value)
	}
}

func (m *testModule) add(t *testing.T, f txtar.File) {
	t.Helper()
	if f.Name == "coverage.json" {
		m.coverage = strings.TrimSpace(string(f.Data))
		return
	}
	name := filepath.Join(m.dir, filepath.FromSlash(f.Name))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	data := strings.ReplaceAll(string(f.Data), "$DIR", m.dir)
	if err := os.WriteFile(name, []byte(data), 0o666); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(f.Name, ".go") {
		return
	}
	for i, line := range strings.Split(data, "\n") {
		if w := wantComment.FindStringSubmatch(line); w != nil {
			m.want = append(m.want, fmt.Sprintf("%s:%d %s", f.Name, i+1, w[1]))
		}
	}
}

// show spells findings as the wanted ones are spelled.
func (m *testModule) show(found []finding.Finding) []string {
	var lines []string
	for _, f := range found {
		kind := f.Kind
		if f.Scope == finding.Program {
			kind = "program:" + kind
		}
		rel, err := filepath.Rel(m.dir, f.File)
		if err != nil {
			rel = f.File
		}
		lines = append(lines, fmt.Sprintf("%s:%d %s", filepath.ToSlash(rel), f.Line, kind))
	}
	slices.Sort(lines)
	return lines
}

func TestModules(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no test modules: %v", err)
	}
	for _, archive := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(archive), ".txtar"), func(t *testing.T) {
			t.Parallel()
			m := loadModule(t, archive)
			res, err := Run(context.Background(), m.config())
			if want := m.one("error"); want != "" {
				m.checkError(t, err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := m.show(res.Findings); !slices.Equal(got, m.want) {
				t.Errorf("findings:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(m.want, "\n"))
			}
			m.checkCoverage(t, res.Coverage)
			if m.one("novet") == "" {
				m.checkVet(t)
			}
		})
	}
}

func (m *testModule) checkError(t *testing.T, err error) {
	t.Helper()
	want := m.one("error")
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v, want one line with %q", err, want)
	}
}

func (m *testModule) checkCoverage(t *testing.T, c Coverage) {
	t.Helper()
	got, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(got), m.dir, "$DIR")
	if text != m.coverage {
		t.Errorf("coverage:\n%s\nwant:\n%s", text, m.coverage)
	}
}

var vetLine = regexp.MustCompile(`(?m)^(\S+?):(\d+):\d+: ([a-z-]+): here is`)

// checkVet runs go vet over the module: it must report what the command does, but for what takes the program.
func (m *testModule) checkVet(t *testing.T) {
	t.Helper()
	out, _ := m.goVet(t)
	var got []string
	for _, l := range vetLine.FindAllStringSubmatch(out, -1) {
		got = append(got, fmt.Sprintf("%s:%s %s", m.fromDir(l[1]), l[2], l[3]))
	}
	slices.Sort(got)
	want := slices.DeleteFunc(slices.Clone(m.want), func(s string) bool { return strings.Contains(s, " program:") })
	if !slices.Equal(got, want) {
		t.Errorf("go vet reports:\n%s\nwant:\n%s\noutput:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"), out)
	}
}

// fromDir is a file name that go vet printed, as seen from the root of the module.
func (m *testModule) fromDir(name string) string {
	if !filepath.IsAbs(name) {
		name = filepath.Join(m.dir, m.one("dir"), name)
	}
	rel, err := filepath.Rel(m.dir, name)
	if err != nil {
		return name
	}
	return filepath.ToSlash(rel)
}

// goVet runs go vet with the test binary as its tool.
func (m *testModule) goVet(t *testing.T, flags ...string) (string, error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"vet", "-vettool=" + self}, flags...)
	if tags := m.one("tags"); tags != "" {
		args = append(args, "-tags="+tags)
	}
	patterns := m.settings["patterns"]
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	cmd := exec.Command("go", append(args, patterns...)...)
	cmd.Dir = filepath.Join(m.dir, m.one("dir"))
	cmd.Env = append(m.env(), vetEnv+"=1", "PWD="+cmd.Dir)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
