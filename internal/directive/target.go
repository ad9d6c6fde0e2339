package directive

import (
	"go/ast"
	"go/token"
)

// TargetKind says what a directive stands at.
type TargetKind uint8

// The sorts of targets.
const (
	// Nothing: no code follows.
	Nothing TargetKind = iota
	// Line is the end of a line with code: that line is meant, and the whole of a plain statement that ends on it.
	Line
	// Code is a statement, or part of one, below the directive.
	Code
	// Declaration is a declaration of types, variables, constants or imports, or one line of it.
	Declaration
	// Function is a function or method with or without a body; Node is its *ast.FuncDecl.
	Function
	// Method is a method of an interface type; Node is its *ast.Field.
	Method
	// Package is the package clause.
	Package
)

var targetNames = [...]string{
	"nothing", "the code before it on its line", "a statement", "a declaration", "a function", "an interface method",
	"the package clause",
}

// String is the sort of target in words that fit behind "above".
func (k TargetKind) String() string { return targetNames[k] }

// Target is the code that a directive is about.
type Target struct {
	Kind TargetKind
	Node ast.Node // nil for Nothing, Line and Package
	// First and Last are the lines that the target covers, in File, both included.
	File        string
	First, Last int
}

// covers reports whether the target has a line.
func (t Target) covers(file string, line int) bool {
	return t.Kind != Nothing && t.File == file && t.First <= line && line <= t.Last
}

// Func is the signature of a function or interface method, with the receiver if it has one; nil for other targets.
func (t Target) Func() (recv *ast.FieldList, typ *ast.FuncType) {
	switch n := t.Node.(type) {
	case *ast.FuncDecl:
		return n.Recv, n.Type
	case *ast.Field:
		typ, _ = n.Type.(*ast.FuncType)
	}
	return nil, typ
}

// parameters are the names that an operand may use.
func (t Target) parameters() []string {
	recv, typ := t.Func()
	if typ == nil {
		return nil
	}
	var names []string
	for _, list := range []*ast.FieldList{recv, typ.Params} {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for _, name := range field.Names {
				names = append(names, name.Name)
			}
		}
	}
	return names
}

// locate finds out what the comment stands at.
func locate(fset *token.FileSet, file *ast.File, c *ast.Comment, d *Directive) {
	path := enclosing(file, c.Pos())
	d.function = nameOf(path)
	if tail := lastBefore(fset, file, c.Pos()); tail != nil {
		d.Target = lineTarget(fset, file, c, tail)
		return
	}
	d.Target = Target{File: d.Place.File}
	if c.Pos() < file.Package {
		d.Target.Kind = Package
		d.Target.span(fset, file.Package, file.Name.End())
		return
	}
	node := next(path[len(path)-1], c.Pos())
	if node == nil {
		return
	}
	d.Target.Kind, d.Target.Node = kindOf(path, node), node
	d.Target.span(fset, node.Pos(), node.End())
	d.function = nameOf(append(path, node))
}

// span sets the lines from one position to another.
func (t *Target) span(fset *token.FileSet, from, to token.Pos) {
	first := fset.Position(from)
	t.File, t.First, t.Last = first.Filename, first.Line, max(first.Line, fset.Position(to).Line)
}

// kindOf tells what a node that follows a directive is, given the nodes around the directive.
func kindOf(path []ast.Node, node ast.Node) TargetKind {
	switch n := node.(type) {
	case *ast.FuncDecl:
		return Function
	case ast.Spec:
		return Declaration
	case *ast.GenDecl:
		return Declaration
	case *ast.Field:
		if len(path) < 2 {
			return Declaration
		}
		_, inInterface := path[len(path)-2].(*ast.InterfaceType)
		_, isFunc := n.Type.(*ast.FuncType)
		if inInterface && isFunc {
			return Method
		}
		return Declaration
	}
	return Code
}

// lineTarget is the target of a directive behind code. The line alone is meant, unless a plain statement over several
// lines ends on it: a finding about a call may stand on any of its lines. A statement with a block of its own, such as
// a loop that is closed here, is not taken as a whole, because the comment is nearer to the brace than to the loop.
func lineTarget(fset *token.FileSet, file *ast.File, c *ast.Comment, tail ast.Node) Target {
	t := Target{Kind: Line}
	t.span(fset, c.Pos(), c.Pos())
	line := rawLine(fset, c.Pos())
	begin := token.NoPos
	for n := ast.Node(file); n != nil; n = childWith(n, tail.Pos()) {
		if isPlain(n) && rawLine(fset, n.End()) == line {
			begin = n.Pos()
			break // the outermost one
		}
	}
	if first := fset.Position(begin); begin.IsValid() && first.Filename == t.File {
		t.First = min(t.First, first.Line)
	}
	return t
}

// isPlain reports whether n is a statement or declaration that is no block and has none but those of closures.
func isPlain(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ExprStmt, *ast.AssignStmt, *ast.DeferStmt, *ast.GoStmt, *ast.ReturnStmt, *ast.SendStmt, *ast.IncDecStmt,
		*ast.ValueSpec:
		return true
	case *ast.GenDecl:
		return !n.Lparen.IsValid()
	}
	return false
}

// rawLine is the line in the file itself, whatever //line comments say.
func rawLine(fset *token.FileSet, pos token.Pos) int { return fset.PositionFor(pos, false).Line }

// enclosing lists the nodes around pos, from the file inward.
func enclosing(file *ast.File, pos token.Pos) []ast.Node {
	path := []ast.Node{file}
	for {
		child := childWith(path[len(path)-1], pos)
		if child == nil {
			return path
		}
		path = append(path, child)
	}
}

// childWith is the child of n around pos, nil if there is none.
func childWith(n ast.Node, pos token.Pos) ast.Node {
	for _, child := range children(n) {
		if child.Pos() <= pos && pos < child.End() {
			return child
		}
	}
	return nil
}

// next is the first child of n that begins after pos.
func next(n ast.Node, pos token.Pos) ast.Node {
	var first ast.Node
	for _, child := range children(n) {
		if child.Pos() > pos && (first == nil || child.Pos() < first.Pos()) {
			first = child
		}
	}
	return first
}

// children lists the nodes directly below n that are code.
func children(n ast.Node) []ast.Node {
	var list []ast.Node
	ast.Inspect(n, func(child ast.Node) bool {
		switch child.(type) {
		case nil, *ast.Comment, *ast.CommentGroup:
			return false
		}
		if child == n {
			return true
		}
		if child.Pos().IsValid() {
			list = append(list, child)
		}
		return false
	})
	return list
}

// lastBefore is the node whose end, or else whose beginning, is the last before pos on the line of pos. It is nil if
// there is no code before pos on its line.
func lastBefore(fset *token.FileSet, file *ast.File, pos token.Pos) ast.Node {
	line := rawLine(fset, pos)
	var last ast.Node
	var at token.Pos
	consider := func(n ast.Node, p token.Pos) {
		if p < pos && p > at && rawLine(fset, p) == line {
			last, at = n, p
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.Comment, *ast.CommentGroup:
			return false
		}
		if !n.Pos().IsValid() || n.Pos() >= pos {
			return n == file
		}
		consider(n, n.Pos())
		consider(n, n.End()-1)
		return n == file || rawLine(fset, n.End()) >= line
	})
	return last
}
