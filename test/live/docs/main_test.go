//go:build docs

package docs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/local/platform"
	"github.com/kn-flink/kn-flink/local/testsuite"
)

const root = "../../.."

// local is the one platform of the tests.
var local *platform.Platform

func TestMain(m *testing.M) {
	testsuite.Main(m, func(stage *testsuite.Stage) (err error) {
		checkout, err := filepath.Abs(root)
		if err != nil {
			return err
		}
		begun := time.Now()
		progress := func(step string, _, _ int64) {
			fmt.Fprintf(os.Stderr, "%6.1f s  %s\n", time.Since(begun).Seconds(), step)
		}
		local, err = platform.Start(context.Background(), platform.Options{
			Dir: stage.Dir, Checkout: checkout, Jobs: filepath.Join(checkout, "test/cluster/flink/jobs"), Progress: progress,
			// The webhook looks up the host of a jar. No page fetches one from there.
			Hosts: func(host string) (string, bool) { return "93.184.215.14", host == "repo.example.com" },
		})
		if err == nil {
			stage.Stop(local.Stop)
		}
		return err
	})
}
