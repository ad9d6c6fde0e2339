package main

import (
	"net"
	"sync"
	"time"
)

// proxy stands between workers and the Redis with the locks.
type proxy struct {
	ln net.Listener

	mu     sync.Mutex
	target string
	conns  map[net.Conn]bool
	delay  time.Duration // of every reply
	drop   int           // so many replies are to be lost, with their connections
	mute   bool          // nothing goes through, and no connection breaks
	wg     sync.WaitGroup
}

func newProxy(target string) (*proxy, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{ln: ln, target: target, conns: map[net.Conn]bool{}}
	p.wg.Go(p.serve)
	return p, nil
}

func (p *proxy) addr() string { return p.ln.Addr().String() }

func (p *proxy) serve() {
	for {
		c, err := p.ln.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		target := p.target
		p.mu.Unlock()
		s, err := net.DialTimeout("tcp", target, time.Second)
		if err != nil {
			_ = c.Close()
			continue
		}
		p.mu.Lock()
		p.conns[c], p.conns[s] = true, true
		p.mu.Unlock()
		p.wg.Go(func() { p.pump(c, s, false) })
		p.wg.Go(func() { p.pump(s, c, true) })
	}
}

// pump carries bytes one way until the connection ends.
func (p *proxy) pump(from, to net.Conn, replies bool) {
	defer p.forget(from, to)
	buf := make([]byte, 32*1024)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			if !p.pass(replies) {
				return
			}
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// pass waits as long as the proxy is told to, and reports whether the bytes go on.
func (p *proxy) pass(replies bool) bool {
	for {
		p.mu.Lock()
		mute, delay := p.mute, p.delay
		drop := replies && p.drop > 0
		if drop {
			p.drop--
		}
		p.mu.Unlock()
		switch {
		case drop:
			return false
		case mute:
			time.Sleep(5 * time.Millisecond)
			continue
		case replies && delay > 0:
			time.Sleep(delay)
		}
		return true
	}
}

func (p *proxy) forget(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		delete(p.conns, c)
		_ = c.Close()
	}
}

// set changes what the proxy does.
func (p *proxy) set(change func(*proxy)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(p)
}

// reset breaks all connections.
func (p *proxy) reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		if t, ok := c.(*net.TCPConn); ok {
			_ = t.SetLinger(0)
		}
		_ = c.Close()
	}
}

func (p *proxy) close() {
	_ = p.ln.Close()
	p.set(func(p *proxy) { p.mute = false })
	p.reset()
	p.wg.Wait()
}
