package manifests

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/clock"
)

// whole is the field of an object that a function makes and writes as a whole.
const whole = "*"

// ofAdmit is what admit writes: the certificate that the API server is to trust, and the path under which it asks.
var ofAdmit = []string{"webhooks.clientConfig.caBundle", "webhooks.clientConfig.service.path"}

// written are the fields that functions write in objects of the installation, by the resource and the name that their
// rights have, and who does. A tool that applies the manifests again and again, such as Argo CD, Flux and Helm, sets a
// field of the manifests back, so no manifest has one of these. Objects of Flink clusters are in no manifest at all.
var written = map[string][]string{
	// observe and reconcile.
	"pingsources flink-clock":                     {"spec.schedule", "metadata.annotations." + clock.AnnotationStamp},
	"mutatingwebhookconfigurations flink-admit":   ofAdmit,
	"validatingwebhookconfigurations flink-admit": ofAdmit,
	// reconcile, as the settings name validators and mutators; admit the caBundle.
	"mutatingwebhookconfigurations flink-extensions":   {"webhooks"},
	"validatingwebhookconfigurations flink-extensions": {"webhooks"},
	"secrets flink-admit-tls":                          {whole}, // admit
	"secrets flink-event-key":                          {whole}, // admit
	"configmaps flink-operator-config-accepted":        {whole}, // reconcile
}

// sets reports whether an object sets a field; of a list, whether one of its entries does.
func sets(value any, field string) bool {
	if list, is := value.([]any); is {
		return slices.ContainsFunc(list, func(entry any) bool { return sets(entry, field) })
	}
	fields, is := value.(map[string]any)
	if !is {
		return false
	}
	if _, is := fields[field]; is {
		return true
	}
	first, rest, _ := strings.Cut(field, ".")
	return rest != "" && sets(fields[first], rest)
}

func TestNoManifestSetsAFieldThatAFunctionWrites(t *testing.T) {
	for file, objects := range files(t, installation) {
		for _, u := range objects {
			object := strings.ToLower(u.GetKind()) + "s " + u.GetName()
			for _, field := range written[object] {
				if field == whole || sets(u.Object, field) {
					t.Errorf("%s: %s sets %s, which a function writes: it would be set back with each apply", file, object, field)
				}
			}
		}
	}
	set := &unstructured.Unstructured{Object: map[string]any{"webhooks": []any{
		map[string]any{"clientConfig": map[string]any{"caBundle": "x"}},
	}}}
	if !sets(set.Object, "webhooks.clientConfig.caBundle") || sets(set.Object, "webhooks.clientConfig.path") {
		t.Error("this test finds no field")
	}
}

// TestWhatFunctionsWriteByNameIsKnown: a right to write an object by its name has a row in the table above.
func TestWhatFunctionsWriteByNameIsKnown(t *testing.T) {
	writes := []string{"update", "patch", "create", "delete", "*"}
	found := map[string]bool{}
	for file, objects := range files(t, installation) {
		for _, u := range objects {
			rules, _, _ := unstructured.NestedSlice(u.Object, "rules")
			for _, item := range rules {
				rule, _ := item.(map[string]any)
				verbs, _, _ := unstructured.NestedStringSlice(rule, "verbs")
				resources, _, _ := unstructured.NestedStringSlice(rule, "resources")
				names, _, _ := unstructured.NestedStringSlice(rule, "resourceNames")
				if !strings.HasSuffix(u.GetKind(), "Role") ||
					!slices.ContainsFunc(verbs, func(verb string) bool { return slices.Contains(writes, verb) }) {
					continue
				}
				for _, resource := range resources {
					for _, name := range names {
						object := resource + " " + name
						if found[object] = true; written[object] == nil {
							t.Errorf("%s: %s may be written, and the table does not say which of its fields", file, object)
						}
					}
				}
			}
		}
	}
	for object := range written {
		if !found[object] {
			t.Errorf("nothing may write %s", object)
		}
	}
}
