package shop_test

import (
	"encoding/csv"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestReadmeNamesExpectations holds the README's tables and expect.tsv together:
// a line that has moved out of its function, or a kind that only one of them names, fails.
func TestReadmeNamesExpectations(t *testing.T) {
	documented, expected := readme(t), map[string]bool{}
	for _, row := range expectations(t) {
		file, kind := row[1], row[3]
		if kind == "none" {
			continue
		}
		line, err := strconv.Atoi(row[2])
		if err != nil {
			t.Fatal(err)
		}
		at := function(t, file, line) + " " + kind
		if expected[at] = true; !documented[at] {
			t.Errorf("%s:%d: the README does not name %s", file, line, at)
		}
	}
	for at := range documented {
		if !expected[at] {
			t.Errorf("expect.tsv does not name %s", at)
		}
	}
}

func expectations(t *testing.T) [][]string {
	t.Helper()
	f, err := os.Open("expect.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma = '\t'
	rows, err := r.ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	return rows[1:]
}

var quoted = regexp.MustCompile("`([^`]+)`")

// readme returns "function kind" for each kind in the last column of a table row.
func readme(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(line, "|\n"), "|")
		place := quoted.FindStringSubmatch(cells[0])
		if len(cells) != 5 || place == nil {
			continue
		}
		for _, kind := range quoted.FindAllStringSubmatch(cells[4], -1) {
			found[place[1]+" "+kind[1]] = true
		}
	}
	return found
}

// function names the function that a line stands in as the README does: package.(*Type).Name.
func function(t *testing.T, file string, line int) string {
	t.Helper()
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range parsed.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || line < fset.Position(fn.Pos()).Line || line > fset.Position(fn.End()).Line {
			continue
		}
		return parsed.Name.Name + "." + receiver(fn) + fn.Name.Name
	}
	t.Fatalf("%s:%d is in no function", file, line)
	return ""
}

func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return ""
	}
	switch typ := fn.Recv.List[0].Type.(type) {
	case *ast.StarExpr:
		return "(*" + typ.X.(*ast.Ident).Name + ")."
	case *ast.Ident:
		return typ.Name + "."
	}
	return ""
}
