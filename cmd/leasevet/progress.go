package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// When progress shows, and how often at most.
const (
	progressAfter = time.Second
	progressEvery = 100 * time.Millisecond
)

// eraseLine moves to the beginning of the line and empties it.
const eraseLine = "\r\x1b[K"

// progress is one line that tells how far the analysis is. It shows only if the analysis takes long.
type progress struct {
	mu          sync.Mutex
	w           io.Writer // nil to show nothing
	timer       *time.Timer
	done, total int
	started     bool // the time has come to show something
	shown       time.Time
	ended       bool
}

func newProgress(w io.Writer) *progress {
	p := &progress{w: w}
	if w != nil {
		p.timer = time.AfterFunc(progressAfter, p.start)
	}
	return p
}

// start shows the first line.
func (p *progress) start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.started = true
		p.show()
	}
}

// update takes note of how many packages are done.
func (p *progress) update(done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.total = done, total
	if p.started && !p.ended && time.Since(p.shown) >= progressEvery {
		p.show()
	}
}

// show rewrites the line.
func (p *progress) show() {
	p.shown = time.Now()
	if p.total == 0 {
		fmt.Fprint(p.w, eraseLine+"leasevet: reading packages")
		return
	}
	fmt.Fprintf(p.w, "%sleasevet: %d of %d packages analysed", eraseLine, p.done, p.total)
}

// end erases the line and tells how far the analysis came.
func (p *progress) end() (done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	if p.timer != nil {
		p.timer.Stop()
	}
	if p.started {
		fmt.Fprint(p.w, eraseLine)
	}
	return p.done, p.total
}

// progressWriter is where progress shows, nil if nobody would see it.
func (c *command) progressWriter() io.Writer {
	if c.isTerminal(c.stderr) {
		return c.stderr
	}
	return nil
}
