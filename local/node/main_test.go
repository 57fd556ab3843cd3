package node

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/kn-flink/kn-flink/local/controlplane"
	"github.com/kn-flink/kn-flink/local/node/runtime"
	"github.com/kn-flink/kn-flink/local/testsuite"
)

// The one platform of this package's tests.
var (
	plane    *controlplane.ControlPlane
	local    *Node
	client   *kubernetes.Clientset
	appFiles string // the directory that stands for the test image's /app
)

func TestMain(m *testing.M) {
	testsuite.Main(m, func(stage *testsuite.Stage) (err error) {
		appFiles = filepath.Join(stage.Dir, "app")
		if plane, err = controlplane.Start(
			context.Background(), controlplane.Options{Dir: filepath.Join(stage.Dir, "state")},
		); err != nil {
			return err
		}
		stage.Stop(plane.Stop)
		if local, err = Start(context.Background(), Options{ControlPlane: plane, Images: shell{}}); err != nil {
			return err
		}
		stage.Stop(local.Stop)
		client = kubernetes.NewForConfigOrDie(plane.Config())
		return nil
	})
}

// shell has one image: this machine's shell, with a directory of its own.
type shell struct{}

const image = "example.com/shell:1"

func (shell) Find(string) (runtime.Image, bool) { return runtime.Image{}, false }

func (shell) Pull(_ context.Context, name string) (runtime.Image, error) {
	if name != image {
		return runtime.Image{}, fmt.Errorf("no distribution stands for image %q", name)
	}
	if err := os.MkdirAll(filepath.Join(appFiles, "conf"), 0o755); err != nil {
		return runtime.Image{}, err
	}
	return runtime.Image{
		ID: "shell-1", Names: []string{image}, Paths: map[string]string{"/app": appFiles},
		Rewritten: []string{"/app/conf"}, Env: []string{"APP_CONF=/app/conf"}, Entrypoint: []string{"/bin/sh"}, User: 1000,
	}, nil
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, condition func(context.Context) (bool, error)) {
	t.Helper()
	testsuite.Eventually(t, time.Minute, what, condition)
}
