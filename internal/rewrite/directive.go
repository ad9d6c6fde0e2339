package rewrite

import (
	"go/ast"
	"regexp"
	"strings"
)

var (
	directive   = regexp.MustCompile(`^//leasevet:(\w[\w-]*)[ \t]+(.*)$`)
	placeholder = regexp.MustCompile(`\{(\w*)\}`)
	operand     = regexp.MustCompile(`\b(\w+)=(\w+)`)
)

// directiveEdits changes the names and classes that directives speak of.
func (r *renamer) directiveEdits(s *source) []edit {
	var edits []edit
	for _, group := range s.file.Comments {
		for _, c := range group.List {
			if text := r.directive(c); text != c.Text {
				edits = append(edits, edit{s.offset(c.Pos()), s.offset(c.End()), text})
			}
		}
	}
	return edits
}

func (r *renamer) directive(c *ast.Comment) string {
	m := directive.FindStringSubmatch(c.Text)
	if m == nil {
		return c.Text
	}
	rest := m[2]
	switch m[1] {
	case "guardedby":
		class, reason, _ := strings.Cut(rest, " ")
		rest = strings.TrimRight(r.class(class)+" "+reason, " ")
	case "acquire", "release", "extend", "runs":
		rest = operand.ReplaceAllStringFunc(rest, func(s string) string {
			kind, name, _ := strings.Cut(s, "=")
			return kind + "=" + r.known(name)
		})
	}
	return "//leasevet:" + m[1] + " " + rest
}

// class changes the text of a lock class and the parameters that it names.
func (r *renamer) class(class string) string {
	var b strings.Builder
	at := 0
	for _, m := range placeholder.FindAllStringSubmatchIndex(class, -1) {
		b.WriteString(keyText(class[at:m[0]]))
		b.WriteString("{" + r.known(class[m[2]:m[3]]) + "}")
		at = m[1]
	}
	return b.String() + keyText(class[at:])
}

// known is the new name, if the module declares such a name at all.
func (r *renamer) known(name string) string {
	if r.renamed[name] {
		return r.namer.name(name)
	}
	return name
}
