package protocol

import (
	"crypto/rand"
	"encoding/base64"
	"strings"
)

// OwnerPrefix begins every owner value of lockrt. A holder without it is an older lock, which wakes nobody. The number is
// the version of the protocol.
const OwnerPrefix = "lockrt1."

// NewOwner returns an owner value that no other acquisition has: 144 random bits, none of them from a clock, a host or a
// process.
func NewOwner() (string, error) { return random(OwnerPrefix) }

// NewLocker returns the id of a Locker, by which it is queued and woken.
func NewLocker() (string, error) { return random("") }

// IsForeign reports whether a holder's value was not written by lockrt.
func IsForeign(value string) bool { return !strings.HasPrefix(value, OwnerPrefix) }

func random(prefix string) (string, error) {
	var raw [18]byte
	if _, err := rand.Read(raw[:]); err != nil {
		return "", err
	}
	text := make([]byte, len(prefix)+base64.RawURLEncoding.EncodedLen(len(raw)))
	copy(text, prefix)
	base64.RawURLEncoding.Encode(text[len(prefix):], raw[:])
	return string(text), nil
}
