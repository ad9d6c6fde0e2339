package keyterm

// Class is the lock class of a key term: its constant text with every variable part written as {}, such as
// "settle:user:{}". It is "" where the term has no constant text at all, because such a class says nothing.
func (t Term) Class() string {
	text, known := t.classText()
	if !known {
		return ""
	}
	return text
}

// classText also reports whether some constant text is in it.
func (t Term) classText() (text string, known bool) {
	switch t.Op {
	case Const:
		return t.Text, t.Text != ""
	case Built, Format:
		return t.Args[0].classText()
	case Concat:
		for _, a := range t.Args {
			s, k := a.classText()
			text, known = text+s, known || k
		}
		return text, known
	}
	return "{}", false
}

// Prefix is the constant text that the key starts with, up to its first variable part, "" if it starts with one.
func (t Term) Prefix() string {
	switch t.Op {
	case Const:
		return t.Text
	case Built, Format:
		return t.Args[0].Prefix()
	case Concat:
		if len(t.Args) > 0 {
			return t.Args[0].Prefix()
		}
	}
	return ""
}

// Parts are the pieces of a key, constants and variable parts, in order, seen through Built but not through Format.
func (t Term) Parts() []Term {
	switch t.Op {
	case Built:
		return t.Args[0].Parts()
	case Concat:
		var parts []Term
		for _, a := range t.Args {
			parts = append(parts, a.Parts()...)
		}
		return parts
	}
	return []Term{t}
}

// Strip removes Built and Format around a value.
func (t Term) Strip() Term {
	for (t.Op == Built || t.Op == Format) && len(t.Args) > 0 {
		t = t.Args[0]
	}
	return t
}
