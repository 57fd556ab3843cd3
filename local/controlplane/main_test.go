package controlplane

import (
	"context"
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kn-flink/kn-flink/local/testsuite"
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

func TestMain(m *testing.M) {
	testsuite.Main(m, func(stage *testsuite.Stage) error {
		// A first one leaves its state to the second, which is the one that is tested.
		for i := range starts {
			begun := time.Now()
			var err error
			if plane, err = Start(context.Background(), Options{Dir: stage.Dir}); err != nil {
				return err
			}
			stage.Stop(plane.Stop)
			starts[i].ready, starts[i].url = time.Since(begun), plane.URL()
			client = kubernetes.NewForConfigOrDie(plane.Config())
			if i > 0 {
				break
			}
			left := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "left"}}
			_, err = client.CoreV1().ConfigMaps("default").Create(context.Background(), left, metav1.CreateOptions{})
			if err = errors.Join(err, plane.Stop()); err != nil {
				return err
			}
		}
		return nil
	})
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, condition func(context.Context) (bool, error)) {
	t.Helper()
	testsuite.Eventually(t, time.Minute, what, condition)
}
