package driver

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/leasevet/leasevet/internal/finding"
)

// The shape in which go vet reads findings: package, then analyzer, then a list of diagnostics.
type (
	vetTree       map[string]map[string][]vetDiagnostic
	vetDiagnostic struct {
		Category string    `json:"category,omitempty"`
		Posn     string    `json:"posn"`
		End      string    `json:"end"`
		Message  string    `json:"message"`
		URL      string    `json:"url,omitempty"`
		Fixes    []vetEdit `json:"suggested_fixes,omitempty"`
	}
	vetEdit struct {
		Message string        `json:"message"`
		Edits   []vetTextEdit `json:"edits"`
	}
	vetTextEdit struct {
		Filename string `json:"filename"`
		Start    int    `json:"start"`
		End      int    `json:"end"`
		New      string `json:"new"`
	}
)

// show prints the findings, or applies their fixes, and returns the exit status.
func (u *vetUnit) show(found []finding.Finding) int {
	switch {
	case u.mode.fix:
		return u.opts.exit(u.fix(found))
	case u.mode.json:
		return u.opts.exit(u.printJSON(found))
	}
	for _, f := range found {
		fmt.Fprintf(u.opts.Stderr, "%s: %s\n", posn(f.Place), u.opts.Message(f))
		printContext(u.opts.Stderr, f.Place, u.mode.context)
	}
	if len(found) > 0 {
		return 1
	}
	return 0
}

func posn(p finding.Place) string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// printContext shows the line of p, and n lines around it. A file that is gone has none.
func printContext(w io.Writer, p finding.Place, n int) {
	if n < 0 {
		return
	}
	data, err := os.ReadFile(p.File)
	if err != nil {
		return
	}
	lines := strings.Split(string(data), "\n")
	for i := max(p.Line-n, 1); i <= min(p.Line+n, len(lines)); i++ {
		fmt.Fprintf(w, "%d\t%s\n", i, lines[i-1])
	}
}

// printJSON prints the tree. Related places stand in the message only: go vet would print each as a line of its own.
func (u *vetUnit) printJSON(found []finding.Finding) error {
	tree := vetTree{}
	for _, f := range found {
		if tree[u.ID] == nil {
			tree[u.ID] = map[string][]vetDiagnostic{}
		}
		tree[u.ID][f.Analyzer] = append(tree[u.ID][f.Analyzer], vetDiagnostic{
			Category: f.Kind, Posn: posn(f.Place), End: posn(f.Place),
			Message: u.opts.Message(f), URL: u.opts.URL(f), Fixes: vetFixes(f),
		})
	}
	data, err := json.MarshalIndent(tree, "", "\t")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(u.stdout, "%s\n", data)
	return err
}

func vetFixes(f finding.Finding) []vetEdit {
	var fixes []vetEdit
	for _, fix := range f.Fixes {
		e := vetEdit{Message: fix.Message}
		for _, edit := range fix.Edits {
			e.Edits = append(e.Edits, vetTextEdit{edit.File, edit.Start, edit.End, edit.NewText})
		}
		fixes = append(fixes, e)
	}
	return fixes
}

// fix applies the safe fixes: into the archive that the go command wants, into the files themselves, or, with -diff,
// onto paper.
func (u *vetUnit) fix(found []finding.Finding) error {
	changes, err := SafeFixes(found, os.ReadFile)
	if err != nil {
		return err
	}
	switch {
	case u.mode.diff:
		for _, ch := range changes {
			fmt.Fprint(u.stdout, ch.Diff())
		}
		return nil
	case u.FixArchive != "":
		return writeArchive(u.FixArchive, changes)
	}
	for _, ch := range changes {
		if err := os.WriteFile(ch.File, ch.After, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// writeArchive stores the changed files under their absolute names, as the go command expects.
func writeArchive(name string, changes []Change) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
	}()
	zw := zip.NewWriter(f)
	for _, ch := range changes {
		w, err := zw.Create(ch.File)
		if err != nil {
			return err
		}
		if _, err := w.Write(ch.After); err != nil {
			return err
		}
	}
	return zw.Close()
}
