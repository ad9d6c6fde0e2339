package lockkey

import (
	"strings"
	"unicode"
)

// alike reports whether two classes are spellings of one name, one of which is probably a slip: they differ in case or
// separators only, or in one word by a plural s or by a letter. Digits tell versions and shards apart and are meant.
func alike(a, b string) (yes, sure bool) {
	if a == b || strings.Count(a, "{}") != strings.Count(b, "{}") {
		return false, false
	}
	x, y := words(a), words(b)
	if len(x) != len(y) {
		return false, false
	}
	odd, letters := -1, 0
	for i := range x {
		letters += len(x[i])
		if !strings.EqualFold(x[i], y[i]) {
			if odd >= 0 {
				return false, false
			}
			odd = i
		}
	}
	if odd < 0 {
		return letters >= 5, true
	}
	if separators(a) != separators(b) {
		return false, false
	}
	return slip(strings.ToLower(x[odd]), strings.ToLower(y[odd])), false
}

// words are the runs of letters, digits and {} of a class.
func words(class string) []string {
	class = strings.ReplaceAll(class, "{}", " \x00 ")
	return strings.FieldsFunc(class, func(r rune) bool { return r != 0 && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// separators is a class without its words.
func separators(class string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return -1
		}
		return r
	}, class)
}

// The shortest words that can be a slip of each other. Short words that differ in a letter are mostly two words.
const (
	minPlural  = 3
	minLetter  = 5
	minReplace = 6
)

// slip reports whether two words differ as a slip of the pen would have it.
func slip(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if strings.ContainsFunc(a+b, unicode.IsDigit) || a == "" || a[0] != b[0] {
		return false
	}
	switch {
	case len(a) >= minPlural && (b == a+"s" || b == a+"es" || strings.HasSuffix(a, "y") && b == a[:len(a)-1]+"ies"):
		return true
	case len(b) == len(a)+1:
		return len(a) >= minLetter && dropped(a, b)
	case len(a) == len(b):
		return len(a) >= minReplace && replaced(a, b)
	}
	return false
}

// dropped: b is a with one letter more, which is not its last: "invoice" and "invoiced" are two words.
func dropped(a, b string) bool {
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i < len(a) && a[i:] == b[i+1:]
}

// replaced: one letter is another one, or two neighbours have changed places.
func replaced(a, b string) bool {
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if i == len(a) {
		return false
	}
	if a[i+1:] == b[i+1:] {
		return true
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}
