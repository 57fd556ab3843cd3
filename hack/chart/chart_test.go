package main

import (
	"encoding/json"
	"os"
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
	return renderIn(t, "flink-system", values)
}

// renderIn does so for an installation in a namespace.
func renderIn(t *testing.T, namespace, values string) map[string]map[string]any {
	t.Helper()
	c, _ := made(t)
	set, err := chartutil.ReadValues([]byte(values))
	if err != nil {
		t.Fatal(err)
	}
	options := chartutil.ReleaseOptions{Name: "kn-flink", Namespace: namespace, IsInstall: true}
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
			for _, job := range []map[string]any{got[key], object} { // it is a hook of Helm, and of others
				delete(job["metadata"].(map[string]any), "annotations")
			}
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
		"RoleBinding team-b kn-flink-specs",
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
	defaults := text(t, got["ConfigMap flink-system flink-operator-defaults"])
	if !strings.Contains(config, `kubernetes.operator.watched.namespaces: team-a,team-b`) ||
		!strings.Contains(defaults, "parallelism.default: 1") {
		t.Errorf("the settings are %s over %s", config, defaults)
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
		"Service flink-system reconcile-jars":        {`"image":"mirror/flink/reconcile:v1.2.3"`},
		"ServiceAccount flink-system reconcile":      {`"annotations":{"role":"x"}`},
		"ServiceAccount a jobs":                      {`"helm.sh/resource-policy":"keep"`},
		"ValidatingAdmissionPolicy  kn-flink-rights": {`"expression":"['flink', 'flink-standalone', 'jobs']"`},
		"ConfigMap flink-system flink-operator-config": {
			`"flink-conf.yaml":"parallelism.default: 4\n"`, "rootLogger.level = DEBUG", "appender.console.type = Console",
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
	alone := render(t, "defaultConfiguration: {append: false, config.yaml: 'a: b'}")
	own := text(t, alone["ConfigMap flink-system flink-operator-config"])
	if !strings.Contains(own, `"config.yaml":"a: b"`) {
		t.Errorf("what stands alone is %s", own)
	}
	if alone["ConfigMap flink-system flink-operator-defaults"] != nil {
		t.Error("what is to stand alone stands on the shipped defaults")
	}
}

// Knative's operator has Kourier in knative-serving.
func TestTheWebhookIsWhereKourierIs(t *testing.T) {
	got := render(t, "webhook: {gatewayNamespace: knative-serving}")
	for _, key := range []string{
		"Service knative-serving flink-admit", "ClusterDomainClaim  flink-admit.knative-serving.svc",
		"DomainMapping flink-system flink-admit.knative-serving.svc",
	} {
		if got[key] == nil {
			t.Errorf("there is no %s", key)
		}
	}
	for _, kind := range []string{"Validating", "Mutating"} {
		if hook := text(t, got[kind+"WebhookConfiguration  flink-admit"]); !strings.Contains(hook, `"namespace":"knative-serving"`) {
			t.Errorf("%s", hook)
		}
	}
	for key, object := range got {
		if strings.Contains(text(t, object), "kourier-system") {
			t.Errorf("%s names the other namespace", key)
		}
	}
}

func TestWithWatchNamespacesTheAutoscalerSeesTheNodes(t *testing.T) {
	got := text(t, render(t, "watchNamespaces: [a]")["ClusterRole  kn-flink-nodes"])
	for _, part := range []string{`"verbs":["get","list"]`, `"apiGroups":["metrics.k8s.io"]`} {
		if !strings.Contains(got, part) {
			t.Errorf("no %s in %s", part, got)
		}
	}
}

// The console is that of config/console, once it is asked for.
func TestTheConsoleIsAskedFor(t *testing.T) {
	plainly, got := render(t, ""), render(t, "console: {enabled: true}")
	wanted, err := objects(filepath.Join(root, "config", "console", "console.yaml"))
	if err != nil || len(wanted) < 3 {
		t.Fatalf("%d objects, error %v", len(wanted), err)
	}
	for _, object := range wanted {
		want := strings.ReplaceAll(text(t, object), "ko://github.com/kn-flink/kn-flink/functions/console",
			"registry.example.org/flink/console:v1.2.3")
		if plainly[keyOf(object)] != nil {
			t.Errorf("there is %s, which was not asked for", keyOf(object))
		}
		if text(t, got[keyOf(object)]) != want {
			t.Errorf("%s differs:\n%s\n%s", keyOf(object), text(t, got[keyOf(object)]), want)
		}
	}
	acts := text(t, render(t, "console: {enabled: true, actions: true}")["Service flink-system console"])
	if !strings.Contains(acts, `{"name":"CONSOLE_ACTIONS","value":"true"}`) {
		t.Errorf("changes are not on: %s", acts)
	}
	if other := renderIn(t, "team", "console: {enabled: true}"); other["Service team console"] == nil {
		t.Error("another namespace has no console")
	}
}

// Rules and dashboards are those of config/monitoring, once they are asked for.
func TestMonitoring(t *testing.T) {
	const rule, boards = "PrometheusRule flink-system kn-flink", "ConfigMap flink-system kn-flink-dashboards"
	got := render(t, `
monitoring:
  metricsEndpoint: http://a:9090/api/v1/otlp/v1/metrics
  prometheusRule: {enabled: true, labels: {release: a}, runbookURL: 'https://wiki.example.org/flink'}
  dashboards: {enabled: true, labels: {grafana_dashboard: null, board: "yes"}}
`)
	text, err := os.ReadFile(filepath.Join(root, "config", "monitoring", "rules.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]any
	if err := plain.Unmarshal(
		[]byte(strings.NewReplacer(
			pages+"docs/observe/alerts.md#", "https://wiki.example.org/flink#", "/blob/main/", "/blob/v1.2.3/",
		).Replace(string(text))), &want,
	); err != nil {
		t.Fatal(err)
	}
	want["metadata"].(map[string]any)["labels"].(map[string]any)["release"] = "a"
	if !reflect.DeepEqual(got[rule], want) {
		t.Errorf("the rules are not those of config/monitoring: %v", got[rule])
	}
	if labels := got[boards]["metadata"].(map[string]any)["labels"]; !reflect.DeepEqual(labels, map[string]any{
		"app.kubernetes.io/part-of": "kn-flink", "app.kubernetes.io/component": "monitoring", "board": "yes",
	}) {
		t.Errorf("the dashboards have labels %v", labels)
	}
	data := got[boards]["data"].(map[string]any)
	for _, name := range []string{"fleet.json", "functions.json", "job.json"} {
		file, err := os.ReadFile(filepath.Join(root, "config", "monitoring", "dashboards", name))
		if err != nil || data[name] != string(file) {
			t.Errorf("dashboard %s is another: %v", name, err)
		}
	}
	if len(data) != 3 {
		t.Errorf("%d dashboards, want 3", len(data))
	}
	settings := got["ConfigMap flink-system config-observability"]["data"].(map[string]any)
	if settings["metrics-endpoint"] != "http://a:9090/api/v1/otlp/v1/metrics" || settings["metrics-protocol"] != "http/protobuf" {
		t.Errorf("metrics go to %v", settings)
	}
	plainLabels := render(t, "monitoring: {dashboards: {enabled: true}}")[boards]["metadata"].(map[string]any)["labels"]
	if plainLabels.(map[string]any)["grafana_dashboard"] != "1" {
		t.Errorf("Grafana's sidecar does not find labels %v", plainLabels)
	}
}

// The alerts of a release lead to its own pages, and those of a tree to the newest ones.
func TestAlertsLeadToThePagesOfTheVersion(t *testing.T) {
	for tag, want := range map[string]string{"v1.2.3": "/blob/v1.2.3/docs/", "0.0.0-devel": "/blob/main/docs/"} {
		s := source{root: root, version: "1.2.3", tag: tag, repository: "a"}
		files := map[string]string{"values.yaml": s.values()}
		if err := s.monitoring(files); err != nil {
			t.Fatal(err)
		}
		for name, text := range files {
			if strings.Count(text, "/kn-flink/blob/") != strings.Count(text, "/kn-flink"+want) {
				t.Errorf("%s: %s leads elsewhere than to %s", tag, name, want)
			}
		}
		if n := strings.Count(files["files/monitoring/rules.yaml"], want); n < 15 {
			t.Errorf("%s: %d alerts lead to %s", tag, n, want)
		}
	}
}

// What the functions may reach is the overlay's, once it is asked for, and its ports can be others.
func TestEgress(t *testing.T) {
	const key = "NetworkPolicy flink-system flink-functions-egress"
	want, err := objects(filepath.Join(root, "config", "overlays", "egress", "network.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if got := render(t, "networkPolicy: {egress: {enabled: true}}")[key]; text(t, got) != text(t, want[0]) {
		t.Errorf("it is\n%s\nnot that of the overlay\n%s", text(t, got), text(t, want[0]))
	}
	other := text(t, render(t, "networkPolicy: {egress: {enabled: true, ports: [443, 30081]}}")[key])
	if strings.Count(other, `"ports":[{"port":443,"protocol":"TCP"},{"port":30081,"protocol":"TCP"}]`) != 2 {
		t.Errorf("with other ports it is %s", other)
	}
}

// Each value says what it means, and a name that the chart does not know is refused.
func TestValuesAreDescribedAndChecked(t *testing.T) {
	c, _ := made(t)
	all, err := valuesOf((&source{}).values())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range all {
		if v.comment == "" && !strings.HasPrefix(v.path, "image.digests.") {
			t.Errorf("values.yaml does not say what %s is", v.path)
		}
	}
	rows := map[string]struct {
		values string
		says   string // empty: it is taken
	}{
		"the defaults":        {"", ""},
		"a list":              {"watchNamespaces: [team-a]", ""},
		"an open map":         {"operatorPod: {resources: {requests: {cpu: 100m}}}", ""},
		"nothing for a map":   {"operatorPod: {affinity: null}", ""},
		"an unknown name":     {"watchNamespace: [team-a]", "watchNamespace"},
		"an unknown name in":  {"webhook: {enabled: false}", "enabled"},
		"a text for a switch": {"webhook: {create: 'no'}", "webhook/create"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			set, err := chartutil.ReadValues([]byte(row.values))
			if err != nil {
				t.Fatal(err)
			}
			_, err = chartutil.ToRenderValues(c, set, chartutil.ReleaseOptions{Name: "a"}, chartutil.DefaultCapabilities)
			if (err != nil) != (row.says != "") || err != nil && !strings.Contains(err.Error(), row.says) {
				t.Errorf("%v, want an error with %q", err, row.says)
			}
		})
	}
}

// The chart says what it installs, for whoever looks for it in a registry.
func TestTheChartIsDescribed(t *testing.T) {
	s := source{root: root, version: "1.2.3-rc.1", tag: "v1.2.3-rc.1", repository: "registry.example.org/flink"}
	s.digests = map[string]string{"admit": "sha256:" + strings.Repeat("a", 64)}
	dir := filepath.Join(t.TempDir(), "kn-flink")
	if err := s.write(dir); err != nil {
		t.Fatal(err)
	}
	c, err := loader.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	m := c.Metadata
	if m.Icon == "" || len(m.Sources) == 0 || len(m.Maintainers) == 0 || m.Annotations["artifacthub.io/license"] == "" {
		t.Errorf("Chart.yaml lacks an icon, sources, maintainers or a licence: %+v", m)
	}
	if got := m.Annotations["artifacthub.io/prerelease"]; got != "true" {
		t.Errorf("a release candidate is no pre-release: %q", got)
	}
	var images []struct{ Name, Image string }
	if err := plain.Unmarshal([]byte(m.Annotations["artifacthub.io/images"]), &images); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"admit":     "registry.example.org/flink/admit@sha256:" + strings.Repeat("a", 64),
		"console":   "registry.example.org/flink/console:v1.2.3-rc.1",
		"observe":   "registry.example.org/flink/observe:v1.2.3-rc.1",
		"reconcile": "registry.example.org/flink/reconcile:v1.2.3-rc.1",
	}
	for _, image := range images {
		if want[image.Name] != image.Image {
			t.Errorf("image %s is %s, want %s", image.Name, image.Image, want[image.Name])
		}
	}
	var crds []struct{ Kind, Name, Description string }
	if err := plain.Unmarshal([]byte(m.Annotations["artifacthub.io/crds"]), &crds); err != nil {
		t.Fatal(err)
	}
	if len(images) != len(want) || len(crds) != len(c.CRDObjects()) {
		t.Errorf("%d images and %d definitions are named, want %d and %d", len(images), len(crds), len(want), len(c.CRDObjects()))
	}
	for _, crd := range crds {
		if crd.Kind == "" || crd.Description == "" || !strings.HasSuffix(crd.Name, ".flink.apache.org") {
			t.Errorf("a definition is not described: %+v", crd)
		}
	}
}

func TestThePageOfTheValuesIsUpToDate(t *testing.T) {
	text, err := valuesPage("../..")
	if err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile("../../docs/reference/helm-values.md")
	if err != nil {
		t.Fatal(err)
	}
	if text != string(written) {
		t.Error("docs/reference/helm-values.md differs: run make generate")
	}
}
