package lockfacts

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/keyterm"
)

// fieldStore is one write of a field.
type fieldStore struct {
	store *ssa.Store
	base  ssa.Value // the struct's address
}

// constructing reports whether the write is part of making a new struct.
func (s fieldStore) constructing() bool {
	_, ok := s.base.(*ssa.Alloc)
	return ok
}

// indexStore notes a write of a field or of a package-level variable.
func (u *unit) indexStore(s *ssa.Store) {
	switch a := s.Addr.(type) {
	case *ssa.FieldAddr:
		if name := fieldName(a.X.Type(), a.Field); name != "" {
			u.stores[name] = append(u.stores[name], fieldStore{s, a.X})
		}
	case *ssa.Global:
		u.gstores[a] = append(u.gstores[a], s)
	}
}

// structOf is the struct type that t is or points to.
func structOf(t types.Type) (*types.Struct, bool) {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	return s, ok
}

// fieldName is "import/path.Type.field", or "" for a field of an unnamed type.
func fieldName(t types.Type, i int) string {
	owner := typeName(t)
	s, ok := structOf(t)
	if owner == "" || !ok || i >= s.NumFields() {
		return ""
	}
	return owner + "." + s.Field(i).Name()
}

// alloc is a struct or array that the function makes, with the values stored in it.
func (f *frame) alloc(a *ssa.Alloc) keyterm.Term {
	s, ok := structOf(a.Type())
	if !ok {
		return keyterm.Term{}
	}
	o := f.at(keyterm.Term{Op: keyterm.Object, Text: typeName(a.Type()), Index: 1}, a.Pos())
	written := false
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr == a {
				return f.copied(a, r, s)
			}
		case *ssa.FieldAddr:
			if v, ok := f.storedIn(r); ok {
				o = withField(o, s.Field(r.Field).Name(), v)
				written = true
			}
		}
	}
	if !written && escapes(a) {
		return f.at(keyterm.Term{Op: keyterm.Fresh, Text: keyterm.Local}, a.Pos())
	}
	if !handedToClients(a) {
		o = f.withMutations(o, s)
	}
	return f.withOptions(o, a)
}

// maxCopied bounds the number of fields of a struct that is copied and then changed.
const maxCopied = 24

// copied is a struct that is stored as a whole, a parameter as a rule. Fields that the function sets besides, a default
// for one that is zero, may hold either value.
func (f *frame) copied(a *ssa.Alloc, whole *ssa.Store, s *types.Struct) keyterm.Term {
	v := f.value(whole.Val)
	switch v.Op {
	case keyterm.Object, keyterm.Field, keyterm.Param, keyterm.Call, keyterm.Lookup:
	default:
		return keyterm.Term{}
	}
	set := f.setFields(a)
	if len(set) == 0 {
		return v
	}
	if s.NumFields() > maxCopied {
		return keyterm.Term{}
	}
	o := f.at(keyterm.Term{Op: keyterm.Object, Text: typeName(a.Type())}, a.Pos())
	for i := range s.NumFields() {
		was := f.at(keyterm.Term{Op: keyterm.Field, Text: s.Field(i).Name(), Args: []keyterm.Term{v},
			Type: f.u.spell.typ(s.Field(i).Type()), Names: []string{typeName(a.Type())}}, a.Pos()).Norm()
		o = withField(o, s.Field(i).Name(), was)
		if is, ok := set[i]; ok && isInteger(s.Field(i).Type()) && f.onlyIfZero(a, i) {
			o.Args[len(o.Args)-1] = f.or(was, is, a.Pos())
		} else if ok {
			o = withField(o, s.Field(i).Name(), is)
		}
	}
	return o
}

// setFields are the values of the fields that are stored one by one, by index.
func (f *frame) setFields(a *ssa.Alloc) map[int]keyterm.Term {
	set := map[int]keyterm.Term{}
	for _, r := range *a.Referrers() {
		fa, ok := r.(*ssa.FieldAddr)
		if !ok {
			continue
		}
		if v, ok := f.storedIn(fa); ok {
			if was, twice := set[fa.Field]; twice {
				v = f.at(keyterm.Term{Op: keyterm.Set, Args: []keyterm.Term{was, v}}, fa.Pos()).Norm()
			}
			set[fa.Field] = v
		}
	}
	return set
}

