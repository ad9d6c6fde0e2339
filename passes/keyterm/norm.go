package keyterm

import (
	"slices"
	"strings"
)

// Norm brings a term into its normal form: constants next to each other merged, nested concatenations flattened, sets
// flattened, sorted and without duplicates, fields of known objects resolved, and everything over the limits widened.
// Its arguments have to be normal already.
func (t Term) Norm() Term {
	switch t.Op {
	case Concat:
		t = normConcat(t)
	case Set:
		t = normSet(t)
	case Field:
		t = normField(t)
	case Format:
		if t.Args[0].Op == Const && t.Text != "%q" && t.Text != "%x" {
			return t.Args[0]
		}
	case Built:
		if t.Args[0].Op == Unknown {
			return Term{}
		}
	}
	if t.size() > MaxSize || t.depth() > MaxDepth {
		return Term{At: t.At, Fn: t.Fn, Type: t.Type}
	}
	return t
}

func normConcat(t Term) Term {
	var parts []Term
	for _, a := range t.Args {
		if a.Op == Concat {
			parts = append(parts, a.Args...)
			continue
		}
		parts = append(parts, a)
	}
	merged := parts[:0:0]
	for _, p := range parts {
		if p.Op == Const && p.Text == "" {
			continue
		}
		if n := len(merged); p.Op == Const && n > 0 && merged[n-1].Op == Const {
			if len(merged[n-1].Text)+len(p.Text) > MaxText {
				return Term{At: t.At, Fn: t.Fn, Type: t.Type}
			}
			merged[n-1].Text += p.Text
			continue
		}
		merged = append(merged, p)
	}
	switch {
	case len(merged) == 0:
		return Term{Op: Const, Type: t.Type, At: t.At, Fn: t.Fn}
	case len(merged) == 1 && merged[0].Op == Const:
		merged[0].At, merged[0].Fn = t.At, t.Fn
		return merged[0]
	case len(merged) == 1 && merged[0].Op == Format:
		merged[0].At, merged[0].Fn, merged[0].Type = t.At, t.Fn, t.Type
		return merged[0]
	}
	t.Args = merged
	return t
}

func normSet(t Term) Term {
	var all []Term
	for _, a := range t.Args {
		if a.Op == Set {
			all = append(all, a.Args...)
		} else {
			all = append(all, a)
		}
	}
	widened := Term{At: t.At, Fn: t.Fn, Type: t.Type}
	if len(all) > 4*MaxSet || slices.ContainsFunc(all, func(a Term) bool { return a.Op == Unknown }) {
		return widened
	}
	all = distinct(all)
	if len(all) == 1 {
		return all[0]
	}
	if len(all) > MaxSet {
		return widened
	}
	t.Args = all
	return t
}

// distinct sorts terms by their spelling and drops what is there twice.
func distinct(all []Term) []Term {
	if len(all) < 2 {
		return all
	}
	type spelled struct {
		Term
		text string
	}
	list := make([]spelled, len(all))
	for i, a := range all {
		list[i] = spelled{a, a.String()}
	}
	slices.SortStableFunc(list, func(a, b spelled) int { return strings.Compare(a.text, b.text) })
	list = slices.CompactFunc(list, func(a, b spelled) bool { return a.text == b.text })
	out := make([]Term, len(list))
	for i, x := range list {
		out[i] = x.Term
	}
	return out
}

// normField reads a field out of an object, or of each member of a set of objects.
func normField(t Term) Term {
	base := t.Args[0]
	switch base.Op {
	case Built:
		return Term{Op: Field, Text: t.Text, Args: base.Args[:1], Type: t.Type, At: t.At, Fn: t.Fn}.Norm()
	case Object:
		if i := slices.Index(base.Names, t.Text); i >= 0 {
			return base.Args[i]
		}
		if base.Index == 1 {
			return Term{Op: Const, Text: "", Type: t.Type, At: base.At, Fn: base.Fn, Index: 1}
		}
		return Term{Type: t.Type}
	case Set:
		members := make([]Term, len(base.Args))
		for i, b := range base.Args {
			members[i] = Term{Op: Field, Text: t.Text, Args: []Term{b}, Type: t.Type, At: t.At, Fn: t.Fn}.Norm()
		}
		return Term{Op: Set, Args: members, Type: t.Type, At: t.At, Fn: t.Fn}.Norm()
	case Unknown:
		return Term{Type: t.Type}
	}
	return t
}

func (t Term) size() int {
	n := 1
	for _, a := range t.Args {
		n += a.size()
	}
	return n
}

func (t Term) depth() int {
	d := 0
	for _, a := range t.Args {
		d = max(d, a.depth())
	}
	return d + 1
}
