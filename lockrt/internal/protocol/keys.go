package protocol

import "strings"

// Keys are the Redis keys of one lock. They are kept as arguments of commands, so that each is boxed only once.
type Keys struct {
	Lock                            string
	lock, fence, queue, reservation interface{}
}

// KeysOf returns the keys of the lock with this name, all in the slot of the name itself.
func KeysOf(name string) Keys {
	base := name
	if hashTag(name) == "" {
		base = "{" + name + "}"
	}
	return Keys{Lock: name, lock: name, fence: base + ":f", queue: base + ":q", reservation: base + ":r"}
}

// All returns the keys in the order lock, fence, queue, reservation.
func (k Keys) All() []string {
	all := make([]string, 0, 4)
	for _, x := range [...]interface{}{k.lock, k.fence, k.queue, k.reservation} {
		s, _ := x.(string)
		all = append(all, s)
	}
	return all
}

// CanHaveCompanions reports whether KeysOf finds companions in the slot of the name. It does not for a name with a closing
// brace but without a hash tag, such as "a}b": no text that has that name in braces hashes like it.
func CanHaveCompanions(name string) bool {
	return hashTag(name) != "" || !strings.Contains(name, "}")
}

// hashTag returns the part of a key that Redis Cluster hashes instead of the whole, or "" if there is none: what stands
// between the first "{" and the first "}" after it, unless that is nothing.
func hashTag(key string) string {
	_, rest, ok := strings.Cut(key, "{")
	if !ok {
		return ""
	}
	tag, _, ok := strings.Cut(rest, "}")
	if !ok {
		return ""
	}
	return tag
}

// WakeChannels is how the names of the channels begin on which lockers are woken; the locker's id follows. There is one
// channel per Locker, however many keys and waiters it has.
const WakeChannels = "lockrt:wake:"
