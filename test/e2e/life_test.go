//go:build e2e

package e2e

import (
	"os"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/test/life"
)

// A job's whole life, with its functions and its JobManager killed on the way: it always goes on exactly where it was.
// E2E_ALL=yes adds the chapters that a change does not wait for.
func TestLifeOfAJob(t *testing.T) {
	const name = "life"
	makeDirectory(t)
	kube.create(t, example(t, "checkpoint-ha.yaml", name, func(u *unstructured.Unstructured) { life.Ready(t, u) }))
	chapters := life.Main()
	if os.Getenv("E2E_ALL") != "" {
		chapters = life.All()
	}
	kube.life(name).Run(t, chapters...)
}
