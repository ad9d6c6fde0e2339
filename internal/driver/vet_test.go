package driver

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/leasevet/leasevet/internal/finding"
)

// vet calls Vet as the go command would.
func vet(analyzers []*analysis.Analyzer, opts VetOptions, args ...string) (exit int, stdout, stderr string) {
	var out, errs bytes.Buffer
	opts.Stdout, opts.Stderr = &out, &errs
	exit = Vet(args, analyzers, opts)
	return exit, out.String(), errs.String()
}

func TestIsVet(t *testing.T) {
	for _, args := range [][]string{{"-V=full"}, {"-flags"}, {"-json", "/tmp/x/vet.cfg"}} {
		if !IsVet(args) {
			t.Errorf("IsVet(%q) is false", args)
		}
	}
	for _, args := range [][]string{nil, {"./..."}, {"-json", "./..."}, {"-config", "x.cfg", "./..."}} {
		if IsVet(args) {
			t.Errorf("IsVet(%q) is true", args)
		}
	}
}

func TestVetHandshake(t *testing.T) {
	exit, stdout, _ := vet(probeAnalyzers, VetOptions{}, "-V=full")
	words := strings.Fields(stdout)
	if exit != 0 || len(words) < 4 || words[1] != "version" || words[2] != "devel" ||
		!strings.HasPrefix(words[len(words)-1], "buildID=") {
		t.Errorf("-V=full: %d, %q", exit, stdout)
	}
	if exit, _, stderr := vet(probeAnalyzers, VetOptions{}, "-V=short"); exit != 2 || stderr == "" {
		t.Errorf("-V=short: %d, %q", exit, stderr)
	}

	own := flag.NewFlagSet("tool", flag.ContinueOnError)
	own.String("config", "", "a file")
	exit, stdout, _ = vet(probeAnalyzers, VetOptions{Flags: own}, "-flags")
	var list []struct {
		Name string
		Bool bool
	}
	if err := json.Unmarshal([]byte(stdout), &list); err != nil || exit != 0 {
		t.Fatalf("-flags: %d, %v", exit, err)
	}
	got := map[string]bool{}
	for _, f := range list {
		got[f.Name] = f.Bool
	}
	for name, isBool := range map[string]bool{"json": true, "c": false, "config": false, "probecalls": true} {
		if b, ok := got[name]; !ok || b != isBool {
			t.Errorf("-flags: %s is %v, %v", name, b, ok)
		}
	}
}

func TestVetArguments(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none.cfg")
	garbage := filepath.Join(t.TempDir(), "bad.cfg")
	if err := os.WriteFile(garbage, []byte("no JSON"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		exit int
		args []string
	}{{2, nil}, {2, []string{"-nosuchflag", "x.cfg"}}, {2, []string{"a.cfg", "b.cfg"}}, {1, []string{missing}}, {1, []string{garbage}}} {
		exit, _, stderr := vet(probeAnalyzers, VetOptions{}, c.args...)
		if exit != c.exit || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q: %d, %q", c.args, exit, stderr)
		}
	}
}

func TestVetSwitches(t *testing.T) {
	names := func(args ...string) []string {
		o := VetOptions{}.withDefaults()
		m, _, err := parseVetFlags(args, probeAnalyzers, &o)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, a := range m.analyzers {
			names = append(names, a.Name)
		}
		return names
	}
	for _, c := range []struct{ args, want []string }{
		{nil, []string{"probecalls", "probekeys"}},
		{[]string{"-probekeys"}, []string{"probekeys"}},
		{[]string{"-probekeys=false"}, []string{"probecalls"}},
		{[]string{"-probekeys", "-probecalls=false"}, []string{"probekeys"}},
	} {
		if got := names(c.args...); !slices.Equal(got, c.want) {
			t.Errorf("%q runs %q, want %q", c.args, got, c.want)
		}
	}
}

// TestVetOutput checks what go vet makes of the findings, in text and in JSON, with lines around and with an analyzer
// switched off, and that it reports a second time what it has cached.
func TestVetOutput(t *testing.T) {
	t.Parallel()
	m := loadModule(t, "testdata/basic.txtar")
	for range 2 {
		out, err := m.goVet(t)
		if err == nil || !strings.Contains(out, "svc/svc.go:8:2: acquire-ignored: here is m/store.Open\n") {
			t.Errorf("go vet: %v\n%s", err, out)
		}
	}
	out, _ := m.goVet(t, "-c=1")
	if !strings.Contains(out, "7\tfunc (Service) Run() {\n8\t\tstore.Open()") {
		t.Errorf("go vet -c=1 shows\n%s", out)
	}
	out, _ = m.goVet(t, "-probecalls=false")
	if strings.Contains(out, "acquire-ignored") || !strings.Contains(out, "shared-key") {
		t.Errorf("go vet -probecalls=false shows\n%s", out)
	}
	out, err := m.goVet(t, "-json")
	if err != nil || !strings.Contains(out, `"category": "acquire-ignored"`) ||
		!strings.Contains(out, `store.go:11:9"`) {
		t.Errorf("go vet -json: %v\n%s", err, out)
	}
}

