package gather_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"

	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/kube"
)

func TestPodsEnd(t *testing.T) {
	pod := func(name, phase string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Pod",
			"metadata": map[string]any{
				"namespace": "flink", "name": name, "labels": map[string]any{"app": "demo", "component": "jobmanager"},
			},
			"status": map[string]any{"phase": phase},
		}}
	}
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(
		runtime.NewScheme(), map[schema.GroupVersionResource]string{kube.Pods: "PodList"}, pod("demo-1", "Running"),
	)
	pods := client.Resource(kube.Pods).Namespace("flink")
	ended, err := gather.PodsEnd(t.Context(), kube.New(client), "flink", "demo")
	if err != nil {
		t.Fatal(err)
	}
	update := func(phase string) func() error {
		return func() error {
			_, err := pods.Update(t.Context(), pod("demo-1", phase), metav1.UpdateOptions{})
			return err
		}
	}
	for _, step := range []struct {
		what  string
		do    func() error
		ended bool
	}{
		{"a pod begins", func() error {
			_, err := pods.Create(t.Context(), pod("demo-2", "Pending"), metav1.CreateOptions{})
			return err
		}, false},
		{"a pod runs on", update("Running"), false},
		{"a pod has ended", update("Failed"), true},
		{"a pod is gone", func() error { return pods.Delete(t.Context(), "demo-2", metav1.DeleteOptions{}) }, true},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		if !step.ended {
			continue // the next signal would come too early
		}
		select {
		case <-ended:
		case <-time.After(time.Minute):
			t.Fatalf("%s: nothing ended", step.what)
		}
		select {
		case <-ended:
			t.Fatalf("%s: something rang before", step.what)
		default:
		}
	}
}
