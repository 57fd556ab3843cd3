package manifests

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// An installation without certificates and without settings of its own must start.
func TestWhatFunctionsMountMayBeMissing(t *testing.T) {
	secrets := map[string]bool{}
	each(t, func(t *testing.T, file string, u unstructured.Unstructured) {
		if u.GetKind() != "Service" || u.GroupVersionKind().Group != "serving.knative.dev" {
			return
		}
		volumes, _, _ := unstructured.NestedSlice(u.Object, "spec", "template", "spec", "volumes")
		for _, v := range volumes {
			for _, kind := range []string{"secret", "configMap"} {
				source, ok := v.(map[string]any)[kind].(map[string]any)
				if ok && source["optional"] != true {
					t.Errorf("volume %v is not optional", v.(map[string]any)["name"])
				}
				if name, _ := source["secretName"].(string); name != "" {
					secrets[file+" "+name] = true
				}
			}
		}
		for _, c := range containers(u) {
			env, _ := c.(map[string]any)["env"].([]any)
			for _, e := range env {
				name, _, _ := unstructured.NestedString(e.(map[string]any), "valueFrom", "secretKeyRef", "name")
				optional, _, _ := unstructured.NestedBool(e.(map[string]any), "valueFrom", "secretKeyRef", "optional")
				if name != "" && !optional {
					t.Errorf("Secret %s is not optional", name)
				}
				if name != "" {
					secrets[file+" "+name] = true
				}
			}
		}
	})
	// The names of the Java operator's chart, so that its Secrets can be copied as they are.
	for _, want := range []string{
		"300-reconcile.yaml flink-operator-cert", "300-reconcile.yaml operator-certificate-password",
		"305-reconcile-jars.yaml flink-operator-cert", "305-reconcile-jars.yaml operator-certificate-password",
		"310-observe.yaml flink-operator-cert", "310-observe.yaml operator-certificate-password",
	} {
		if !secrets[want] {
			t.Errorf("%s is not mounted, got %v", want, secrets)
		}
	}
}
