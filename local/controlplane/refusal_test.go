package controlplane

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
)

// served are the kinds that the files of this test hold.
var served = map[string]schema.GroupVersionResource{
	"CustomResourceDefinition": {
		Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions",
	},
	"ValidatingAdmissionPolicy": {
		Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicies",
	},
	"ValidatingAdmissionPolicyBinding": {
		Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicybindings",
	},
}

// install creates what a file of the installation holds.
func install(t *testing.T, objects dynamic.Interface, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	documents := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 1<<20)
	for {
		var o unstructured.Unstructured
		if err := documents.Decode(&o.Object); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		_, err := objects.Resource(served[o.GetKind()]).Create(t.Context(), &o, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) { // the tests share one control plane
			t.Fatalf("%s: %v", path, err)
		}
	}
}

// The schema with its rules, and the policy, each say all that is wrong at once. The policy is asked only when the
// schema has nothing to say.
func TestARefusalNamesEveryProblem(t *testing.T) {
	t.Parallel()
	objects, err := dynamic.NewForConfig(plane.Config())
	if err != nil {
		t.Fatal(err)
	}
	install(t, objects, "../../config/crds/flink.apache.org_flinkdeployments.yaml")
	install(t, objects, "../../config/crds/flink.apache.org_flinksessionjobs.yaml")
	install(t, objects, "../../config/knative/090-forbidden-keys-policy.yaml")
	kinds := schema.GroupVersion{Group: "flink.apache.org", Version: "v1beta1"}
	in := namespace(t)
	for name, row := range map[string]struct {
		kind string
		spec map[string]any
		says []string
	}{
		"of the schema": {"FlinkDeployment", map[string]any{
			"flinkVersion": "v1_13", "ingress": map[string]any{}, "logConfiguration": map[string]any{"a": "b"},
			"job":        map[string]any{},
			"jobManager": map[string]any{"replicas": int64(0)}, "taskManager": map[string]any{"replicas": int64(0)},
		}, []string{
			"spec.flinkVersion: Invalid value: Flink version v1_13 is not supported",
			"spec.ingress.template: Invalid value: Ingress template must",
			"spec.logConfiguration: Invalid value: Invalid log config key",
			"spec.jobManager.replicas: Invalid value: JobManager replicas should",
			"spec.taskManager.replicas: Invalid value: TaskManager replicas must be larger than 0",
		}},
		"of the policy": {"FlinkDeployment", map[string]any{
			"flinkConfiguration": map[string]any{
				"kubernetes.namespace": "x", "kubernetes": map[string]any{"cluster-id": "x"},
			},
		}, []string{
			"The FlinkDeployment name: 1.x is invalid (metadata.name)", "Flink Version must be defined. (spec.flinkVersion)",
			`Forbidden Flink config key: kubernetes.namespace (spec.flinkConfiguration["kubernetes.namespace"])`,
			"Forbidden Flink config key: kubernetes.cluster-id", "spec.serviceAccount must be defined. (spec.serviceAccount)",
		}},
		"of the policy, a session job": {"FlinkSessionJob", map[string]any{}, []string{
			"The FlinkDeployment name:  is invalid (spec.deploymentName)", "The job spec should not be empty (spec.job)",
		}},
	} {
		object := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "flink.apache.org/v1beta1", "kind": row.kind, "metadata": map[string]any{"name": "1.x"},
			"spec": row.spec,
		}}
		eventually(t, "a refusal "+name, func(ctx context.Context) (bool, error) {
			_, err := objects.Resource(kinds.WithResource(strings.ToLower(row.kind)+"s")).Namespace(in).Create(
				ctx, object, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}},
			)
			if !apierrors.IsInvalid(err) {
				return false, nil // the definition or the policy does not count yet
			}
			for _, part := range row.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%s: %q is not told: %v", name, part, err)
				}
			}
			return true, nil
		})
	}
}
