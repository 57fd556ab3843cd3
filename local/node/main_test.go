package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/kn-flink/kn-flink/local/controlplane"
	"github.com/kn-flink/kn-flink/local/node/runtime"
)

// The one platform of this package's tests.
var (
	plane    *controlplane.ControlPlane
	local    *Node
	client   *kubernetes.Clientset
	appFiles string // the directory that stands for the test image's /app
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) (code int) {
	dir, err := os.MkdirTemp("", "node-")
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
	appFiles = filepath.Join(dir, "app")
	if plane, err = controlplane.Start(context.Background(), controlplane.Options{Dir: filepath.Join(dir, "state")}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if local, err = Start(context.Background(), Options{ControlPlane: plane, Images: shell{}}); err != nil {
		fmt.Fprintln(os.Stderr, errors.Join(err, plane.Stop()))
		return 1
	}
	client = kubernetes.NewForConfigOrDie(plane.Config())
	code = m.Run()
	if err := errors.Join(local.Stop(), plane.Stop()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	return code
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
	if err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, 60*time.Second, true, condition); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}
