package images

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"

	"github.com/kn-flink/kn-flink/local/controlplane"
	"github.com/kn-flink/kn-flink/local/flink"
	"github.com/kn-flink/kn-flink/local/node"
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

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) (code int) {
	dir, err := os.MkdirTemp("", "flink-images-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() {
		if code != 0 {
			fmt.Fprintln(os.Stderr, "the logs are kept in", dir)
			return
		}
		if err := os.RemoveAll(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}()
	if plane, err = controlplane.Start(context.Background(), controlplane.Options{Dir: filepath.Join(dir, "state")}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if local, err = node.Start(context.Background(), node.Options{ControlPlane: plane, Images: Images{Cache: cache}}); err != nil {
		fmt.Fprintln(os.Stderr, errors.Join(err, plane.Stop()))
		return 1
	}
	code = m.Run()
	if err := errors.Join(local.Stop(), plane.Stop()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	return code
}

// eventually waits for a condition. A job's start is minutes on a busy machine, and the first download is, too.
func eventually(t *testing.T, what string, condition func(context.Context) (bool, error)) {
	t.Helper()
	if err := wait.PollUntilContextTimeout(t.Context(), 200*time.Millisecond, 4*time.Minute, true, condition); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

func dynamicClient() dynamic.Interface { return dynamic.NewForConfigOrDie(plane.Config()) }
