package judge

import (
	"strconv"
	"time"

	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
)

// Duration is the TTL that a constant term in the given unit stands for.
func Duration(t keyterm.Term, u clientmodel.Unit) (time.Duration, bool) {
	t = t.Strip()
	if t.Op != keyterm.Const || t.Text == "" && t.Index != 1 {
		return 0, false
	}
	n, err := strconv.ParseInt(t.Text, 10, 64)
	if t.Text == "" && t.Index == 1 {
		n, err = 0, nil
	}
	if err != nil {
		return 0, false
	}
	scale := map[clientmodel.Unit]time.Duration{
		clientmodel.Duration: 1, clientmodel.NoUnit: 1, clientmodel.Seconds: time.Second, clientmodel.Millis: time.Millisecond,
	}[u]
	if scale == 0 || n > int64(1<<62)/int64(scale) {
		return 0, false
	}
	return time.Duration(n) * scale, true
}
