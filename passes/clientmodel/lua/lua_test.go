package lua

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/yuin/gopher-lua/ast"
)

func TestScripts(t *testing.T) {
	names := map[string]bool{}
	for _, s := range scripts {
		t.Run(s.name, func(t *testing.T) {
			if got := render(Read(s.text)); !slices.Equal(got, s.want) {
				t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(s.want, "\n\t"))
			}
		})
		if names[s.name] {
			t.Errorf("two scripts are named %q", s.name)
		}
		names[s.name] = true
	}
}

// TestRewritten renames every local variable, turns the quotes around, changes the case of what Redis does not
// distinguish and spreads the script over many lines. None of that may change the reading.
func TestRewritten(t *testing.T) {
	changed := 0
	for _, s := range scripts {
		stmts, fault, ok := parseScript(s.text)
		if fault != nil || !ok || strings.HasPrefix(s.text, "#!") {
			continue
		}
		other := rewrite(s.text, locals(stmts))
		if other != s.text {
			changed++
		}
		if got, want := render(Read(other)), render(Read(s.text)); !slices.Equal(got, want) {
			t.Errorf("%s: rewritten as\n%s\ngives\n\t%v\nand not\n\t%v", s.name, other, got, want)
		}
	}
	if changed < 100 {
		t.Errorf("only %d scripts were changed", changed)
	}
}

func TestDeterministic(t *testing.T) {
	for _, s := range scripts {
		first := Read(s.text)
		for range 5 {
			if again := Read(s.text); !reflect.DeepEqual(first, again) {
				t.Fatalf("%s: read as\n%+v\nand then as\n%+v", s.name, first, again)
			}
		}
	}
}

func TestIndexes(t *testing.T) {
	tests := []struct {
		text    string
		keys    int
		args    int
		dynamic bool
	}{
		{`return redis.call('set', KEYS[2], ARGV[3])`, 2, 3, false},
		{`local ttl = ARGV[3] or 30 return redis.call('set', KEYS[1], ARGV[1], 'EX', ttl)`, 1, 1, false},
		{`local ttl = tonumber(ARGV[3]) or 30 return redis.call('set', KEYS[1], ARGV[2], 'EX', ttl)`, 1, 2, false},
		{`if ARGV[2] ~= nil then redis.call('expire', KEYS[1], ARGV[2]) end return ARGV[1]`, 1, 1, false},
		{`if redis.call('get', KEYS[1]) == ARGV[2] then return 1 end return ARGV[1]`, 1, 2, false},
		{`for i = 1, #KEYS do redis.call('del', KEYS[i]) end`, 0, 0, true},
		{`for i = 1, 3 do redis.call('del', KEYS[i]) end`, 3, 0, false},
		{`for i, k in ipairs(KEYS) do redis.call('set', k, ARGV[i]) end`, 0, 0, true},
		{`return redis.call('del', unpack(KEYS))`, 0, 0, true},
		{`local n = tonumber(ARGV[1]) return redis.call('del', KEYS[n])`, 0, 1, true},
		{`local function never() return KEYS[9] end return KEYS[1]`, 1, 0, false},
		{`if #ARGV == 2 then return ARGV[2] end return ARGV[1]`, 0, 2, true},
	}
	for _, tt := range tests {
		s := Read(tt.text)
		if s.Keys != tt.keys || s.Args != tt.args || s.Dynamic != tt.dynamic {
			t.Errorf("%s\n\tgot keys %d, args %d, dynamic %v; want %d, %d, %v",
				tt.text, s.Keys, s.Args, s.Dynamic, tt.keys, tt.args, tt.dynamic)
		}
	}
}

