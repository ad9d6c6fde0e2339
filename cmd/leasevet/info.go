package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/leasevet/leasevet/internal/kinds"
	"github.com/leasevet/leasevet/internal/report"
)

const helpText = `Leasevet finds misuse of distributed locks in Go programs.

	leasevet [flags] [packages]        check packages, ./... if none are named
	leasevet check [flags] [packages]  the same
	leasevet kinds [-json]             list the kinds of findings
	leasevet version
	leasevet help

Flags of check:
	-C dir              analyse the module in this directory
	-fail-level level   exit with status 1 from this level on: error, warning or note (default warning);
	                    -fail-level=note reports notes, too
	-json               print one JSON object
	-kinds list         report only these kinds, separated by commas
	-level level        report findings from this level on: error, warning or note (default warning)
	-no-color           no colours, also not on a terminal
	-stats              say what the run looked at, why not at all, and what it cost, on stderr
	-tags list          build tags, as the go command takes them
	-tests              check the comments in tests, too (default true; -tests=false leaves tests out);
	                    what tests do with locks is never reported
	-unknowns           list the calls that the analysis could not see through

Examples:
	leasevet ./...
	leasevet -level=note ./internal/...
	leasevet -kinds=ownerless-release,no-ttl -json ./... > findings.json
	go vet -vettool=$(which leasevet) ./...

A finding that is known and meant is marked in the code, above the statement or at the end of its line:
	//leasevet:ignore KIND reason

Exit status: 0 nothing found, 1 findings from -fail-level on, 2 the tool could not do its work.
NO_COLOR turns colours off. COLUMNS is the width to cut source lines to.
`

func (c *command) help() int {
	_, err := fmt.Fprint(c.stdout, helpText)
	return c.wrote(err, clean)
}

// noArguments parses the flags of a subcommand that takes no arguments. It is false where status is final.
func (c *command) noArguments(fs *flag.FlagSet, args []string) (status int, proceed bool) {
	err := parse(fs, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return c.help(), false
	case err == nil && fs.NArg() > 0:
		err = badUsage("%s takes no arguments", fs.Name())
	}
	if err != nil {
		return c.fail(err), false
	}
	return clean, true
}

// kinds lists the kinds of findings.
func (c *command) kinds(args []string) int {
	fs := newFlagSet("kinds")
	asJSON := fs.Bool("json", false, "")
	if status, proceed := c.noArguments(fs, args); !proceed {
		return status
	}
	if *asJSON {
		return c.wrote(report.KindsJSON(c.stdout, kinds.All()), clean)
	}
	_, err := c.stdout.Write(kindsTable(kinds.All()))
	return c.wrote(err, clean)
}

// kindsTable has a block for each analyzer. Kinds that this version does not look for are marked.
func kindsTable(list []kinds.Kind) []byte {
	width := 0
	for _, k := range list {
		width = max(width, len(k.Name))
	}
	var b bytes.Buffer
	analyzer, later := "", false
	for _, k := range list {
		if k.Analyzer != analyzer {
			analyzer = k.Analyzer
			fmt.Fprintf(&b, "%s\n", analyzer)
		}
		mark := " "
		if !k.Implemented {
			mark, later = "*", true
		}
		fmt.Fprintf(&b, " %s %-*s  %-7s  %s\n", mark, width, k.Name, k.Level, k.Text)
	}
	if later {
		b.WriteString("\n* reserved: this version does not look for it\n")
	}
	return b.Bytes()
}

// version tells which leasevet this is, as far as the build knows.
func (c *command) version(args []string) int {
	if status, proceed := c.noArguments(newFlagSet("version"), args); !proceed {
		return status
	}
	info, _ := debug.ReadBuildInfo()
	_, err := fmt.Fprintln(c.stdout, versionText(info))
	return c.wrote(err, clean)
}

func versionText(info *debug.BuildInfo) string {
	if info == nil {
		return "leasevet (unknown version) " + runtime.Version()
	}
	text := []string{"leasevet", info.Main.Version, info.GoVersion}
	if info.Main.Version == "" {
		text[1] = "(unknown version)"
	}
	setting := map[string]string{}
	for _, s := range info.Settings {
		setting[s.Key] = s.Value
	}
	if revision := setting["vcs.revision"]; revision != "" {
		text = append(text, "revision", revision)
	}
	if setting["vcs.modified"] == "true" {
		text = append(text, "(modified)")
	}
	return strings.Join(text, " ")
}
