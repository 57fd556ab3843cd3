package controlplane

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"

	"github.com/kn-flink/kn-flink/local/mesh/crds"
	"github.com/kn-flink/kn-flink/local/testsuite"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/conformance"
)

// The model of the API server passes the same tests, in test/kubesim/conformance. With -update the answers that it is
// held to are recorded anew.
func TestConformance(t *testing.T) {
	installKinds(t)
	objects := dynamic.NewForConfigOrDie(plane.Config())
	installPingSources(t, objects)
	t.Parallel() // from here on no other test looks at all resources
	conformance.Run(t, func(*testing.T) conformance.Cluster {
		return conformance.Cluster{
			Client: objects, Namespace: namespace,
			Recorded: func(t *testing.T, name, answer string) {
				t.Helper()
				isRecorded(t, filepath.Join("../../test/kubesim/conformance/testdata", name+".json"), answer)
			},
			Eventually: func(t *testing.T, what string, holds func() bool) {
				t.Helper()
				testsuite.Eventually(t, 30*time.Second, what, func(context.Context) (bool, error) { return holds(), nil })
			},
		}
	})
}

func installPingSources(t *testing.T, objects dynamic.Interface) {
	t.Helper()
	for _, definition := range crds.All() {
		if definition.Spec.Names.Plural != kubesim.PingSources.Resource {
			continue
		}
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(definition)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := objects.Resource(served[definition.Kind]).Create(
			t.Context(), &unstructured.Unstructured{Object: content}, metav1.CreateOptions{},
		); err != nil {
			t.Fatal(err)
		}
	}
	testsuite.Eventually(t, time.Minute, "PingSources are served", func(ctx context.Context) (bool, error) {
		_, err := objects.Resource(kubesim.PingSources).List(ctx, metav1.ListOptions{})
		return err == nil, nil
	})
}
