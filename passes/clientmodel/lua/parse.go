package lua

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// maxText is the longest script that is read. Lock scripts have a few hundred bytes.
const maxText = 64 << 10

// chunk is a parsed script.
type chunk = []ast.Stmt

// parseScript parses the text. A fault is returned only where Redis would refuse the script as well.
func parseScript(text string) (chunk, *clientmodel.Fault, bool) {
	if len(text) > maxText {
		return nil, nil, false
	}
	stmts, err := parse.Parse(strings.NewReader(blankShebang(text)), "script")
	if err == nil {
		// The parser also swallows panics that carry no error; then there are no statements.
		return stmts, nil, stmts != nil
	}
	var syntax *parse.Error
	if !errors.As(err, &syntax) || differs.MatchString(text) {
		return nil, nil, false
	}
	return nil, &clientmodel.Fault{Rule: "syntax", Text: syntaxText(syntax)}, false
}

// differs finds what the parser refuses and Redis does not: goto is a name in Lua 5.1, form feeds are blanks there, and
// "--[=" without a second bracket is a plain comment.
var differs = regexp.MustCompile(`\bgoto\b|[\f\v\x00]|--\[=`)

// blankShebang removes the "#!lua flags=..." line that Redis 7 allows, and keeps the line numbers.
func blankShebang(text string) string {
	if !strings.HasPrefix(text, "#!") {
		return text
	}
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		return text[end:]
	}
	return ""
}

// syntaxText words a syntax error on one line.
func syntaxText(err *parse.Error) string {
	message := strings.TrimSpace(err.Message)
	if err.Pos.Line < 0 {
		return "the script does not parse: " + message + " at its end"
	}
	token := err.Token
	if len(token) > 40 {
		token = token[:40]
	}
	return fmt.Sprintf("the script does not parse: %s on line %d near %q", message, err.Pos.Line, token)
}
