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
var aims = map[string]float64{"reconcile": 27, "observe": 32, "admit": 25, "console": 32}

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
	return plugin(filepath.Join(dir, "kn-flink"))
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

// build makes a binary as it is released, and returns its size in megabytes.
func build(source, binary string) (float64, error) {
	command := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, source)
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("build: %w\n%s", err, strings.TrimSpace(string(out)))
	}
	info, err := os.Stat(binary)
	if err != nil {
		return 0, err
	}
	return float64(info.Size()) / 1e6, nil
}

// plugin prints the size of kn-flink, and the time from its exec to the end of its version command.
func plugin(binary string) error {
	size, err := build("./cmd/kn-flink", binary)
	if err != nil {
		return err
	}
	var took []time.Duration
	for i := range rounds + 1 {
		began := time.Now()
		if err := exec.Command(binary, "version", "--client").Run(); err != nil {
			return fmt.Errorf("kn-flink version: %w", err)
		}
		if i > 0 { // the first one reads the binary from disk
			took = append(took, time.Since(began))
		}
	}
	slices.Sort(took)
	fmt.Printf("\n%-10s  %5.1f MB (≤ 32)  version in %.1f ms (%.1f to %.1f; ≤ 30)\n", "kn-flink", size,
		ms(took[rounds/2]), ms(took[0]), ms(took[rounds-1]))
	return nil
}

func measure(name, binary string) (figures, error) {
	size, err := build("./functions/"+name, binary)
	if err != nil {
		return figures{}, err
	}
	f := figures{megabytes: size}
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
