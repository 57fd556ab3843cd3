package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"

	"github.com/kn-flink/kn-flink/local/build"
	"github.com/kn-flink/kn-flink/local/flink"
	"github.com/kn-flink/kn-flink/local/preflight"
	"github.com/kn-flink/kn-flink/local/progress"
)

// The kernel's word of a parent's death is for the thread that asks for it, and stays with the thread that becomes
// another program: both are the first.
func init() { runtime.LockOSThread() }

func main() {
	wanted, wrong := keepOf(os.Getenv("KEEP"))
	keep := flag.Bool("keep", wanted, "go on with the state of the last run; KEEP=1 is the same")
	flag.Parse()
	if wrong != nil {
		fmt.Fprintln(os.Stderr, "make run:", wrong)
		os.Exit(1)
	}
	if os.Getenv("MAKELEVEL") != "" {
		endWithParent()
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := run(ctx, *keep)
	interrupted := ctx.Err() != nil // before stop: it ends the context, too
	stop()
	if err != nil && !interrupted {
		fmt.Fprintln(os.Stderr, "\nmake run:", err)
	}
	if err != nil {
		os.Exit(1)
	}
}

// keepOf is what variable KEEP asks for: nothing is kept where it is empty.
func keepOf(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "", "0", "no", "false":
		return false, nil
	case "1", "yes", "true":
		return true, nil
	}
	return false, fmt.Errorf("KEEP is %q: 1 goes on with the state of the last run, 0 or nothing begins afresh", text)
}

// endWithParent makes the end of make, which may be killed, a SIGTERM for this process and for the platform that it
// becomes.
func endWithParent() {
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGTERM), 0, 0, 0); err != nil {
		fmt.Println("note: the platform will not notice when make is killed:", err)
	}
}

// run does not return when all goes well.
func run(ctx context.Context, keep bool) error {
	checkout, err := checkout()
	if err != nil {
		return err
	}
	dir := filepath.Join(checkout, ".local")
	program := filepath.Join(dir, "bin", "kn-flink-local")
	if err := check(program); err != nil {
		return err
	}
	cache := flink.Cache{Jobs: filepath.Join(checkout, "test/cluster/flink/jobs")}
	if err := bring(ctx, checkout, program, cache); err != nil {
		return err
	}
	arguments := []string{program, "-dir", dir, "-checkout", checkout, "-jobs", cache.Jobs, "-example"}
	if keep {
		arguments = append(arguments, "-keep")
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return syscall.Exec(program, arguments, os.Environ())
}

// checkout is the top of the repository, above the working directory.
func checkout() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "config", "knative")); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("%s is not in a checkout of kn-flink: there is no config/knative above it", dir)
		}
	}
}

// Disk space in bytes, measured: a first build's modules and build cache, the distribution and what runs; later runs
// write logs and Flink's state.
const (
	firstSpace = 6 << 30
	laterSpace = 1 << 30
)

func check(program string) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return fmt.Errorf("set HOME: %w", err)
	}
	space := int64(laterSpace)
	if _, err := os.Stat(program); err != nil {
		space = firstSpace
	}
	machine := preflight.Inspect(cache, space)
	for _, advice := range machine.Advice() {
		fmt.Println("note:", advice)
	}
	if missing := machine.Missing(); len(missing) > 0 {
		return fmt.Errorf("this machine lacks:\n  - %s", strings.Join(missing, "\n  - "))
	}
	return nil
}

// targets are the platform, and what it would build itself when it starts, in the way and at the place that it does:
// here it is seen how far that is.
func targets(checkout, program string) []build.Target {
	return []build.Target{
		{
			Name: "the platform", Dir: filepath.Join(checkout, "local"), Packages: []string{"./cmd/kn-flink-local"},
			Out: program,
		},
		{Name: "the functions", Dir: checkout, Packages: []string{"./functions/...", "./examples/listener"},
			Out: filepath.Join(checkout, ".local", "functions", "build") + "/", Env: []string{"CGO_ENABLED=0"}},
	}
}

// bring downloads and compiles at the same time: one waits for the network, the other for the processors.
func bring(ctx context.Context, checkout, program string, cache flink.Cache) error {
	release, err := example(filepath.Join(checkout, "examples", "basic.yaml"))
	if err != nil {
		return err
	}
	board := progress.New(os.Stdout)
	defer board.Close()
	both, ctx := errgroup.WithContext(ctx) // the first to fail ends the other
	building, loading := board.Row(), board.Row()
	both.Go(func() error {
		for _, target := range targets(checkout, program) {
			if err := build.Build(ctx, target, building.Tell); err != nil {
				return err
			}
		}
		return nil
	})
	both.Go(func() error {
		cache.Progress = loading.Bytes
		_, err := cache.Home(ctx, release)
		return err
	})
	return both.Wait()
}

var image = regexp.MustCompile(`(?m)^ *image: *flink:(\S+)`)

// example is the release of Flink that an example asks for.
func example(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	found := image.FindSubmatch(text)
	if found == nil {
		return "", fmt.Errorf("%s has no line \"image: flink:VERSION\"", path)
	}
	return flink.Resolve(string(found[1]))
}
