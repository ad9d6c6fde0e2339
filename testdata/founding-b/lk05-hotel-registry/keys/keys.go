// EXPECT-NONE

// Package keys is the registry: every lock of the hotel is spelled here.
package keys

import (
	"strconv"
)

// Name is a complete lock name.
type Name struct{ text string }

// String is what Redis sees.
func (n Name) String() string { return n.text }

// The kinds of things that are locked.
const (
	suite   = "{hotel:suite:"
	minibar = "{hotel:minibar:"
	laundry = "{hotel:laundry:"
)

func name(kind string, id int64) Name { return Name{kind + strconv.FormatInt(id, 10) + "}"} }

// Suite is held while a suite is given to a guest.
func Suite(id int64) Name { return name(suite, id) }

// Minibar is held while a minibar is filled or charged.
func Minibar(id int64) Name { return name(minibar, id) }

// Bag is a bag of laundry.
type Bag int64

// LockName is held while a bag is washed.
func (b Bag) LockName() Name { return name(laundry, int64(b)) }
