//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/test/life"
)

// kube is the cluster under test, figures what was measured on it.
var (
	kube    *cluster
	figures report
)

// TestMain installs what is in the tree, runs the tests, prints the report. E2E_DEPLOY=no takes what is installed.
func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if kube, err = connect(); err != nil {
		fmt.Println(err)
		return 2
	}
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	if err := prepare(ctx); err != nil {
		fmt.Println("prepare the cluster:", err)
		return 2
	}
	code := m.Run()
	figures.print()
	// The namespace stays when a test failed, for a look at it.
	if code == 0 {
		if err := kube.in(namespaces, "").Delete(context.Background(), space, metav1.DeleteOptions{}); err != nil {
			fmt.Println("delete namespace", space+":", err)
			return 1
		}
	}
	return code
}

// prepare makes the namespace first, so that the deployment's wait covers the source's adapter that starts again for
// it.
func prepare(ctx context.Context) error {
	// Jobs of the tests keep their state in a directory of the node, which pod security level baseline refuses. A level
	// that is set stays as it is.
	ns := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{
			"name": space, "labels": map[string]any{"pod-security.kubernetes.io/enforce": "privileged"},
		},
	}}
	if err := goneNamespace(ctx); err != nil {
		return err
	}
	if _, err := kube.in(namespaces, "").Create(ctx, ns, metav1.CreateOptions{}); err != nil &&
		!apierrors.IsAlreadyExists(err) {
		return err
	}
	if os.Getenv("E2E_DEPLOY") != "no" {
		started := time.Now()
		if err := script(ctx, "deploy.sh"); err != nil {
			return err
		}
		figures.duration("make deploy, images built", 0, time.Since(started))
	}
	if err := script(ctx, "tenant.sh", space); err != nil {
		return err
	}
	return removeLeftovers(ctx)
}

// goneNamespace waits for the end of a namespace that the run before has deleted.
func goneNamespace(ctx context.Context) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		ns, err := kube.in(namespaces, "").Get(ctx, space, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			return nil
		case err != nil || ns.GetDeletionTimestamp() == nil:
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("namespace %s of an earlier run does not go away", space)
		case <-tick.C:
		}
	}
}

// removeLeftovers removes what an earlier run left behind: session jobs first, which hold their clusters.
func removeLeftovers(ctx context.Context) error {
	for _, kind := range []schema.GroupVersionResource{sessionJobs, life.Resources} {
		if err := removeAll(ctx, kind); err != nil {
			return err
		}
	}
	return nil
}

func removeAll(ctx context.Context, kind schema.GroupVersionResource) error {
	left, err := kube.list(ctx, kind, space, "")
	if err != nil {
		return err
	}
	for _, u := range left {
		if err := kube.in(kind, space).Delete(ctx, u.GetName(), metav1.DeleteOptions{}); err != nil &&
			!apierrors.IsNotFound(err) {
			return err
		}
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for len(left) > 0 {
		select {
		case <-ctx.Done():
			return fmt.Errorf(
				"%d %s of an earlier run do not go away in namespace %s", len(left), kind.Resource, space,
			)
		case <-tick.C:
		}
		if left, err = kube.list(ctx, kind, space, ""); err != nil {
			return err
		}
	}
	return nil
}

// script runs one of hack/ with its output on ours.
func script(ctx context.Context, name string, args ...string) error {
	command := exec.CommandContext(ctx, "../../hack/"+name, args...)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("hack/%s: %w", name, err)
	}
	return nil
}