// storedIn joins what is stored through one field address.
func (f *frame) storedIn(fa *ssa.FieldAddr) (keyterm.Term, bool) {
	var all []keyterm.Term
	for _, r := range *fa.Referrers() {
		if st, ok := r.(*ssa.Store); ok && st.Addr == fa {
			all = append(all, f.literal(st.Val, st.Pos()))
		}
	}
	if len(all) == 0 {
		return keyterm.Term{}, false
	}
	return f.at(keyterm.Term{Op: keyterm.Set, Args: all}, fa.Pos()).Norm(), true
}

func withField(o keyterm.Term, name string, v keyterm.Term) keyterm.Term {
	if i := slices.Index(o.Names, name); i >= 0 {
		args := slices.Clone(o.Args)
		args[i] = keyterm.Term{Op: keyterm.Set, Args: []keyterm.Term{args[i], v}, Type: v.Type, At: v.At, Fn: v.Fn}.Norm()
		o.Args = args
		return o
	}
	o.Names = append(slices.Clone(o.Names), name)
	o.Args = append(slices.Clone(o.Args), v)
	return o
}

// escapes reports whether a variable's address is handed to a call: somebody else may fill it.
func escapes(a *ssa.Alloc) bool {
	for _, r := range *a.Referrers() {
		switch r.(type) {
		case *ssa.MakeInterface, *ssa.Call:
			return true
		}
	}
	return false
}

// withMutations makes the fields unknown that methods write later: what was stored at first is not what is read.
func (f *frame) withMutations(o keyterm.Term, s *types.Struct) keyterm.Term {
	for i := range s.NumFields() {
		name := s.Field(i).Name()
		for _, w := range f.u.stores[o.Text+"."+name] {
			if w.constructing() || optionFunction(w.store.Parent()) {
				continue
			}
			o = withField(o, name, keyterm.Term{})
			break
		}
	}
	return o
}

// optionFunction reports whether fn is what a functional option is: a closure that takes one pointer to a struct and
// returns nothing (or an error).
func optionFunction(fn *ssa.Function) bool {
	if fn.Parent() == nil || len(fn.Params) != 1 || fn.Signature.Results().Len() > 1 {
		return false
	}
	_, ok := structOf(fn.Params[0].Type())
	return ok
}

// applied is the pseudo-field that lists the functional options that were applied to an object.
const applied = "*"

// withOptions notes that function values were applied to the object: `for _, o := range opts { o(x) }`.
func (f *frame) withOptions(o keyterm.Term, a *ssa.Alloc) keyterm.Term {
	for _, r := range *a.Referrers() {
		call, ok := r.(*ssa.Call)
		if !ok || call.Call.StaticCallee() != nil || call.Call.IsInvoke() || len(call.Call.Args) != 1 {
			continue
		}
		fn := f.value(call.Call.Value)
		if fn.Op == keyterm.Lookup {
			fn = fn.Args[0]
		}
		o.Names = append(slices.Clone(o.Names), applied)
		o.Args = append(slices.Clone(o.Args), fn)
		break
	}
	return o
}

// field reads field i of base. What the same function stored there before is what it reads.
func (f *frame) field(base ssa.Value, i int, at ssa.Value) keyterm.Term {
	s, ok := structOf(base.Type())
	if !ok || i >= s.NumFields() {
		return keyterm.Term{}
	}
	if s := reaching(at, base, i); s != nil {
		return f.value(s.Val)
	}
	if v, ok := f.storedBefore(base, i); ok {
		return v
	}
	b := f.value(base)
	t := keyterm.Term{Op: keyterm.Field, Text: s.Field(i).Name(), Args: []keyterm.Term{b},
		Type: f.u.spell.typ(s.Field(i).Type()), Names: []string{typeName(base.Type())}}
	return f.at(t, at.Pos()).Norm()
}

// storedBefore is the value of a field of something that the function was given, where the function itself wrote the
// field exactly once.
func (f *frame) storedBefore(base ssa.Value, i int) (keyterm.Term, bool) {
	if _, ok := base.(*ssa.Alloc); ok {
		return keyterm.Term{}, false
	}
	name := fieldName(base.Type(), i)
	var found *ssa.Store
	for _, w := range f.u.stores[name] {
		if w.store.Parent() != f.fn || w.base != base && !sameAddress(w.base, base) {
			continue
		}
		if found != nil {
			return keyterm.Term{}, false
		}
		found = w.store
	}
	if found == nil {
		return keyterm.Term{}, false
	}
	return f.value(found.Val), true
}

