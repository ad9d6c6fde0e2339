// Command faults runs lockrt under faults drawn at random, in processes that are really stopped and killed, checks the
// histories, and writes what came of it to a page.
//
//	go run . -runs 500 -o ../../docs/lockrt-faults.md
//	go run . -seed 17          # one run again
package main

import (
	"flag"
	"fmt"
	"os"
	"sort"
	"sync"
	"time"

	"github.com/leasevet/leasevet/lockrt/internal/redistest"
)

func main() {
	if text := os.Getenv(workerEnv); text != "" {
		if err := workerMain(text); err != nil {
			fmt.Fprintln(os.Stderr, "worker:", err)
			os.Exit(2)
		}
		return
	}
	runs := flag.Int("runs", 30, "how many runs")
	seed := flag.Int64("seed", 0, "do one run with this seed")
	first := flag.Int64("first", 1, "seed of the first run")
	side := flag.Int("parallel", 6, "how many runs side by side")
	page := flag.String("o", "", "write the page to this file")
	flag.Parse()
	if *seed != 0 {
		*runs, *first = 1, *seed
	}
	start := time.Now()
	results, err := many(*first, *runs, *side, report)
	if err == nil && *page != "" {
		err = os.WriteFile(*page, []byte(render(results, time.Since(start))), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(2)
	}
	if n := violations(results); n > 0 {
		fmt.Printf("%d violations in %d runs\n", n, len(results))
		os.Exit(1)
	}
	fmt.Printf("no violations in %d runs\n", len(results))
}

// report prints a run: its seed, what was done to it, and what must not have happened.
func report(r result) {
	fmt.Printf("seed %d: %d acquired, %d leases lost, %d stale writes refused; %v\n", r.Seed, r.Acquired, r.Lost, r.StaleWrites, r.Faults)
	for _, v := range r.violations() {
		fmt.Println("  VIOLATION", v)
	}
}

func violations(results []result) int {
	n := 0
	for _, r := range results {
		n += len(r.violations())
	}
	return n
}

// many does runs with consecutive seeds, some side by side.
func many(first int64, runs, side int, each func(result)) ([]result, error) {
	var mu sync.Mutex
	var results []result
	var failed error
	seeds := make(chan int64)
	var wg sync.WaitGroup
	for range side {
		wg.Go(func() {
			for seed := range seeds {
				var r result
				tb := new(redistest.Outside)
				err := tb.Run(func() (err error) {
					r, err = oneRun(tb, seed)
					return err
				})
				mu.Lock()
				if err != nil {
					failed = fmt.Errorf("seed %d: %w", seed, err)
				} else {
					results = append(results, r)
					each(r)
				}
				mu.Unlock()
			}
		})
	}
	for i := range runs {
		seeds <- first + int64(i)
	}
	close(seeds)
	wg.Wait()
	sort.Slice(results, func(i, j int) bool { return results[i].Seed < results[j].Seed })
	return results, failed
}
