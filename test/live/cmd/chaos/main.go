// Command chaos runs random scripts, or the retention matrix, over real Flink on the local platform. `make chaos` and
// `make matrix-retention` are for people.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/kn-flink/kn-flink/local/flink"
	script "github.com/kn-flink/kn-flink/test/chaos"
	"github.com/kn-flink/kn-flink/test/live/chaos"
)

func main() {
	var o chaos.Options
	var checkout string
	flag.StringVar(&checkout, "checkout", "../..", "directory of kn-flink's sources")
	flag.StringVar(&o.Dir, "dir", "../../.local/chaos", "where the platform lives, and findings are left")
	flag.Uint64Var(&o.Seed, "seed", 1, "what the runs are drawn from")
	flag.Uint64Var(&o.First, "first", 1, "number of the first run of the seed")
	flag.BoolVar(&o.Standalone, "standalone", false, "random runs of clusters in standalone mode")
	flag.BoolVar(&o.Hosted, "hosted", false, "random runs of session jobs")
	flag.BoolVar(&o.Paired, "paired", false, "random runs of blue/green deployments with handover")
	flag.IntVar(&o.Starts, "starts", 0, "end when jobs have started so often; 0: when the minutes are over")
	flag.DurationVar(&o.For, "for", 10*time.Minute, "begin no run after so long")
	flag.IntVar(&o.AtOnce, "at-once", 3, "runs at the same time")
	flag.IntVar(&o.Findings, "findings", 3, "end when so many runs have failed")
	flag.StringVar(&o.Script, "script", "", "files with scripts to carry out, in place of random ones; commas between")
	flag.StringVar(&o.Table, "table", "", "carry a matrix out, that of retention, and write its table to this file")
	versions := flag.String("versions", "", "the matrix is that of these minor versions; commas between, or all")
	flag.Parse()
	switch *versions {
	case "":
	case "all":
		o.Versions = flink.Minors()
	default:
		o.Versions = strings.Split(*versions, ",")
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	if err := run(ctx, o, checkout); err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o chaos.Options, checkout string) (err error) {
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return err
	}
	arena, err := chaos.Open(ctx, o.Dir, checkout)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, arena.Close()) }()
	if err := arena.Share(ctx, o.Versions...); err != nil {
		return err
	}
	switch {
	case o.Table != "" && len(o.Versions) > 0:
		return arena.VersionTable(ctx, o)
	case o.Table != "":
		return arena.Matrix(ctx, o)
	case o.Script != "":
		scripts := map[string][]script.Command{}
		for path := range strings.SplitSeq(o.Script, ",") {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if scripts[path], err = script.Parse(string(text)); err != nil {
				return err
			}
		}
		return arena.Replay(ctx, o, scripts)
	}
	return arena.Random(ctx, o)
}