func TestFaultTexts(t *testing.T) {
	tests := []struct{ text, rule, part string }{
		{"local x = 1\nif x then\nreturn x", "syntax", "at its end"},
		{"local x = 1\nreturn x)", "syntax", `on line 2 near ")"`},
		{`return redis.call('del', KEYS[0])`, "key-index-zero", "KEYS[0]"},
		{`return redis.call('get', Keys[1])`, "unknown-global", "spelled KEYS"},
		{`count = 1 return count`, "global-write", "count"},
		{`function f() return 1 end return f()`, "global-write", "variable f"},
	}
	for _, tt := range tests {
		i := slices.IndexFunc(Read(tt.text).Faults, func(f clientmodel.Fault) bool {
			return f.Rule == tt.rule && strings.Contains(f.Text, tt.part) && !strings.HasSuffix(f.Text, ".")
		})
		if i < 0 {
			t.Errorf("%q: no fault %s with %q in %v", tt.text, tt.rule, tt.part, Read(tt.text).Faults)
		}
	}
}

// TestNoSyntaxFault has scripts that Redis runs and that the parser below does not take.
func TestNoSyntaxFault(t *testing.T) {
	for _, text := range []string{
		"local goto = 1 return goto",
		"--[=x a comment\nreturn 1",
		"local a = 1\f return a",
	} {
		if s := Read(text); !s.Unknown || len(s.Faults) > 0 {
			t.Errorf("%q: %+v", text, s)
		}
	}
}

// TestLimits has scripts that grow without end in one way each. The reader must be done at once and say unknown.
func TestLimits(t *testing.T) {
	tests := map[string]string{
		"length":      strings.Repeat(" ", maxText) + "return 1",
		"brackets":    "return " + strings.Repeat("(", 9000) + "1" + strings.Repeat(")", 9000) + " + #KEYS" + strings.Repeat(" + 1", 9000),
		"nots":        "return " + strings.Repeat("not ", 12000) + "1",
		"sum":         "return " + strings.Repeat("1 + ", 15000) + "1",
		"concat":      "return " + strings.Repeat("KEYS[1] .. ", 5000) + "'x'",
		"blocks":      strings.Repeat("do ", 5000) + strings.Repeat("end ", 5000),
		"ifs":         strings.Repeat("if KEYS[1] then ", 2000) + strings.Repeat("end ", 2000),
		"elseifs":     "if ARGV[1] == 'a' then" + strings.Repeat(" elseif ARGV[1] == 'b' then return 1", 1500) + " end",
		"paths":       branches(40),
		"conditions":  branches(1000),
		"rounds":      "for a = 1, 8 do for b = 1, 8 do for c = 1, 8 do for d = 1, 8 do for e = 1, 8 do for f = 1, 8 do local x = a * b end end end end end end",
		"tables":      "return " + strings.Repeat("{", 5000) + strings.Repeat("}", 5000),
		"fan":         "local function f(n) return f(n) + f(n) + f(n) end return f(1)",
		"commands":    strings.Repeat("redis.call('set', KEYS[1], ARGV[1]) ", 1200),
		"quick loops": strings.Repeat("while true do ", 3000) + strings.Repeat("end ", 3000),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			s := Read(text)
			if !s.Unknown && name != "commands" {
				t.Errorf("not unknown: %v", render(s))
			}
			if d := time.Since(start); d > 2*time.Second {
				t.Errorf("took %v", d)
			}
		})
	}
}

// branches makes a script with n questions in a row.
func branches(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "if ARGV[1] == '%d' .. ARGV[2] then redis.call('del', KEYS[%d]) end\n", i, i%3+1)
	}
	return b.String()
}

// TestGrowth has scripts whose values double in every line. They are read, within their limits.
func TestGrowth(t *testing.T) {
	for _, text := range []string{
		"local s = KEYS[1] " + strings.Repeat("s = s .. s ", 60) + "return redis.call('del', s)",
		"local s = 'x' " + strings.Repeat("s = s .. s ", 60) + "return redis.call('del', s)",
		"local s = #KEYS " + strings.Repeat("s = s + s ", 60) + "return redis.call('expire', KEYS[1], s)",
		"local s = {KEYS} " + strings.Repeat("s = {s, s} ", 60) + "return redis.call('del', KEYS[1])",
	} {
		if s := Read(text); len(s.Effects) != 1 || len(fmt.Sprint(s)) > 8*maxStrLen {
			t.Errorf("%.40q: %d effects", text, len(s.Effects))
		}
	}
}

