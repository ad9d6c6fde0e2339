package lockrttest

import (
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/lockrt/internal/protocol"
)

// script is a script of lockrt in Go. What it does is told where the Lua text is, in package protocol.
type script func(s *Server, keys, args []string) reply

// scripts are known by the hash of their text, so a change of the text that is not followed here is noticed at once.
var scripts = map[string]script{
	hash(protocol.Acquire):  acquire,
	hash(protocol.Release):  release,
	hash(protocol.Leave):    leave,
	hash(protocol.Renew):    renew,
	hash(protocol.FenceSet): fenceSet,
}

func hash(text string) string { return redis.NewScript(text).Hash() }

// evalSha is EVALSHA hash numkeys key... arg...
func evalSha(s *Server, _ *conn, args []string) reply {
	f, ok := scripts[args[0]]
	n, err := strconv.Atoi(args[1])
	switch {
	case !ok:
		return replyError("NOSCRIPT No matching script. Please use EVAL.")
	case err != nil || n < 0 || n > len(args)-2:
		return replyError("ERR Number of keys can't be greater than number of args")
	}
	return f(s, args[2:2+n], args[2+n:])
}

func eval(s *Server, c *conn, args []string) reply {
	known := append([]string{hash(args[0])}, args[1:]...)
	if _, ok := scripts[known[0]]; !ok {
		return replyError("ERR lockrttest runs the scripts of lockrt only")
	}
	return evalSha(s, c, known)
}

func acquire(s *Server, keys, args []string) reply {
	d, lock, queue, turn := s.data, keys[0], keys[2], keys[3]
	owner, lease, locker, flags := args[0], args[1], args[2], args[3]
	has := func(f string) bool { return strings.Contains(flags, f) }
	now := time.Now().UnixMicro()

	holder, held := d.get(lock)
	reserved, isReserved := d.get(turn)
	isReserved = isReserved && !held
	taken := held && holder != owner
	foreign := taken && protocol.IsForeign(holder)
	if taken || isReserved && reserved != locker {
		if has("q") && !foreign {
			d.enqueue(queue, locker, now, protocol.QueueKept)
		}
		if !taken {
			return list{int64(2), d.pttl(turn)}
		}
		return list{int64(0), d.pttl(lock), digit(foreign)}
	}
	d.set(lock, owner, millis(lease))
	fence := s.nextFence(keys[1], now)
	if isReserved {
		d.del(turn)
	}
	if has("d") {
		d.dequeue(queue, locker)
	}
	if has("m") {
		d.enqueue(queue, locker, now, protocol.QueueKept)
	}
	return list{int64(1), fence}
}

func (s *Server) nextFence(key string, now int64) int64 {
	text, _ := s.data.get(key)
	last, _ := strconv.ParseInt(text, 10, 64)
	fence := last + 1
	if fence < now {
		fence = now
	}
	s.data.set(key, strconv.FormatInt(fence, 10), time.Hour+time.Duration(fence-now)*time.Microsecond)
	return fence
}

func release(s *Server, keys, args []string) reply {
	holder, held := s.data.get(keys[0])
	switch {
	case !held:
		return list{int64(-1)}
	case holder != args[0]:
		return list{int64(0)}
	}
	s.data.del(keys[0])
	return list{int64(1), s.wakeNext(keys, args)}
}

func leave(s *Server, keys, args []string) reply {
	s.data.dequeue(keys[1], args[1])
	if reserved, _ := s.data.get(keys[2]); reserved != args[1] {
		return list{int64(1), ""}
	}
	s.data.del(keys[2])
	if _, held := s.data.get(keys[0]); held {
		return list{int64(1), ""}
	}
	return list{int64(1), s.wakeNext(keys, args)}
}

func (s *Server) wakeNext(keys, args []string) string {
	for {
		first := s.data.first(keys[1])
		if first == "" {
			return ""
		}
		if first != args[1] && s.publish(args[2]+first, keys[0]) == 0 && args[3] == "1" {
			continue // nobody hears it, and that is known
		}
		s.data.set(keys[2], first, protocol.ReservationMillis*time.Millisecond)
		return first
	}
}

func renew(s *Server, keys, args []string) reply {
	holder, held := s.data.get(keys[0])
	switch {
	case !held:
		return int64(-1)
	case holder != args[0]:
		return int64(0)
	}
	s.data.expire(keys[0], millis(args[1]))
	return int64(1)
}

func fenceSet(s *Server, keys, args []string) reply {
	text, _ := s.data.get(keys[1])
	seen, _ := strconv.ParseInt(text, 10, 64)
	fence, _ := strconv.ParseInt(args[0], 10, 64)
	if seen > fence {
		return seen
	}
	s.data.set(keys[1], args[0], millis(args[2]))
	s.data.set(keys[0], args[1], millis(args[2]))
	return fence
}

func millis(text string) time.Duration {
	n, _ := strconv.ParseInt(text, 10, 64)
	return time.Duration(n) * time.Millisecond
}

func digit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
