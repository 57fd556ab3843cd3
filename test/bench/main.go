package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// rounds is how often each function is started; the median is printed.
const rounds = 11

// aims are the limits of a function's binary in megabytes.
var aims = map[string]float64{"reconcile": 26, "observe": 32, "admit": 25}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	dir, err := os.MkdirTemp("", "kn-flink-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	mains, err := filepath.Glob("functions/*/main.go")
	if err != nil || len(mains) == 0 {
		return fmt.Errorf("no functions here, run it at the top of the repository: %v", err)
	}
	fmt.Printf("%-10s  %16s  %28s  %18s\n", "function", "binary", "exec to listening", "RSS then")
	over := false
	for _, file := range mains {
		name := filepath.Base(filepath.Dir(file))
		f, err := measure(name, filepath.Join(dir, name))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		aim := aims[name]
		over = over || f.megabytes > aim
		fmt.Printf("%-10s  %5.1f MB (≤ %2.0f)  %5.1f ms (%.1f to %.1f; ≤ 15)  %5.1f MB (≤ 40)\n",
			name, f.megabytes, aim, ms(f.starts[rounds/2]), ms(f.starts[0]), ms(f.starts[rounds-1]), f.rss)
	}
	if over {
		return fmt.Errorf("a binary is larger than its limit")
	}
	return nil
}

// figures are what one function was measured at.
type figures struct {
	// megabytes is the size of the stripped binary, in units of 10^6 bytes.
	megabytes float64
	// starts are the times from exec to the first accepted connection, sorted.
	starts []time.Duration
	// rss is the resident memory right after it, in megabytes; the largest of all rounds.
	rss float64
}

func measure(name, binary string) (figures, error) {
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, "./functions/"+name)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return figures{}, fmt.Errorf("build: %w\n%s", err, strings.TrimSpace(string(out)))
	}
	info, err := os.Stat(binary)
	if err != nil {
		return figures{}, err
	}
	f := figures{megabytes: float64(info.Size()) / 1e6}
	// The first start reads the binary from disk and is not counted.
	for i := range rounds + 1 {
		took, rss, err := start(binary)
		if err != nil {
			return f, err
		}
		if i > 0 {
			f.starts, f.rss = append(f.starts, took), max(f.rss, rss)
		}
	}
	slices.Sort(f.starts)
	return f, nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
