package driver

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"

	"golang.org/x/tools/go/analysis"

	"github.com/leasevet/leasevet/internal/finding"
)

// VetOptions is what Vet needs besides the analyzers.
type VetOptions struct {
	// Clients is as in Config.
	Clients func(importPath string) bool

	// Flags are the tool's own flags. They become flags of go vet, and part of the key under which it caches results:
	// what changes results has to be a flag. Vet adds its own to them.
	Flags *flag.FlagSet

	// Ready is called after the flags are parsed and before a package is analysed: the moment to read a
	// configuration. If it returns analyzers, they take the place of those that Vet was given.
	Ready func() ([]*analysis.Analyzer, error)

	// Keep says which findings to show. Nil shows those that are not suppressed and not notes.
	Keep func(finding.Finding) bool

	// Message is the text of a finding, with the kind in it. Nil means "kind: message".
	Message func(finding.Finding) string

	// URL is where the kind is explained. Nil is nowhere.
	URL func(finding.Finding) string

	Stdout, Stderr io.Writer // nil: those of the process
}

func (o VetOptions) withDefaults() VetOptions {
	if o.Clients == nil {
		o.Clients = func(string) bool { return false }
	}
	if o.Flags == nil {
		o.Flags = flag.NewFlagSet("leasevet", flag.ContinueOnError)
	}
	if o.Ready == nil {
		o.Ready = func() ([]*analysis.Analyzer, error) { return nil, nil }
	}
	if o.Keep == nil {
		o.Keep = func(f finding.Finding) bool { return f.Suppressed == nil && f.Level != finding.Note }
	}
	if o.Message == nil {
		o.Message = func(f finding.Finding) string { return f.Kind + ": " + f.Message }
	}
	if o.URL == nil {
		o.URL = func(finding.Finding) string { return "" }
	}
	if o.Stdout == nil {
		o.Stdout = os.Stdout
	}
	if o.Stderr == nil {
		o.Stderr = os.Stderr
	}
	return o
}

// fail prints an error and returns the exit status for it.
func (o VetOptions) fail(err error) int {
	fmt.Fprintln(o.Stderr, "leasevet:", err)
	return 1
}

func (o VetOptions) exit(err error) int {
	if err != nil {
		return o.fail(err)
	}
	return 0
}

// vetMode is what the flags of the protocol say.
type vetMode struct {
	version, flags, json, fix, diff bool
	context                         int
	analyzers                       []*analysis.Analyzer // those that are switched on
}

// parseVetFlags parses the flags of the tool, of the analyzers, and of the protocol.
func parseVetFlags(args []string, analyzers []*analysis.Analyzer, o *VetOptions) (vetMode, []string, error) {
	var m vetMode
	fs := o.Flags
	fs.Init(fs.Name(), flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	enabled := analyzerFlags(fs, analyzers)
	boolFlag(fs, &m.flags, "flags", "print the flags as JSON")
	boolFlag(fs, &m.json, "json", "print findings as JSON")
	boolFlag(fs, &m.fix, "fix", "apply the safe fixes")
	boolFlag(fs, &m.diff, "diff", "with -fix, print what would change")
	if fs.Lookup("c") == nil {
		fs.IntVar(&m.context, "c", -1, "show this many lines around a finding")
	}
	if fs.Lookup("V") == nil {
		fs.Var((*versionFlag)(&m.version), "V", "print the version, as -V=full")
	}
	if err := fs.Parse(args); err != nil {
		return m, nil, err
	}
	m.analyzers = switchedOn(analyzers, enabled)
	return m, fs.Args(), nil
}

// boolFlag declares a flag unless the tool has one of that name, which then is meant.
func boolFlag(fs *flag.FlagSet, p *bool, name, usage string) {
	if fs.Lookup(name) == nil {
		fs.BoolVar(p, name, false, usage)
	}
}

// analyzerFlags declares -NAME to switch an analyzer on or off, and its own flags as -NAME.FLAG.
func analyzerFlags(fs *flag.FlagSet, analyzers []*analysis.Analyzer) map[*analysis.Analyzer]*triState {
	enabled := map[*analysis.Analyzer]*triState{}
	for _, a := range analyzers {
		if fs.Lookup(a.Name) == nil {
			enabled[a] = new(triState)
			fs.Var(enabled[a], a.Name, "run "+a.Name)
		}
		a.Flags.VisitAll(func(f *flag.Flag) {
			if name := a.Name + "." + f.Name; fs.Lookup(name) == nil {
				fs.Var(f.Value, name, f.Usage)
			}
		})
	}
	return enabled
}

// switchedOn picks the analyzers that flags name. If only some are switched off, it is all others.
func switchedOn(analyzers []*analysis.Analyzer, enabled map[*analysis.Analyzer]*triState) []*analysis.Analyzer {
	state := func(a *analysis.Analyzer) triState {
		if s := enabled[a]; s != nil {
			return *s
		}
		return unset
	}
	on := keep(analyzers, func(a *analysis.Analyzer) bool { return state(a) == yes })
	if len(on) > 0 {
		return on
	}
	return keep(analyzers, func(a *analysis.Analyzer) bool { return state(a) != no })
}

// triState is a boolean flag that knows whether it was given.
type triState int

const (
	unset triState = iota
	yes
	no
)

// IsBoolFlag lets the flag stand without a value.
func (*triState) IsBoolFlag() bool { return true }

// String is the value as -help shows it.
func (t *triState) String() string { return strconv.FormatBool(t == nil || *t != no) }

// Set parses the value.
func (t *triState) Set(s string) error {
	on, err := strconv.ParseBool(s)
	if err != nil {
		return errors.New("want true or false")
	}
	*t = no
	if on {
		*t = yes
	}
	return nil
}

// versionFlag is -V=full.
type versionFlag bool

// IsBoolFlag lets the flag stand without a value, which then is refused by name.
func (*versionFlag) IsBoolFlag() bool { return true }

// String is the value as -help shows it.
func (*versionFlag) String() string { return "" }

// Set accepts "full".
func (v *versionFlag) Set(s string) error {
	if s != "full" {
		return errors.New("only -V=full is known")
	}
	*v = true
	return nil
}

// printVersion identifies this program by its contents, so that the go command forgets results of another one.
func printVersion(w io.Writer) error {
	name, err := os.Executable()
	if err != nil {
		return err
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s version devel leasevet buildID=%x\n", name, h.Sum(nil))
	return err
}

// printFlags lists the flags that go vet may pass on. It has -fix itself.
func printFlags(w io.Writer, fs *flag.FlagSet) error {
	type jsonFlag struct {
		Name  string
		Bool  bool
		Usage string
	}
	list := []jsonFlag{}
	fs.VisitAll(func(f *flag.Flag) {
		if f.Name != "fix" {
			b, ok := f.Value.(interface{ IsBoolFlag() bool })
			list = append(list, jsonFlag{f.Name, ok && b.IsBoolFlag(), f.Usage})
		}
	})
	data, err := json.MarshalIndent(list, "", "\t")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", data)
	return err
}
