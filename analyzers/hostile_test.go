package analyzers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leasevet/leasevet/analyzers"
	"github.com/leasevet/leasevet/internal/driver"
	"github.com/leasevet/leasevet/internal/onepkg"
)

// libraries are the types that the programs of these tests may use.
func libraries(t testing.TB) *onepkg.Libraries {
	t.Helper()
	libs, err := onepkg.Load("../testdata/founding-a", "github.com/redis/go-redis/v9", "context", "crypto/rand", "encoding/hex",
		"errors", "fmt", "iter", "strings", "sync", "time", "github.com/google/uuid")
	if err != nil {
		t.Fatal(err)
	}
	return libs
}

// A hostile program is one that a generator might write, or somebody who means harm.
type hostile struct {
	name string
	// factor is how many times longer the analysis may take than parsing, checking, and building SSA, 40 if it is 0.
	factor float64
	body   string
}

const hostileHead = `package p

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

var rdb *redis.Client
`

// take acquires the variable key or returns.
const take = `
	ok, err := rdb.SetNX(ctx, key, "v", time.Minute).Result()
	if err != nil || !ok {
		return
	}
`

const give = "\trdb.Del(ctx, key)\n"

// repeat writes a line n times, with the number of the round for every # in it.
func repeat(n int, line string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(line, "#", fmt.Sprint(i)))
		b.WriteByte('\n')
	}
	return b.String()
}

// numbered is repeat for lines that need other numbers, too.
func numbered(n int, line func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i))
		b.WriteByte('\n')
	}
	return b.String()
}

func inF(params string, body ...string) string {
	return "func F(ctx context.Context" + params + ") {\n" + strings.Join(body, "") + "}\n"
}

const work = "func work(...int) {}\n"

// TestHostile checks that no program makes the analysis fail, or take many times longer than building it does.
func TestHostile(t *testing.T) {
	libs := libraries(t)
	runner, err := driver.NewPassRunner(analyzers.All())
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range slices.Concat(hostileFlows(), hostileValues(), hostileGraphs()) {
		t.Run(h.name, func(t *testing.T) { survives(t, libs, runner, h) })
	}
}

// survives analyses a program. The collector may come at any time, so the best of a few tries counts.
func survives(t *testing.T, libs *onepkg.Libraries, runner *driver.PassRunner, h hostile) {
	limit := h.factor
	if limit == 0 {
		limit = 40
	}
	var ratio float64
	for range 3 {
		start := spent()
		p, err := libs.Check("p", hostileHead+h.body)
		if err != nil || len(p.Errors) > 0 {
			t.Fatalf("the program is wrong: %v %v", err, p.Errors)
		}
		p.Build()
		built := spent() - start
		start = spent()
		out := runner.Single(p.Single)
		took := spent() - start
		p.Free()
		for _, f := range out.Failed {
			t.Error(f)
		}
		ratio = float64(took) / float64(built+20*time.Millisecond)
		t.Logf("built in %v, analysed in %v: %.1f times as long, %d findings", built, took, ratio, len(out.Findings))
		if ratio <= limit {
			return
		}
	}
	t.Errorf("the analysis takes %.0f times as long as building the program", ratio)
}
