package driver

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// vetConfig is the description of one package that the go command hands over, as JSON in a file. Go 1.26 and before
// give ModulePath and ModuleVersion, later ones Module.
type vetConfig struct {
	ID            string // such as "p [p.test]"
	Compiler      string
	Dir           string
	ImportPath    string // with the suffix of a variant
	GoVersion     string
	GoFiles       []string
	NonGoFiles    []string
	IgnoredFiles  []string
	ModulePath    string
	ModuleVersion string
	Module        *analysis.Module
	ImportMap     map[string]string // from the path in the source to the package
	PackageFile   map[string]string // export data of the direct imports
	Standard      map[string]bool
	PackageVetx   map[string]string // facts of the direct imports
	VetxOnly      bool
	VetxOutput    string
	Stdout        string
	FixArchive    string

	SucceedOnTypecheckFailure bool
}

// vetUnit is one package under go vet.
type vetUnit struct {
	*vetConfig
	opts   VetOptions
	mode   vetMode
	path   string // ImportPath without the suffix of a variant
	runner *PassRunner
	facts  map[string]*lockfacts.Fact
	reach  bool // a client can be reached

	stdout io.Writer
}

// IsVet reports whether the arguments are a call by `go vet -vettool`, so that Vet should answer it.
func IsVet(args []string) bool {
	if len(args) == 0 {
		return false
	}
	return slices.Contains(args, "-V=full") || slices.Contains(args, "-flags") ||
		strings.HasSuffix(args[len(args)-1], ".cfg")
}

// Vet answers one call of `go vet -vettool` and returns the exit status: 0, or 1 for findings and for errors, 2 for
// arguments that are not understood. With -json, findings do not change the status.
func Vet(args []string, analyzers []*analysis.Analyzer, opts VetOptions) (exit int) {
	opts = opts.withDefaults()
	defer func() {
		if r := recover(); r != nil {
			exit = opts.fail(fmt.Errorf("internal error: %s", firstLine(fmt.Sprint(r))))
		}
	}()
	mode, rest, err := parseVetFlags(args, analyzers, &opts)
	switch {
	case err != nil:
		fmt.Fprintln(opts.Stderr, err)
		return 2
	case mode.version:
		return opts.exit(printVersion(opts.Stdout))
	case mode.flags:
		return opts.exit(printFlags(opts.Stdout, opts.Flags))
	case len(rest) != 1 || !strings.HasSuffix(rest[0], ".cfg"):
		fmt.Fprintln(opts.Stderr, "go vet passes one .cfg file; to run leasevet yourself, give it package patterns")
		return 2
	}
	return vetFile(rest[0], mode, opts)
}

// vetFile analyses the package that a .cfg file describes.
func vetFile(name string, mode vetMode, opts VetOptions) int {
	cfg, err := readVetConfig(name)
	if err != nil {
		return opts.fail(err)
	}
	if more, err := opts.Ready(); err != nil {
		return opts.fail(err)
	} else if more != nil {
		mode.analyzers = more
	}
	runner, err := NewPassRunner(mode.analyzers)
	if err != nil {
		return opts.fail(err)
	}
	u := &vetUnit{vetConfig: cfg, opts: opts, mode: mode, path: plainPath(cfg.ImportPath), runner: runner}
	return u.withStdout(u.run)
}

func readVetConfig(name string) (*vetConfig, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	cfg := new(vetConfig)
	if err := json.Unmarshal(data, cfg); err != nil {
		return nil, fmt.Errorf("%s is not what go vet writes: %v", name, err)
	}
	return cfg, nil
}

// withStdout runs f while results go to the file that the go command wants them in.
func (u *vetUnit) withStdout(f func() int) int {
	u.stdout = u.opts.Stdout
	if u.Stdout == "" {
		return f()
	}
	file, err := os.Create(u.Stdout)
	if err != nil {
		return u.opts.fail(err)
	}
	u.stdout = file
	exit := f()
	if err := file.Close(); err != nil {
		return u.opts.fail(err)
	}
	return exit
}

// run decides how much work the package needs, most often none, and does it.
func (u *vetUnit) run() int {
	if u.opts.Clients(u.path) {
		u.reach, u.facts = true, nil
		return u.finish(nil)
	}
	if err := u.readFacts(); err != nil {
		return u.opts.fail(err)
	}
	if len(u.GoFiles) == 0 || u.standard() || !u.reach && !u.main() {
		return u.finish(nil)
	}
	return u.analyse()
}

// readFacts reads what the imports say.
func (u *vetUnit) readFacts() error {
	u.facts = map[string]*lockfacts.Fact{}
	for _, id := range sortedKeys(u.PackageVetx) {
		data, err := os.ReadFile(u.PackageVetx[id])
		if err != nil {
			return fmt.Errorf("facts of %s: %v", id, err)
		}
		facts, err := DecodeFacts(data)
		if err != nil {
			return fmt.Errorf("facts of %s: %v", id, err)
		}
		u.reach = u.reach || facts.Reaches
		for i := range facts.Packages {
			u.facts[facts.Packages[i].Path] = &facts.Packages[i].Fact
		}
	}
	for id := range u.PackageFile {
		u.reach = u.reach || u.opts.Clients(plainPath(id))
	}
	return nil
}

