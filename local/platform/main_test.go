package platform

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/kn-flink/kn-flink/local/tenant"
	"github.com/kn-flink/kn-flink/local/testsuite"
)

// The one platform of this package's tests.
var (
	local   *Platform
	ns      *tenant.Namespace
	client  kubernetes.Interface
	objects dynamic.Interface
)

func TestMain(m *testing.M) {
	testsuite.Main(m, func(stage *testsuite.Stage) (err error) {
		begun := time.Now()
		progress := func(step string, _, _ int64) {
			fmt.Fprintf(os.Stderr, "%6.1f s  %s\n", time.Since(begun).Seconds(), step)
		}
		local, err = Start(context.Background(), Options{
			Dir: stage.Dir, Checkout: "../..", Jobs: "../../test/cluster/flink/jobs", Progress: progress,
			Settings: "kubernetes.operator.user.artifacts.allowed-schemes: http;https\n" +
				"kubernetes.operator.user.artifacts.allowed-hosts: 127.0.0.0/8\n", // jars come from servers of the tests
		})
		if err != nil {
			return err
		}
		progress("ready", 0, 0)
		stage.Stop(func() error {
			begun = time.Now()
			defer progress("stopped", 0, 0)
			return local.Stop()
		})
		ns = tenant.Default(local.Config(), "../../examples")
		client, objects = ns.Client, ns.Objects
		return nil
	})
}
