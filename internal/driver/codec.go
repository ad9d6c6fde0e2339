package driver

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/leasevet/leasevet/passes/lockfacts"
)

// Facts is what a package tells the packages that import it: its own fact and those of its imports, because under
// go vet a package sees only the files of its direct imports.
type Facts struct {
	Reaches  bool          // a client library can be reached
	Packages []PackageFact // sorted by Path
}

// PackageFact is the fact of one package.
type PackageFact struct {
	Path string
	Fact lockfacts.Fact
}

// The encoding is the fields one after the other: numbers as varints, strings and slices with their length first, and a
// string that was there before as its index. It depends on nothing but the values (unlike gob's, which depends on what
// the process has encoded before) and keeps every byte of a string (unlike JSON). The header changes with the types.

// EncodeFacts encodes facts, to the same bytes every time. Facts that say nothing are encoded as no bytes at all.
func EncodeFacts(f Facts) ([]byte, error) {
	if !f.Reaches && len(f.Packages) == 0 {
		return nil, nil
	}
	f.Packages = slices.Clone(f.Packages)
	slices.SortFunc(f.Packages, func(a, b PackageFact) int { return cmp.Compare(a.Path, b.Path) })
	return encode(factsHeader(), reflect.ValueOf(f))
}

// DecodeFacts is the reverse of EncodeFacts.
func DecodeFacts(data []byte) (Facts, error) {
	var f Facts
	if len(data) == 0 {
		return f, nil
	}
	rest, ok := bytes.CutPrefix(data, []byte(factsHeader()))
	if !ok {
		return f, errors.New("facts of another version of leasevet")
	}
	d := &decoder{data: rest}
	d.value(reflect.ValueOf(&f).Elem())
	if d.err == nil && len(d.data) > 0 {
		d.err = errors.New("more data than expected")
	}
	if d.err != nil {
		return Facts{}, fmt.Errorf("damaged facts: %v", d.err)
	}
	return f, nil
}

// factsHeader names the format and the layout of the types in it.
func factsHeader() string {
	h := fnv.New64a()
	writeLayout(h, reflect.TypeFor[Facts](), map[reflect.Type]bool{})
	return "leasevet facts " + strconv.Itoa(lockfacts.Version) + " " + strconv.FormatUint(h.Sum64(), 16) + "\n"
}

// writeLayout spells out a type: names and types of all fields.
func writeLayout(w interface{ Write([]byte) (int, error) }, t reflect.Type, seen map[reflect.Type]bool) {
	fmt.Fprint(w, t.Kind(), t.Name(), ";")
	if seen[t] {
		return
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Slice:
		writeLayout(w, t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			fmt.Fprint(w, t.Field(i).Name, ":")
			writeLayout(w, t.Field(i).Type, seen)
		}
	}
}

// factKey encodes one fact, to compare it; "" for none. A fact that cannot be encoded equals itself only by luck, so
// the error becomes part of the key and shows where facts are written.
func factKey(v any) string {
	rv := reflect.ValueOf(v)
	if rv.Kind() != reflect.Pointer || rv.IsNil() {
		return ""
	}
	data, err := encode("key\n", rv.Elem())
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func encode(header string, v reflect.Value) ([]byte, error) {
	e := &encoder{data: []byte(header), index: map[string]uint64{}}
	e.value(v)
	return e.data, e.err
}

type encoder struct {
	data  []byte
	index map[string]uint64 // strings written so far, from 1
	err   error
}

func (e *encoder) uint(n uint64) { e.data = binary.AppendUvarint(e.data, n) }

func (e *encoder) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		e.string(v.String())
	case reflect.Bool:
		if v.Bool() {
			e.uint(1)
		} else {
			e.uint(0)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.data = binary.AppendVarint(e.data, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		e.uint(v.Uint())
	case reflect.Slice:
		e.uint(uint64(v.Len()))
		for i := range v.Len() {
			e.value(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			e.value(v.Field(i))
		}
	default:
		e.err = fmt.Errorf("facts cannot hold a %v", v.Type())
	}
}

func (e *encoder) string(s string) {
	if i, ok := e.index[s]; ok {
		e.uint(i)
		return
	}
	e.index[s] = uint64(len(e.index) + 1)
	e.uint(0)
	e.uint(uint64(len(s)))
	e.data = append(e.data, s...)
}

type decoder struct {
	data    []byte
	strings []string
	depth   int
	err     error
}

var errShort = errors.New("too short")

// maxNesting bounds how deep damaged facts can lead. Terms nest to keyterm.MaxDepth.
const maxNesting = 1000

func (d *decoder) fail(err error) {
	if d.err == nil {
		d.err = err
	}
	d.data = nil
}

func (d *decoder) uint() uint64 {
	n, size := binary.Uvarint(d.data)
	if size <= 0 {
		d.fail(errShort)
		return 0
	}
	d.data = d.data[size:]
	return n
}

func (d *decoder) int() int64 {
	n, size := binary.Varint(d.data)
	if size <= 0 {
		d.fail(errShort)
		return 0
	}
	d.data = d.data[size:]
	return n
}

func (d *decoder) value(v reflect.Value) {
	if d.depth++; d.depth > maxNesting {
		d.fail(errors.New("nested too deep"))
	}
	defer func() { d.depth-- }()
	if d.err != nil {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(d.string())
	case reflect.Bool:
		v.SetBool(d.uint() != 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(d.int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(d.uint())
	case reflect.Slice:
		d.slice(v)
	case reflect.Struct:
		for i := range v.NumField() {
			d.value(v.Field(i))
		}
	default:
		d.fail(fmt.Errorf("facts cannot hold a %v", v.Type()))
	}
}

// slice reads a slice. Every element takes at least a byte, so that a damaged length cannot make it huge.
func (d *decoder) slice(v reflect.Value) {
	n := d.uint()
	if n > uint64(len(d.data)) {
		d.fail(errShort)
		return
	}
	if n == 0 {
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), int(n), int(n)))
	for i := 0; i < int(n) && d.err == nil; i++ {
		d.value(v.Index(i))
	}
}

func (d *decoder) string() string {
	i := d.uint()
	if i > 0 {
		if i > uint64(len(d.strings)) {
			d.fail(errors.New("unknown string"))
			return ""
		}
		return d.strings[i-1]
	}
	n := d.uint()
	if n > uint64(len(d.data)) {
		d.fail(errShort)
		return ""
	}
	s := string(d.data[:n])
	d.data = d.data[n:]
	d.strings = append(d.strings, s)
	return s
}

// sortedKeys lists the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
