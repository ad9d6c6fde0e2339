package main

import (
	"bytes"
	"net"
	"sync"
	"sync/atomic"
)

// counter is a proxy that counts the commands which clients send. It works for every client library alike; what scripts
// run inside the server is not counted.
type counter struct {
	ln       net.Listener
	target   string
	commands atomic.Int64
	mu       sync.Mutex
	conns    []net.Conn
}

func newCounter(target string) (*counter, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	c := &counter{ln: ln, target: target}
	go c.serve()
	return c, nil
}

func (c *counter) addr() string { return c.ln.Addr().String() }

func (c *counter) serve() {
	for {
		in, err := c.ln.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", c.target)
		if err != nil {
			_ = in.Close()
			continue
		}
		c.mu.Lock()
		c.conns = append(c.conns, in, out)
		c.mu.Unlock()
		go c.pump(in, out, true)
		go c.pump(out, in, false)
	}
}

func (c *counter) pump(from, to net.Conn, requests bool) {
	defer from.Close()
	defer to.Close()
	buf := make([]byte, 64*1024)
	last := byte('\n')
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		if requests {
			c.commands.Add(commandsIn(last, buf[:n]))
			last = buf[n-1]
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}

// commandsIn counts arrays at the beginning of a line: each is a command, and no owner value looks like one.
func commandsIn(last byte, b []byte) int64 {
	n := int64(bytes.Count(b, []byte("\n*")))
	if last == '\n' && b[0] == '*' {
		n++
	}
	return n
}

func (c *counter) close() {
	_ = c.ln.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, x := range c.conns {
		_ = x.Close()
	}
}
