package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/leasevet/leasevet/internal/kinds"
)

// index is the page that lists the others.
const index = "README.md"

// build makes the text of every page, by file name. A kind that this version does not look for has no page: there would
// be nothing to say on it.
func build(root string, all []kinds.Kind) (map[string][]byte, error) {
	pages := map[string][]byte{index: indexPage(all)}
	docs := map[string]*analyzerDoc{}
	for _, k := range all {
		if !k.Implemented {
			continue
		}
		if docs[k.Analyzer] == nil {
			read, err := readDoc(root, k.Analyzer)
			if err != nil {
				return nil, err
			}
			docs[k.Analyzer] = read
		}
		pages[k.Name+".md"] = page(k, docs[k.Analyzer])
	}
	return pages, nil
}

// analyzerDoc is what a doc.go says on each kind of its analyzer.
type analyzerDoc struct {
	source   string // the files that a page is made of, in words
	sections map[string][]comment.Block
}

// readDoc reads the doc.go of an analyzer. There may be none: then the table is all that is known.
func readDoc(root, analyzer string) (*analyzerDoc, error) {
	for _, parent := range []string{"analyzers", "internal"} {
		source := path.Join(parent, analyzer, "doc.go")
		file := filepath.Join(root, filepath.FromSlash(source))
		syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.PackageClauseOnly)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		blocks := new(comment.Parser).Parse(syntax.Doc.Text()).Content
		return &analyzerDoc{source: "internal/kinds and " + source, sections: split(blocks)}, nil
	}
	return &analyzerDoc{source: "internal/kinds"}, nil
}

// split cuts a package comment at the headings that name a kind. What stands before the first is about the analyzer, and
// belongs to no kind.
func split(blocks []comment.Block) map[string][]comment.Block {
	sections, current := map[string][]comment.Block{}, ""
	for _, b := range blocks {
		if kind, ok := kindHeading(b); ok {
			current = kind
			continue
		}
		if current != "" {
			sections[current] = append(sections[current], b)
		}
	}
	return sections
}

// kindHeading says which kind a heading is about, if it is one and about one.
func kindHeading(b comment.Block) (string, bool) {
	h, ok := b.(*comment.Heading)
	if !ok {
		return "", false
	}
	var text strings.Builder
	for _, t := range h.Text {
		if plain, ok := t.(comment.Plain); ok {
			text.WriteString(string(plain))
		}
	}
	name := strings.TrimSpace(text.String())
	_, known := kinds.Find(name)
	return name, known
}

// page is the text about one kind.
func page(k kinds.Kind, doc *analyzerDoc) []byte {
	var b bytes.Buffer
	section := doc.sections[k.Name]
	fmt.Fprintf(&b, "<!-- Written by `make generate` from %s. Change that, not this. -->\n", doc.source)
	fmt.Fprintf(&b, "# %s\n\n%s.\n\n", k.Name, sentence(k.Text))
	fmt.Fprintf(&b, "Reported by `%s`, level `%s`.\n", k.Analyzer, k.Level)
	if len(section) > 0 {
		b.WriteByte('\n')
		b.Write(markdown(section))
	}
	if k.Analyzer == kinds.Directive {
		return b.Bytes() // a comment that excuses a wrong comment would be no help to anybody
	}
	fmt.Fprintf(&b, "\n## If it is meant\n\nSay so, with the reason, on the line or above the statement:\n\n"+
		"\t//leasevet:ignore %s reason\n", k.Name)
	return b.Bytes()
}

// markdown renders blocks under second-level headings.
func markdown(section []comment.Block) []byte {
	p := &comment.Printer{
		HeadingLevel: 2,
		HeadingID:    func(*comment.Heading) string { return "" },
	}
	return p.Markdown(&comment.Doc{Content: section})
}

// indexPage lists all kinds, and says of each whether this version looks for it.
func indexPage(all []kinds.Kind) []byte {
	var b bytes.Buffer
	b.WriteString("<!-- Written by `make generate` from internal/kinds. Change that, not this. -->\n" +
		"# Kinds of findings\n\n" +
		"An `error` is right nearly always, a `warning` mostly and worth reading, a `note` is off unless asked for\n" +
		"(`-level=note`). A kind without a link is a name that is kept free: this version does not look for it.\n\n" +
		"| analyzer | kind | level | what is wrong |\n|---|---|---|---|\n")
	for _, k := range all {
		name := k.Name
		if k.Implemented {
			name = fmt.Sprintf("[%s](%s.md)", k.Name, k.Name)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", k.Analyzer, name, k.Level, strings.ReplaceAll(k.Text, "|", `\|`))
	}
	return b.Bytes()
}

// sentence begins with a capital letter.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
