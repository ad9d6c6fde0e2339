package lockfacts

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// build reads a call of one of the standard library's functions that make strings out of parts.
func (f *frame) build(name string, c *ssa.Call) (keyterm.Term, bool) {
	switch name {
	case "fmt.Sprintf":
		return f.sprintf(c, 0), true
	case "fmt.Sprint":
		return f.sprint(c), true
	case "strings.Join":
		return f.join(c), true
	case "path.Join":
		return f.pathJoin(c), true
	case "strconv.Itoa", "strconv.FormatInt", "strconv.FormatUint", "strconv.FormatBool":
		return f.decimal(c), true
	case "(*strings.Builder).String", "(*bytes.Buffer).String":
		return f.built(c), true
	case "strconv.AppendInt", "strconv.AppendUint":
		return f.appendedText(c, f.format("%d", c.Call.Args[1])), true
	case "cmp.Or":
		return f.firstNonZero(c)
	case "fmt.Appendf":
		return f.appendedText(c, f.sprintf(c, 1)), true
	}
	return keyterm.Term{}, false
}

// appendedText is a call that appends text to its first argument.
func (f *frame) appendedText(c *ssa.Call, text keyterm.Term) keyterm.Term {
	return f.at(keyterm.Term{Op: keyterm.Concat, Args: []keyterm.Term{f.literal(c.Call.Args[0], c.Pos()), text}}, c.Pos()).Norm()
}

func (f *frame) decimal(c *ssa.Call) keyterm.Term {
	x := c.Call.Args[0]
	return f.at(f.format("%d", x), c.Pos()).Norm()
}

// format is a value printed by a verb.
func (f *frame) format(verb string, x ssa.Value) keyterm.Term {
	if mi, ok := x.(*ssa.MakeInterface); ok {
		x = mi.X
	}
	v := f.value(x)
	if v.Op == keyterm.Const && (verb == "%s" || verb == "%v" || verb == "%d") {
		return v
	}
	return f.at(keyterm.Term{Op: keyterm.Format, Text: verb, Args: []keyterm.Term{v}, Names: []string{PrintKind(x.Type())},
		Type: types.TypeString(x.Type(), nil)}, x.Pos()).Norm()
}

func hasMethod(t types.Type, name string) bool {
	if _, ok := t.Underlying().(*types.Interface); ok {
		return false
	}
	obj, _, _ := types.LookupFieldOrMethod(t, false, nil, name)
	fn, ok := obj.(*types.Func)
	return ok && fn.Signature().Params().Len() == 0 && fn.Signature().Results().Len() == 1
}

// operands are the elements of a call's variadic argument as values, nil where they are not written out.
func operands(c *ssa.Call, i int) []ssa.Value {
	if i >= len(c.Call.Args) {
		return nil
	}
	s, ok := c.Call.Args[i].(*ssa.Slice)
	if !ok {
		return nil
	}
	a, ok := s.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	arr, ok := a.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
	if !ok || arr.Len() > 64 {
		return nil
	}
	out := make([]ssa.Value, arr.Len())
	for _, r := range *a.Referrers() {
		ia, ok := r.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		n, ok := ia.Index.(*ssa.Const)
		if !ok {
			return nil
		}
		for _, rr := range *ia.Referrers() {
			if st, ok := rr.(*ssa.Store); ok {
				out[n.Int64()] = st.Val
			}
		}
	}
	return out
}

// sprintf reads a format; one that is not constant is unknown.
func (f *frame) sprintf(c *ssa.Call, formatArg int) keyterm.Term {
	t := f.value(c.Call.Args[formatArg])
	args := operands(c, formatArg+1)
	if t.Op != keyterm.Const {
		return f.opaque(c, 0)
	}
	parts := formatted(t.Text, len(args), func(s string) keyterm.Term { return f.at(text(s), c.Pos()) },
		func(verb string, n int) (keyterm.Term, bool) {
			if args[n] == nil {
				return keyterm.Term{}, false
			}
			return f.format(verb, args[n]), true
		})
	return f.at(parts, c.Pos()).Norm()
}

// literal is a value that stands in the program at pos: a constant has no place of its own and takes that one.
func (f *frame) literal(v ssa.Value, pos token.Pos) keyterm.Term { return f.placed(f.value(v), pos) }

func (f *frame) placed(t keyterm.Term, pos token.Pos) keyterm.Term {
	if t.Op == keyterm.Const && !t.At.IsValid() {
		return f.at(t, pos)
	}
	return t
}

func text(s string) keyterm.Term { return keyterm.Term{Op: keyterm.Const, Text: s} }

