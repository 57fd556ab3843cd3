package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/fake"
	plain "sigs.k8s.io/yaml"
)

const second = "flink-b"

// scoped are the values of an installation that has a scope of each form.
var scoped = map[string]string{
	"names":    "watchNamespaces: [b]",
	"labels":   "watchNamespaceSelector: {matchLabels: {team: b}, matchExpressions: [{key: open, operator: DoesNotExist}]}",
	"resource": "watchLabelSelector: {matchLabels: {of: b}}",
}

// Two installations have no object in common, and no reference of one leads to the other.
func TestTwoInstallationsShareNothing(t *testing.T) {
	for name, values := range scoped {
		t.Run(name, func(t *testing.T) {
			first := render(t, "watchNamespaces: [a]")
			other := renderIn(t, second, values+"\njobServiceAccount: {namespaces: [b]}")
			if len(other) < 70 {
				t.Errorf("the second has %d objects", len(other))
			}
			for key, object := range other {
				if first[key] != nil {
					t.Errorf("both have %s", key)
				}
				if strings.Contains(text(t, object), "flink-system") {
					t.Errorf("%s leads to the other: %s", key, text(t, object))
				}
				metadata := object["metadata"].(map[string]any)
				labels := metadata["labels"].(map[string]any)
				outside := metadata["namespace"] == nil || metadata["namespace"] == "kourier-system"
				if outside && labels["app.kubernetes.io/instance"] != second {
					t.Errorf("%s is taken for one of the other's by its labels %v", key, labels)
				}
			}
			for key, object := range first {
				if strings.Contains(text(t, object), second) || strings.Contains(text(t, object), "app.kubernetes.io/instance") {
					t.Errorf("%s of the first knows the second", key)
				}
			}
		})
	}
}

// The chart names what is outside of the namespace of an installation as the scripts do.
func TestTheChartNamesAsTheScriptsDo(t *testing.T) {
	command := exec.CommandContext(t.Context(), "bash", "-c", ". hack/lib.sh; for f in config/knative/*.yaml; do cat $f; echo; echo ---; done | named")
	command.Dir, command.Env = root, append(os.Environ(), "SYSTEM="+second)
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	chart := renderIn(t, second, "")
	for _, document := range strings.Split(string(out), "\n---\n") {
		var object map[string]any
		if err := plain.Unmarshal([]byte(document), &object); err != nil {
			t.Fatal(err)
		}
		if object == nil || object["kind"] == "Namespace" {
			continue
		}
		key := keyOf(object)
		labels := object["metadata"].(map[string]any)["labels"].(map[string]any)
		if object["kind"] == "ClusterRole" && labels["app.kubernetes.io/component"] == "tenant" {
			key += "-" + second // the scripts leave those of jobs and users to both
		}
		if chart[key] == nil {
			t.Errorf("the chart has no %s", key)
			continue
		}
		for _, field := range []string{"roleRef", "subjects", "spec"} {
			switch object["kind"] {
			case "Service", "Job", "CronJob", "ApiServerSource": // the chart has values in them
				continue
			}
			if got, want := chart[key][field], object[field]; !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %s of the chart is\n%s\nand of the scripts\n%s", key, field, text(t, got), text(t, want))
			}
		}
	}
}

// A scope is said to all that acts or judges: source, webhooks, policies, settings.
func TestAScope(t *testing.T) {
	const out = `{"key":"flink.apache.org/watched","operator":"NotIn","values":["false"]}`
	rows := map[string]struct {
		namespaces, objects, setting, legacy string
	}{
		"names": {`"matchExpressions":[{"key":"kubernetes.io/metadata.name","operator":"In","values":["b"]}`, "", "", ""},
		"labels": {
			`"matchExpressions":[{"key":"open","operator":"DoesNotExist"}`, "",
			"kubernetes.operator.watched.namespace-selector: team=b,!open", "kubernetes.operator.watched.namespace-selector: team=b,!open",
		},
		"resource": {"", `{"matchLabels":{"of":"b"}}`, "kubernetes.operator.label.selector: of=b", "kubernetes.operator.label.selector: of=b"},
	}
	for name, row := range rows {
		got := renderIn(t, second, scoped[name])
		for key, field := range map[string]string{
			"ValidatingAdmissionPolicyBinding  kn-flink-status-flink-b": "objectSelector",
			"ValidatingAdmissionPolicyBinding  kn-flink-specs-flink-b":  "objectSelector",
			"ValidatingAdmissionPolicyBinding  kn-flink-rights-flink-b": "objectSelector",
			"ValidatingWebhookConfiguration  flink-admit-flink-b":       "objectSelector",
			"MutatingWebhookConfiguration  flink-admit-flink-b":         "objectSelector",
			"ApiServerSource flink-b flink":                             "selector",
		} {
			object := text(t, got[key])
			if !strings.Contains(object, row.namespaces) || row.objects != "" && !strings.Contains(object, `"`+field+`":`+row.objects) {
				t.Errorf("%s: %s does not have the scope: %s", name, key, object)
			}
			if strings.Contains(key, "status") != strings.Contains(object, out) {
				t.Errorf("%s: %s leaves namespaces out: %s", name, key, object)
			}
		}
		if row.setting == "" {
			continue
		}
		var config map[string]any
		settings := got["ConfigMap flink-b flink-operator-config"]["data"].(map[string]any)
		if err := plain.Unmarshal([]byte(settings["config.yaml"].(string)), &config); err != nil {
			t.Fatal(err)
		}
		if key, value, _ := strings.Cut(row.setting, ": "); config[key] != value {
			t.Errorf("%s: the settings are %v, want %s", name, config, row.setting)
		}
		legacy := renderIn(t, second, scoped[name]+"\ndefaultConfiguration: {flink-conf.yaml: 'a: b'}")
		if file := legacy["ConfigMap flink-b flink-operator-config"]["data"].(map[string]any)["flink-conf.yaml"]; file != "a: b\n"+row.legacy+"\n" {
			t.Errorf("%s: in the older form they are %q", name, file)
		}
	}
}

