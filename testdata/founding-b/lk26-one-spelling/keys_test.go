// EXPECT-NONE

package onespelling

import (
	"testing"
)

// The names must not change while old replicas run; a test may spell them.
func TestKeysStayAsTheyAre(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{tramKey(7), "tram:line:7"},
		{tramTextKey("7"), "tram:line:7"},
		{trackKey(3), "track:weld:3"},
		{trackNightKey(3), "track:weld:night:3"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}
