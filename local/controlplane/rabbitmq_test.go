package controlplane

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// brokerOfRabbitMQ is the pod that Knative's RabbitMQ Broker makes beside a Broker: restricted but for its seccompProfile,
// of which it says nothing.
func brokerOfRabbitMQ() *corev1.Pod {
	yes, no := true, false
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "flink-control-broker-ingress"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "ingress", Image: "ingress", SecurityContext: &corev1.SecurityContext{
				AllowPrivilegeEscalation: &no, ReadOnlyRootFilesystem: &yes, RunAsNonRoot: &yes,
				Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
			},
		}}},
	}
}

// The namespace of an overlay lets the pods in that its Brokers have there.
func TestThePodsOfBrokersAreLetIn(t *testing.T) {
	for overlay, lets := range map[string]bool{"base": false, "rabbitmq": true} {
		out, err := exec.CommandContext(
			t.Context(), "kubectl", "kustomize", "--load-restrictor", "LoadRestrictionsNone", "../../config/overlays/"+overlay,
		).Output()
		if err != nil {
			t.Fatal(err)
		}
		for document := range strings.SplitSeq(string(out), "\n---\n") {
			var u unstructured.Unstructured
			if err := yaml.Unmarshal([]byte(document), &u.Object); err != nil || u.GetKind() != "Namespace" {
				continue
			}
			ns := namespace(t)
			made, err := client.CoreV1().Namespaces().Get(t.Context(), ns, metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			made.Labels = u.GetLabels()
			if _, err := client.CoreV1().Namespaces().Update(t.Context(), made, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the level of overlay "+overlay, func(ctx context.Context) (bool, error) {
				options := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
				_, err := client.CoreV1().Pods(ns).Create(ctx, brokerOfRabbitMQ(), options)
				refused := err != nil && strings.Contains(err.Error(), "seccompProfile")
				if err != nil && !refused {
					return false, err
				}
				return refused != lets, nil
			})
		}
	}
}
