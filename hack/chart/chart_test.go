package main

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	plain "sigs.k8s.io/yaml"
)

const root = "../.."

// made writes the chart and reads it by Helm.
func made(t *testing.T) (*chart.Chart, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "kn-flink")
	s := source{root: root, version: "1.2.3", tag: "v1.2.3", repository: "registry.example.org/flink"}
	if err := s.write(dir); err != nil {
		t.Fatal(err)
	}
	c, err := loader.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return c, dir
}

// render renders the chart with values in YAML, and gives the objects by kind, namespace and name.
func render(t *testing.T, values string) map[string]map[string]any {
	t.Helper()
	c, _ := made(t)
	set, err := chartutil.ReadValues([]byte(values))
	if err != nil {
		t.Fatal(err)
	}
	options := chartutil.ReleaseOptions{Name: "kn-flink", Namespace: "flink-system", IsInstall: true}
	all, err := chartutil.ToRenderValues(c, set, options, chartutil.DefaultCapabilities)
	if err != nil {
		t.Fatal(err)
	}
	rendered, err := engine.Render(c, all)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]map[string]any{}
	for name, text := range rendered {
		if !strings.HasSuffix(name, ".yaml") {
			continue
		}
		for _, document := range strings.Split("\n"+text, "\n---\n") {
			var object map[string]any
			if err := plain.Unmarshal([]byte(document), &object); err != nil {
				t.Fatalf("%s: %v\n%s", name, err, document)
			}
			if object != nil {
				found[keyOf(object)] = object
			}
		}
	}
	return found
}

func keyOf(object map[string]any) string {
	metadata := object["metadata"].(map[string]any)
	namespace, _ := metadata["namespace"].(string)
	return object["kind"].(string) + " " + namespace + " " + metadata["name"].(string)
}

// manifests are the objects of config/knative, as `make deploy` applies them.
func manifests(t *testing.T) map[string]map[string]any {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, "config", "knative", "*.yaml"))
	if err != nil || len(names) == 0 {
		t.Fatal("no manifests")
	}
	found := map[string]map[string]any{}
	for _, name := range names {
		all, err := objects(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, object := range all {
			found[keyOf(object)] = object
		}
	}
	return found
}

