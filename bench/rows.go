package main

import (
	"fmt"
	"os"
	"os/exec"
)

// rows lists what is compared. The first is the floor: what it costs to have a module listed and its types at hand,
// without looking at a line of it.
func rows(dir string, b *builder) []row {
	goCommand := func(args ...string) func() (*exec.Cmd, error) {
		return func() (*exec.Cmd, error) { return in(dir, "go", args...), nil }
	}
	return []row{
		{title: "`go list -export -deps ./...`", note: "the floor: build cache warm", command: goCommand("list", "-export", "-deps", "./..."), prepare: true},
		{title: "`leasevet ./...`", note: "cold: it keeps no cache", command: withTool(dir, b, false, func(tool string) []string {
			return []string{tool, "./..."}
		}), findings: true},
		{title: "`go vet -vettool=leasevet ./...`", note: "cold: a tool never seen before", command: withTool(dir, b, true, vetTool), prepare: true, findings: true},
		{title: "`go vet -vettool=leasevet ./...`", note: "warm: nothing changed", command: withTool(dir, b, false, vetTool), prepare: true, findings: true},
		{title: "`go vet ./...`", note: "cold: a flag never given before", command: coldVet(dir), prepare: true, findings: true},
		{title: "`go vet ./...`", note: "warm: nothing changed", command: goCommand("vet", "./..."), prepare: true, findings: true},
	}
}

// vetTool is the command line that runs a tool under go vet.
func vetTool(tool string) []string { return []string{"go", "vet", "-vettool=" + tool, "./..."} }

// withTool runs a command line that leasevet is part of: a new build each time, or the same one for all runs.
func withTool(dir string, b *builder, fresh bool, line func(tool string) []string) func() (*exec.Cmd, error) {
	var tool string
	return func() (*exec.Cmd, error) {
		if tool == "" || fresh {
			built, err := b.fresh()
			if err != nil {
				return nil, err
			}
			tool = built
		}
		args := line(tool)
		return in(dir, args[0], args[1:]...), nil
	}
}

// coldVet changes a flag of no consequence, of which go vet has no cached result.
func coldVet(dir string) func() (*exec.Cmd, error) {
	count := 0
	return func() (*exec.Cmd, error) {
		count++
		unseen := fmt.Sprintf("-printf.funcs=neverCalled%dx%d", os.Getpid(), count)
		return in(dir, "go", "vet", unseen, "./..."), nil
	}
}

// in is a command that runs in dir.
func in(dir, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	return cmd
}
