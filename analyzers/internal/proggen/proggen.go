// Package proggen makes small programs out of bytes: services that take a Redis lock, do something, and give it back, in
// many forms. A program is right by construction, but for one fault if the bytes ask for one. It is for tests.
package proggen

import (
	"fmt"
	"strings"
)

// Program is one package.
type Program struct {
	Text string
	// Fault is the kind of finding that the program deserves, "" if it is right.
	Fault string
}

// faults are the kinds that can be put into a section, each with the change that makes it.
var faults = []struct {
	kind  string
	apply func(*section)
}{
	{"", func(*section) {}},
	{"ownerless-release", func(s *section) { s.release = "return rdb.Del(ctx, key).Err()" }},
	{"nonatomic-release", func(s *section) {
		s.release = "if v, err := rdb.Get(ctx, key).Result(); err != nil || v != owner {\n\treturn err\n}\nreturn rdb.Del(ctx, key).Err()"
	}},
	{"constant-owner", func(s *section) { s.owner = `"holder"` }},
	{"no-ttl", func(s *section) { s.ttl = "0" }},
	{"nonatomic-ttl", func(s *section) { s.ttl, s.late = "0", "30*time.Second" }},
	{"ttl-unit", func(s *section) { s.ttl = "time.Duration(30)" }},
	{"broken-release", func(s *section) { s.script = strings.Replace(s.script, "ARGV[1]", "ARGV[2]", 1) }},
	{"ownerless-extend", func(s *section) {
		s.extend = "prolong_N_(ctx, rdb, key)\n"
		s.keyBody = `return fmt.Sprintf("` + s.prefix + `:%d", id)` // of a key that is one of several, too little is known
	}},
	{"release-not-acquired", func(s *section) {
		s.release, s.form = "return rdb.Del(ctx, key).Err()", strings.Replace(early, "WAY", s.early, 1)
	}},
	{"self-call", func(s *section) {
		s.form = decorator
		s.self = "for _, id := range ids {\nif err := p.Run(ctx, id, name); err != nil {\nreturn err\n}\n}"
	}},
	{"unstable-key", func(s *section) { s.keyBody = `return fmt.Sprintf("` + s.prefix + `:%d:%p", id, &id)` }},
	{"ambiguous-key", func(s *section) { s.keyBody = `return "` + s.prefix + `:" + region + name` }},
}

// Make makes the program of some bytes. Bytes that are missing count as zero.
func Make(data []byte) Program {
	g := &generator{data: data}
	fault := faults[g.pick(len(faults))]
	count := 1 + g.pick(3)
	faulty := g.pick(count)
	g.line(header)
	for i := range count {
		s := g.section(i)
		if i == faulty {
			fault.apply(s)
		}
		g.write(s)
	}
	for i := range g.pick(4) {
		g.line(strings.ReplaceAll(noise[g.pick(len(noise))], "N_", fmt.Sprint(i)))
	}
	g.unlocked(count)
	return Program{g.text.String(), fault.kind}
}

// generator turns bytes into choices and choices into text.
type generator struct {
	data  []byte
	text  strings.Builder
	names int // for local names
	depth int
}

// pick is a choice among n.
func (g *generator) pick(n int) int {
	if len(g.data) == 0 {
		return 0
	}
	b := int(g.data[0])
	g.data = g.data[1:]
	return b % n
}

func (g *generator) maybe() bool { return g.pick(2) == 1 }

// one is one of several texts.
func (g *generator) one(list ...string) string { return list[g.pick(len(list))] }

func (g *generator) line(text string) {
	g.text.WriteString(text)
	g.text.WriteByte('\n')
}

// expand puts the fields of a section, written as NAME, into a text.
func (s *section) expand(text string) string {
	r := strings.NewReplacer("N_", fmt.Sprint(s.n), "OWNER", s.owner, "LEASE", s.ttl, "RELEASE", s.release, "LATE", s.lateText(),
		"EXTEND", s.extend, "SCRIPT", s.script, "KEYBODY", s.keyBody, "BODY", s.body, "SELFCALL", s.self, "CLIENT", s.client)
	return r.Replace(text)
}
