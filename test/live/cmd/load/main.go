// Command load runs a job whose load changes, with the autoscaler on, on this machine, and shows how its parallelism
// follows. `make load` is for people.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/kn-flink/kn-flink/test/live/load"
)

// options are the command line's.
type options struct {
	load.Options
	rates, plot string
	each        time.Duration
}

func main() {
	o := &options{}
	flag.StringVar(&o.Checkout, "checkout", "../..", "directory of kn-flink's sources")
	flag.StringVar(&o.Dir, "dir", "../../.local/load", "where the platform lives; it is emptied first")
	flag.StringVar(&o.rates, "rates", "100,600,60", "how many records come in each second, one after the other")
	flag.DurationVar(&o.each, "each", 3*time.Minute, "how long each of them lasts")
	flag.StringVar(&o.plot, "plot", "../../.local/load.svg", "the file for the plot")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o *options) (err error) {
	for _, path := range []*string{&o.Checkout, &o.Dir} {
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(o.Dir); err != nil {
		return err
	}
	for _, text := range strings.Split(o.rates, ",") {
		rate, err := strconv.Atoi(text)
		if err != nil || rate < 0 {
			return fmt.Errorf("rate %q is no number of records", text)
		}
		o.Steps = append(o.Steps, load.Step{Rate: rate, For: o.each})
	}
	// shorter than in the example, so that it is over in some minutes
	o.Replace = []string{"metrics.window: 2 min", "metrics.window: 30 s", "interval: 30 s", "interval: 10 s"}
	o.Progress = func(what string) { fmt.Fprintln(os.Stderr, what) }
	points, err := load.Run(ctx, o.Options)
	if len(points) == 0 {
		return err
	}
	fmt.Print(load.Table(points))
	if plotted := os.WriteFile(o.plot, []byte(load.Plot(points)), 0o644); plotted != nil {
		return plotted
	}
	fmt.Fprintln(os.Stderr, "the plot is in", o.plot)
	return err
}
