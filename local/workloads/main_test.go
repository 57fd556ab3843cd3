package workloads

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/local/platform"
	"github.com/kn-flink/kn-flink/local/tenant"
	"github.com/kn-flink/kn-flink/local/testsuite"
)

// The one platform of this package's tests, and the namespace that they have on it.
var (
	local *platform.Platform
	ns    *tenant.Namespace
)

func TestMain(m *testing.M) {
	testsuite.Main(m, func(stage *testsuite.Stage) (err error) {
		begun := time.Now()
		progress := func(step string, _, _ int64) {
			fmt.Fprintf(os.Stderr, "%6.1f s  %s\n", time.Since(begun).Seconds(), step)
		}
		local, err = platform.Start(context.Background(), platform.Options{
			Dir: stage.Dir, Checkout: "../..", Jobs: "../../test/cluster/flink/jobs", Progress: progress,
		})
		if err != nil {
			return err
		}
		stage.Stop(local.Stop)
		ns = tenant.Default(local.Config(), "../../examples")
		return nil
	})
}
