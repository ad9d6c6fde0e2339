package clientmodel

import (
	"go/types"
	"slices"
	"strings"
)

// How replies are read: by methods of command objects, by functions that take what a command returned, and by asking
// errors what they are.

// Accessor is what the results of a command object's method stand for.
func Accessor(fn *types.Func) ([]Role, bool) {
	if fn == nil || fn.Pkg() == nil || fn.Signature().Recv() == nil {
		return nil, false
	}
	lib, _, _, ok := find(fn.Pkg().Path())
	if !ok || !lib.isObject(strings.TrimSuffix(ReceiverName(fn), ".")) {
		return nil, false
	}
	roles, ok := lib.accessors[fn.Name()]
	return roles, ok
}

func (lib *library) isObject(typ string) bool {
	return slices.ContainsFunc(lib.objects, func(o string) bool {
		end, suffix := strings.CutPrefix(o, "*")
		return o == typ || suffix && strings.HasSuffix(typ, end)
	})
}

// Reader reports whether a function takes what a command returned, the reply and the error, and returns what ReadReply
// says.
func Reader(fn *types.Func) bool {
	if fn == nil || fn.Pkg() == nil || fn.Signature().Recv() != nil {
		return false
	}
	lib, _, _, ok := find(fn.Pkg().Path())
	return ok && slices.Contains(lib.readers, fn.Name())
}

// AccessorNamed is Accessor for a method, or the roles of a reader, given by its full name.
func AccessorNamed(full string) ([]Role, bool) {
	recv, name, ok := strings.Cut(strings.TrimLeft(full, "(*"), ").")
	if !ok {
		return readerNamed(full)
	}
	recv, _, _ = strings.Cut(recv, "[")
	dot := strings.LastIndexByte(recv, '.')
	if dot < 0 {
		return nil, false
	}
	lib, _, _, ok := find(recv[:dot])
	if !ok || !lib.isObject(recv[dot+1:]) {
		return nil, false
	}
	roles, ok := lib.accessors[name]
	return roles, ok
}

func readerNamed(full string) ([]Role, bool) {
	dot := strings.LastIndexByte(full, '.')
	if dot < 0 {
		return nil, false
	}
	lib, _, _, ok := find(full[:dot])
	if !ok || !slices.Contains(lib.readers, full[dot+1:]) {
		return nil, false
	}
	return []Role{ValueResult, ErrResult}, true
}

// IsSentinel reports whether the package-level variable is an error that says "no reply" or "taken", and nothing else.
func IsSentinel(v *types.Var) bool {
	if v == nil || v.Pkg() == nil {
		return false
	}
	lib, _, _, ok := find(v.Pkg().Path())
	return ok && slices.Contains(lib.sentinels, v.Name())
}

// IsSentinelConst is IsSentinel for a constant of an error type.
func IsSentinelConst(typ types.Type, text string) bool {
	n, ok := types.Unalias(typ).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return false
	}
	lib, _, _, ok := find(n.Obj().Pkg().Path())
	return ok && slices.Contains(lib.sentinels, text)
}

// AsksForSentinel reports whether a function tells whether its argument is a sentinel.
func AsksForSentinel(fn *types.Func) bool {
	if fn == nil || fn.Pkg() == nil || fn.Signature().Recv() != nil {
		return false
	}
	lib, _, _, ok := find(fn.Pkg().Path())
	return ok && slices.Contains(lib.asks, fn.Name())
}
