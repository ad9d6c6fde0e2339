package rewrite

import "strings"

// Two fixed permutations of the alphabet. Being permutations, they keep different names different, and texts as far
// apart as they were.
const (
	alphabet  = "abcdefghijklmnopqrstuvwxyz"
	nameCodes = "qkzvxwjpouhtmyencdgbrlsaif"
	// keyCodes leaves the s alone, so that a plural stays one.
	keyCodes = "oxvtkzqmuwjrbcydhpsfgianle"
)

// code replaces letters by a permutation and keeps their case; everything else stays.
func code(codes, text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return rune(codes[r-'a'])
		case 'A' <= r && r <= 'Z':
			return rune(codes[r-'A']) - 'a' + 'A'
		}
		return r
	}, text)
}

// namer invents names. The suffix makes sure that none of them is there already.
type namer struct{ suffix string }

// newNamer looks for a suffix that makes all new names new.
func newNamer(taken map[string]bool) namer {
	n := namer{suffix: "Q"}
	for n.clashes(taken) {
		n.suffix += "z"
	}
	return n
}

func (n namer) clashes(taken map[string]bool) bool {
	for name := range taken {
		if taken[n.name(name)] {
			return true
		}
	}
	return false
}

// name is the new name for a name: exported if that one is, and different for different names.
func (n namer) name(old string) string { return code(nameCodes, old) + n.suffix }
