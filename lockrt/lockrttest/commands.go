package lockrttest

import (
	"strconv"
	"strings"
	"time"
)

// handler runs a command; args is how many words it has at least, its name included.
type handler struct {
	args int
	run  func(s *Server, c *conn, args []string) reply
}

// handlers are the commands that lockrt sends, and those with which tests look at keys. HELLO is not there: go-redis then
// speaks the older protocol.
var handlers = map[string]handler{
	"EVALSHA": {3, evalSha}, "EVAL": {3, eval}, "SCRIPT": {2, ok},
	"SUBSCRIBE": {2, subscribe}, "UNSUBSCRIBE": {2, unsubscribe}, "PUBLISH": {3, publish},
	"PING": {1, ping}, "CLIENT": {2, ok}, "SELECT": {2, ok}, "INFO": {1, info}, "TIME": {1, clock},
	"GET": {2, get}, "SET": {3, set}, "DEL": {2, del}, "EXISTS": {2, exists}, "PTTL": {2, pttl},
}

func ok(*Server, *conn, []string) reply { return status("OK") }

func ping(_ *Server, c *conn, _ []string) reply {
	if len(c.subs) > 0 {
		return list{"pong", ""}
	}
	return status("PONG")
}

func get(s *Server, _ *conn, args []string) reply {
	if v, ok := s.data.get(args[0]); ok {
		return v
	}
	return null{}
}

// set is SET key value [NX] [EX s | PX ms].
func set(s *Server, _ *conn, args []string) reply {
	var ttl time.Duration
	nx := false
	for i := 2; i < len(args); i++ {
		switch word := strings.ToUpper(args[i]); {
		case word == "NX":
			nx = true
		case (word == "EX" || word == "PX") && i+1 < len(args):
			ttl = millis(args[i+1])
			if word == "EX" {
				ttl *= 1000
			}
			i++
		default:
			return replyError("ERR syntax error")
		}
	}
	if _, held := s.data.get(args[0]); held && nx {
		return null{}
	}
	s.data.set(args[0], args[1], ttl)
	return status("OK")
}

func del(s *Server, _ *conn, args []string) reply {
	var n int64
	for _, k := range args {
		n += digit(s.data.del(k))
	}
	return n
}

func exists(s *Server, _ *conn, args []string) reply {
	var n int64
	for _, k := range args {
		_, ok := s.data.get(k)
		n += digit(ok)
	}
	return n
}

func pttl(s *Server, _ *conn, args []string) reply { return s.data.pttl(args[0]) }

func clock(*Server, *conn, []string) reply {
	now := time.Now()
	return list{strconv.FormatInt(now.Unix(), 10), strconv.Itoa(now.Nanosecond() / 1000)}
}

func info(*Server, *conn, []string) reply {
	return "redis_version:7.0.0\r\nredis_mode:standalone\r\nmaxmemory:0\r\nmaxmemory_policy:noeviction\r\n"
}

func subscribe(s *Server, c *conn, args []string) reply {
	for i, ch := range args {
		c.subs[ch] = true
		r := list{"subscribe", ch, int64(len(c.subs))}
		if i == len(args)-1 {
			return r
		}
		c.send(r)
	}
	return nil
}

func unsubscribe(_ *Server, c *conn, args []string) reply {
	for _, ch := range args {
		delete(c.subs, ch)
		c.send(list{"unsubscribe", ch, int64(len(c.subs))})
	}
	return nil
}

func publish(s *Server, _ *conn, args []string) reply { return s.publish(args[0], args[1]) }

// publish returns how many connections hear it.
func (s *Server) publish(channel, message string) int64 {
	var n int64
	for c := range s.conns {
		if c.subs[channel] {
			c.send(list{"message", channel, message})
			n++
		}
	}
	return n
}
