package lockfacts

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/leasevet/leasevet/passes/clientmodel"
)

// Worth reports whether a package can have anything to do with a lock, before it is type-checked: it imports a client
// library or a package that locks, or its source mentions a function that does, by any of the facts in sight. A package
// that merely reaches Redis somewhere below is not worth it, and those are most packages of a large program.
//
// A package that is not worth it may still hold key functions, or the bare side of a decorator; the link asks for it
// then (Program).
func Worth(imports []string, facts map[string]*Fact, source func(visit func([]byte) bool)) bool {
	for _, path := range imports {
		if clientmodel.IsClient(path) || facts[path].locks() {
			return true
		}
	}
	names := lockNames(facts)
	if len(names) == 0 {
		return false
	}
	found := false
	source(func(text []byte) bool {
		found = slices.ContainsFunc(names, func(n string) bool { return mentions(text, n) })
		return !found
	})
	return found
}

// locks reports whether calling into the package can begin or end a lock.
func (f *Fact) locks() bool {
	return f != nil && (len(f.Classes)+len(f.Guards) > 0 || slices.ContainsFunc(f.Funcs, func(s Summary) bool { return s.locks() }))
}

func (s *Summary) locks() bool {
	for i := range s.Effects {
		if s.Effects[i].Op.Acquires() {
			return true
		}
	}
	return slices.ContainsFunc(s.Runs, func(r Run) bool { return len(r.Under) > 0 })
}

// lockNames are the names, without package and receiver, of the functions in sight that lock, sorted.
func lockNames(facts map[string]*Fact) []string {
	names := map[string]bool{}
	for _, f := range facts {
		for i := range f.Funcs {
			if s := &f.Funcs[i]; s.locks() && !strings.Contains(s.Name, "$") {
				names[s.Name[strings.LastIndexByte(s.Name, '.')+1:]] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// mentions reports whether name stands in the text as a whole identifier.
func mentions(text []byte, name string) bool {
	for from := 0; ; {
		i := bytes.Index(text[from:], []byte(name))
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRune(text[:i])
		after, _ := utf8.DecodeRune(text[i+len(name):])
		if !identifier(before) && !identifier(after) {
			return true
		}
		from = i + len(name)
	}
}

func identifier(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
