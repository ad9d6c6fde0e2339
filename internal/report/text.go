package report

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/leasevet/leasevet/internal/finding"
)

// Bounds of what is shown of one finding.
const (
	defaultWidth = 120
	minWidth     = 40
	maxSteps     = 12 // of a call path
	maxIndent    = 8  // levels by which a call path moves to the right
)

// TextOptions say how text is shown.
type TextOptions struct {
	Color bool
	Width int // of source lines, in columns; 0 for a default
	// Hidden counts the findings that the caller left out because of their level; the summary mentions them.
	Hidden int
}

// Text writes the report for people: each finding with its source line, the other places that make it one, and the way
// that leads there; a summary at the end. Suppressed findings are only counted.
func Text(w io.Writer, r Report, o TextOptions) error {
	t := &textWriter{dir: r.Dir, width: o.Width, paint: painter(o.Color), sources: map[string][][]byte{}}
	if t.width == 0 {
		t.width = defaultWidth
	}
	r = r.normal()
	for _, f := range r.Findings {
		if f.Suppressed == nil {
			t.finding(f)
			t.out.WriteByte('\n')
		}
	}
	t.out.WriteString(Summary(r, o.Hidden) + "\n")
	_, err := w.Write(t.out.Bytes())
	return err
}

// textWriter collects the text of one report.
type textWriter struct {
	out     bytes.Buffer
	dir     string
	width   int
	paint   painter
	sources map[string][][]byte // lines by file, nil for one that cannot be read
}

func (t *textWriter) printf(format string, args ...any) { fmt.Fprintf(&t.out, format, args...) }

func (t *textWriter) finding(f finding.Finding) {
	gutter := gutterOf(f)
	color := levelColors[f.Level]
	t.printf("%s: %s %s %s\n", t.paint.in(bold, placeText(f.Place)), t.paint.in(color, string(f.Level)+":"),
		t.paint.in(bold, clean(f.Message)), t.paint.in(dim, "["+label(f)+"]"))
	t.frame(f.Place, gutter, color)
	for _, r := range f.Related {
		t.related(r, gutter)
	}
	t.path(f)
	for _, x := range f.Fixes {
		t.printf("  %s %s\n", t.paint.in(green, "fix:"), clean(x.Message))
	}
}

func (t *textWriter) related(r finding.Related, gutter int) {
	if !r.IsValid() {
		t.printf("  %s\n", clean(r.Message))
		return
	}
	t.printf("  %s: %s\n", t.paint.in(bold, placeText(r.Place)), clean(r.Message))
	t.frame(r.Place, gutter, blue)
}

// frame shows a source line with what is meant underlined. A line that cannot be read is left out: the report stands
// without it.
func (t *textWriter) frame(p finding.Place, gutter int, color string) {
	line, ok := t.line(p)
	if !ok {
		return
	}
	e := excerptOf(line, p.Column, max(t.width, minWidth)-gutter-len("  | "))
	bar := t.paint.in(blue, "|")
	t.printf("  %s %s %s\n", t.paint.in(blue, fmt.Sprintf("%*d", gutter, p.Line)), bar, e.text)
	if e.end > e.start {
		mark := "^" + strings.Repeat("~", e.end-e.start-1)
		t.printf("  %*s %s %s%s\n", gutter, "", bar, strings.Repeat(" ", e.start), t.paint.in(color, mark))
	}
}

// path shows the calls that lead to the finding, the one nearest to the reported line first.
func (t *textWriter) path(f finding.Finding) {
	steps := inReadingOrder(f)
	down := goesDown(f)
	for i, s := range steps {
		indent := strings.Repeat("  ", min(i, maxIndent)+1)
		if left := len(steps) - i; i == maxSteps-1 && left > 1 {
			t.printf("%s... %s\n", indent, count(left, "more step"))
			return
		}
		t.printf("%s%s\n", indent, stepLine(f, s, down && i > 0))
	}
}

// stepLine is a step with its place, unless that is the reported line.
func stepLine(f finding.Finding, s finding.Step, called bool) string {
	text := stepText(f, s, called)
	switch {
	case text == "":
		return "in " + clean(shortName(s.Function))
	case !s.IsValid():
		return text
	}
	return text + " (" + placeText(s.Place) + ")"
}

// line reads one line of a source file.
func (t *textWriter) line(p finding.Place) ([]byte, bool) {
	lines, known := t.sources[p.File]
	if !known {
		lines = readLines(t.dir, p.File)
		t.sources[p.File] = lines
	}
	if p.Line < 1 || p.Line > len(lines) {
		return nil, false
	}
	return lines[p.Line-1], true
}

func readLines(dir, file string) [][]byte {
	file = filepath.FromSlash(file)
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	return bytes.Split(data, []byte("\n"))
}

// gutterOf is the width of the largest line number in the frames of a finding, so that they align.
func gutterOf(f finding.Finding) int {
	line := f.Line
	for _, r := range f.Related {
		line = max(line, r.Line)
	}
	return len(strconv.Itoa(line))
}

func placeText(p finding.Place) string {
	s := clean(p.File) + ":" + strconv.Itoa(p.Line)
	if p.Column > 0 {
		s += ":" + strconv.Itoa(p.Column)
	}
	return s
}

// Summary is the last line of a report: how much was found in how much.
func Summary(r Report, hidden int) string {
	c := r.Coverage
	parts := []string{count(c.Analysed-c.Irrelevant, "package") + " analysed", fmt.Sprintf("%d irrelevant", c.Irrelevant)}
	for _, p := range []struct {
		n    int
		text string
	}{{len(c.Partial), "only in part"}, {len(c.Failed), "failed"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.text))
		}
	}
	return found(r.Findings, hidden) + "; " + strings.Join(parts, ", ")
}

// found is the first half of the summary.
func found(all []finding.Finding, hidden int) string {
	levels, packages, suppressed := map[finding.Level]int{}, map[string]bool{}, 0
	for _, f := range all {
		if f.Suppressed != nil {
			suppressed++
			continue
		}
		levels[f.Level]++
		packages[packageOf(f)] = true
	}
	var parts []string
	for _, level := range []finding.Level{finding.Error, finding.Warning, finding.Note} {
		if levels[level] > 0 {
			parts = append(parts, count(levels[level], string(level)))
		}
	}
	text := "no findings"
	if len(parts) > 0 {
		text = strings.Join(parts, ", ") + " in " + count(len(packages), "package")
	}
	var left []string
	if suppressed > 0 {
		left = append(left, fmt.Sprintf("%d suppressed", suppressed))
	}
	if hidden > 0 {
		left = append(left, fmt.Sprintf("%d below the level", hidden))
	}
	if len(left) > 0 {
		text += " (" + strings.Join(left, ", ") + ")"
	}
	return text
}

func packageOf(f finding.Finding) string {
	if f.Package != "" {
		return f.Package
	}
	return path.Dir(f.File)
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// painter colours text if it is true.
type painter bool

// The colours, as parameters of the terminal's "select graphic rendition".
const (
	bold    = "1"
	dim     = "2"
	red     = "1;31"
	green   = "32"
	yellow  = "1;33"
	blue    = "34"
	cyan    = "1;36"
	noColor = "0"
)

var levelColors = map[finding.Level]string{finding.Error: red, finding.Warning: yellow, finding.Note: cyan}

func (p painter) in(color, text string) string {
	if !p || color == "" {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[" + noColor + "m"
}
