package rehearsal_test

import (
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/rehearsal"
	"github.com/kn-flink/kn-flink/pkg/render"
)

func deployment(name string, replicas int32) *appsv1.Deployment {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "flink", Name: name}}
	d.Spec.Replicas = &replicas
	d.Spec.Template.Labels = map[string]string{"app": name}
	return d
}

// TestPieces: each object as it will be created, and each pod as its controller will make it.
func TestPieces(t *testing.T) {
	const operation = "0123456789abcdef0123456789abcdef"
	long := strings.Repeat("a", 45)
	start := rehearsal.Start{
		Operation: operation, TaskManager: &corev1.PodTemplateSpec{}, TaskManagers: 3,
		Cluster: render.Cluster{
			JobManager: deployment(long, 2), TaskManager: deployment(long+"-taskmanager", 0),
			ConfigMaps: []*corev1.ConfigMap{named("flink-config")},
		},
	}
	var got []string
	for _, p := range rehearsal.Pieces(start) {
		if len(p.Object.GetName()) > 63 {
			t.Errorf("%s %s is longer than a pod's name", p.Kind, p.Object.GetName())
		}
		got = append(got, p.Kind)
		if d, is := p.Object.(*appsv1.Deployment); is && *d.Spec.Replicas != 0 {
			t.Errorf("Deployment %s has %d replicas: a start is created without", d.Name, *d.Spec.Replicas)
		}
		if pod := p.Pod(); pod != nil && (len(pod.OwnerReferences) != 1 || pod.Namespace != "flink") {
			t.Errorf("pod %s in %q has owners %v", pod.Name, pod.Namespace, pod.OwnerReferences)
		}
	}
	if want := []string{"Deployment", "Pod", "Deployment", "Pod", "ConfigMap", "Pod"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	first, again := rehearsal.Pieces(start)[1], start
	again.Operation = strings.Repeat("f", 32)
	if other := rehearsal.Pieces(again)[1]; other.Object.GetName() != first.Object.GetName() || first.Count != 2 {
		t.Errorf("%s, then %s; %d of them", first.Object.GetName(), other.Object.GetName(), first.Count)
	}
	if labels := first.Pod().Labels; labels[appsv1.DefaultDeploymentUniqueLabelKey] == "" || labels["app"] != long {
		t.Errorf("labels %v", labels)
	}
}