// TestVetTypeError checks that a package that does not compile is reported with its place, and nothing else lost.
func TestVetTypeError(t *testing.T) {
	t.Parallel()
	m := loadModule(t, "testdata/broken.txtar")
	m.settings["patterns"] = []string{"./types"}
	out, err := m.goVet(t)
	if err == nil || !strings.Contains(out, "types/t.go:13:2: undefined: undefined") {
		t.Errorf("go vet: %v\n%s", err, out)
	}
}

// TestVetPanic checks that a fault of an analyzer shows, on one line, together with the findings.
func TestVetPanic(t *testing.T) {
	t.Parallel()
	m := loadModule(t, "testdata/panic.txtar")
	out, err := m.goVet(t)
	if err == nil || !strings.Contains(out, "a/a.go:1:1: failed: internal error: probefacts: probe: told to\n") ||
		!strings.Contains(out, "b/b.go:11:2: acquire-ignored") || strings.Contains(out, "goroutine") {
		t.Errorf("go vet: %v\n%s", err, out)
	}
}

// TestExportTypes is a correct program that a tool rejects if it reads types from anything but export data. It must
// pass with this Go version, and with the next one if it is installed.
func TestExportTypes(t *testing.T) {
	t.Parallel()
	for _, toolchain := range []string{"local", "go1.27.3"} {
		m := loadModule(t, "testdata/exporttypes.txtar")
		m.settings["env"] = []string{"GOTOOLCHAIN=" + toolchain}
		cmd := exec.Command("go", "version")
		cmd.Env = m.env()
		if err := cmd.Run(); err != nil {
			t.Logf("%s is not installed", toolchain)
			continue
		}
		m.checkVet(t)
		if out, _ := m.goVet(t); strings.Contains(out, "does not implement") {
			t.Errorf("with %s:\n%s", toolchain, out)
		}
		res, err := Run(t.Context(), m.config())
		if err != nil {
			t.Fatalf("with %s: %v", toolchain, err)
		}
		if got := m.show(res.Findings); !slices.Equal(got, m.want) {
			t.Errorf("with %s the command reports %q, want %q", toolchain, got, m.want)
		}
	}
}

// unitConfig writes the config that go vet would write for one package without imports but the client.
func unitConfig(t *testing.T, change func(*vetConfig)) (name string, cfg *vetConfig) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) string {
		full := filepath.Join(dir, name)
		if err := os.WriteFile(full, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return full
	}
	cfg = &vetConfig{
		ID: "m/a", ImportPath: "m/a", Compiler: "gc", Dir: dir, ModulePath: "m", GoVersion: "go1.26",
		GoFiles: []string{write("a.go", "package a\n\nimport \"database/sql\"\n\nfunc Open() { sql.Open(\"x\", \"y\") }\n")},
		// No PackageFile: the go command has to be asked.
		ImportMap:  map[string]string{"database/sql": "database/sql"},
		Standard:   map[string]bool{"database/sql": true},
		VetxOutput: filepath.Join(dir, "vet.out"),
	}
	marker, err := EncodeFacts(Facts{Reaches: true})
	if err != nil {
		t.Fatal(err)
	}
	cfg.PackageVetx = map[string]string{"database/sql": write("sql.vetx", string(marker))}
	if change != nil {
		change(cfg)
	}
	data, err := json.Marshal(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return write("vet.cfg", string(data)), cfg
}

// TestVetFacts checks what is in the facts file, that it is the same every time, and that the export data is found
// where the config does not name it.
func TestVetFacts(t *testing.T) {
	name, cfg := unitConfig(t, nil)
	var first []byte
	for range 3 {
		exit, _, stderr := vet(probeAnalyzers, VetOptions{Clients: probeClients}, name)
		if exit != 1 || !strings.Contains(stderr, "a.go:5:15: acquire-ignored") {
			t.Fatalf("%d, %s", exit, stderr)
		}
		data, err := os.ReadFile(cfg.VetxOutput)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = data
		}
		if !bytes.Equal(first, data) {
			t.Error("the facts are not the same every time")
		}
	}
	facts, err := DecodeFacts(first)
	if err != nil || !facts.Reaches || len(facts.Packages) != 1 || facts.Packages[0].Path != "m/a" ||
		facts.Packages[0].Fact.Funcs[0].Name != "m/a.Open" {
		t.Errorf("%v, %+v", err, facts)
	}
}

