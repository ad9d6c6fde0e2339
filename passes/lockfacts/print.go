package lockfacts

import "go/types"

// PrintKind says how fmt sees a type: what decides whether a printed value is the same for the same thing every time.
// It is one of string, integer, float, bool, stringer, time, struct, unstable-struct, pointer, address, map, slice,
// array, unstable-slice, interface, other. The unstable ones print an address, or what changes while the thing stays
// the same.
func PrintKind(t types.Type) string { return printKind(t, 0) }

func printKind(t types.Type, depth int) string {
	if depth > 6 {
		return "other"
	}
	if types.TypeString(types.Unalias(t), nil) == "time.Time" {
		return "time"
	}
	if hasMethod(t, "String") || hasMethod(t, "Error") {
		return "stringer"
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return basicKind(t)
	case *types.Struct:
		return structKind(t, depth)
	case *types.Pointer:
		if _, ok := t.Elem().Underlying().(*types.Struct); ok {
			return "pointer"
		}
		return "address"
	case *types.Map:
		return "map"
	case *types.Slice:
		return listKind(t.Elem(), "slice", depth)
	case *types.Array:
		return listKind(t.Elem(), "array", depth)
	case *types.Chan, *types.Signature:
		return "address"
	case *types.Interface:
		return "interface"
	}
	return "other"
}

func basicKind(t *types.Basic) string {
	switch {
	case t.Info()&types.IsString != 0:
		return "string"
	case t.Info()&types.IsInteger != 0:
		return "integer"
	case t.Info()&types.IsFloat != 0:
		return "float"
	case t.Info()&types.IsBoolean != 0:
		return "bool"
	}
	return "other"
}

// listKind is plain unless its elements print as addresses or as what changes.
func listKind(elem types.Type, plain string, depth int) string {
	switch printKind(elem, depth+1) {
	case "pointer", "address", "unstable-struct", "unstable-slice":
		return "unstable-slice"
	}
	return plain
}

// structKind tells a struct that prints addresses, times or lists from one that prints plain values.
func structKind(s *types.Struct, depth int) string {
	for f := range s.Fields() {
		switch printKind(f.Type(), depth+1) {
		case "pointer", "address", "map", "slice", "time", "unstable-struct", "unstable-slice", "interface":
			return "unstable-struct"
		}
	}
	return "struct"
}
