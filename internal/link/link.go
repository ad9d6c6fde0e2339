// Package link tells units what only the whole program knows: which types it uses as which interfaces, and which
// functions somebody else wraps in a lock.
//
// A unit is analysed without the link first. From what all units exported, the link works out which units would see
// more with the knowledge of the others, and hands it to them as a lockfacts.Program; the driver analyses those units
// again. What is found only then is a program finding.
package link

import (
	"github.com/leasevet/leasevet/internal/driver"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// Plan says which packages are to be analysed again, and with what knowledge.
func Plan(units []driver.Unit) map[string]*lockfacts.Program {
	return nil
}