// TestVetCheap checks which packages are not read: their file does not exist.
func TestVetCheap(t *testing.T) {
	gone := func(cfg *vetConfig) { cfg.GoFiles = []string{filepath.Join(cfg.Dir, "gone.go")} }
	for _, c := range []struct {
		name   string
		change func(*vetConfig)
		exit   int
		reach  bool
	}{
		{"own", func(cfg *vetConfig) {}, 1, true},
		{"client", func(cfg *vetConfig) { cfg.ImportPath = probeClient }, 0, true},
		{"dependency that reaches a client", func(cfg *vetConfig) { cfg.ModuleVersion = "v1.0.0" }, 1, true},
		{"dependency that does not", func(cfg *vetConfig) {
			cfg.ModuleVersion, cfg.PackageVetx = "v1.0.0", nil
		}, 0, false},
		{"the same, as Go 1.27 says it", func(cfg *vetConfig) {
			cfg.Module, cfg.ModulePath, cfg.PackageVetx = &analysis.Module{Path: "d", Version: "v1.0.0"}, "", nil
		}, 0, false},
		{"own without a client", func(cfg *vetConfig) { cfg.PackageVetx = nil }, 1, false},
		{"type errors are the compiler's", func(cfg *vetConfig) { cfg.SucceedOnTypecheckFailure = true }, 0, true},
	} {
		name, cfg := unitConfig(t, func(cfg *vetConfig) { gone(cfg); c.change(cfg) })
		exit, _, stderr := vet(probeAnalyzers, VetOptions{Clients: probeClients}, name)
		if exit != c.exit {
			t.Errorf("%s: exit %d, want %d: %s", c.name, exit, c.exit, stderr)
		}
		if exit != 0 {
			continue
		}
		data, err := os.ReadFile(cfg.VetxOutput)
		if err != nil {
			t.Fatal(err)
		}
		facts, err := DecodeFacts(data)
		if err != nil || facts.Reaches != c.reach || !c.reach && len(data) > 0 {
			t.Errorf("%s: facts %v, %v", c.name, facts, err)
		}
	}
}

// TestVetReady checks that the tool can read a configuration between flags and work, and choose the analyzers.
func TestVetReady(t *testing.T) {
	name, _ := unitConfig(t, nil)
	fs := flag.NewFlagSet("tool", flag.ContinueOnError)
	config := fs.String("config", "", "a file")
	opts := VetOptions{Clients: probeClients, Flags: fs, Ready: func() ([]*analysis.Analyzer, error) {
		if *config != "good" {
			return nil, errors.New("bad configuration " + *config)
		}
		return []*analysis.Analyzer{probeKeys}, nil
	}}
	if exit, _, stderr := vet(probeAnalyzers, opts, "-config=good", name); exit != 0 || stderr != "" {
		t.Errorf("good: %d, %q", exit, stderr)
	}
	opts.Flags = flag.NewFlagSet("tool", flag.ContinueOnError)
	config = opts.Flags.String("config", "", "a file")
	if exit, _, stderr := vet(probeAnalyzers, opts, "-config=bad", name); exit != 1 || stderr != "leasevet: bad configuration bad\n" {
		t.Errorf("bad: %d, %q", exit, stderr)
	}
}

// TestVetFix checks -fix and -diff, on a finding with one safe fix and one that is not.
func TestVetFix(t *testing.T) {
	name, cfg := unitConfig(t, nil)
	fixing := &analysis.Analyzer{
		Name: "fixing", Doc: "fix", ResultType: probeCalls.ResultType, Requires: []*analysis.Analyzer{probeFacts},
		Run: func(pass *analysis.Pass) (any, error) {
			result, err := runProbeCalls(pass)
			if err != nil {
				return nil, err
			}
			found := result.([]finding.Finding)
			file := found[0].File
			found[0].Fixes = []finding.Fix{
				{Message: "unsafe", Edits: []finding.Edit{{File: file, Start: 0, End: 9, NewText: "broken"}}},
				{Message: "safe", Safe: true, Edits: []finding.Edit{{File: file, Start: 8, End: 9, NewText: "fixed"}}},
			}
			return found, nil
		},
	}
	opts := VetOptions{Clients: probeClients}
	exit, stdout, stderr := vet([]*analysis.Analyzer{fixing}, opts, "-fix", "-diff", name)
	if exit != 0 || !strings.Contains(stdout, "@@ -1,1 +1,1 @@\n-package a\n+package fixed\n") {
		t.Errorf("-fix -diff: %d, %q, %q", exit, stdout, stderr)
	}
	if exit, _, stderr = vet([]*analysis.Analyzer{fixing}, opts, "-fix", name); exit != 0 {
		t.Errorf("-fix: %d, %q", exit, stderr)
	}
	data, err := os.ReadFile(cfg.GoFiles[0])
	if err != nil || !strings.HasPrefix(string(data), "package fixed\n\nimport") {
		t.Errorf("-fix left %q, %v", data, err)
	}
}
