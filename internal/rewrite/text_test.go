package rewrite

import (
	"go/ast"
	"slices"
	"testing"
)

func TestCodesArePermutations(t *testing.T) {
	for _, codes := range []string{nameCodes, keyCodes} {
		sorted := []byte(codes)
		slices.Sort(sorted)
		if string(sorted) != alphabet {
			t.Errorf("%s is no permutation", codes)
		}
	}
}

func TestKeyText(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"order:%d", code(keyCodes, "order") + ":%d"},
		{"a%08xb/%[1]s", code(keyCodes, "a") + "%08x" + code(keyCodes, "b") + "/%[1]s"},
		{`tab\tnul\x00`, code(keyCodes, "tab") + `\t` + code(keyCodes, "nul") + `\x00`},
		{"{cart:%v}", "{" + code(keyCodes, "cart") + ":%v}"},
	} {
		if got := keyText(c.in); got != c.want {
			t.Errorf("keyText(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

// What is nearly the same must stay nearly the same, or a misspelled prefix would no longer be one.
func TestKeyTextKeepsDistances(t *testing.T) {
	words := []string{"order:", "orders:", "Order:", "ordre:", "border:", "cart:", "card:", "user_x:", "user-x:"}
	for _, a := range words {
		for _, b := range words {
			if was, is := distance(a, b), distance(keyText(a), keyText(b)); was != is {
				t.Errorf("%q and %q were %d apart and are %d", a, b, was, is)
			}
		}
	}
	if keyText("orders:")[5] != 's' {
		t.Error("a plural lost its s")
	}
}

func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

func TestLooksLikeKey(t *testing.T) {
	for text, want := range map[string]bool{
		"order:%d": true, "leader": true, "{cart:": true, "Seat-Map:": true,
		"NX": false, "Paint": false, "nx": false, "setnx": false, "%s: %w": false, "%d": false, ":": false, "": false,
		"GET /x": false, "/v1/payouts/": false, "redis://localhost": false, "SELECT a": false, "@daily": false, `\n`: false,
	} {
		if got := looksLikeKey(text); got != want {
			t.Errorf("looksLikeKey(%q) = %v", text, got)
		}
	}
}

func TestDirective(t *testing.T) {
	r := &renamer{namer: namer{"Q"}, renamed: map[string]bool{"id": true, "name": true, "work": true}}
	id, name, work := r.namer.name("id"), r.namer.name("name"), r.namer.name("work")
	for _, c := range []struct{ in, want string }{
		{"//leasevet:guardedby job:{id}:{} why not", "//leasevet:guardedby " + keyText("job") + ":{" + id + "}:{} why not"},
		{"//leasevet:guardedby job:{}", "//leasevet:guardedby " + keyText("job") + ":{}"},
		{"//leasevet:acquire key=name owner=token", "//leasevet:acquire key=" + name + " owner=token"},
		{"//leasevet:runs fn=work key=name", "//leasevet:runs fn=" + work + " key=" + name},
		{"//leasevet:ignore no-ttl key=name is meant", "//leasevet:ignore no-ttl key=name is meant"},
		{"// key=name", "// key=name"},
	} {
		if got := r.directive(&ast.Comment{Text: c.in}); got != c.want {
			t.Errorf("%q became %q, want %q", c.in, got, c.want)
		}
	}
}

func TestNamerAvoidsNamesThatAreThere(t *testing.T) {
	taken := map[string]bool{"key": true, code(nameCodes, "key") + "Q": true}
	n := newNamer(taken)
	if taken[n.name("key")] {
		t.Errorf("%s is taken", n.name("key"))
	}
	if n.name("Key") == n.name("key") || !ast.IsExported(n.name("Key")) || ast.IsExported(n.name("key")) {
		t.Error("case got lost")
	}
}

func TestMapThen(t *testing.T) {
	first, second := newMap(), newMap()
	first.changed["a.go"] = true
	first.lines[place{"a.go", 1}] = place{"b.go", 5}
	first.lines[place{"a.go", 2}] = place{"b.go", 6}
	second.changed["b.go"] = true
	second.lines[place{"b.go", 5}] = place{"c.go", 9}
	both := first.Then(second)
	for _, c := range []struct {
		file string
		line int
		want place
	}{
		{"a.go", 1, place{"c.go", 9}},
		{"a.go", 2, place{"a.go", 0}},
		{"b.go", 5, place{"c.go", 9}},
		{"d.go", 3, place{"d.go", 3}},
	} {
		if file, line := both.Line(c.file, c.line); (place{file, line}) != c.want {
			t.Errorf("%s:%d went to %s:%d, want %v", c.file, c.line, file, line, c.want)
		}
	}
}
