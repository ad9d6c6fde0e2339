// EXPECT-NONE

// Package stables keeps the horses of a riding school.
package stables

import (
	"fmt"
)

// HorseKey is held while a horse is out.
func HorseKey(horse int64) string { return fmt.Sprintf("riding:horse:%d", horse) }

// HouseKey is held while a stable is cleaned.
func HouseKey(house int64) string { return fmt.Sprintf("riding:house:%d", house) }
