package redistest

import (
	"fmt"
	"os"
	"sync"
)

// Outside is a test's T for programs that are no tests: it cleans up, and a fatal failure is an error.
type Outside struct {
	mu      sync.Mutex
	cleanup []func()
}

var _ TB = (*Outside)(nil)

type fatal struct{ msg string }

// Helper implements TB.
func (*Outside) Helper() {}

// Fatalf implements TB. Run makes an error of it.
func (*Outside) Fatalf(format string, args ...interface{}) {
	panic(fatal{fmt.Sprintf(format, args...)})
}

// Cleanup implements TB.
func (o *Outside) Cleanup(f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.cleanup = append(o.cleanup, f)
}

// TempDir implements TB.
func (o *Outside) TempDir() string {
	dir, err := os.MkdirTemp("", "lockrt-")
	if err != nil {
		o.Fatalf("%v", err)
	}
	o.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// Run runs f, and after it what was to be cleaned up, the last first. The error is that of f, or the failure that ended it.
func (o *Outside) Run(f func() error) (err error) {
	defer func() {
		for i := len(o.cleanup) - 1; i >= 0; i-- {
			o.cleanup[i]()
		}
		if p := recover(); p != nil {
			f, ok := p.(fatal)
			if !ok {
				panic(p)
			}
			err = fmt.Errorf("%s", f.msg)
		}
	}()
	return f()
}
