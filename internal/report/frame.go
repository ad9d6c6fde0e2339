package report

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tabWidth is how wide a tab is shown. Terminals differ, so tabs are never printed.
const tabWidth = 4

// cell is one printed character of a source line.
type cell struct {
	r      rune
	width  int // columns on the screen: 0 for a combining mark, 2 for a wide character
	offset int // of the byte that it was made of
}

// excerpt is a source line made ready for printing, with the range to underline in screen columns. The range is empty
// if the place has no column.
type excerpt struct {
	text       string
	start, end int
}

// excerptOf cuts a line to the given width around the byte column, counted from 1.
func excerptOf(line []byte, column, width int) excerpt {
	line = bytes.TrimRight(line, " \t\r\n")
	cells := cellsOf(line)
	from, to := tokenAt(line, column)
	first, last := window(cells, indexAt(cells, from), width)
	var e excerpt
	var b strings.Builder
	at := 0
	if first > 0 {
		b.WriteRune('…')
		at++
	}
	e.start, e.end = -1, -1
	for _, c := range cells[first:last] {
		if e.start < 0 && c.offset >= from {
			e.start = at
		}
		if c.offset < to {
			e.end = at + c.width
		}
		b.WriteRune(c.r)
		at += c.width
	}
	if last < len(cells) {
		b.WriteRune('…')
	}
	e.text = b.String()
	return e.underline(column, at)
}

// underline settles the range: none without a column, at least one column wide, behind the text if the place is there.
func (e excerpt) underline(column, end int) excerpt {
	if column <= 0 {
		e.start, e.end = 0, 0
		return e
	}
	if e.start < 0 {
		e.start = end
	}
	e.end = max(e.end, e.start+1)
	return e
}

// cellsOf spreads tabs and takes the sting out of control characters.
func cellsOf(line []byte) []cell {
	var cells []cell
	column := 0
	for offset := 0; offset < len(line); {
		r, size := utf8.DecodeRune(line[offset:])
		if r == '\t' {
			for n := tabWidth - column%tabWidth; n > 0; n-- {
				cells = append(cells, cell{' ', 1, offset})
				column++
			}
		} else {
			c := cell{printable(r), runeWidth(r), offset}
			cells = append(cells, c)
			column += c.width
		}
		offset += size
	}
	return cells
}

// indexAt is the first cell at or behind a byte offset.
func indexAt(cells []cell, offset int) int {
	for i, c := range cells {
		if c.offset >= offset {
			return i
		}
	}
	return len(cells)
}

// window picks the cells to show when all of them are wider than width: from the beginning if the focus is still in
// sight then, else with a third of the width before the focus. Two columns are left for the marks of a cut.
func window(cells []cell, focus, width int) (first, last int) {
	if widthOf(cells) <= width {
		return 0, len(cells)
	}
	width -= 2
	first = focus
	if widthOf(cells[:focus]) <= width*2/3 {
		first = 0
	}
	for used := 0; first > 0 && used < width/3; first-- {
		used += cells[first-1].width
	}
	last = first
	for used := 0; last < len(cells) && used+cells[last].width <= width; last++ {
		used += cells[last].width
	}
	return first, last
}

func widthOf(cells []cell) int {
	total := 0
	for _, c := range cells {
		total += c.width
	}
	return total
}

// tokenAt is the byte range of what stands at a column: a selector such as s.rdb.Del, or a string, or one byte.
func tokenAt(line []byte, column int) (from, to int) {
	from = min(max(column-1, 0), len(line))
	rest := line[from:]
	if len(rest) == 0 {
		return from, from
	}
	if quote := rest[0]; quote == '"' || quote == '`' {
		if end := closing(rest[1:], quote); end >= 0 {
			return from, from + 1 + end + 1
		}
		return from, from + 1
	}
	n := bytes.IndexFunc(rest, func(r rune) bool {
		return r != '_' && r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if n < 0 {
		n = len(rest)
	}
	n = len(bytes.TrimRight(rest[:n], "."))
	return from, from + max(n, 1)
}

// closing is the index of the quote that ends a string, -1 if it does not end on the line.
func closing(s []byte, quote byte) int {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == quote:
			return i
		case s[i] == '\\' && quote == '"':
			i++
		}
	}
	return -1
}

// clean makes a text fit for one line of a terminal.
func clean(s string) string {
	return strings.Join(strings.Fields(strings.Map(printable, s)), " ")
}

// printable replaces what would move the cursor, ring the bell or turn the text around: source files and constants in
// messages come from anybody.
func printable(r rune) rune {
	switch {
	case r == '\n', r == '\t', r == '\r':
		return ' '
	case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\u2028', r == '\u2029':
		return utf8.RuneError
	}
	return r
}

// wide are the blocks whose characters take two columns on a terminal.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x1100, 0x115f, 1}, {0x2e80, 0xa4cf, 1}, {0xac00, 0xd7a3, 1}, {0xf900, 0xfaff, 1}, {0xfe30, 0xfe6f, 1},
		{0xff00, 0xff60, 1}, {0xffe0, 0xffe6, 1},
	},
	R32: []unicode.Range32{{0x1f300, 0x1f64f, 1}, {0x1f900, 0x1f9ff, 1}, {0x20000, 0x3fffd, 1}},
}

func runeWidth(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}
