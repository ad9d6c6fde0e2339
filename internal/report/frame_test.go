package report

import (
	"strings"
	"testing"
)

// show is an excerpt as it is printed.
func show(line string, column, width int) string {
	e := excerptOf([]byte(line), column, width)
	return e.text + "\n" + strings.Repeat(" ", e.start) + strings.Repeat("^", e.end-e.start)
}

func TestExcerpt(t *testing.T) {
	for _, c := range []struct {
		name, line    string
		column, width int
		want          string
	}{
		{"a selector", "\treturn s.rdb.Del(ctx)", 9, 80, "    return s.rdb.Del(ctx)\n           ^^^^^^^^^"},
		{"a tab in the middle", "ab\tcd", 4, 80, "ab  cd\n    ^^"},
		{"a string", `f("a b\"c", d)`, 3, 80, `f("a b\"c", d)` + "\n  ^^^^^^^^"},
		{"a string that goes on", "x = `a", 5, 80, "x = `a\n    ^"},
		{"an operator", "a + b", 3, 80, "a + b\n  ^"},
		{"no column", "abc", 0, 80, "abc\n"},
		{"behind the end", "abc", 9, 80, "abc\n   ^"},
		{"an empty line", "", 1, 80, "\n^"},
		{"wide characters", "f(\"정산\", x)", 13, 80, "f(\"정산\", x)\n          ^"},
		{"a combining mark", "e\u0301 = x", 7, 80, "e\u0301 = x\n    ^"},
		{"an escape sequence", "a\x1b[31m b", 8, 80, "a\ufffd[31m b\n       ^"},
		{"text turned around", "a\u202eb", 5, 80, "a\ufffdb\n  ^"},
		{"bytes that are no UTF-8", "a\xffb", 3, 80, "a\ufffdb\n  ^"},
		{"a carriage return", "abc\r", 1, 80, "abc\n^^^"},
		{"cut behind", "abcdefghij klmnopqrst", 1, 12, "abcdefghij…\n^^^^^^^^^^"},
		{"cut before", "abcdefghij klm", 12, 12, "…ij klm\n    ^^^"},
		{"cut on both sides", "aaaaaaaaaa bbb cccccccccc", 12, 12, "…aa bbb ccc…\n    ^^^"},
		{"the token is cut", "a bbbbbbbbbbbbbbbb", 3, 10, "a bbbbbb…\n  ^^^^^^"},
	} {
		if got := show(c.line, c.column, c.width); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestExcerptBounds tries every column and width on awkward lines.
func TestExcerptBounds(t *testing.T) {
	for _, line := range []string{"", "\t\t", "정산정산정산정산", "a\tb\x00\xff\u0301", strings.Repeat("x.y ", 60), "\"", `"\`} {
		for column := -1; column < len(line)+3; column++ {
			for width := 2; width < 50; width += 7 {
				e := excerptOf([]byte(line), column, width)
				if e.start < 0 || e.end < e.start || column > 0 && e.end == e.start {
					t.Fatalf("%q column %d width %d: underlines %d to %d", line, column, width, e.start, e.end)
				}
				if n := widthOf(cellsOf([]byte(e.text))); n > width {
					t.Fatalf("%q column %d width %d: %d columns: %s", line, column, width, n, e.text)
				}
			}
		}
	}
}
