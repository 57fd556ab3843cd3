package chaos

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/kn-flink/kn-flink/test/chaos"
)

// Options say what is carried out, and how much of it.
type Options struct {
	// Dir is where findings are left, and the runs' data is.
	Dir string
	// Seed and First say which random runs: number First of Seed, and those that follow. First is also that of the
	// first row of the matrix.
	Seed, First uint64
	// Standalone has random runs be of clusters in standalone mode, Hosted of session jobs, and Paired of blue/green
	// deployments with handover.
	Standalone, Hosted, Paired bool
	// Starts of jobs after which no run begins; 0: no limit.
	Starts int
	// For is the time after which no run begins.
	For time.Duration
	// AtOnce is how many runs go on at the same time.
	AtOnce int
	// Findings is how many runs may fail until no further one begins.
	Findings int
	// Script is a file to carry out in place of random runs, or several with commas between; empty: none.
	Script string
	// Table is the file for a matrix in place of random runs; empty: none.
	Table string
	// Versions are the minor versions of the matrix of versions, from old to new; empty: it is that of retention.
	Versions []string
}

// job is one script to carry out.
type job struct {
	title  string
	name   string
	script []chaos.Command
	row    int // of the matrix, from 0
	// ends are the numbers of the commands after which a chapter ends; nil: there are no chapters.
	ends []int
}

// Random carries random runs out until one of the limits is reached, and fails if one of them did.
func (a *Arena) Random(ctx context.Context, o Options) error {
	n := o.First - 1
	return a.all(ctx, o, func() (job, bool) {
		n++
		title, name := fmt.Sprintf("run %d of seed %d", n, o.Seed), fmt.Sprintf("chaos-%d-%d", o.Seed, n)
		script := chaos.Draw(o.Seed, n, o.Standalone, o.Hosted, o.Paired)
		return job{title: title, name: name, script: script}, true
	}, nil)
}

// Replay carries scripts out, by the names of their files, and prints their logs.
func (a *Arena) Replay(ctx context.Context, o Options, scripts map[string][]chaos.Command) error {
	files := slices.Sorted(maps.Keys(scripts))
	n := 0
	return a.all(ctx, o, func() (job, bool) {
		if n >= len(files) {
			return job{}, false
		}
		n++
		return job{title: files[n-1], name: fmt.Sprintf("replay-%d", n), script: scripts[files[n-1]]}, true
	}, func(_ job, r Result) { fmt.Println(r.Log) })
}

// board is what all runs together have come to.
type board struct {
	mu                          sync.Mutex
	runs, starts, told, persons int
	failed                      []string
	err                         error
	begun                       time.Time
}

// all carries jobs out, several at once, until there are no more or a limit is reached.
func (a *Arena) all(ctx context.Context, o Options, next func() (job, bool), done func(job, Result)) error {
	b := &board{begun: time.Now()}
	var workers sync.WaitGroup
	for range max(1, o.AtOnce) {
		workers.Go(func() {
			for {
				b.mu.Lock()
				var j job
				more := false
				if ctx.Err() == nil && !b.over(o) {
					j, more = next()
				}
				b.mu.Unlock()
				if !more {
					return
				}
				began := time.Now()
				result, err := a.run(ctx, j, o.Table == "")
				if ctx.Err() != nil {
					return
				}
				b.add(o, j, result, time.Since(began), err)
				if done != nil {
					done(j, result)
				}
			}
		})
	}
	workers.Wait()
	fmt.Println(b.summary())
	switch {
	case b.err != nil:
		return b.err
	case ctx.Err() != nil:
		return ctx.Err()
	case len(b.failed) > 0:
		return fmt.Errorf("%d of %d runs failed: %s", len(b.failed), b.runs, strings.Join(b.failed, ", "))
	}
	return nil
}

// over says that a limit is reached.
func (b *board) over(o Options) bool {
	return b.err != nil || len(b.failed) >= o.Findings || time.Since(b.begun) > o.For || o.Starts > 0 &&
		b.starts >= o.Starts
}

// add counts a run, prints what it came to, and leaves its script and log in a file if it failed.
func (b *board) add(o Options, j job, r Result, took time.Duration, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.runs++
	b.starts += r.Starts
	b.told += r.Told
	says := "well"
	if r.Person != "" {
		b.persons++
		says = fmt.Sprintf("a person is asked for: %.160s", r.Person)
	}
	if err != nil {
		r.Findings = append(r.Findings, err.Error())
	}
	if len(r.Findings) > 0 {
		says = "FAILED: " + strings.Join(r.Findings, "\n    ")
	}
	at := time.Since(b.begun).Seconds()
	fmt.Printf("%6.0f s  %s: %d starts, %d told, in %.0f s: %s\n", at, j.title, r.Starts, r.Told, took.Seconds(), says)
	if len(r.Findings) == 0 {
		return
	}
	b.failed = append(b.failed, j.title)
	path := filepath.Join(o.Dir, "found", j.name)
	fmt.Printf("    its log: %s.log\n    to replay: make chaos SCRIPT=%s.txt\n%s", path, path, chaos.Text(j.script))
	text := "# " + strings.ReplaceAll(strings.Join(r.Findings, "\n"), "\n", "\n# ") + "\n" + chaos.Text(j.script)
	for name, content := range map[string]string{path + ".txt": text, path + ".log": r.Log} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.err = err
			return
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			b.err = err
		}
	}
}

// summary has the figures, and what bounds them.
func (b *board) summary() string {
	passed := time.Since(b.begun)
	var own, ended syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &own)
	_ = syscall.Getrusage(syscall.RUSAGE_CHILDREN, &ended)
	seconds := func(u syscall.Rusage) float64 {
		return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
	}
	all := seconds(own) + seconds(ended)
	counted := fmt.Sprintf("%d runs, %d starts, %d told, %d in the end for a person, %d failed, in %.1f minutes: %.1f "+
		"starts a minute",
		b.runs, b.starts, b.told, b.persons, len(b.failed), passed.Minutes(), float64(b.starts)/passed.Minutes())
	return counted + fmt.Sprintf("\nCPU: %.0f s by the platform, %.0f s by processes that have ended, mostly JVMs: "+
		"%.0f%% of %d CPUs; %.1f s a start",
		seconds(own), seconds(ended), 100*all/passed.Seconds()/float64(runtime.NumCPU()), runtime.NumCPU(),
		all/float64(max(1, b.starts)))
}
