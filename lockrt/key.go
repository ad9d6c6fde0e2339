package lockrt

import (
	"fmt"
	"strings"
	"sync"

	"github.com/leasevet/leasevet/lockrt/internal/protocol"
)

// separator stands between the parts of a key.
const separator = ":"

// Prefix names one kind of lock, such as "lock:order". Each kind is declared once, as a package variable:
//
//	var orderLock = lockrt.MustPrefix("lock:order")
//
//	locker.Do(ctx, orderLock.Of(orderID), ...)
//
// A prefix that is spelled at every call ends up misspelled at one of them, and a lock under another name excludes nobody.
type Prefix struct{ name string }

var prefixes = struct {
	sync.Mutex
	taken map[string]bool
}{taken: map[string]bool{}}

// MustPrefix registers a prefix and returns it. A separator at its end is dropped, so "lock:order" and "lock:order:" are
// the same. One that continues another, such as "lock:order:item", is allowed, but beware: its keys are also keys of the
// shorter one with one part more. It panics if the prefix is empty or has been registered before: two declarations of one prefix are two locks
// that somebody believes to be different. Call it for a package variable only.
func MustPrefix(prefix string) Prefix {
	name := strings.TrimSuffix(prefix, separator)
	if name == "" {
		panic("lockrt: MustPrefix: empty prefix")
	}
	prefixes.Lock()
	defer prefixes.Unlock()
	if prefixes.taken[name] {
		panic(fmt.Sprintf("lockrt: MustPrefix: %q is declared twice; declare it once and share the variable", name))
	}
	prefixes.taken[name] = true
	return Prefix{name: name}
}

// String returns the prefix without a separator at its end. Events are labelled with it.
func (p Prefix) String() string { return p.name }

// Of returns the key of the lock for one thing: prefix and parts, with ":" between them. An empty part or one that
// contains ":" makes a key that Do and Acquire refuse with ErrBadKey. An empty part would turn a lock per user into one
// lock for all users; a separator inside a part would let two things share a lock ("1:2" and "3", "1" and "2:3").
func (p Prefix) Of(part string, more ...string) Key {
	k := Key{prefix: p.name, name: p.name + separator + part, bad: badPart(part)}
	for _, m := range more {
		k.name += separator + m
		if k.bad == "" {
			k.bad = badPart(m)
		}
	}
	return k.checked()
}

// Legacy returns the key with exactly this name, for a lock that older programs take under it. Lockrt and any lock that
// sets the key if it is absent exclude each other; see the package comment for what an older holder cannot do.
func (p Prefix) Legacy(name string) Key {
	k := Key{prefix: p.name, name: name}
	if name == "" {
		k.bad = "the name is empty"
	}
	return k.checked()
}

// Key is the name of one lock. The zero Key is bad.
type Key struct {
	prefix string // label of events
	name   string // the Redis key
	bad    string // why it is refused, or ""
}

// String returns the Redis key.
func (k Key) String() string { return k.name }

// checked adds the reasons that do not depend on parts.
func (k Key) checked() Key {
	switch {
	case k.bad != "":
	case k.prefix == "":
		k.bad = "the prefix was not made by MustPrefix"
	case !protocol.CanHaveCompanions(k.name):
		k.bad = "it has a closing brace but no hash tag, so nothing can be kept beside it in a cluster"
	}
	return k
}

func (k Key) err() error {
	switch {
	case k.bad != "":
		return fmt.Errorf("%w %q: %s", ErrBadKey, k.name, k.bad)
	case k.name == "":
		return fmt.Errorf("%w: it was not made by a Prefix", ErrBadKey)
	}
	return nil
}

func badPart(part string) string {
	switch {
	case part == "":
		return "a part is empty"
	case strings.Contains(part, separator):
		return fmt.Sprintf("the part %q contains %q", part, separator)
	}
	return ""
}
