// EXPECT-NONE

// Package feed orders hay, and the forms for it.
package feed

import (
	"strconv"
)

// FarmKey is held while a farm is asked for hay.
func FarmKey(farm int64) string { return "hay-farm/" + strconv.FormatInt(farm, 10) }

// FormKey is held while the form of an order is printed.
func FormKey(form int64) string { return "hay-form/" + strconv.FormatInt(form, 10) }
