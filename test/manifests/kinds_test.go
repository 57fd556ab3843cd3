package manifests

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/kinds"
)

// listed are the lists of resources of our group in the installation and in config/monitoring which do not have every
// kind: by file and verbs or operations, the kinds that they have. Every other list has all kinds.
var listed = map[string]func(k kinds.Kind) bool{
	// A pass makes and deletes snapshots of a job, and the sides of a blue/green deployment; and a Deployment with an
	// owner that may block its deletion.
	"010-rbac-reconcile.yaml create, delete": only(
		v1beta1.KindFlinkDeployment, v1beta1.KindFlinkSessionJob, v1beta1.KindFlinkStateSnapshot,
	),
	"010-rbac-reconcile.yaml finalizers": only(v1beta1.KindFlinkDeployment, v1beta1.KindFlinkBlueGreenDeployment),
	// A look at a Deployment, at a session job and at a snapshot gets the cluster or the job that it is of; so does admit.
	"020-rbac-observe.yaml get": only(v1beta1.KindFlinkDeployment, v1beta1.KindFlinkSessionJob),
	"800-rbac-admit.yaml get":   only(v1beta1.KindFlinkDeployment, v1beta1.KindFlinkSessionJob),
	// A user may scale jobs by an autoscaler of their own.
	"040-role-flink.yaml scale": func(k kinds.Kind) bool { return k.JobManager },
	// What the schemas of these two cannot say; a child of another kind is judged itself.
	"090-forbidden-keys-policy.yaml CREATE, UPDATE": only(v1beta1.KindFlinkDeployment, v1beta1.KindFlinkSessionJob),
	"092-rights-policy.yaml CREATE, UPDATE":         func(k kinds.Kind) bool { return k.Pods },
	// The one default is a label of session jobs.
	"830-webhooks.yaml MutatingWebhookConfiguration": only(v1beta1.KindFlinkSessionJob),
}

func only(names ...string) func(kinds.Kind) bool {
	return func(k kinds.Kind) bool { return slices.Contains(names, k.Name) }
}

// plurals are the resources of the kinds that a list is to have.
func plurals(has func(kinds.Kind) bool) (all []string) {
	for _, k := range kinds.All {
		if has == nil || has(k) {
			all = append(all, k.Resource.Resource)
		}
	}
	return all
}

// rulesOf are the rules in an object that are for resources of our group, wherever they stand.
func rulesOf(value any) (found []map[string]any) {
	switch v := value.(type) {
	case []any:
		for _, entry := range v {
			found = append(found, rulesOf(entry)...)
		}
	case map[string]any:
		if groups, _, _ := unstructured.NestedStringSlice(v, "apiGroups"); slices.Contains(groups, v1beta1.Group) {
			return []map[string]any{v}
		}
		for _, field := range v {
			found = append(found, rulesOf(field)...)
		}
	}
	return found
}

// wants are the resources that a rule is to list, without the subresource that all of them have.
func wants(file, kind string, rule map[string]any) (subresource string, want []string) {
	resources, _, _ := unstructured.NestedStringSlice(rule, "resources")
	_, subresource, _ = strings.Cut(resources[0], "/")
	may, _, _ := unstructured.NestedStringSlice(rule, "verbs")
	on, _, _ := unstructured.NestedStringSlice(rule, "operations")
	for _, what := range []string{subresource, kind, strings.Join(append(may, on...), ", ")} {
		if has := listed[file+" "+what]; has != nil {
			return subresource, plurals(has)
		}
	}
	return subresource, plurals(nil)
}

func TestEachListOfKindsIsWhole(t *testing.T) {
	found := 0
	for _, folder := range []string{installation, "../../config/monitoring"} {
		for file, objects := range files(t, folder) {
			for _, u := range objects {
				for _, rule := range rulesOf(u.Object) {
					found++
					subresource, want := wants(file, u.GetKind(), rule)
					got, _, _ := unstructured.NestedStringSlice(rule, "resources")
					for i := range want {
						want[i] = strings.TrimSuffix(want[i]+"/"+subresource, "/")
					}
					if !slices.Equal(got, want) {
						t.Errorf("%s, %s %s: a rule has %v, want %v by pkg/kinds", file, u.GetKind(), u.GetName(), got, want)
					}
				}
			}
		}
	}
	if found < 15 {
		t.Errorf("%d rules were found: they are written differently now", found)
	}
}

func TestTheSourceWatchesEachKind(t *testing.T) {
	var got []string
	resources, _, _ := unstructured.NestedSlice(object(t, "500-source.yaml", "ApiServerSource", "flink").Object,
		"spec", "resources")
	for _, item := range resources {
		watched := item.(map[string]any)
		if watched["apiVersion"] == v1beta1.APIVersion {
			got = append(got, watched["kind"].(string))
		}
	}
	if !slices.Equal(got, kinds.Names()) {
		t.Errorf("500-source.yaml watches %v, want %v", got, kinds.Names())
	}
}

func TestEachKindHasItsDefinition(t *testing.T) {
	defined := map[string]string{}
	for _, objects := range files(t, "../../config/crds") {
		for _, u := range objects {
			kind, _, _ := unstructured.NestedString(u.Object, "spec", "names", "kind")
			plural, _, _ := unstructured.NestedString(u.Object, "spec", "names", "plural")
			defined[kind] = plural
		}
	}
	for _, k := range kinds.All {
		if defined[k.Name] != k.Resource.Resource {
			t.Errorf("config/crds defines %s as %q, want %q", k.Name, defined[k.Name], k.Resource.Resource)
		}
	}
	if len(defined) != len(kinds.All) {
		t.Errorf("config/crds defines %v, pkg/kinds has %v", defined, kinds.Names())
	}
}

// What is no list of YAML is found by its text.
func TestEachKindIsNamed(t *testing.T) {
	texts := map[string]string{
		"hack/lib.sh": "KINDS=(" + strings.Join(plurals(nil), " ") + ")",
	}
	for _, k := range kinds.All {
		texts["config/monitoring/kube-state-metrics.yaml"] = "version: v1beta1, kind: " + k.Name + "}"
		texts["docs/internals/glossary.md"] = k.Name
		for file, want := range texts {
			text, err := os.ReadFile(filepath.Join("../..", file))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), want) {
				t.Errorf("%s does not have %q", file, want)
			}
		}
	}
}