// main reports whether the package is the user's own.
func (u *vetUnit) main() bool {
	if u.Module != nil {
		return u.Module.Main
	}
	return u.ModuleVersion == ""
}

// standard reports whether the package is of the standard library. The go command says so of imports only; of the
// package itself it says that it has no module, and where it is.
func (u *vetUnit) standard() bool {
	if u.Module != nil || u.ModulePath != "" {
		return false
	}
	root := os.Getenv("GOROOT")
	if root == "" {
		root = u.goroot()
	}
	rel, err := filepath.Rel(filepath.Join(root, "src"), u.Dir)
	return err == nil && root != "" && filepath.IsLocal(rel)
}

// analyse reads the package from source, runs the analyzers and reports.
func (u *vetUnit) analyse() int {
	if toolchain := cmp.Or(u.toolchain(), u.GoVersion); newer(u.GoVersion) {
		return u.broken([]string{(&RebuildError{Go: toolchain}).Error()})
	}
	c := u.source().check()
	if problems := rebuildHint(c.problems, u.toolchain()); len(problems) > 0 {
		return u.broken(problems)
	}
	passes := u.runner
	if u.VetxOnly || !u.reach {
		passes = passes.FactsOnly() // without a client, a finding takes the program: see run.findings
	}
	out := passes.run(&passInput{
		checked: c, other: u.NonGoFiles, ignored: u.IgnoredFiles, module: u.module(), facts: u.facts,
	})
	if out.fact != nil {
		u.facts[u.path] = out.fact
	}
	if u.VetxOnly {
		for _, reason := range out.failed {
			fmt.Fprintf(u.opts.Stderr, "%s: %s\n", u.path, reason)
		}
		return u.finish(nil)
	}
	return u.finish(u.reportable(c, out))
}

// module is what the pass is told, the same as by the other way.
func (u *vetUnit) module() *analysis.Module {
	if u.Module != nil {
		return passModule(u.Module)
	}
	if u.ModulePath == "" {
		return nil
	}
	return &analysis.Module{
		Path: u.ModulePath, Version: u.ModuleVersion, GoVersion: strings.TrimPrefix(u.GoVersion, "go"),
	}
}

// broken reports a package that does not compile, as vet does.
func (u *vetUnit) broken(problems []string) int {
	if u.SucceedOnTypecheckFailure {
		return u.finish(nil)
	}
	const most = 10
	for i, p := range problems {
		if i == most {
			fmt.Fprintf(u.opts.Stderr, "and %d more\n", len(problems)-most)
			break
		}
		fmt.Fprintln(u.opts.Stderr, p)
	}
	return 1
}

// reportable picks the findings that go vet may show: those that one package proves, in its own files. What went wrong
// inside the tool is one more, so that the go command keeps it with the rest.
func (u *vetUnit) reportable(c *checked, out *passOutput) []finding.Finding {
	own := map[string]bool{}
	for _, f := range c.files {
		own[c.fset.Position(f.Package).Filename] = true
	}
	found := keep(finding.Normalize(out.findings), func(f finding.Finding) bool {
		return f.Scope != finding.Program && own[f.File] && u.opts.Keep(f)
	})
	for _, reason := range out.failed {
		f := finding.Finding{Analyzer: "leasevet", Kind: "failed", Level: finding.Error, Message: reason}
		if len(c.files) > 0 {
			at := c.fset.Position(c.files[0].Package)
			f.Place = finding.Place{File: at.Filename, Line: at.Line, Column: at.Column}
		}
		found = append(found, f)
	}
	return found
}

// finish writes facts and findings.
func (u *vetUnit) finish(found []finding.Finding) int {
	if err := u.writeFacts(); err != nil {
		return u.opts.fail(err)
	}
	if u.VetxOnly {
		return 0
	}
	return u.show(found)
}

// writeFacts writes what importers need to know; the go command takes an absent file for no facts, an empty one too.
func (u *vetUnit) writeFacts() error {
	if u.VetxOutput == "" {
		return nil
	}
	facts := Facts{Reaches: u.reach}
	for _, path := range sortedKeys(u.facts) {
		facts.Packages = append(facts.Packages, PackageFact{Path: path, Fact: *u.facts[path]})
	}
	data, err := EncodeFacts(facts)
	if err != nil {
		return fmt.Errorf("internal error: %v", err)
	}
	return os.WriteFile(u.VetxOutput, data, 0o666)
}

// source describes how to read the package, its imports from the export data that the config names.
func (u *vetUnit) source() *source {
	fset := token.NewFileSet()
	return &source{
		path: u.path, fset: fset, sizes: sizesFor(goarch()), names: u.GoFiles, bodies: true,
		goVersion: u.GoVersion, importer: u.importer(fset),
	}
}
