package manifests

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// consoleOf is an object of config/console.
func consoleOf(t *testing.T, kind, name string) unstructured.Unstructured {
	t.Helper()
	for _, u := range files(t, consoles)["console.yaml"] {
		if u.GetKind() == kind && u.GetName() == name {
			return u
		}
	}
	t.Fatalf("config/console has no %s %s", kind, name)
	return unstructured.Unstructured{}
}

// Whoever gets into the pod of the console finds no token, and its account may do nothing.
func TestTheConsoleHasNoRightsAndNoToken(t *testing.T) {
	service := consoleOf(t, "Service", "console")
	account := consoleOf(t, "ServiceAccount", "console")
	if mounted, set := account.Object["automountServiceAccountToken"]; !set || mounted != false {
		t.Errorf("the account mounts its token: %v", mounted)
	}
	pod, _, _ := unstructured.NestedMap(service.Object, "spec", "template", "spec")
	if pod["automountServiceAccountToken"] != false || pod["serviceAccountName"] != "console" {
		t.Errorf("the pod has a token of account %v", pod["serviceAccountName"])
	}
	volumes, _, _ := unstructured.NestedSlice(pod, "volumes")
	for _, v := range volumes {
		if volume := v.(map[string]any); len(volume) != 2 || volume["configMap"] == nil {
			t.Errorf("the pod mounts %v", volume)
		}
	}
	for _, folder := range []string{installation, consoles} {
		for file, objects := range files(t, folder) {
			for _, u := range objects {
				subjects, _, _ := unstructured.NestedSlice(u.Object, "subjects")
				for _, s := range subjects {
					if s.(map[string]any)["name"] == "console" {
						t.Errorf("%s: %s gives the console a right", file, u.GetName())
					}
				}
			}
		}
	}
}

// The console goes a minute after the last poll, is reached inside of the cluster only, and reaches the API server
// only.
func TestTheConsoleSleepsAndIsNotPublic(t *testing.T) {
	service := consoleOf(t, "Service", "console")
	if service.GetLabels()["networking.knative.dev/visibility"] != "cluster-local" {
		t.Error("the Service has a public address")
	}
	scale, _, _ := unstructured.NestedStringMap(service.Object, "spec", "template", "metadata", "annotations")
	for name, want := range map[string]string{"min-scale": "0", "max-scale": "2", "window": "60s"} {
		if got := scale["autoscaling.knative.dev/"+name]; got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	policy := consoleOf(t, "NetworkPolicy", "flink-console")
	types, _, _ := unstructured.NestedStringSlice(policy.Object, "spec", "policyTypes")
	rules, _, _ := unstructured.NestedSlice(policy.Object, "spec", "egress")
	if strings.Join(types, ",") != "Egress" || len(rules) != 1 {
		t.Fatalf("types %v, %d rules", types, len(rules))
	}
	ports, _, _ := unstructured.NestedSlice(rules[0].(map[string]any), "ports")
	for _, p := range ports {
		if port := fmt.Sprint(p.(map[string]any)["port"]); !slices.Contains([]string{"53", "443", "6443"}, port) {
			t.Errorf("it reaches port %s", port)
		}
	}
	labels, _, _ := unstructured.NestedStringMap(service.Object, "spec", "template", "metadata", "labels")
	selected, _, _ := unstructured.NestedStringMap(policy.Object, "spec", "podSelector", "matchLabels")
	for name, value := range selected {
		if labels[name] != value {
			t.Errorf("the policy selects %s=%s, which the pod does not have", name, value)
		}
	}
}
