// Command fleet starts a large installation on this machine, measures it, and prints the figures. `make fleet` is for
// people.
//
// Each number of resources has a process of its own, because a process can start one platform: this command runs itself
// for each of them.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/kn-flink/kn-flink/local/processes"
	"github.com/kn-flink/kn-flink/test/live/fleet"
)

// options are the command line's.
type options struct {
	fleet.Options
	numbers, faults, plot, one string
}

func main() {
	o := &options{}
	flag.StringVar(&o.Checkout, "checkout", "../..", "directory of kn-flink's sources")
	flag.StringVar(&o.Dir, "dir", "../../.local/fleet", "where the platforms live; it is emptied first")
	flag.StringVar(&o.numbers, "n", "0,100,1000,3000,10000", "how many resources, for each run; 0: one, which is edited")
	flag.DurationVar(&o.For, "for", 130*time.Second, "how long to measure, for each part")
	flag.IntVar(&o.Edits, "edits", 3, "how many edits to make beside the fleet")
	names, what := fleet.Faults()
	usage := []string{"faults that happen in turn, or \"all\":"}
	for _, name := range names {
		usage = append(usage, fmt.Sprintf("%-7s %s", name, what[name]))
	}
	flag.StringVar(&o.faults, "faults", "", strings.Join(usage, "\n"))
	flag.StringVar(&o.plot, "plot", "../../.local/fleet/plot.svg", "the file for the plot; empty: none")
	flag.StringVar(&o.one, "one", "", "the file for the result of the only run, for this command itself")
	flag.Parse()
	if o.faults == "all" {
		o.Faults = names
	} else if o.faults != "" {
		o.Faults = strings.Split(o.faults, ",")
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	spendMemory()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o *options) (err error) {
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return err
	}
	numbers := strings.Split(o.numbers, ",")
	if o.one != "" {
		return runOne(ctx, o, numbers[0])
	}
	var results []fleet.Result
	for _, n := range numbers {
		r, err := child(ctx, o, n)
		if err != nil {
			return fmt.Errorf("%s resources: %w", n, err)
		}
		results = append(results, r)
	}
	fmt.Print("\n", fleet.Table(results), fleet.Notes(results))
	if o.plot == "" {
		return nil
	}
	fmt.Println("\nplot:", o.plot)
	return os.WriteFile(o.plot, []byte(fleet.Plot(results)), 0o644)
}

// runOne runs a fleet in this process.
func runOne(ctx context.Context, o *options, n string) error {
	var err error
	if o.N, err = strconv.Atoi(n); err != nil {
		return err
	}
	begun := time.Now()
	o.Progress = func(what string) { fmt.Printf("%6.0f s  %s: %s\n", time.Since(begun).Seconds(), n, what) }
	result, err := fleet.Run(ctx, o.Options)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(result, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(o.one, text, 0o644)
}

// child runs a fleet in a process of its own.
func child(ctx context.Context, o *options, n string) (result fleet.Result, err error) {
	dir := filepath.Join(o.Dir, n)
	if err := os.RemoveAll(dir); err != nil {
		return result, err
	}
	file := filepath.Join(o.Dir, n+".json")
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return result, err
	}
	self, err := os.Executable()
	if err != nil {
		return result, err
	}
	command := exec.CommandContext(ctx, self, "-one", file, "-n", n, "-dir", dir, "-checkout", o.Checkout,
		"-for", o.For.String(), "-edits", strconv.Itoa(o.Edits), "-faults", strings.Join(o.Faults, ","))
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	free, err := processes.Bind(command, dir)
	if err != nil {
		return result, err
	}
	err = errors.Join(command.Run(), processes.End(dir), free())
	if err != nil {
		return result, err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return result, err
	}
	return result, json.Unmarshal(text, &result)
}

// spendMemory lets the heap of this process have three quarters of the machine's memory. The control plane of 10,000
// resources has some GB in use, and two cores would do little else than to look through them.
func spendMemory() {
	var info syscall.Sysinfo_t
	if err := syscall.Sysinfo(&info); err != nil {
		return // it is slower then
	}
	debug.SetMemoryLimit(int64(info.Totalram) * int64(info.Unit) / 4 * 3)
}
