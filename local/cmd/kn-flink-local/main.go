package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/kn-flink/kn-flink/local/follow"
	"github.com/kn-flink/kn-flink/local/platform"
	"github.com/kn-flink/kn-flink/local/progress"
)

// exampleFiles are what a person would apply first.
var exampleFiles = []string{"examples/listener/listener.yaml", "examples/basic.yaml"}

// options are the command line's.
type options struct {
	dir, checkout, jobs string
	keep, example       bool
	stderr              *os.File // what the user reads
}

func main() {
	o := &options{stderr: os.Stderr}
	flag.StringVar(&o.dir, "dir", ".local", "state directory: certificates, data, logs")
	flag.StringVar(&o.checkout, "checkout", ".", "directory of kn-flink's sources")
	flag.StringVar(
		&o.jobs, "jobs", "",
		"directory of Java sources of example jobs, put into every Flink image (default: those of the checkout)",
	)
	flag.BoolVar(&o.keep, "keep", false, "go on with what the last run left in the state directory")
	flag.BoolVar(&o.example, "example", false, "start an example job and a listener for its events")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once, and with it all that it started
	if err := run(ctx, o); err != nil && !(errors.Is(err, context.Canceled) && ctx.Err() != nil) {
		fmt.Fprintln(o.stderr, "kn-flink-local:", err)
		os.Exit(1)
	}
}

// run starts everything, says what happens until the end, and stops everything.
func run(ctx context.Context, o *options) (err error) {
	begun := time.Now()
	if o.dir, err = filepath.Abs(o.dir); err != nil {
		return err
	}
	if o.jobs == "" {
		o.jobs = filepath.Join(o.checkout, "test/cluster/flink/jobs")
	}
	unlock, err := own(o.dir)
	if err != nil {
		return err
	}
	defer unlock()
	if o.keep && !left(o.dir) {
		fmt.Fprintf(o.stderr, "nothing is kept in %s: this is a first start\n", o.dir)
		o.keep = false
	}
	if !o.keep {
		if err := clean(o.dir); err != nil {
			return err
		}
	}
	if o.stderr, err = divert(filepath.Join(o.dir, "log", "stderr.log")); err != nil {
		return err
	}
	local, err := start(ctx, o)
	if err != nil {
		return err
	}
	defer func() {
		fmt.Println("\nstopping")
		ending := time.Now()
		err = errors.Join(err, local.Stop())
		fmt.Printf("stopped after %s: no process is left, and %s keeps the state and the logs\n",
			rounded(time.Since(ending)), o.dir)
	}()
	fmt.Println("ready after", rounded(time.Since(begun)))
	if o.example && !o.keep {
		if err := local.Apply(ctx, exampleFiles...); err != nil {
			return err
		}
	}
	follower, err := follow.Start(ctx, local.Config())
	if err != nil {
		return err
	}
	page, err := serveConsole(ctx, local.Config())
	if err != nil {
		return err
	}
	return show(
		ctx, &watch{
			options: *o, begun: begun, follower: follower, functions: local.Mesh().Functions, console: page,
		},
		local.Failed(),
	)
}

func start(ctx context.Context, o *options) (*platform.Platform, error) {
	board := progress.New(os.Stdout)
	defer board.Close()
	return platform.Start(
		ctx,
		platform.Options{Dir: o.dir, Checkout: o.checkout, Jobs: o.jobs, Progress: board.Row().Bytes, Stderr: o.stderr},
	)
}

func rounded(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }
