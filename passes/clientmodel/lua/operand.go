package lua

import "strconv"

// operandOf turns a symbolic value into an operand of an effect.
func operandOf(v *value) Operand {
	if v == nil {
		return Operand{}
	}
	switch v.kind {
	case kNil, kBool:
		return Operand{Kind: Const, Text: v.id}
	case kNum, kStr:
		text, _ := v.text()
		return Operand{Kind: Const, Text: text}
	case kKey:
		return Operand{Kind: Key, Index: indexOf(v)}
	case kArg:
		return argOperand(v)
	case kCat:
		return catOperand(v)
	}
	return Operand{Kind: Other, Text: v.id}
}

// indexOf is the constant index of a parameter, 0 if it was computed.
func indexOf(v *value) int {
	n, err := strconv.Atoi(v.str)
	if err != nil {
		return 0
	}
	return n
}

func argOperand(v *value) Operand {
	o := Operand{Kind: Arg, Index: indexOf(v), Offset: v.add}
	if v.mul != 1 {
		o.Scale = v.mul
	}
	if v.div != 1 {
		o.Divide = v.div
	}
	return o
}

// catOperand is a concatenation. One parameter among constants is that parameter with a prefix and a suffix.
func catOperand(v *value) Operand {
	var o Operand
	for _, p := range v.parts {
		switch {
		case p.kind == kStr && o.Kind == None:
			o.Prefix += p.str
		case p.kind == kStr:
			o.Suffix += p.str
		case o.Kind == None && (p.kind == kKey || p.kind == kArg):
			prefix := o.Prefix
			o = operandOf(p)
			o.Prefix = prefix
		default:
			return Operand{Kind: Other, Text: v.id}
		}
	}
	return o
}