// FuzzRead checks that no text makes the reader panic (Read would answer with nothing but unknown), go on for long, or
// contradict itself.
func FuzzRead(f *testing.F) {
	for _, s := range scripts {
		f.Add(s.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if stmts, _, ok := parseScript(text); ok {
			readChunk(stmts) // not Read, which would hide a panic
		}
		start := time.Now()
		s := Read(text)
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("took %v", d)
		}
		if again := Read(text); !reflect.DeepEqual(s, again) {
			t.Errorf("read as %+v and as %+v", s, again)
		}
		for _, e := range s.Effects {
			checkEffect(t, e)
		}
	})
}

// checkEffect checks what holds for every effect.
func checkEffect(t *testing.T, e Effect) {
	if e.Key.Kind == None {
		t.Errorf("no key: %s", renderEffect(e))
	}
	compares := e.Op == clientmodel.CompareAndDelete || e.Op == clientmodel.CompareAndExpire
	if compares != (e.Guard == clientmodel.Atomic) && e.Op != clientmodel.CompareAndSet {
		t.Errorf("guard does not fit: %s", renderEffect(e))
	}
	if (e.HasTTL && e.TTL.Kind == None) || (!e.HasTTL && e.TTL.Kind != None) {
		t.Errorf("TTL does not fit: %s", renderEffect(e))
	}
	if slices.ContainsFunc(e.Done, func(r Reply) bool { return slices.ContainsFunc(e.Not, r.overlaps) }) {
		t.Errorf("a reply means both: %s", renderEffect(e))
	}
}

// locals lists the names that a script declares.
func locals(stmts []ast.Stmt) []string {
	var names []string
	visit(reflect.ValueOf(stmts), &names)
	return names
}

// visit walks the syntax tree by reflection: any node with names declares them.
func visit(v reflect.Value, names *[]string) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() {
			visit(v.Elem(), names)
		}
	case reflect.Slice:
		for i := range v.Len() {
			visit(v.Index(i), names)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			switch f := v.Type().Field(i); {
			case f.Name == "Names":
				*names = append(*names, v.Field(i).Interface().([]string)...)
			case f.Name == "Name" && v.Field(i).Kind() == reflect.String:
				*names = append(*names, v.Field(i).String())
			case f.IsExported():
				visit(v.Field(i), names)
			}
		}
	}
}

// rewrite changes what does not matter in a script.
func rewrite(text string, names []string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		c := text[i]
		end := i + 1
		switch {
		case c == '\'' || c == '"':
			for text[end] != c {
				end++
			}
			end++
			b.WriteString(requote(text[i+1:end-1], c))
		case isLetter(c):
			for end < len(text) && (isLetter(text[end]) || text[end] >= '0' && text[end] <= '9') {
				end++
			}
			word := text[i:end]
			if slices.Contains(names, word) && (i == 0 || text[i-1] != '.') {
				word = "Q_" + strings.ToUpper(word)
			}
			b.WriteString(word)
		case c == '(' || c == ',':
			b.WriteString(string(c) + " -- (KEYS[1]\n\t")
		default:
			b.WriteByte(c)
		}
		i = end
	}
	return b.String()
}

// requote turns quotes around, and commands and options from one case to the other.
func requote(text string, quote byte) string {
	other := "'"
	if quote == '\'' {
		other = `"`
	}
	switch text {
	case "get", "set", "del", "pexpire", "expire", "setnx", "nx", "px", "exists", "hset", "hget", "hexists", "hincrby", "incr":
		text = strings.ToUpper(text)
	case "GET", "SET", "DEL", "PEXPIRE", "EXPIRE", "SETNX", "NX", "PX", "EX", "XX", "HGET", "ZADD", "INCR":
		text = strings.ToLower(text)
	}
	return other + text + other
}

func isLetter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