// cutVerb splits a format after its first verb, which it starts with.
func cutVerb(s string) (verb, rest string) {
	for i := 1; i < len(s); i++ {
		if strings.IndexByte("+-# 0123456789.*[]", s[i]) < 0 {
			return s[:i+1], s[i+1:]
		}
	}
	return s, ""
}

// sprint prints its operands; a space between two of them if neither is a string is part of the text.
func (f *frame) sprint(c *ssa.Call) keyterm.Term {
	args := operands(c, 0)
	var parts []keyterm.Term
	for i, a := range args {
		if a == nil {
			return keyterm.Term{}
		}
		if i > 0 && !printsAsString(args[i-1]) && !printsAsString(a) {
			parts = append(parts, text(" "))
		}
		parts = append(parts, f.format("%v", a))
	}
	return f.at(keyterm.Term{Op: keyterm.Concat, Args: parts}, c.Pos()).Norm()
}

func printsAsString(v ssa.Value) bool {
	if mi, ok := v.(*ssa.MakeInterface); ok {
		v = mi.X
	}
	return isString(v.Type())
}

func (f *frame) join(c *ssa.Call) keyterm.Term {
	list, sep := f.value(c.Call.Args[0]), f.value(c.Call.Args[1])
	if list.Op != keyterm.List {
		return f.opaque(c, 0)
	}
	return f.interleave(list.Args, sep, c)
}

func (f *frame) pathJoin(c *ssa.Call) keyterm.Term {
	list := f.value(c.Call.Args[0])
	if list.Op != keyterm.List {
		return f.opaque(c, 0)
	}
	return f.interleave(list.Args, text("/"), c)
}

func (f *frame) interleave(list []keyterm.Term, sep keyterm.Term, c *ssa.Call) keyterm.Term {
	var parts []keyterm.Term
	for i, p := range list {
		if i > 0 {
			parts = append(parts, f.placed(sep, c.Pos()))
		}
		parts = append(parts, f.placed(p, c.Pos()))
	}
	return f.at(keyterm.Term{Op: keyterm.Concat, Args: parts}, c.Pos()).Norm()
}

// built is what was written to a strings.Builder or bytes.Buffer of this function, in order. What is written in a loop
// is unknown.
func (f *frame) built(c *ssa.Call) keyterm.Term {
	b, ok := c.Call.Args[0].(*ssa.Alloc)
	if !ok {
		return f.opaque(c, 0)
	}
	var parts []keyterm.Term
	for _, block := range f.fn.Blocks {
		for _, i := range block.Instrs {
			call, ok := i.(*ssa.Call)
			if !ok || len(call.Call.Args) == 0 || call == c {
				continue
			}
			if p, ok := f.writtenTo(b, call); ok {
				if lockflow.InLoop(block) {
					p = []keyterm.Term{f.repeated(block, call.Pos())}
				}
				parts = append(parts, p...)
			}
		}
	}
	return f.at(keyterm.Term{Op: keyterm.Concat, Args: parts}, c.Pos()).Norm()
}

// writtenTo is what one call writes to the builder b.
func (f *frame) writtenTo(b *ssa.Alloc, call *ssa.Call) ([]keyterm.Term, bool) {
	first := call.Call.Args[0]
	if mi, ok := first.(*ssa.MakeInterface); ok {
		first = mi.X
	}
	if first != b {
		return nil, false
	}
	name := f.u.spell.callee(&call.Call)
	switch {
	case strings.HasSuffix(name, ").WriteString"), strings.HasSuffix(name, ").Write"):
		return []keyterm.Term{f.literal(call.Call.Args[1], call.Pos())}, true
	case strings.HasSuffix(name, ").WriteByte"), strings.HasSuffix(name, ").WriteRune"):
		return []keyterm.Term{f.placed(f.character(call.Call.Args[1]), call.Pos())}, true
	case name == "fmt.Fprintf":
		return []keyterm.Term{f.sprintf(call, 1)}, true
	case strings.HasSuffix(name, ").Grow"), strings.HasSuffix(name, ").Reset"), strings.HasSuffix(name, ").Len"), strings.HasSuffix(name, ").String"):
		return nil, false
	}
	return []keyterm.Term{{}}, true
}

// character is a constant byte or rune as text.
func (f *frame) character(v ssa.Value) keyterm.Term {
	if c, ok := v.(*ssa.Const); ok && c.Value != nil {
		return text(string(rune(c.Int64())))
	}
	return f.format("%c", v)
}

// InLoop reports whether an instruction can be executed twice in one call of its function.
func InLoop(i ssa.Instruction) bool { return lockflow.InLoop(i.Block()) }
