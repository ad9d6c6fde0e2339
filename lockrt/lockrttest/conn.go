package lockrttest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
)

// conn is the server's side of one connection. Replies and messages go through a queue of their own, so that a subscriber
// who does not read keeps nobody else waiting.
type conn struct {
	s    *Server
	net  net.Conn
	in   *bufio.Reader
	subs map[string]bool // guarded by Server.mu

	mu     sync.Mutex
	more   *sync.Cond
	queue  []reply
	closed bool
	muted  bool // what is sent is lost
}

func newConn(s *Server, n net.Conn) *conn {
	c := &conn{s: s, net: n, in: bufio.NewReader(n), subs: map[string]bool{}}
	c.more = sync.NewCond(&c.mu)
	return c
}

func (c *conn) send(r reply) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.muted {
		c.queue = append(c.queue, r)
		c.more.Signal()
	}
}

func (c *conn) close() {
	c.mu.Lock()
	c.closed = true
	c.more.Signal()
	c.mu.Unlock()
	_ = c.net.Close()
}

// read runs commands until the connection ends.
func (c *conn) read() {
	for {
		args, err := readCommand(c.in)
		if err != nil {
			break
		}
		if r := c.s.do(c, args); r != nil {
			c.send(r)
		}
	}
	c.s.mu.Lock()
	delete(c.s.conns, c)
	c.s.mu.Unlock()
	c.close()
}

func (c *conn) write() {
	for {
		c.mu.Lock()
		for len(c.queue) == 0 && !c.closed {
			c.more.Wait()
		}
		if c.closed {
			c.mu.Unlock()
			return
		}
		r := c.queue[0]
		c.queue = c.queue[1:]
		c.mu.Unlock()
		if _, err := io.WriteString(c.net, encode(r)); err != nil {
			c.close()
		}
	}
}

var errProtocol = errors.New("lockrttest: not a command")

// readCommand reads an array of bulk strings, which is how clients send commands.
func readCommand(r *bufio.Reader) ([]string, error) {
	n, err := readLength(r, '*')
	if err != nil || n < 1 {
		return nil, errors.Join(err, errProtocol)
	}
	args := make([]string, n)
	for i := range args {
		size, err := readLength(r, '$')
		if err != nil || size < 0 {
			return nil, errors.Join(err, errProtocol)
		}
		buf := make([]byte, size+2)
		if _, err := io.ReadFull(r, buf); err != nil {
			return nil, err
		}
		args[i] = string(buf[:size])
	}
	return args, nil
}

func readLength(r *bufio.Reader, kind byte) (int, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return 0, err
	}
	line = strings.TrimRight(line, "\r\n")
	if line == "" || line[0] != kind {
		return 0, errProtocol
	}
	return strconv.Atoi(line[1:])
}

// reply is what a command answers: a string, an int64, nothing (null), a status, an error, or a list of those.
type reply interface{}

type (
	status     string
	replyError string
	null       struct{}
	list       []reply
)

func encode(r reply) string {
	switch v := r.(type) {
	case status:
		return "+" + string(v) + "\r\n"
	case replyError:
		return "-" + string(v) + "\r\n"
	case int64:
		return ":" + strconv.FormatInt(v, 10) + "\r\n"
	case string:
		return fmt.Sprintf("$%d\r\n%s\r\n", len(v), v)
	case list:
		var b strings.Builder
		fmt.Fprintf(&b, "*%d\r\n", len(v))
		for _, x := range v {
			b.WriteString(encode(x))
		}
		return b.String()
	}
	return "$-1\r\n"
}
