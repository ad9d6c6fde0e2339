package lua

import (
	"fmt"
	"strings"

	"github.com/leasevet/leasevet/passes/clientmodel"
)

// render writes a script's reading as lines that a table of tests can hold.
func render(s Script) []string {
	var lines []string
	for _, e := range s.Effects {
		lines = append(lines, renderEffect(e))
	}
	for _, f := range s.Faults {
		lines = append(lines, "fault "+f.Rule)
	}
	if s.Unknown {
		lines = append(lines, "unknown")
	}
	if s.Counts {
		lines = append(lines, "counts")
	}
	return lines
}

func renderEffect(e Effect) string {
	words := []string{e.Op.String(), e.Key.String()}
	if e.Value.Kind != None {
		words = append(words, "= "+e.Value.String())
	}
	if e.HasTTL {
		words = append(words, "ttl "+e.TTL.String()+unitName(e.Unit))
	}
	words = append(words, guardName(e.Guard)...)
	for _, flag := range []struct {
		on   bool
		word string
	}{{e.Maybe, "maybe"}, {e.Reentrant, "reentrant"}, {e.Never, "never"}} {
		if flag.on {
			words = append(words, flag.word)
		}
	}
	words = append(words, renderReplies("yes", e.Done)...)
	words = append(words, renderReplies("no", e.Not)...)
	for _, f := range e.Faults {
		words = append(words, "!"+f.Rule)
	}
	return strings.Join(words, " ")
}

func unitName(u clientmodel.Unit) string {
	return map[clientmodel.Unit]string{
		clientmodel.Seconds: "s", clientmodel.Millis: "ms", clientmodel.UnixSeconds: "us", clientmodel.UnixMillis: "ums",
	}[u]
}

func guardName(g clientmodel.Guarantee) []string {
	switch g {
	case clientmodel.Unchecked:
		return []string{"unchecked"}
	case clientmodel.Atomic:
		return []string{"atomic"}
	}
	return nil
}

func renderReplies(word string, list []Reply) []string {
	if len(list) == 0 {
		return nil
	}
	return []string{word + fmt.Sprint(list)}
}
