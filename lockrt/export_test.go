package lockrt

import (
	"context"
	"time"

	"github.com/leasevet/leasevet/lockrt/internal/protocol"
)

// PutBack gives this Locker a known fault back. "" is none. The matrix of scenarios must fail with each of them;
// see TestFaultsPutBack.
func (l *Locker) PutBack(fault string, clockSkew time.Duration) {
	switch fault {
	case "plain DEL":
		l.scripts.Release = protocol.NewScript(`redis.call('DEL', KEYS[1]) return {1, ''}`)
	case "client-clock TTL":
		l.scripts.Acquire = protocol.NewScript(`
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PXAT', ARGV[2]) then return {0, redis.call('PTTL', KEYS[1]), 0} end
return {1, redis.call('INCR', KEYS[2])}`)
		l.leaseArg = func() time.Duration {
			at := time.Now().Add(clockSkew + l.timing.lease)
			return time.Duration(at.UnixMilli()) * time.Millisecond
		}
	case "no fence":
		l.scripts.Acquire = protocol.NewScript(`
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return {0, redis.call('PTTL', KEYS[1]), 0} end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return {1, 1}`)
	case "release on the caller's context":
		l.detach = func(ctx context.Context) context.Context { return ctx }
	case "renew that creates":
		l.scripts.Renew = protocol.NewScript(`
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`)
	}
}
