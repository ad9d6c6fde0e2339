package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test binary stand in for a command to measure.
func TestMain(m *testing.M) {
	switch os.Getenv("BENCH_TEST_CHILD") {
	case "burn":
		burn()
	case "find":
		os.Exit(1)
	case "break":
		os.Stderr.WriteString("cannot read that")
		os.Exit(2)
	default:
		os.Exit(m.Run())
	}
}

// burn takes 200 ms of CPU and 64 MB, so that both can be seen from outside.
func burn() {
	block := make([]byte, 64<<20)
	for start := time.Now(); time.Since(start) < 200*time.Millisecond; {
		for i := 0; i < len(block); i += 4096 {
			block[i]++
		}
	}
}

func child(t *testing.T, mode string) row {
	t.Setenv("BENCH_TEST_CHILD", mode)
	return row{title: mode, command: func() (*exec.Cmd, error) { return exec.Command(os.Args[0]), nil }}
}

func TestMeasure(t *testing.T) {
	got, err := measure(child(t, "burn"), 2)
	if err != nil {
		t.Fatal(err)
	}
	if got.cpu < 50*time.Millisecond || got.wall < 200*time.Millisecond {
		t.Errorf("a child that works for 200 ms cost %v of CPU in %v", got.cpu, got.wall)
	}
	if runtime.GOOS == "linux" && got.rss < 64<<20 {
		t.Errorf("a child that fills 64 MB had a peak of %d MB", got.rss>>20)
	}
}

// TestExitStatus checks that findings are no failure and that a failure is never measured.
func TestExitStatus(t *testing.T) {
	finds := child(t, "find")
	if _, err := once(finds); err == nil {
		t.Error("status 1 of a command that may not find anything was taken for success")
	}
	finds.findings = true
	if _, err := once(finds); err != nil {
		t.Errorf("status 1 with findings: %v", err)
	}
	broken := child(t, "break")
	broken.findings = true
	if _, err := once(broken); err == nil || !strings.Contains(err.Error(), "cannot read that") {
		t.Errorf("status 2 gave %v, want an error with what the command said", err)
	}
}

func TestPage(t *testing.T) {
	var b bytes.Buffer
	printPage(&b, page{module: "example.com/m@v1.0.0", runs: 1, rows: []result{
		{row{title: "floor", note: "warm"}, cost{cpu: 2 * time.Second, wall: time.Second, rss: 50 << 20}},
		{row{title: "tool", note: "cold"}, cost{cpu: 5 * time.Second, wall: 3 * time.Second, rss: 75 << 20}},
	}})
	if want := "| tool | cold | 5.0 | 2.5 | 3.0 | 75 | 1.5 |\n"; !strings.Contains(b.String(), want) {
		t.Errorf("the table lacks %q:\n%s", want, &b)
	}
}

// TestCheckout takes a small module that this one needs anyway, so that it is in the module cache already.
func TestCheckout(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "module")
	if err := checkout("github.com/golangci/plugin-module-register@v0.1.2", dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module changed\n\ngo 1.26\n"), 0o666); err != nil {
		t.Errorf("the copy is not writable: %v", err)
	}
	if err := checkout("github.com/golangci/plugin-module-register@v0.0.0-none", dir+"2"); err == nil {
		t.Error("a version that does not exist was checked out")
	}
}
