package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// untouchable finds what inside a literal is no text: verbs of formats and escapes of Go.
var untouchable = regexp.MustCompile(`%[-+# 0-9.*\[\]]*[a-zA-Z%]|\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{3}|.)`)

// keyText gives the words of a text other letters. Separators, verbs and escapes stay.
func keyText(text string) string {
	var b strings.Builder
	at := 0
	for _, m := range untouchable.FindAllStringIndex(text, -1) {
		b.WriteString(code(keyCodes, text[at:m[0]]))
		b.WriteString(text[m[0]:m[1]])
		at = m[1]
	}
	b.WriteString(code(keyCodes, text[at:]))
	return b.String()
}

// commands are words of the Redis protocol that somebody may write in lower case; they keep their meaning.
var commands = strings.Fields(`set get del unlink setnx setex psetex getset getdel getex expire pexpire expireat pexpireat
	persist ttl pttl exists eval evalsha script watch multi exec incr decr ping publish subscribe nx xx px ex gt lt
	pxat exat keepttl ifeq ifne ifdeq ifdne delex cas cad hset hget hdel hsetnx tcp unix`)

// looksLikeKey says whether a text may be part of a key: it has words in lower case and no space, and is neither a
// command nor an address nor a path of the web. A word alone must be in lower case as a whole.
func looksLikeKey(text string) bool {
	words := untouchable.ReplaceAllString(text, "")
	lower := strings.ContainsFunc(words, func(r rune) bool { return 'a' <= r && r <= 'z' })
	upper := strings.ContainsFunc(words, func(r rune) bool { return 'A' <= r && r <= 'Z' })
	switch {
	case !lower, upper && !strings.ContainsAny(words, ":/-_.#@=|{}"):
		return false
	case strings.ContainsAny(text, " \t\n`"), strings.HasPrefix(text, "@"), strings.HasPrefix(text, "/"):
		return false
	}
	return !strings.Contains(text, "://") && !slices.Contains(commands, strings.ToLower(text))
}

// outside are packages whose functions are given texts that other programs understand.
var outside = map[string]bool{
	"net/http": true, "net/url": true, "net": true, "time": true, "regexp": true, "os": true, "os/exec": true,
	"database/sql": true, "reflect": true, "path": true, "path/filepath": true, "errors": true, "io/fs": true,
	"crypto/tls": true, "html/template": true, "text/template": true, "github.com/robfig/cron/v3": true,
}

// keyEdits changes the texts of a file that may be parts of keys.
func keyEdits(s *source) []edit {
	var edits []edit
	var above []ast.Node
	ast.Inspect(s.file, func(n ast.Node) bool {
		if n == nil {
			above = above[:len(above)-1]
			return true
		}
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && isText(s, above) && looksLikeKey(body(lit)) {
			edits = append(edits, edit{s.offset(lit.Pos()) + 1, s.offset(lit.End()) - 1, keyText(body(lit))})
		}
		above = append(above, n)
		return true
	})
	return edits
}

// body is what stands between the quotes.
func body(lit *ast.BasicLit) string { return lit.Value[1 : len(lit.Value)-1] }

// isText says whether a literal below these nodes is a text of the program's own.
func isText(s *source, above []ast.Node) bool {
	for _, n := range slices.Backward(above) {
		switch n := n.(type) {
		case *ast.ImportSpec, *ast.Field: // a field's tag
			return false
		case *ast.FuncLit:
			return true
		case *ast.CallExpr:
			return !outside[calleePackage(s, n)]
		}
	}
	return true
}

// calleePackage is the package that what is called is declared in.
func calleePackage(s *source, call *ast.CallExpr) string {
	if fn := callee(s, call); fn != nil && fn.Pkg() != nil {
		return fn.Pkg().Path()
	}
	return ""
}

// callee is the function, method or function-like value that is called.
func callee(s *source, call *ast.CallExpr) types.Object {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return s.pkg.TypesInfo.Uses[fun]
	case *ast.SelectorExpr:
		return s.pkg.TypesInfo.Uses[fun.Sel]
	case *ast.IndexExpr:
		return callee(s, &ast.CallExpr{Fun: fun.X})
	}
	return nil
}
