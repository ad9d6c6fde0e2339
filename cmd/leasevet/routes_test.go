package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A tuple is a finding as every route can show it.
type tuple struct {
	file    string
	line    int
	column  int
	kind    string
	message string
}

func (t tuple) String() string {
	return fmt.Sprintf("%s:%d:%d: %s: %s", t.file, t.line, t.column, t.kind, t.message)
}

func compareTuples(a, b tuple) int {
	return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column),
		cmp.Compare(a.kind, b.kind), cmp.Compare(a.message, b.message))
}

// The command and go vet report the same unit findings: full tuples, every kind, notes included. What only the command
// reports are program findings, and unused-directive, which needs the whole picture.
func TestRoutesAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	exe := buildCommand(t)
	for _, dir := range []string{"founding-a", "founding-b", "cases/reports", "cases/wiring", "cases/peers"} {
		t.Run(dir, func(t *testing.T) {
			dir, err := filepath.Abs(filepath.Join("../../testdata", dir))
			if err != nil {
				t.Fatal(err)
			}
			command, vet := commandTuples(t, exe, dir), vetTuples(t, exe, dir)
			if len(command) == 0 && !strings.HasSuffix(dir, "peers") {
				t.Error("the command found nothing: the test proves nothing")
			}
			for _, x := range missingIn(vet, command) {
				t.Errorf("only the command: %v", x)
			}
			for _, x := range missingIn(command, vet) {
				t.Errorf("only go vet: %v", x)
			}
		})
	}
}

// missingIn lists what of all is not in others. go vet has one line for a finding, so the related places stand behind the
// message there.
func missingIn(others, all []tuple) []tuple {
	var out []tuple
	for _, x := range all {
		if !slices.ContainsFunc(others, func(y tuple) bool { return x.same(y) }) {
			out = append(out, x)
		}
	}
	return out
}

func (t tuple) same(o tuple) bool {
	return t.file == o.file && t.line == o.line && t.column == o.column && t.kind == o.kind &&
		(t.message == o.message || strings.HasPrefix(t.message, o.message+" (") || strings.HasPrefix(o.message, t.message+" ("))
}

func buildCommand(t *testing.T) string {
	t.Helper()
	exe := filepath.Join(t.TempDir(), "leasevet")
	if out, err := exec.Command("go", "build", "-o", exe, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return exe
}

func commandTuples(t *testing.T, exe, dir string) []tuple {
	t.Helper()
	var out struct {
		Findings []struct {
			Kind, Rule, Scope, File, Message string
			Line, Column                     int
			Suppressed                       *string
			Related                          []struct {
				File, Message string
				Line          int
			}
		}
	}
	if err := json.Unmarshal(runIn(t, dir, exe, "-json", "-level=note", "./..."), &out); err != nil {
		t.Fatal(err)
	}
	var all []tuple
	for _, f := range out.Findings {
		if f.Scope == "unit" && f.Suppressed == nil && f.Kind != "unused-directive" {
			all = append(all, tuple{filepath.Join(dir, f.File), f.Line, f.Column, f.Kind, f.Message})
		}
	}
	slices.SortFunc(all, compareTuples)
	return all
}

// vetTuples reads what `go vet -json` prints: a JSON object per package, between comment lines.
func vetTuples(t *testing.T, exe, dir string) []tuple {
	t.Helper()
	out := runIn(t, dir, "go", "vet", "-json", "-vettool="+exe, "-level=note", "./...")
	var all []tuple
	dec := json.NewDecoder(bytes.NewReader(withoutComments(out)))
	for dec.More() {
		var pkgs map[string]map[string]json.RawMessage
		if err := dec.Decode(&pkgs); err != nil {
			t.Fatalf("%v in\n%s", err, out)
		}
		for _, byAnalyzer := range pkgs {
			for _, raw := range byAnalyzer {
				all = append(all, vetDiagnostics(t, dir, raw)...)
			}
		}
	}
	slices.SortFunc(all, compareTuples)
	return slices.Compact(all) // a file of a package and of its test variant
}

func vetDiagnostics(t *testing.T, dir string, raw json.RawMessage) []tuple {
	t.Helper()
	var ds []struct{ Category, Posn, Message string }
	if err := json.Unmarshal(raw, &ds); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	var all []tuple
	for _, d := range ds {
		x := tuple{kind: d.Category}
		rest, column, _ := cutLast(d.Posn)
		rest, line, _ := cutLast(rest)
		x.file, x.line, x.column = rest, line, column
		if !filepath.IsAbs(x.file) {
			x.file = filepath.Join(dir, x.file)
		}
		x.kind, x.message = split(d.Message)
		all = append(all, x)
	}
	return all
}

func cutLast(s string) (rest string, n int, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, 0, false
	}
	n, err := strconv.Atoi(s[i+1:])
	return s[:i], n, err == nil
}

// split takes the kind off the front of a one-line message and the other places off its end.
func split(message string) (kind, text string) {
	kind, text, _ = strings.Cut(message, ": ")
	kind, _, _ = strings.Cut(kind, "/")
	return kind, text
}

func withoutComments(out []byte) []byte {
	var keep [][]byte
	for _, line := range bytes.Split(out, []byte("\n")) {
		if !bytes.HasPrefix(line, []byte("#")) {
			keep = append(keep, line)
		}
	}
	return bytes.Join(keep, []byte("\n"))
}

// runIn runs a program whose exit status says whether it found something.
func runIn(t *testing.T, dir, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() > 1) {
		t.Fatalf("%s %v: %v\n%s", name, args, err, stderr.Bytes())
	}
	if stdout.Len() == 0 {
		return stderr.Bytes()
	}
	return stdout.Bytes()
}