func text(t *testing.T, object any) string {
	t.Helper()
	out, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// With the default values the chart is the manifests, but for what Helm does itself.
func TestTheChartIsTheManifests(t *testing.T) {
	got, want := render(t, ""), manifests(t)
	for key, object := range want {
		switch object["kind"] {
		case "Namespace":
			continue
		case "Job":
			delete(got[key]["metadata"].(map[string]any), "annotations") // it is a hook
		}
		wanted := strings.NewReplacer(
			"ko://github.com/kn-flink/kn-flink/functions/reconcile", "registry.example.org/flink/reconcile:v1.2.3",
			"ko://github.com/kn-flink/kn-flink/functions/observe", "registry.example.org/flink/observe:v1.2.3",
			"ko://github.com/kn-flink/kn-flink/functions/admit", "registry.example.org/flink/admit:v1.2.3",
		).Replace(text(t, object))
		var a, b any
		if json.Unmarshal([]byte(wanted), &a) != nil || json.Unmarshal([]byte(text(t, got[key])), &b) != nil ||
			!reflect.DeepEqual(a, b) {
			t.Errorf("%s differs:\n%s\n%s", key, text(t, got[key]), wanted)
		}
		delete(got, key)
	}
	delete(got, "ServiceAccount default flink")
	delete(got, "RoleBinding default kn-flink")
	for key := range got {
		t.Errorf("%s is in no manifest", key)
	}
}

func TestHelmLintsTheChart(t *testing.T) {
	_, dir := made(t)
	for _, message := range lint.All(dir, nil, "flink-system", true).Messages {
		if message.Severity > support.InfoSev {
			t.Error(message.Error())
		}
	}
}

func TestWatchNamespaces(t *testing.T) {
	got := render(t, "watchNamespaces: [team-a, team-b]")
	for _, key := range []string{
		"RoleBinding team-a kn-flink-reconcile", "RoleBinding team-b kn-flink-observe", "RoleBinding team-a kn-flink-source",
		"ServiceAccount team-b flink", "RoleBinding team-a kn-flink", "ClusterRoleBinding  kn-flink-nodes",
	} {
		if got[key] == nil {
			t.Errorf("there is no %s", key)
		}
	}
	for _, key := range []string{"ClusterRoleBinding  kn-flink-reconcile", "ServiceAccount default flink"} {
		if got[key] != nil {
			t.Errorf("there is %s, for the whole cluster", key)
		}
	}
	const selector = `"namespaceSelector":{"matchExpressions":[{"key":"kubernetes.io/metadata.name","operator":"In",` +
		`"values":["team-a","team-b"]}]}`
	for _, key := range []string{
		"ApiServerSource flink-system flink", "ValidatingWebhookConfiguration  flink-admit",
		"MutatingWebhookConfiguration  flink-admit",
	} {
		if !strings.Contains(text(t, got[key]), selector) {
			t.Errorf("%s: %s", key, text(t, got[key]))
		}
	}
	config := text(t, got["ConfigMap flink-system flink-operator-config"])
	if !strings.Contains(config, `kubernetes.operator.watched.namespaces: team-a,team-b`) ||
		!strings.Contains(config, "parallelism.default: 1") {
		t.Errorf("the settings are %s", config)
	}
}

func TestValuesAsTheJavaChartNamesThem(t *testing.T) {
	got := render(t, `
image: {repository: mirror/flink, digests: {observe: "sha256:1"}, pullPolicy: Always}
imagePullSecrets: [{name: pull}]
operatorPod:
  nodeSelector: {disk: ssd}
  tolerations: [{key: a, operator: Exists}]
  resources: {requests: {cpu: 1}}
operatorServiceAccount: {annotations: {role: x}}
jobServiceAccount: {name: jobs, namespaces: [a]}
webhook: {create: false}
defaultConfiguration: {flink-conf.yaml: "parallelism.default: 4", log4j-console.properties: "rootLogger.level = DEBUG"}
`)
	rows := map[string][]string{
		"Service flink-system observe": {
			`"image":"mirror/flink/observe@sha256:1"`, `"imagePullPolicy":"Always"`, `"imagePullSecrets":[{"name":"pull"}]`,
			`"nodeSelector":{"disk":"ssd"}`, `"tolerations":[{"key":"a","operator":"Exists"}]`,
			`"resources":{"requests":{"cpu":1}}`,
		},
		"Service flink-system reconcile-jars":   {`"image":"mirror/flink/reconcile:v1.2.3"`},
		"ServiceAccount flink-system reconcile": {`"annotations":{"role":"x"}`},
		"ServiceAccount a jobs":                 {`"helm.sh/resource-policy":"keep"`},
		"ConfigMap flink-system flink-operator-config": {
			`"flink-conf.yaml":`, "kubernetes.operator.reconcile.interval: 60 s", `parallelism.default: 4`,
			"rootLogger.level = DEBUG", "appender.console.type = Console",
		},
	}
	for key, parts := range rows {
		for _, part := range parts {
			if !strings.Contains(text(t, got[key]), part) {
				t.Errorf("%s has no %s: %s", key, part, text(t, got[key]))
			}
		}
	}
	for _, key := range []string{"Service flink-system admit", "ValidatingWebhookConfiguration  flink-admit"} {
		if got[key] != nil {
			t.Errorf("there is %s although no webhook is asked for", key)
		}
	}
	if got := render(t, "defaultConfiguration: {create: false}"); got["ConfigMap flink-system flink-operator-config"] != nil {
		t.Error("the settings come from elsewhere, and the chart has them")
	}
	own := text(t, render(t, "defaultConfiguration: {append: false, config.yaml: 'a: b'}")["ConfigMap flink-system flink-operator-config"])
	if !strings.Contains(own, `"config.yaml":"a: b"`) {
		t.Errorf("what stands alone is %s", own)
	}
}

func TestAnotherNamespaceIsRefused(t *testing.T) {
	c, _ := made(t)
	all, err := chartutil.ToRenderValues(
		c, nil, chartutil.ReleaseOptions{Name: "x", Namespace: "other"}, chartutil.DefaultCapabilities,
	)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Render(c, all); err == nil || !strings.Contains(err.Error(), "-n flink-system") {
		t.Errorf("got %v, want where to install it", err)
	}
}
