package redistest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
)

// Cluster is a running Redis Cluster.
type Cluster struct{ Nodes []*Server }

// StartCluster starts a cluster of three masters without replicas.
func StartCluster(t TB) *Cluster {
	t.Helper()
	c := &Cluster{}
	for i := 0; i < 3; i++ {
		_, bus := splitPort(FreeAddr(t))
		c.Nodes = append(c.Nodes, Start(t, "--cluster-enabled", "yes", "--cluster-port", bus,
			"--cluster-config-file", "nodes.conf", "--cluster-node-timeout", "1000"))
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for i, n := range c.Nodes {
		if err := c.join(ctx, i, n); err != nil {
			t.Fatalf("cluster: %v", err)
		}
	}
	for _, n := range c.Nodes {
		if err := awaitInfo(ctx, n, "cluster_state:ok", "cluster_known_nodes:3"); err != nil {
			t.Fatalf("cluster: %v", err)
		}
	}
	return c
}

// join gives the i-th node its third of the slots and introduces it to the first one.
func (c *Cluster) join(ctx context.Context, i int, n *Server) error {
	rdb := redis.NewClient(&redis.Options{Addr: n.Addr})
	defer rdb.Close()
	first, last := i*16384/3, (i+1)*16384/3-1
	if err := rdb.Do(ctx, "CLUSTER", "ADDSLOTSRANGE", first, last).Err(); err != nil {
		return err
	}
	if err := rdb.Do(ctx, "CLUSTER", "SET-CONFIG-EPOCH", i+1).Err(); err != nil {
		return err
	}
	host, port := splitPort(c.Nodes[0].Addr)
	return rdb.Do(ctx, "CLUSTER", "MEET", host, port, c.Nodes[0].args[3]).Err()
}

// Addrs returns the addresses of the nodes.
func (c *Cluster) Addrs() []string {
	var a []string
	for _, n := range c.Nodes {
		a = append(a, n.Addr)
	}
	return a
}

// Client returns a cluster client with go-redis's defaults, closed when the test ends.
func (c *Cluster) Client(t TB) *redis.ClusterClient {
	rdb := redis.NewClusterClient(&redis.ClusterOptions{Addrs: c.Addrs()})
	t.Cleanup(func() { _ = rdb.Close() })
	return rdb
}

func splitPort(addr string) (host, port string) {
	i := strings.LastIndexByte(addr, ':')
	return addr[:i], addr[i+1:]
}

func awaitInfo(ctx context.Context, n *Server, want ...string) error {
	rdb := redis.NewClient(&redis.Options{Addr: n.Addr})
	defer rdb.Close()
	for {
		info, err := rdb.ClusterInfo(ctx).Result()
		if err == nil && containsAll(info, want) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w: %s", n.Addr, ctx.Err(), info)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func containsAll(s string, parts []string) bool {
	for _, p := range parts {
		if !strings.Contains(s, p) {
			return false
		}
	}
	return true
}

// StartReplica starts a replica and waits until it has its master's data.
func StartReplica(t TB, of *Server, args ...string) *Server {
	t.Helper()
	host, port := splitPort(of.Addr)
	r := Start(t, append([]string{"--replicaof", host + " " + port}, args...)...)
	rdb := redis.NewClient(&redis.Options{Addr: r.Addr})
	defer rdb.Close()
	for end := time.Now().Add(15 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		info, _ := rdb.Info(context.Background(), "replication").Result()
		if strings.Contains(info, "master_link_status:up") {
			return r
		}
		if time.Now().After(end) {
			t.Fatalf("the replica does not follow: %s", info)
		}
	}
}

// SentinelMaster is the name by which sentinels know the master.
const SentinelMaster = "main"

// StartSentinel starts one sentinel that watches a master and decides alone. It returns its address.
func StartSentinel(t TB, master *Server) string {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		t.Fatalf("redis-server is not installed: %s", Install)
	}
	addr := FreeAddr(t)
	host, port := splitPort(addr)
	mhost, mport := splitPort(master.Addr)
	dir := t.TempDir()
	conf := filepath.Join(dir, "sentinel.conf")
	text := fmt.Sprintf("port %s\nbind %s\ndir %s\nsentinel monitor %s %s %s 1\n", port, host, dir, SentinelMaster, mhost, mport) +
		fmt.Sprintf("sentinel down-after-milliseconds %s 500\nsentinel failover-timeout %s 5000\n", SentinelMaster, SentinelMaster)
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		t.Fatalf("%v", err)
	}
	cmd := exec.Command(path, conf, "--sentinel")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_, _ = cmd.Process.Wait()
	})
	awaitSentinel(t, addr)
	return addr
}

func awaitSentinel(t TB, addr string) {
	s := redis.NewSentinelClient(&redis.Options{Addr: addr})
	defer s.Close()
	for end := time.Now().Add(15 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if _, err := s.GetMasterAddrByName(context.Background(), SentinelMaster).Result(); err == nil {
			return
		} else if time.Now().After(end) {
			t.Fatalf("sentinel: %v", err)
		}
	}
}
