package view

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestWhichWarningsAreACause(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	warning := func(pod, reason, message string) corev1.Event {
		return corev1.Event{
			Type: corev1.EventTypeWarning, Reason: reason, Message: message, LastTimestamp: metav1.NewTime(now),
			InvolvedObject: corev1.ObjectReference{Kind: "Pod", Name: pod},
		}
	}
	seen := Seen{
		Resource: &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkDeployment",
			"metadata": map[string]any{"namespace": "flink", "name": "demo", "generation": int64(1)},
			"spec":     map[string]any{"job": map[string]any{}},
			"status": map[string]any{
				"lifecycleState": "DEPLOYED", "observedGeneration": int64(1), "conditions": []any{map[string]any{
					"type": "Reconciling", "status": "True", "reason": "JobManagerIsDeploying", "message": "the pod is starting",
					"lastTransitionTime": "2026-11-30T11:59:00Z",
				}},
			},
		}},
		Pods: []corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Namespace: "flink", Name: "demo-new"}}},
		Events: []corev1.Event{
			warning("demo-old", "BackOff", "of a pod that is gone"),
			warning("demo-new", "Unhealthy", "Startup probe failed: connection refused"),
			warning("demo-new", "Unhealthy", "Readiness probe failed: connection refused"),
			warning("demo-new", "FailedMount", "no such secret"),
		},
		Now: now,
	}
	all := strings.Join(Why(seen).Because, "\n")
	for text, want := range map[string]bool{
		"of a pod that is gone": false, "Startup probe": false, "Readiness probe": true, "no such secret": true,
	} {
		if got := strings.Contains(all, text); got != want {
			t.Errorf("the causes have %q: %t, want %t:\n%s", text, got, want, all)
		}
	}
}
