// Package redistest starts real servers for tests. A machine without redis-server makes a test fail, not be skipped: a
// lock that was never tried on Redis is not tested.
package redistest

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
)

// Install is how a person gets the server on Debian.
const Install = "apt-get install -y --no-install-recommends redis-server"

// TB is what the package needs of a *testing.T; it is spelled out so that programs can use the package too.
type TB interface {
	Helper()
	Fatalf(format string, args ...interface{})
	Cleanup(func())
	TempDir() string
}

// Server is a running server.
type Server struct {
	Addr string
	Dir  string
	bin  string
	args []string
	cmd  *exec.Cmd
}

// Start starts redis-server on a free port of the loopback interface, without persistence, and stops it when the test
// ends. args are added to its command line.
func Start(t TB, args ...string) *Server {
	t.Helper()
	return StartBinary(t, "redis-server", args...)
}

// StartBinary is Start for another server that takes the same arguments, such as valkey-server.
func StartBinary(t TB, bin string, args ...string) *Server {
	t.Helper()
	return start(t, bin, t.TempDir(), args)
}

// StartIn is Start with the data that another server has left in a directory.
func StartIn(t TB, dir string, args ...string) *Server {
	t.Helper()
	return start(t, "redis-server", dir, args)
}

func start(t TB, bin, dir string, args []string) *Server {
	t.Helper()
	path, err := exec.LookPath(bin)
	if err != nil {
		t.Fatalf("%s is not installed, and nothing here is tested without it: %s", bin, Install)
	}
	s := &Server{bin: path, args: args, Dir: dir, Addr: FreeAddr(t)}
	if err := s.Run(); err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(s.Kill)
	return s
}

// FreeAddr returns an address of the loopback interface on which nobody listened a moment ago.
func FreeAddr(t TB) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("%v", err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// Run starts the server (again) on its address and waits until it answers, in whatever way.
func (s *Server) Run() error {
	host, port, err := net.SplitHostPort(s.Addr)
	if err != nil {
		return err
	}
	args := append([]string{
		"--port", port, "--bind", host, "--dir", s.Dir, "--save", "", "--appendonly", "no", "--loglevel", "warning",
	}, s.args...)
	s.cmd = exec.Command(s.bin, args...)
	s.cmd.Dir = s.Dir
	log, err := os.Create(filepath.Join(s.Dir, "server-"+port+".log"))
	if err != nil {
		return err
	}
	defer log.Close()
	s.cmd.Stdout, s.cmd.Stderr = log, log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	return s.await()
}

func (s *Server) await() error {
	end := time.Now().Add(15 * time.Second)
	for time.Now().Before(end) {
		conn, err := net.DialTimeout("tcp", s.Addr, time.Second)
		if err == nil {
			return conn.Close()
		}
		time.Sleep(5 * time.Millisecond)
	}
	text, _ := os.ReadFile(filepath.Join(s.Dir, "server-"+s.port()+".log"))
	return fmt.Errorf("%s on %s does not answer: %s", s.bin, s.Addr, text)
}

func (s *Server) port() string {
	_, port, _ := net.SplitHostPort(s.Addr)
	return port
}

// Port returns the server's port.
func (s *Server) Port() int {
	n, _ := strconv.Atoi(s.port())
	return n
}

// Kill ends the server as a crash would. What it did not write to disk is lost.
func (s *Server) Kill() {
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Signal(syscall.SIGCONT)
		_ = s.cmd.Process.Kill()
		_, _ = s.cmd.Process.Wait()
		s.cmd = nil
	}
}

// Stop freezes the server: its connections stay open and nothing answers.
func (s *Server) Stop() { _ = s.cmd.Process.Signal(syscall.SIGSTOP) }

// Continue ends Stop.
func (s *Server) Continue() { _ = s.cmd.Process.Signal(syscall.SIGCONT) }

// Client returns a client with go-redis's defaults, closed when the test ends.
func (s *Server) Client(t TB) *redis.Client {
	c := redis.NewClient(&redis.Options{Addr: s.Addr})
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// Commands returns how many commands clients have sent to the server so far, not counting those inside scripts and those
// with which connections begin.
func Commands(ctx context.Context, c redis.UniversalClient) (int64, error) {
	info, err := c.Info(ctx, "commandstats").Result()
	if err != nil {
		return 0, err
	}
	return countCommands(info), nil
}
