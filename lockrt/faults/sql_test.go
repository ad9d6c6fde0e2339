package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "github.com/lib/pq"
	_ "modernc.org/sqlite"

	"github.com/leasevet/leasevet/lockrt/fence"
	"github.com/leasevet/leasevet/lockrt/internal/redistest"
)

// database is one on which the guards are shown.
type database struct {
	name        string
	placeholder fence.Placeholder
	open        func(*testing.T) *sql.DB
	update      string
}

var databases = []database{
	{"SQLite", fence.Question, openSQLite, `UPDATE account SET balance = ?1, fence = ?2 WHERE id = ?3 AND fence <= ?2`},
	{"PostgreSQL", fence.Dollar, openPostgres, `UPDATE account SET balance = $1, fence = $2 WHERE id = $3 AND fence <= $2`},
}

func openSQLite(t *testing.T) *sql.DB {
	return mustOpen(t, "sqlite", "file:"+filepath.Join(t.TempDir(), "test.db")+"?_pragma=busy_timeout(5000)&_txlock=immediate")
}

func mustOpen(t *testing.T, driver, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func TestSQLGuards(t *testing.T) {
	for _, d := range databases {
		t.Run(d.name, func(t *testing.T) {
			db := d.open(t)
			t.Run("Table", func(t *testing.T) { tableGuard(t, db, d) })
			t.Run("Race", func(t *testing.T) { tableRace(t, db, d) })
			t.Run("Column", func(t *testing.T) { columnGuard(t, db, d) })
		})
	}
}

func exec1(t *testing.T, db *sql.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.Exec(query, args...); err != nil {
		t.Fatal(err)
	}
}

func balance(t *testing.T, db *sql.DB) (v string) {
	t.Helper()
	if err := db.QueryRow(`SELECT balance FROM account WHERE id = 7`).Scan(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func accountTable(t *testing.T, db *sql.DB) {
	t.Helper()
	exec1(t, db, `DROP TABLE IF EXISTS account`)
	exec1(t, db, `CREATE TABLE account (id int PRIMARY KEY, balance text NOT NULL, fence bigint NOT NULL)`)
	exec1(t, db, `INSERT INTO account VALUES (7, 'start', 0)`)
}

func tableGuard(t *testing.T, db *sql.DB, d database) {
	ctx := context.Background()
	accountTable(t, db)
	g, err := fence.NewTable("fences", d.placeholder)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := g.Create(ctx, db); err != nil {
			t.Fatal(err)
		}
	}
	write := func(f int64, v string) error {
		return g.Write(ctx, db, "account 7", f, func(tx *sql.Tx) error {
			_, err := tx.Exec("UPDATE account SET balance = '" + v + "' WHERE id = 7")
			return err
		})
	}
	const high = int64(1) << 52
	for _, step := range []struct {
		fence int64
		value string
		stale bool
		after string
	}{
		{high, "A", false, "A"}, {high, "A again", false, "A again"}, {high + 2, "B", false, "B"},
		{high + 1, "late", true, "B"}, {0, "no lock", true, "B"},
	} {
		err := write(step.fence, step.value)
		if errors.Is(err, fence.ErrStale) != step.stale || !step.stale && err != nil || balance(t, db) != step.after {
			t.Errorf("%+v: error %v, balance %q", step, err, balance(t, db))
		}
	}
	var detail *fence.StaleError
	if err := write(3, "x"); !errors.As(err, &detail) || detail.Seen != high+2 || detail.Fence != 3 {
		t.Errorf("detail is %+v", detail)
	}
	// A write that fails takes its fence back with it.
	boom := errors.New("boom")
	if err := g.Write(ctx, db, "account 7", high+9, func(*sql.Tx) error { return boom }); err != boom {
		t.Errorf("error is %v", err)
	}
	if err := write(high+3, "C"); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"", "a b", "x;y", `"q"`} {
		if _, err := fence.NewTable(bad, d.placeholder); err == nil {
			t.Errorf("%q is accepted as a table name", bad)
		}
	}
}

// tableRace lets owners write at the same time. The value that stands at the end is that of the highest fence.
func tableRace(t *testing.T, db *sql.DB, d database) {
	ctx := context.Background()
	accountTable(t, db)
	g, err := fence.NewTable("race_fences", d.placeholder)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Create(ctx, db); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	const owners = 20
	for i := range owners {
		wg.Go(func() {
			f := int64(i + 1)
			err := g.Write(ctx, db, "account 7", f, func(tx *sql.Tx) error {
				time.Sleep(time.Millisecond)
				_, err := tx.Exec("UPDATE account SET balance = '" + strconv.FormatInt(f, 10) + "' WHERE id = 7")
				return err
			})
			if err != nil && !errors.Is(err, fence.ErrStale) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if v := balance(t, db); v != strconv.Itoa(owners) {
		t.Errorf("the balance is that of owner %s", v)
	}
}

func columnGuard(t *testing.T, db *sql.DB, d database) {
	accountTable(t, db)
	write := func(f int64, v string) error {
		res, err := db.Exec(d.update, v, f, 7)
		return fence.Affected(res, err, "account 7", f)
	}
	if err := write(10, "A"); err != nil {
		t.Fatal(err)
	}
	if err := write(12, "B"); err != nil {
		t.Fatal(err)
	}
	if err := write(11, "late"); !errors.Is(err, fence.ErrStale) || balance(t, db) != "B" {
		t.Errorf("error %v, balance %q", err, balance(t, db))
	}
	if err := fence.Affected(nil, sql.ErrConnDone, "x", 1); err != sql.ErrConnDone {
		t.Errorf("error %v", err)
	}
	if err := write(0, "no lock"); !errors.Is(err, fence.ErrStale) {
		t.Errorf("fence 0: %v", err)
	}
}

// installPostgres is how a person gets the server on Debian.
const installPostgres = "apt-get install -y --no-install-recommends postgresql"

// openPostgres starts a server with a database of its own, and stops it when the test ends.
func openPostgres(t *testing.T) *sql.DB {
	bin := postgresBin(t)
	dir, err := os.MkdirTemp("", "lockrt-pg") // t.TempDir is closed to other users
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	as := notRoot(t, dir)
	data := filepath.Join(dir, "data")
	initdb := exec.Command(filepath.Join(bin, "initdb"), "-D", data, "-A", "trust", "-U", "test", "--no-sync")
	initdb.SysProcAttr, initdb.Dir = as, dir
	if out, err := initdb.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v: %s", err, out)
	}
	addr := redistest.FreeAddr(t)
	port := addr[strings.LastIndexByte(addr, ':')+1:]
	server := exec.Command(filepath.Join(bin, "postgres"), "-D", data, "-p", port, "-k", dir, "-h", "127.0.0.1", "-F")
	server.SysProcAttr, server.Dir = as, dir
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGINT)
		_ = server.Wait()
	})
	db := mustOpen(t, "postgres", fmt.Sprintf("host=127.0.0.1 port=%s user=test dbname=postgres sslmode=disable", port))
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if err := db.Ping(); err == nil {
			return db
		} else if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

func postgresBin(t *testing.T) string {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if len(found) > 0 {
		return filepath.Dir(found[len(found)-1])
	}
	path, err := exec.LookPath("postgres")
	if err != nil {
		t.Fatalf("postgres is not installed, and the guards are not tested without it: %s", installPostgres)
	}
	return filepath.Dir(path)
}

// notRoot returns how to run a program as somebody else if this test is run by root, which PostgreSQL refuses.
func notRoot(t *testing.T, dir string) *syscall.SysProcAttr {
	t.Helper()
	attr := &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if os.Getuid() != 0 {
		return attr
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		u, err = user.Lookup("nobody")
	}
	if err != nil {
		t.Fatal(err)
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	if err := os.Chown(dir, uid, gid); err != nil {
		t.Fatal(err)
	}
	attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return attr
}
