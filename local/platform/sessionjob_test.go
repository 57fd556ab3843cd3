package platform

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/local/flink"
)

// exampleJars is the URL of a server with the jars of the examples of a version of Flink.
func exampleJars(t *testing.T, version string) string {
	t.Helper()
	release, err := flink.Resolve(version)
	if err != nil {
		t.Fatal(err)
	}
	home, err := flink.Cache{Jobs: "../../test/cluster/flink/jobs"}.Home(t.Context(), release)
	if err != nil {
		t.Fatal(err)
	}
	jars := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(home, "examples", "streaming"))))
	t.Cleanup(jars.Close)
	return jars.URL
}

// TestASessionJobsJarIsUploaded: a jar goes from an HTTP server through reconcile-jars to a session cluster, and runs.
func TestASessionJobsJarIsUploaded(t *testing.T) {
	jars := exampleJars(t, "1.20")
	if _, err := objects.Resource(deployments).Namespace(namespace).Create(
		t.Context(), example(t, "session.yaml"), metav1.CreateOptions{},
	); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { remove(t, "session") })
	eventually(t, "the session cluster is STABLE", func(ctx context.Context) (bool, error) {
		return seen(ctx, "session").lifecycle == "STABLE", nil
	})
	job := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": group.String(), "kind": "FlinkSessionJob", "metadata": map[string]any{"name": "uploaded"},
		"spec": map[string]any{"deploymentName": "session", "job": map[string]any{
			"jarURI": jars + "/StateMachineExample.jar", "parallelism": int64(1), "upgradeMode": "stateless",
		}},
	}}
	if _, err := objects.Resource(sessionJobs).Namespace(namespace).Create(
		t.Context(), job, metav1.CreateOptions{},
	); err != nil {
		t.Fatal(err)
	}
	last := ""
	eventually(t, "the session job is STABLE", func(ctx context.Context) (bool, error) {
		o, err := objects.Resource(sessionJobs).Namespace(namespace).Get(ctx, "uploaded", metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		lifecycle, _, _ := unstructured.NestedString(o.Object, "status", "lifecycleState")
		problem, _, _ := unstructured.NestedString(o.Object, "status", "error")
		if now := lifecycle + " " + problem; now != last {
			last = now
			t.Log(now)
		}
		return lifecycle == "STABLE", nil
	})
	for _, f := range local.Mesh().Functions() {
		if f.Name == "reconcile-jars" && f.Served == 0 {
			t.Error("reconcile-jars has served nothing")
		}
	}
	if err := objects.Resource(sessionJobs).Namespace(namespace).Delete(
		t.Context(), "uploaded", metav1.DeleteOptions{},
	); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the session job is gone", func(ctx context.Context) (bool, error) {
		list, err := objects.Resource(sessionJobs).Namespace(namespace).List(ctx, metav1.ListOptions{})
		return err == nil && len(list.Items) == 0, err
	})
}
