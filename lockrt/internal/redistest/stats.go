package redistest

import (
	"strconv"
	"strings"
)

// counted are the commands that lockrt's clients send. INFO also counts the commands inside scripts (GET, SET, PUBLISH),
// and a TTL or GET that a test sends itself; they are not in the list.
var counted = map[string]bool{
	"evalsha": true, "eval": true, "subscribe": true, "ping": true, "script|load": true, "wait": true,
}

func countCommands(info string) int64 {
	var n int64
	for _, line := range strings.Split(info, "\n") {
		name, rest, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "cmdstat_"), ":calls=")
		if !ok || !counted[name] {
			continue
		}
		calls, _, _ := strings.Cut(rest, ",")
		v, _ := strconv.ParseInt(calls, 10, 64)
		n += v
	}
	return n
}
