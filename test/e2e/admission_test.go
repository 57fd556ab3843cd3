//go:build e2e

package e2e

import (
	"os"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/test/life"
)

// dryRun asks the API server, with its schema, its policies and our webhook, and stores nothing.
func dryRun(t *testing.T, u *unstructured.Unstructured) error {
	t.Helper()
	resource := life.Resources.GroupVersion().WithResource(strings.ToLower(u.GetKind()) + "s")
	_, err := kube.in(resource, space).Create(t.Context(), u, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	return err
}

func TestInvalidResourceIsRefused(t *testing.T) {
	for behaviour, row := range map[string]struct {
		reason string
		spoil  func(*testing.T, *unstructured.Unstructured)
		want   []string
	}{
		"a forbidden key is refused by the policy": {
			reason: "the cluster's name is the resource's name, nothing else",
			spoil: func(t *testing.T, u *unstructured.Unstructured) {
				set(t, u, map[string]any{"kubernetes.cluster-id": "other"}, "spec", "flinkConfiguration")
			},
			want: []string{"kubernetes.cluster-id"},
		},
		"a nested forbidden key is refused by the policy": {
			reason: "a nested key is the same key",
			spoil: func(t *testing.T, u *unstructured.Unstructured) {
				set(t, u, map[string]any{"kubernetes": map[string]any{"cluster-id": "other"}}, "spec", "flinkConfiguration")
			},
			want: []string{"kubernetes.cluster-id"},
		},
		"a rule that only Go can check is refused by the webhook": {
			reason: "two JobManagers need high availability, which the effective configuration decides",
			spoil: func(t *testing.T, u *unstructured.Unstructured) {
				set(t, u, int64(2), "spec", "jobManager", "replicas")
			},
			want: []string{"spec.jobManager.replicas", "high-availability"},
		},
		"all problems are told at once": {
			reason: "a person wants to fix them in one go",
			spoil: func(t *testing.T, u *unstructured.Unstructured) {
				set(t, u, int64(2), "spec", "jobManager", "replicas")
				set(t, u, "savepoint", "spec", "job", "upgradeMode")
			},
			want: []string{"spec.jobManager.replicas", "savepoint"},
		},
	} {
		t.Run(behaviour, func(t *testing.T) {
			u := example(t, "basic.yaml", "refused", nil)
			row.spoil(t, u)
			err := dryRun(t, u)
			if err == nil {
				t.Fatalf("it was accepted, although %s", row.reason)
			}
			for _, want := range row.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the refusal does not say %q (%s): %v", want, row.reason, err)
				}
			}
		})
	}
}

func TestEveryExampleIsAccepted(t *testing.T) {
	files, err := os.ReadDir("../../examples")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".yaml") {
			continue
		}
		t.Run(file.Name(), func(t *testing.T) {
			u := example(t, file.Name(), strings.TrimSuffix(file.Name(), ".yaml"), nil)
			if u.GetKind() == "FlinkStateSnapshot" { // its job has to be there, if only suspended
				const name = "of-a-snapshot"
				kube.create(
					t,
					example(t, "checkpoint-ha.yaml", name, func(u *unstructured.Unstructured) {
						set(t, u, "suspended", "spec", "job", "state")
					}),
				)
				set(t, u, name, "spec", "jobReference", "name")
			}
			if err := dryRun(t, u); err != nil {
				t.Error(err)
			}
		})
	}
}
