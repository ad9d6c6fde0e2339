// Command guard shows what a lock cannot do, and what a fence does about it.
//
// Two processes book on one account. A takes the lock, reads the balance, and is stopped before it writes: by the kernel,
// a debugger, a virtual machine that moves. Its lease ends, B takes the lock and books. Then A continues and writes.
//
//	go run .                     # starts a redis-server of its own
//	go run . -redis HOST:PORT    # uses this one
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	account = "7"
	balance = "account:7:balance"
)

func main() {
	role := flag.String("role", "", "what this process is: empty for the story itself, A or B for an owner")
	addr := flag.String("redis", "", "address of a Redis; empty to start one")
	flag.Parse()
	var err error
	if *role != "" {
		err = owner(*role, *addr, os.Stdin, os.Stdout)
	} else {
		err = story(*addr, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "guard:", err)
		os.Exit(1)
	}
}

// story plays the two owners against each other.
func story(addr string, out io.Writer) error {
	if addr == "" {
		server, stop, err := startRedis()
		if err != nil {
			return err
		}
		defer stop()
		addr = server
	}
	rdb := redis.NewClient(&redis.Options{Addr: addr})
	defer rdb.Close()
	ctx := context.Background()
	if err := rdb.Set(ctx, balance, "100", 0).Err(); err != nil {
		return err
	}
	a, err := start("A", addr, out)
	if err != nil {
		return err
	}
	defer a.end()
	b, err := start("B", addr, out)
	if err != nil {
		return err
	}
	defer b.end()

	a.tell("acquire")
	a.tell("read")
	fmt.Fprintln(out, "     (A is stopped: SIGSTOP)")
	a.signal(syscall.SIGSTOP)
	b.tell("acquire")
	b.tell("read")
	b.tell("write 30")
	fmt.Fprintln(out, "     (A continues: SIGCONT)")
	a.signal(syscall.SIGCONT)
	a.tell("look")
	a.tell("write 50")
	a.tell("release")
	b.tell("release")
	fmt.Fprintf(out, "     the balance is %s\n", rdb.Get(ctx, balance).Val())
	return nil
}

// process is an owner, as the story sees it.
type process struct {
	cmd *exec.Cmd
	in  io.Writer
	out *bufio.Reader
	to  io.Writer
}

func start(role, addr string, to io.Writer) (*process, error) {
	cmd := exec.Command(os.Args[0], "-role", role, "-redis", addr)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &process{cmd, in, bufio.NewReader(out), to}, cmd.Start()
}

// tell gives an order, and prints what the process says about it.
func (p *process) tell(order string) {
	fmt.Fprintln(p.in, order)
	line, err := p.out.ReadString('\n')
	if err != nil {
		line = fmt.Sprintf("the process is gone: %v\n", err)
	}
	fmt.Fprint(p.to, line)
}

func (p *process) signal(s syscall.Signal) { _ = p.cmd.Process.Signal(s) }

func (p *process) end() {
	p.signal(syscall.SIGCONT)
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// startRedis starts a server that keeps nothing, on a free port.
func startRedis() (addr string, stop func(), err error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	addr = ln.Addr().String()
	_ = ln.Close()
	cmd := exec.Command("redis-server", "--port", addr[strings.LastIndexByte(addr, ':')+1:], "--bind", "127.0.0.1",
		"--save", "", "--appendonly", "no")
	if err := cmd.Start(); err != nil {
		return "", nil, fmt.Errorf("%w (on Debian: apt-get install redis-server)", err)
	}
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if conn, err := net.Dial("tcp", addr); err == nil {
			_ = conn.Close()
			break
		}
	}
	return addr, func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }, nil
}
