package directive

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/leasevet/leasevet/internal/finding"
)

// The verbs, as they stand after "//leasevet:".
const (
	Ignore       = "ignore"        // a finding is known and meant
	GuardedBy    = "guardedby"     // whoever calls this function must hold a lock
	ExternalOnly = "external-only" // nothing inside calls this locked function past its wrapper
	NoLock       = "nolock"        // this package needs no lock
	Acquire      = "acquire"       // calling this function acquires
	Release      = "release"       // calling this function releases
	Extend       = "extend"        // calling this function extends
	Runs         = "runs"          // calling this function runs a parameter under a lock
)

// prefix begins every directive.
const prefix = "leasevet:"

// Directive is one comment.
type Directive struct {
	Pos   token.Pos
	Place finding.Place
	// Package is the import path of the package, "" if the reader did not know it.
	Package string
	Verb    string
	// Kinds are what an ignore is about.
	Kinds []Selector
	// Class is the lock class of a guardedby, such as "settle:user:{userID}".
	Class string
	// Args are the operands of acquire, release, extend and runs, in the order in which they are written.
	Args []Arg
	// Reason is the free text. It is empty only where the verb asks for none.
	Reason string
	Target Target
	// Problem says what is wrong with the directive, "" if nothing is. One with a problem has no effect.
	Problem string

	text     string      // the comment after "leasevet:", which identifies it over unrelated edits
	kind     commentKind // how the comment is written
	function funcName    // the function around it or under it
}

// Selector names a kind, or one rule of it.
type Selector struct {
	Kind string
	Rule string // "" for every rule
}

// matches reports whether a finding is one of those that s names.
func (s Selector) matches(f finding.Finding) bool {
	return s.Kind == f.Kind && (s.Rule == "" || s.Rule == f.Rule)
}

// String is how s is written in a directive.
func (s Selector) String() string {
	if s.Rule == "" {
		return s.Kind
	}
	return s.Kind + "/" + s.Rule
}

// Arg is one name=value pair: the operand Name is the parameter (or receiver) that Value names, or a field of it
// ("opts.TTL"). The operand "ttl" may also be a fixed duration ("30s").
type Arg struct {
	Name, Value string
}

// Get is the value of an operand.
func (d *Directive) Get(name string) (value string, found bool) {
	for _, a := range d.Args {
		if a.Name == name {
			return a.Value, true
		}
	}
	return "", false
}

// Parse reads the directives of files, in the order in which they stand, the malformed ones too. It costs next to
// nothing for a file that has none.
func Parse(fset *token.FileSet, files []*ast.File) []Directive {
	var all []Directive
	for _, file := range files {
		for _, group := range file.Comments {
			for _, c := range group.List {
				if text, kind := split(c.Text); kind != noDirective {
					all = append(all, read(fset, file, c, text, kind))
				}
			}
		}
	}
	return all
}

// read makes a directive of a comment.
func read(fset *token.FileSet, file *ast.File, c *ast.Comment, text string, kind commentKind) Directive {
	p := fset.Position(c.Pos())
	d := Directive{
		Pos:   c.Pos(),
		Place: finding.Place{File: p.Filename, Line: p.Line, Column: p.Column},
		text:  text, kind: kind,
	}
	locate(fset, file, c, &d)
	d.parse()
	if d.Problem == "" {
		d.Problem = d.check()
	}
	return d
}

// commentKind says how a comment that looks like a directive is written.
type commentKind uint8

const (
	noDirective commentKind = iota
	wellWritten             // "//leasevet:verb"
	spaced                  // "// leasevet:verb", which Go does not take for a directive
	block                   // "/*leasevet:verb*/"
)

// split cuts the prefix off a comment. Text that merely speaks about directives is none: a spaced or block comment
// counts only if a known verb follows.
func split(comment string) (text string, kind commentKind) {
	if rest, ok := strings.CutPrefix(comment, "//"+prefix); ok {
		return tidy(rest), wellWritten
	}
	rest, kind := strings.TrimPrefix(comment, "//"), spaced
	if strings.HasPrefix(comment, "/*") {
		rest, kind = strings.TrimSuffix(comment[len("/*"):], "*/"), block
	}
	rest, ok := strings.CutPrefix(strings.TrimLeft(rest, " \t"), prefix)
	if !ok {
		return "", noDirective
	}
	rest = tidy(rest)
	if verb, _, _ := strings.Cut(rest, " "); grammars[verb].usage == "" {
		return "", noDirective
	}
	return rest, kind
}

// tidy makes single spaces of all white space, and drops a comment inside the comment, which is for another reader.
func tidy(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if s, _, cut := strings.Cut(s+" ", " // "); cut {
		return s
	}
	return s
}
