package platform

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/kn-flink/kn-flink/local/processes"
)

// The one platform of this package's tests.
var (
	local   *Platform
	client  kubernetes.Interface
	objects dynamic.Interface
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) (code int) {
	dir, err := os.MkdirTemp("", "platform-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() {
		if code != 0 {
			fmt.Fprintln(os.Stderr, "the logs are kept in", filepath.Join(dir, "log"), "and", filepath.Join(dir, "node", "logs"))
			return
		}
		if err := os.RemoveAll(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}()
	begun := time.Now()
	local, err = Start(context.Background(), Options{
		Dir: dir, Checkout: "../..", Jobs: "../../test/cluster/flink/jobs",
		Progress: func(step string, _, _ int64) {
			fmt.Fprintf(os.Stderr, "%6.1f s  %s\n", time.Since(begun).Seconds(), step)
		},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Fprintf(os.Stderr, "%6.1f s  ready\n", time.Since(begun).Seconds())
	client, objects = kubernetes.NewForConfigOrDie(local.Config()), dynamic.NewForConfigOrDie(local.Config())
	code = m.Run()
	begun = time.Now()
	if err := local.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	fmt.Fprintf(os.Stderr, "%6.1f s  stopped\n", time.Since(begun).Seconds())
	if left := processes.Of(dir); len(left) != 0 {
		fmt.Fprintln(os.Stderr, "processes are left after Stop:", left)
		code = 1
	}
	return code
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, condition func(context.Context) (bool, error)) {
	t.Helper()
	if err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, 3*time.Minute, true, condition); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}
