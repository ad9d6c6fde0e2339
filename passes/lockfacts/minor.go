package lockfacts

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/lockflow"
)

// minor reports whether a call is no work: it logs, measures, computes, waits, or prepares a client's command.
func minor(c *ssa.CallCommon) bool {
	if _, ok := c.Value.(*ssa.Builtin); ok {
		return true
	}
	if logs(c) {
		return true
	}
	path := calleePackage(c)
	switch {
	case path == "":
		return c.Method != nil // a method of the universe: error
	case minorPackages[path]:
		return true
	}
	if clientmodel.IsClient(path) && !hasCommand(c) {
		return true
	}
	for _, p := range []string{"encoding/", "crypto/", "hash/", "go.opentelemetry.io/", "github.com/prometheus/", "math/"} {
		if strings.HasPrefix(path, p) {
			return true
		}
	}
	return false
}

// hasCommand reports whether a client's function sends something.
func hasCommand(c *ssa.CallCommon) bool {
	obj := c.Method
	if fn := c.StaticCallee(); fn != nil {
		obj, _ = fn.Object().(*types.Func)
	}
	row, ok := clientmodel.Lookup(obj)
	return !ok || row.Commands != nil || len(row.Runs) > 0
}

var minorPackages = map[string]bool{
	"context": true, "errors": true, "fmt": true, "strings": true, "strconv": true, "sync": true, "sync/atomic": true,
	"math": true, "sort": true, "slices": true, "maps": true, "bytes": true, "unicode": true, "reflect": true, "runtime": true,
	"path": true, "time": true, "regexp": true, "cmp": true, "unicode/utf8": true, "hash": true, "runtime/debug": true,
	"github.com/google/uuid": true, "github.com/pkg/errors": true, "testing": true,
}

// calleePackage is the import path of the package of what is called, "" for a function value.
func calleePackage(c *ssa.CallCommon) string {
	if c.IsInvoke() {
		if p := c.Method.Pkg(); p != nil {
			return p.Path()
		}
		return ""
	}
	fn := c.StaticCallee()
	if fn == nil {
		return "-"
	}
	if obj, ok := fn.Object().(*types.Func); ok && obj.Pkg() != nil {
		return obj.Pkg().Path()
	}
	return "-"
}

// logs reports whether a call writes a log line: by the package, the type or the function's name.
func logs(c *ssa.CallCommon) bool {
	path := calleePackage(c)
	if path == "log" || path == "log/slog" || strings.Contains(path[strings.LastIndexByte(path, '/')+1:], "log") ||
		strings.HasPrefix(path, "go.uber.org/zap") || strings.Contains(path, "logr") {
		return true
	}
	name := calleeName(c)
	if path == "fmt" {
		return strings.HasPrefix(name, "fmt.Print") || strings.HasPrefix(name, "fmt.Fprint")
	}
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		recv := name[:i]
		recv = strings.ToLower(recv[strings.LastIndexByte(recv, '.')+1:])
		return strings.Contains(recv, "logger") || recv == "log)" || loggingNames[strings.ToLower(name[i+1:])]
	}
	return false
}

var loggingNames = map[string]bool{
	"log": true, "logf": true, "warnf": true, "infof": true, "debugf": true, "errorf": true, "warn": true, "warning": true,
	"warningf": true, "logerror": true, "logerr": true, "logwarn": true, "printf": true, "println": true,
}

// onlyAsks reports whether a call is of a small function of the package that does nothing but compute a bool or an error.
func (u *unit) onlyAsks(c *ssa.Call, depth int) bool {
	callee := c.Call.StaticCallee()
	if callee == nil || depth > 2 {
		return false
	}
	fn := u.target(callee)
	r := fn.Signature.Results()
	if len(fn.Blocks) == 0 || len(fn.Blocks) > maxInlinedBlocks || r.Len() != 1 || !isBool(r.At(0).Type()) && !lockflow.IsError(r.At(0).Type()) {
		return false
	}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if !u.asksOnly(i, depth) {
				return false
			}
		}
	}
	return true
}

func (u *unit) asksOnly(i ssa.Instruction, depth int) bool {
	switch i := i.(type) {
	case *ssa.Call:
		return minor(&i.Call) || u.onlyAsks(i, depth+1)
	case *ssa.Go, *ssa.Defer, *ssa.Send, *ssa.MapUpdate, *ssa.Select, *ssa.Panic:
		return false
	case *ssa.Store:
		_, local := i.Addr.(*ssa.Alloc)
		return local || variadicStore(i)
	}
	return true
}
