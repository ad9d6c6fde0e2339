// Golangci-leasevet is golangci-lint with leasevet linked in, for those who want one program. How to turn the linter on
// is said in package analyzers/golangci.
//
// It is a module of its own so that the dependencies of golangci-lint, hundreds of modules, stay out of leasevet's.
package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"slices"

	"github.com/golangci/golangci-lint/v2/pkg/commands"
	"github.com/golangci/golangci-lint/v2/pkg/exitcodes"

	_ "github.com/leasevet/leasevet/analyzers/golangci" // registers the linter
)

func main() {
	if err := commands.Execute(buildInfo()); err != nil {
		fmt.Fprintln(os.Stderr, "golangci-leasevet:", err)
		os.Exit(exitcodes.Failure)
	}
}

// buildInfo is what the version command shows. The version has to be "(devel)": golangci-lint keeps results by version,
// so that with any other text the results of an older leasevet would be shown for the newer one. For "(devel)" it looks
// at the program itself.
func buildInfo() commands.BuildInfo {
	info := commands.BuildInfo{Version: "(devel)", Commit: "unknown", Date: "unknown"}
	if build, ok := debug.ReadBuildInfo(); ok {
		info.GoVersion = build.GoVersion
		info.Commit = "golangci-lint " + version(build, "github.com/golangci/golangci-lint/v2")
	}
	return info
}

// version is the version of a module that is linked in.
func version(build *debug.BuildInfo, path string) string {
	i := slices.IndexFunc(build.Deps, func(m *debug.Module) bool { return m.Path == path })
	if i < 0 {
		return "unknown"
	}
	return build.Deps[i].Version
}
