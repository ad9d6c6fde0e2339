package lockfacts

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// What a package's own tests do says nothing about the program: they put doubles into fields, shorten durations, and
// call what is locked without its lock. A package is analysed together with its tests, so that they have to be told
// apart here.

// testFile reports whether a place is in a test file.
func (u *unit) testFile(p token.Pos) bool {
	f := u.pass.Fset.File(p)
	return f != nil && strings.HasSuffix(f.Name(), "_test.go")
}

// inTest reports whether a function is declared in a test file. What the compiler makes of a method is the method.
func (u *unit) inTest(fn *ssa.Function) bool {
	if fn = u.target(fn); fn.Pos().IsValid() {
		return u.testFile(fn.Pos())
	}
	return fn.Object() != nil && u.testFile(fn.Object().Pos())
}

// onlyTested reports whether a callee is a double as seen from a caller: declared in a test file, which the caller is not.
func (u *unit) onlyTested(caller, callee *ssa.Function) bool {
	return u.inTest(callee) && !u.inTest(caller)
}
