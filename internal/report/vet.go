package report

import (
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/leasevet/leasevet/internal/finding"
)

// VetMessage is a finding as the one line of a driver that knows neither kinds nor related places: the kind in front,
// the other places in parentheses behind. Files in another directory than the finding's are named with the last part of
// their directory: enough to find them, and the same on every machine.
func VetMessage(f finding.Finding) string {
	var extra []string
	for _, r := range f.Related {
		if r.IsValid() {
			extra = append(extra, strings.TrimSuffix(clean(r.Message), " here")+atPlace(f.File, r.Place))
		}
	}
	down := goesDown(f)
	for i, s := range inReadingOrder(f) {
		if text := stepText(f, s, down && i > 0); text != "" {
			extra = append(extra, text+atPlace(f.File, s.Place))
		}
	}
	message := label(f) + ": " + clean(f.Message)
	if len(extra) == 0 {
		return message
	}
	return message + " (" + strings.Join(extra, "; ") + ")"
}

// atPlace names a place in a file that may be another one than the finding's.
func atPlace(from string, p finding.Place) string {
	if !p.IsValid() {
		return ""
	}
	file := filepath.ToSlash(p.File)
	name := path.Base(file)
	if dir := path.Dir(file); dir != path.Dir(filepath.ToSlash(from)) && dir != "." {
		name = path.Join(path.Base(dir), name)
	}
	return " at " + name + ":" + strconv.Itoa(p.Line)
}

// goesDown tells in which direction the call path of a finding leads: down from the reported line to where it happens
// (the first step is at the line), or from outside to the reported line.
func goesDown(f finding.Finding) bool {
	return len(f.Path) > 1 && f.Path[0].Place == f.Place
}

// inReadingOrder lists the call path beginning at the reported line.
func inReadingOrder(f finding.Finding) []finding.Step {
	if goesDown(f) {
		return f.Path
	}
	steps := slices.Clone(f.Path)
	slices.Reverse(steps)
	return steps
}

// stepText says how the flow comes to a step: one of the callers, or one of the functions that the line calls. It is ""
// for a step that says no more than the reported line does.
func stepText(f finding.Finding, s finding.Step, called bool) string {
	name := clean(shortName(s.Function))
	switch {
	case called:
		return "then in " + name
	case s.Place == f.Place:
		return ""
	}
	return "called from " + name
}

// shortName is the full name of a function with import paths cut to their last element.
func shortName(full string) string {
	var b strings.Builder
	for full != "" {
		end := strings.IndexAny(full, "(*)[], ")
		if end < 0 {
			end = len(full)
		}
		word := full[:end]
		b.WriteString(word[strings.LastIndexByte(word, '/')+1:])
		if end < len(full) {
			b.WriteByte(full[end])
			end++
		}
		full = full[end:]
	}
	return b.String()
}