// sameAddress sees that two loads of one captured variable are the same struct.
func sameAddress(a, b ssa.Value) bool {
	x, ok1 := a.(*ssa.UnOp)
	y, ok2 := b.(*ssa.UnOp)
	return ok1 && ok2 && x.Op == token.MUL && y.Op == token.MUL && x.X == y.X
}

// element is an element of a map, slice or array.
func (f *frame) element(x, index ssa.Value, asks bool, pos token.Pos) keyterm.Term {
	base, i := f.value(x), f.value(index)
	if base.Op == keyterm.List && i.Op == keyterm.Const {
		if n, ok := index.(*ssa.Const); ok && n.Value != nil {
			if k := int(n.Int64()); k >= 0 && k < len(base.Args) {
				return base.Args[k]
			}
		}
	}
	t := keyterm.Term{Op: keyterm.Lookup, Args: []keyterm.Term{base, i}}
	if _, isMap := x.Type().Underlying().(*types.Map); isMap {
		t.Text = "map"
	}
	if asks {
		t.Index = 1
	}
	return f.at(t, pos).Norm()
}

// slice is a slice of an array that was just filled (a variadic call, a literal), or a part of something.
func (f *frame) slice(v *ssa.Slice) keyterm.Term {
	a, ok := v.X.(*ssa.Alloc)
	if !ok || v.Low != nil || v.High != nil {
		return f.value(v.X)
	}
	arr, ok := a.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
	if !ok || arr.Len() > 32 {
		return keyterm.Term{}
	}
	if whole := storedWhole(a); whole != nil { // the sum of a hash, as a rule
		return f.value(whole)
	}
	list := f.at(keyterm.Term{Op: keyterm.List, Args: make([]keyterm.Term, arr.Len())}, a.Pos())
	for _, r := range *a.Referrers() {
		ia, ok := r.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		n, ok := ia.Index.(*ssa.Const)
		if !ok || n.Value == nil {
			return keyterm.Term{}
		}
		if v, ok := f.storedAt(ia); ok {
			list.Args[n.Int64()] = v
		}
	}
	return list.Norm()
}

// storedWhole is what is stored in an array, if that is one value and no element is set besides.
func storedWhole(a *ssa.Alloc) ssa.Value {
	var whole ssa.Value
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr != a || whole != nil {
				return nil
			}
			whole = r.Val
		case *ssa.IndexAddr:
			if writesThrough(r) {
				return nil
			}
		}
	}
	return whole
}

func writesThrough(ia *ssa.IndexAddr) bool {
	for _, r := range *ia.Referrers() {
		if s, ok := r.(*ssa.Store); ok && s.Addr == ia {
			return true
		}
	}
	return false
}

func (f *frame) storedAt(ia *ssa.IndexAddr) (keyterm.Term, bool) {
	for _, r := range *ia.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			return f.value(r.Val), true
		case *ssa.FieldAddr:
			return keyterm.Term{}, false
		}
	}
	return keyterm.Term{}, false
}

// reaching is the store that a load certainly reads: the last one to the same field of the same struct before it in its
// block.
func reaching(load ssa.Value, base ssa.Value, i int) *ssa.Store {
	instr, ok := load.(ssa.Instruction)
	if !ok || instr.Block() == nil {
		return nil
	}
	var last *ssa.Store
	for _, x := range instr.Block().Instrs {
		if x == instr {
			return last
		}
		s, ok := x.(*ssa.Store)
		if !ok {
			continue
		}
		if fa, ok := s.Addr.(*ssa.FieldAddr); ok && fa.X == base && fa.Field == i {
			last = s
		}
	}
	return nil
}

// functionsInField are the names of the functions that are ever stored in a private field; not ok if one is not known.
func (u *unit) functionsInField(owner, field string) (names []string, ok bool) {
	if !u.private(owner, field) {
		return nil, false
	}
	for _, w := range u.stores[owner+"."+field] {
		v := u.frame(w.store.Parent()).value(w.store.Val)
		if v.Op != keyterm.Func {
			return nil, false
		}
		if !slices.Contains(names, v.Text) {
			names = append(names, v.Text)
		}
	}
	slices.Sort(names)
	return names, len(names) > 0
}
