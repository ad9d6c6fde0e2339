package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/internal/kinds"
)

// options are the flags of check.
type options struct {
	json, tests, unknowns, stats, noColor bool

	level, failLevel finding.Level
	kinds            []string // "kind" or "kind/rule"; none for all
	dir, tags        string
	patterns         []string
}

// parseCheck reads the command line of check. The error is flag.ErrHelp where it asks for help.
func parseCheck(args []string) (*options, error) {
	o := &options{}
	fs := checkFlags(o)
	if err := parse(fs, args); err != nil {
		return nil, err
	}
	o.patterns = fs.Args()
	o.settleLevels()
	return o, nil
}

// checkFlags are the flags of check. What they mean stands in the help text.
func checkFlags(o *options) *flag.FlagSet {
	fs := newFlagSet("check")
	fs.BoolVar(&o.json, "json", false, "")
	fs.BoolVar(&o.tests, "tests", true, "")
	fs.BoolVar(&o.unknowns, "unknowns", false, "")
	fs.BoolVar(&o.stats, "stats", false, "")
	fs.BoolVar(&o.noColor, "no-color", false, "")
	fs.StringVar(&o.dir, "C", "", "")
	fs.StringVar(&o.tags, "tags", "", "")
	fs.Func("fail-level", "", func(s string) error { return setLevel(&o.failLevel, s) })
	chooseFlags(fs, o)
	return fs
}

// chooseFlags are the flags that say which findings to show. They have a description, because go vet shows it.
func chooseFlags(fs *flag.FlagSet, o *options) {
	fs.Func("level", "report findings from this level on: error, warning or note", func(s string) error {
		return setLevel(&o.level, s)
	})
	fs.Func("kinds", "report only these kinds, separated by commas", func(s string) error {
		return addKinds(&o.kinds, s)
	})
}

// settleLevels gives the levels that are not set their defaults. What is to fail has to be shown, too.
func (o *options) settleLevels() {
	if o.failLevel == "" {
		o.failLevel = finding.Warning
	}
	if o.level == "" {
		o.level = finding.Warning
		if o.failLevel.Rank() < o.level.Rank() {
			o.level = o.failLevel
		}
	}
}

func newFlagSet(name string) *flag.FlagSet {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(io.Discard) // run prints errors, and help is written by hand
	return fs
}

// parse runs a flag set over args and makes its errors ours.
func parse(fs *flag.FlagSet, args []string) error {
	err := fs.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return err
	case err != nil:
		return badUsage("%v", err)
	}
	for _, arg := range fs.Args() {
		if strings.HasPrefix(arg, "-") {
			return badUsage("flags go before packages: %s", arg)
		}
	}
	return nil
}

func setLevel(l *finding.Level, s string) error {
	if *l = finding.Level(s); l.Rank() == 0 {
		return errors.New("the levels are error, warning and note")
	}
	return nil
}

// addKinds takes a list of kinds, each with a rule or without.
func addKinds(list *[]string, s string) error {
	for item := range strings.SplitSeq(s, ",") {
		item = strings.TrimSpace(item)
		name, _, _ := strings.Cut(item, "/")
		_, known := kinds.Find(name)
		switch near := kinds.Nearest(name); {
		case !known && near != "":
			return fmt.Errorf("unknown kind %q, did you mean %q?", name, near)
		case !known:
			return fmt.Errorf("unknown kind %q, leasevet kinds lists them", name)
		}
		*list = append(*list, item)
	}
	return nil
}

// reserved lists the kinds that are asked for and that this version does not look for.
func (o *options) reserved() []string {
	var names []string
	for _, item := range o.kinds {
		name, _, _ := strings.Cut(item, "/")
		if k, _ := kinds.Find(name); !k.Implemented {
			names = append(names, name)
		}
	}
	return names
}
