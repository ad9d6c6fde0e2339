package link

import (
	"slices"
	"strings"

	"github.com/leasevet/leasevet/analyzers/lockkey"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// keys tells packages of which neither imports the other about keys that are spelled alike.
func (l *linker) keys() {
	groups := map[int][]owned{} // keys with as many variable parts
	for _, path := range l.paths() {
		for _, k := range l.own[path].Keys {
			n := strings.Count(k.Class, "{}")
			for _, other := range groups[n] {
				if other.path != path && !l.imports(path, other.path) && !l.imports(other.path, path) && lockkey.Related(k, other.key) {
					l.key(path, other.key)
					l.key(other.path, k)
				}
			}
			groups[n] = append(groups[n], owned{path, k})
		}
	}
}

// owned is a key and the package that acquires it.
type owned struct {
	path string
	key  lockfacts.LockKey
}

// imports reports whether a package sees the keys of another one.
func (l *linker) imports(path, other string) bool { return slices.Contains(l.own[path].Sees, other) }

func (l *linker) key(path string, k lockfacts.LockKey) {
	p := l.program(path)
	if !slices.ContainsFunc(p.Keys, func(o lockfacts.LockKey) bool { return o.Class == k.Class && o.At.Pos == k.At.Pos }) {
		p.Keys = append(p.Keys, k)
	}
}
