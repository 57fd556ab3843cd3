package controlplane

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// applied are the definitions of our kinds that make deploy has applied.
func applied(t *testing.T, objects dynamic.Interface) (names []string) {
	t.Helper()
	all, err := objects.Resource(served["CustomResourceDefinition"]).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range all.Items {
		for _, owner := range d.GetManagedFields() {
			if owner.Manager == "kn-flink" {
				names = append(names, d.GetName())
			}
		}
	}
	return names
}

// noKo is a folder with a ko that builds nothing, and says what it was asked for.
func noKo(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	const text = "#!/bin/sh\necho \"no ko $*\" >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(folder, "ko"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return folder
}

// make deploy stops beside a resource that would not be run before it applies anything, unless it is told to go on.
func TestDeployStopsBesideWhatIsNotRun(t *testing.T) {
	installKinds(t)
	objects := dynamic.NewForConfigOrDie(plane.Config())
	installKnative(t, objects, func(string) bool { return true })
	ns := namespace(t)
	kubectl(t, bucketJob("bucket"), "apply", "-n", ns, "-f", "-")
	t.Cleanup(func() { // other tests want a cluster in which all is run
		jobs := v1beta1.FlinkSessionJobGVR
		err := objects.Resource(jobs).Namespace(ns).Delete(context.Background(), "bucket", metav1.DeleteOptions{})
		if err != nil {
			t.Error(err)
		}
	})
	env := []string{
		"PATH=" + noKo(t) + ":" + os.Getenv("PATH"), "KO_DOCKER_REPO=registry.example.com", "OVERLAY=",
		"GATEWAY_NAMESPACE=kourier-system", // no gateway is here to be found
	}

	out, ok := script(t, "deploy.sh", env...)
	if line := lineOf(out, ns+"/bucket "); ok || !strings.Contains(line, "not fetched") ||
		!strings.Contains(out, "GO_ON=1 make deploy") {
		t.Errorf("it is to list the resource and to fail, not %t: %s", ok, out)
	}
	if made := applied(t, objects); made != nil || strings.Contains(out, "no ko") {
		t.Errorf("%q are applied: %s", made, out)
	}
	_, err := client.CoreV1().Namespaces().Get(t.Context(), "flink-system", metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("namespace flink-system is there: %v", err)
	}

	out, ok = script(t, "deploy.sh", append(env, "GO_ON=1")...)
	if made := applied(t, objects); ok || len(made) != 4 || !strings.Contains(out, "no ko resolve") ||
		lineOf(out, ns+"/bucket ") == "" {
		t.Errorf("who has read the list goes on, here until the functions are built: %q are applied, %t: %s", made, ok, out)
	}
	t.Run("an update", func(t *testing.T) {
		kubectl(t, "", "create", "namespace", "flink-system")
		kubectl(t, manifest(t, "serving.knative.dev/v1", "Service", "reconcile"), "apply", "-f", "-")
		out, ok := script(t, "deploy.sh", env...)
		if ok || !strings.HasPrefix(lineOf(out, "Resources"), "warn ") || !strings.Contains(out, "no ko resolve") {
			t.Errorf("who updates has seen the list before, and goes on: %t %s", ok, out)
		}
		kubectl(t, "", "delete", "namespace", "flink-system", "--wait=false")
	})
}

// manifest is an object of flink-system with the label of an installation, and nothing else in it.
func manifest(t *testing.T, version, kind, name string) string {
	t.Helper()
	u := &unstructured.Unstructured{}
	u.SetAPIVersion(version)
	u.SetKind(kind)
	u.SetNamespace("flink-system")
	u.SetName(name)
	u.SetLabels(map[string]string{"app.kubernetes.io/part-of": "kn-flink"})
	text, err := json.Marshal(u)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
