package images

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/client-go/dynamic"

	"github.com/kn-flink/kn-flink/local/controlplane"
	"github.com/kn-flink/kn-flink/local/flink"
	"github.com/kn-flink/kn-flink/local/node"
	"github.com/kn-flink/kn-flink/local/testsuite"
)

// The one platform of this package's tests.
var (
	plane *controlplane.ControlPlane
	local *node.Node
)

// cache is the user's own: a test run after the first needs no network.
var cache = flink.Cache{
	Jobs: "../../../test/cluster/flink/jobs",
	Progress: func(step string, done, total int64) {
		if done == total {
			fmt.Fprintf(os.Stderr, "%s: %d MB\n", step, total>>20)
		}
	},
}

func TestMain(m *testing.M) {
	testsuite.Main(m, func(stage *testsuite.Stage) (err error) {
		if plane, err = controlplane.Start(
			context.Background(), controlplane.Options{Dir: filepath.Join(stage.Dir, "state")},
		); err != nil {
			return err
		}
		stage.Stop(plane.Stop)
		if local, err = node.Start(
			context.Background(), node.Options{ControlPlane: plane, Images: Images{Cache: cache}},
		); err != nil {
			return err
		}
		stage.Stop(local.Stop)
		return nil
	})
}

// eventually waits for a condition. A job's start is minutes on a busy machine, and the first download is, too.
func eventually(t *testing.T, what string, condition func(context.Context) (bool, error)) {
	t.Helper()
	testsuite.Eventually(t, 4*time.Minute, what, condition)
}

func dynamicClient() dynamic.Interface { return dynamic.NewForConfigOrDie(plane.Config()) }
