package driver

import (
	"bytes"
	"fmt"
	"go/version"
	"io"
	"os"
	"runtime"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// A RebuildError says that this program was built by an older Go than the packages that it is to read.
type RebuildError struct {
	Go string // such as "go1.27.3"
}

// Error is the one line that the user needs.
func (e *RebuildError) Error() string { return "rebuild leasevet with " + e.Go }

// exportError replaces err, which reading the export data in file ended with, where the reason is the Go version.
func exportError(file string, err error) error {
	if v := exportVersion(file); newer(v) {
		return &RebuildError{Go: v}
	}
	return err
}

// newer reports whether v is a later release of Go than the one that built this program. Patch releases do not count.
func newer(v string) bool {
	built := runtime.Version()
	return version.IsValid(v) && version.IsValid(built) &&
		version.Compare(version.Lang(v), version.Lang(built)) > 0
}

// exportVersion finds the Go version in the header that the compiler writes before export data:
// "go object GOOS GOARCH go1.27.3 ...".
func exportVersion(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, 512)
	n, err := io.ReadFull(f, head)
	if err != nil && n == 0 {
		return ""
	}
	_, after, ok := bytes.Cut(head[:n], []byte("go object "))
	if !ok {
		return ""
	}
	line, _, _ := bytes.Cut(after, []byte("\n"))
	words := strings.Fields(string(line))
	if len(words) < 3 {
		return ""
	}
	return words[2]
}

// goVersion is the language version of a module as go/types takes it, "" for the newest.
func goVersion(m *analysis.Module) string {
	if m == nil || m.GoVersion == "" {
		return ""
	}
	return "go" + strings.TrimPrefix(m.GoVersion, "go")
}

// rebuildHint replaces the complaints about a package that a newer Go accepts. The versions are those that the package
// may need, best known first.
func rebuildHint(problems []string, versions ...string) []string {
	if len(problems) == 0 {
		return nil
	}
	for _, v := range versions {
		if newer(v) {
			return []string{rebuildLine(&RebuildError{Go: v}, problems[0])}
		}
	}
	return problems
}

// rebuildLine adds the problem, unless it says the same.
func rebuildLine(err *RebuildError, problem string) string {
	if strings.Contains(problem, err.Error()) {
		return err.Error()
	}
	return fmt.Sprintf("%v (%s)", err, problem)
}

// tooOld is the error for units that ask for a newer language than this program knows: all of them would fail.
func (l *loader) tooOld() error {
	for _, n := range l.graph.nodes {
		if v := goVersion(n.Module); n.unit && newer(v) {
			if newer(l.env.GOVERSION) {
				v = l.env.GOVERSION
			}
			return &RebuildError{Go: v}
		}
	}
	return nil
}
