package lockfacts

import "github.com/leasevet/leasevet/passes/keyterm"

// What could not be seen through is counted by reason, each place once: functions are visited more than once.

type unknownAt struct {
	reason string
	pos    keyterm.Pos
}

func (u *unit) unknown(reason string, pos keyterm.Pos) {
	if u.counted == nil {
		u.counted = map[unknownAt]bool{}
	}
	if at := (unknownAt{reason, pos}); !u.counted[at] {
		u.counted[at] = true
		u.Unknowns[reason]++
	}
}

// countTTLs counts the locks of this package whose TTL nothing is known of.
func (u *unit) countTTLs() {
	for _, o := range u.ownEvents() {
		if e := o.e; e.Op.Acquires() && e.HasTTL && (e.Proven || e.Closed) && u.resolve(e.TTL).Op == keyterm.Unknown {
			u.unknown("TTL of a lock not found", e.At.Pos)
		}
	}
}