// The chart is made for this tree, so what it names is what config/knative has: no object outside of the namespace keeps
// its name.
func TestEveryNameOutsideOfTheNamespaceIsTheInstallations(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(root, "config", "knative", "*.yaml"))
	if err != nil || len(names) == 0 {
		t.Fatal("no manifests")
	}
	other := renderIn(t, second, "")
	for key := range manifests(t) {
		if _, both := other[key]; both {
			t.Errorf("a second installation has %s, too", key)
		}
	}
}

// aCluster answers what a chart looks up.
type aCluster struct{ client dynamic.Interface }

// GetClientFor is engine.ClientProvider.
func (c aCluster) GetClientFor(version, kind string) (dynamic.NamespaceableResourceInterface, bool, error) {
	group, err := schema.ParseGroupVersion(version)
	plural, _ := meta.UnsafeGuessKindToResource(group.WithKind(kind))
	return c.client.Resource(plural), kind != "Namespace" && kind != "ValidatingAdmissionPolicyBinding", err
}

// inCluster is the failure to render the chart for the second installation where a first one has a scope.
func inCluster(t *testing.T, values string, scope map[string]any) error {
	t.Helper()
	c, _ := made(t)
	named := func(version, kind, name string, labels map[string]any, more map[string]any) *unstructured.Unstructured {
		object := map[string]any{"apiVersion": version, "kind": kind, "metadata": map[string]any{"name": name, "labels": labels}}
		maps.Copy(object, more)
		return &unstructured.Unstructured{Object: object}
	}
	policies := schema.GroupVersionResource{
		Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicybindings",
	}
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
		policies: "ValidatingAdmissionPolicyBindingList", {Version: "v1", Resource: "namespaces"}: "NamespaceList",
		{Version: "v1", Resource: "services"}: "ServiceList",
	},
		named("v1", "Namespace", "a", map[string]any{"kubernetes.io/metadata.name": "a", "team": "a"}, nil),
		named("v1", "Namespace", "b", map[string]any{"kubernetes.io/metadata.name": "b", "team": "b"}, nil),
		named("v1", "Namespace", "kube-system", map[string]any{"kubernetes.io/metadata.name": "kube-system"}, nil),
		named(policies.GroupVersion().String(), "ValidatingAdmissionPolicyBinding", "kn-flink-status", nil,
			map[string]any{"spec": map[string]any{"matchResources": scope}}),
		named(policies.GroupVersion().String(), "ValidatingAdmissionPolicyBinding", "kn-flink-status-"+second, nil, nil),
	)
	set, err := chartutil.ReadValues([]byte("webhook: {create: false}\n" + values))
	if err != nil {
		t.Fatal(err)
	}
	all, err := chartutil.ToRenderValues(
		c, set, chartutil.ReleaseOptions{Name: "b", Namespace: second, IsUpgrade: true}, chartutil.DefaultCapabilities,
	)
	if err != nil {
		t.Fatal(err)
	}
	_, err = engine.RenderWithClientProvider(c, all, aCluster{client})
	return err
}

func TestScopesThatOverlapAreRefused(t *testing.T) {
	in := func(selector map[string]any) map[string]any { return map[string]any{"namespaceSelector": selector} }
	notWatched := map[string]any{"key": "flink.apache.org/watched", "operator": "NotIn", "values": []any{"false"}}
	a := in(map[string]any{"matchLabels": map[string]any{"team": "a"}, "matchExpressions": []any{notWatched}})
	rows := map[string]struct {
		values string
		theirs map[string]any
		says   string
	}{
		"all and all":               {"", nil, "the installation in namespace flink-system watches these namespaces, too: a b kube-system."},
		"names, and all":            {"watchNamespaces: [b]", in(map[string]any{}), "too: b."},
		"names, and labels of it":   {"watchNamespaces: [a, b]", a, "too: a."},
		"names, and others":         {"watchNamespaces: [b]", a, ""},
		"labels, and the same":      {"watchNamespaceSelector: {matchLabels: {team: a}}", a, "too: a."},
		"labels, and others":        {"watchNamespaceSelector: {matchExpressions: [{key: team, operator: NotIn, values: [a]}]}", a, ""},
		"a label, and without it":   {"watchNamespaceSelector: {matchExpressions: [{key: team, operator: DoesNotExist}]}", a, ""},
		"with a label, and one":     {"watchNamespaceSelector: {matchExpressions: [{key: team, operator: Exists}]}", a, "too: a."},
		"resources, and all":        {"watchLabelSelector: {matchLabels: {of: b}}", nil, ""},
		"names and labels":          {"watchNamespaces: [b]\nwatchNamespaceSelector: {matchLabels: {a: b}}", a, "are both set"},
		"an operator that is not":   {"watchNamespaceSelector: {matchExpressions: [{key: a, operator: Gt}]}", a, "operator"},
		"labels of resources: both": {"watchLabelSelector: {matchLabels: {of: b}}", map[string]any{"objectSelector": map[string]any{"matchLabels": map[string]any{"of": "a"}}}, ""},
	}
	for name, row := range rows {
		err := inCluster(t, row.values, row.theirs)
		if (err != nil) != (row.says != "") || err != nil && !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v, want %q", name, err, row.says)
		}
	}
}
