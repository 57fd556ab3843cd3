package controlplane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
)

// plane is the one control plane of this package's tests.
var (
	plane  *ControlPlane
	client *kubernetes.Clientset
	starts [2]struct {
		ready time.Duration
		url   string
	}
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "control-plane-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	// A first one leaves its state to the second, which is the one that is tested.
	for i := range starts {
		begin := time.Now()
		if plane, err = Start(context.Background(), Options{Dir: dir}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		starts[i].ready, starts[i].url = time.Since(begin), plane.URL()
		client = kubernetes.NewForConfigOrDie(plane.Config())
		if i == 0 {
			left := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "left"}}
			_, err := client.CoreV1().ConfigMaps("default").Create(context.Background(), left, metav1.CreateOptions{})
			if err = errors.Join(err, plane.Stop()); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
		}
	}
	code := m.Run()
	if err := plane.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	if code != 0 {
		fmt.Fprintln(os.Stderr, "the logs are kept in", dir)
		return code
	}
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// eventually waits for a condition, at most ten seconds.
func eventually(t *testing.T, what string, condition func(context.Context) (bool, error)) {
	t.Helper()
	if err := wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, 10*time.Second, true, condition); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}
