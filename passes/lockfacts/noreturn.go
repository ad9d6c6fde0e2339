package lockfacts

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// Whether a call returns at all decides what a path does: a branch that ends in log.Fatal holds no lock afterwards. It is
// computed for the functions of this package, comes as a fact for imported ones, and as a table for the libraries that
// are not analysed.

// endings are functions that end the process or the goroutine, by full name.
var endings = map[string]bool{
	"os.Exit": true, "runtime.Goexit": true, "syscall.Exit": true,
	"log.Fatal": true, "log.Fatalf": true, "log.Fatalln": true, "log.Panic": true, "log.Panicf": true, "log.Panicln": true,
	"(*log.Logger).Fatal": true, "(*log.Logger).Fatalf": true, "(*log.Logger).Fatalln": true,
	"(*log.Logger).Panic": true, "(*log.Logger).Panicf": true, "(*log.Logger).Panicln": true,
	"(*testing.common).Fatal": true, "(*testing.common).Fatalf": true, "(*testing.common).FailNow": true,
	"(*testing.common).Skip": true, "(*testing.common).Skipf": true, "(*testing.common).SkipNow": true,
}

// endingLoggers are logging libraries whose functions and methods of these names end the process or panic.
var (
	endingLoggers = []string{"go.uber.org/zap", "github.com/sirupsen/logrus", "k8s.io/klog", "github.com/golang/glog"}
	endingNames   = map[string]bool{
		"Fatal": true, "Fatalf": true, "Fatalln": true, "Fatalw": true, "FatalDepth": true, "Exit": true, "Exitf": true,
		"Panic": true, "Panicf": true, "Panicln": true, "Panicw": true,
	}
)

// noReturn reports whether a call certainly does not return.
func (u *unit) noReturn(c ssa.CallInstruction) bool {
	if _, ok := c.(*ssa.Call); !ok {
		return false
	}
	name := u.spell.callee(c.Common())
	if name == "" || endings[name] || loggerEnds(name) {
		return name != ""
	}
	fn := c.Common().StaticCallee()
	if fn == nil {
		return false
	}
	if len(fn.Blocks) == 0 {
		s := u.funcs[name]
		return s != nil && s.NoReturn
	}
	return u.neverReturns(fn)
}

func loggerEnds(name string) bool {
	if !endingNames[name[strings.LastIndexByte(name, '.')+1:]] {
		return false
	}
	path := strings.TrimLeft(name, "(*")
	for _, l := range endingLoggers {
		if rest, ok := strings.CutPrefix(path, l); ok && rest != "" && (rest[0] == '.' || rest[0] == '/') {
			return true
		}
	}
	return false
}

// neverReturns is true for a function of this unit from whose entry no return can be reached. One that may recover from
// a panic returns. A function that is asked for while it is being looked at counts as returning.
func (u *unit) neverReturns(fn *ssa.Function) bool {
	if never, ok := u.never[fn]; ok {
		return never
	}
	if u.never == nil {
		u.never = map[*ssa.Function]bool{}
	}
	u.never[fn] = false
	u.never[fn] = fn.Recover == nil && len(fn.Blocks) > 0 && !u.reachesReturn(fn.Blocks[0], map[*ssa.BasicBlock]bool{})
	return u.never[fn]
}

// reachesReturn reports whether some path from the block gets to a return.
func (u *unit) reachesReturn(b *ssa.BasicBlock, seen map[*ssa.BasicBlock]bool) bool {
	if seen[b] {
		return false
	}
	seen[b] = true
	for _, i := range b.Instrs {
		switch i := i.(type) {
		case *ssa.Return:
			return true
		case ssa.CallInstruction:
			if u.noReturn(i) {
				return false
			}
		}
	}
	for _, next := range b.Succs {
		if u.reachesReturn(next, seen) {
			return true
		}
	}
	return false
}

// endsProcess reports whether some function ends with a call of one of the endings: it may be what the program calls when
// it gives up. Syntax only.
func endsProcess(pass *analysis.Pass) bool {
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil || fn.Name.Name == "main" || len(fn.Body.List) == 0 {
				continue
			}
			last, ok := fn.Body.List[len(fn.Body.List)-1].(*ast.ExprStmt)
			if !ok {
				continue
			}
			if call, ok := last.X.(*ast.CallExpr); ok && endsCall(pass, call) {
				return true
			}
		}
	}
	return false
}

func endsCall(pass *analysis.Pass, call *ast.CallExpr) bool {
	var id *ast.Ident
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.SelectorExpr:
		id = fun.Sel
	case *ast.Ident:
		id = fun
	default:
		return false
	}
	switch obj := pass.TypesInfo.Uses[id].(type) {
	case *types.Builtin:
		return obj.Name() == "panic"
	case *types.Func:
		return endings[obj.FullName()] || loggerEnds(obj.FullName())
	}
	return false
}
