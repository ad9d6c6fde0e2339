// EXPECT-NONE

package onespelling

import (
	"strconv"
)

// The prefixes, each spelled here and nowhere else.
const (
	tramPrefix  = "tram:line:"
	depotKey    = "tram-depot"
	trackPrefix = "track:weld:"
)

func tramKey(line int64) string { return tramPrefix + strconv.FormatInt(line, 10) }

func tramTextKey(line string) string { return tramPrefix + line }

// trackKey and trackNightKey begin alike and go on differently.
func trackKey(track int64) string { return trackPrefix + strconv.FormatInt(track, 10) }

func trackNightKey(track int64) string { return trackPrefix + "night:" + strconv.FormatInt(track, 10) }
