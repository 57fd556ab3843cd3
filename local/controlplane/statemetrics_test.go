package controlplane

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/local/build"
	"github.com/kn-flink/kn-flink/local/processes"
	"github.com/kn-flink/kn-flink/local/testsuite"
)

// kube-state-metrics itself, by our configuration and with the rights that we give it, tells of resources of the four
// kinds what docs/reference/metrics.md says: those that passes have left in the scenarios, in all situations.
func TestKubeStateMetrics(t *testing.T) {
	installKinds(t)
	t.Parallel()
	ns := namespace(t)
	resources := storedResources(t, ns) // before it starts: what it tells first is all
	told := startStateMetrics(t)
	tells := map[string]float64{}
	testsuite.Eventually(t, 3*time.Minute, "all resources are told of", func(ctx context.Context) (bool, error) {
		var err error
		if tells, err = told(ctx, ns); err != nil {
			return false, nil // it does not listen yet
		}
		for _, r := range resources {
			if _, there := tells[r.series("created", map[string]string{})]; !there {
				return false, nil
			}
		}
		return true, nil
	})
	for _, r := range resources {
		for series, want := range r.promised(t, tells) {
			got, there := tells[series]
			if !there || got != want {
				t.Errorf("%s is %v (%v), want %v", series, got, there, want)
			}
			delete(tells, series)
		}
	}
	for series, value := range tells {
		t.Errorf("%s %v is told, and nobody said so", series, value)
	}
}

// startStateMetrics builds and starts it. told is what it tells of a namespace: values by metric{label=value,...}.
func startStateMetrics(t *testing.T) (told func(context.Context, string) (map[string]float64, error)) {
	t.Helper()
	dir := testsuite.Dir(t)
	program := filepath.Join(dir, "kube-state-metrics")
	if err := build.Build(t.Context(), build.Target{
		Name: "kube-state-metrics", Dir: "testdata/kube-state-metrics", Packages: []string{"k8s.io/kube-state-metrics/v2"},
		Out: program,
	}, nil); err != nil {
		t.Fatal(err)
	}
	kubectl(t, `---
{apiVersion: v1, kind: Namespace, metadata: {name: monitoring}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: kube-state-metrics, namespace: monitoring}}
`, "apply", "-f", "-")
	kubectl(t, "", "apply", "-f", "../../config/monitoring/kube-state-metrics-rbac.yaml")
	account, err := plane.ServiceAccountConfig(t.Context(), "monitoring", "kube-state-metrics")
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig := filepath.Join(dir, "kubeconfig")
	if err := plane.WriteKubeconfig(kubeconfig, account); err != nil {
		t.Fatal(err)
	}
	output, err := os.Create(filepath.Join(dir, "kube-state-metrics.log"))
	if err != nil {
		t.Fatal(err)
	}
	host := plane.Network().Pod(200)
	command := exec.Command(
		program, "--kubeconfig="+kubeconfig, "--host="+host, "--telemetry-host="+host, "--custom-resource-state-only",
		"--custom-resource-state-config-file=../../config/monitoring/kube-state-metrics.yaml",
	)
	command.Stdout, command.Stderr = output, output
	free, err := processes.Bind(command, dir)
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
		if err := errors.Join(free(), output.Close()); err != nil {
			t.Error(err)
		}
	})
	return func(ctx context.Context, ns string) (map[string]float64, error) {
		return scrape(ctx, "http://"+host+":8080/metrics", ns)
	}
}

// scrape reads what is told of a namespace.
func scrape(ctx context.Context, url, ns string) (map[string]float64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(answer.Body)
	if err != nil {
		return nil, err
	}
	tells := map[string]float64{}
	for name, family := range families {
		for _, m := range family.GetMetric() {
			labels := map[string]string{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			kind := strings.ToLower(labels["customresource_kind"])
			if labels["namespace"] != ns || !strings.HasPrefix(name, kind+"_") {
				continue
			}
			maps.DeleteFunc(labels, func(label, _ string) bool {
				return label == "namespace" || strings.HasPrefix(label, "customresource_")
			})
			tells[series(name, labels)] = m.GetGauge().GetValue()
		}
	}
	return tells, nil
}

// series is a metric with its labels, in their order.
func series(name string, labels map[string]string) string {
	var pairs []string
	for label, value := range labels {
		if value != "" {
			pairs = append(pairs, label+"="+value)
		}
	}
	slices.Sort(pairs)
	return name + "{" + strings.Join(pairs, ",") + "}"
}

// storedResource is one as a pass has left it.
type storedResource struct{ *unstructured.Unstructured }

func (r storedResource) prefix() string { return strings.ToLower(r.GetKind()) }

// series is one of this resource, with more labels.
func (r storedResource) series(metric string, labels map[string]string) string {
	labels["name"], labels["canary"] = r.GetName(), r.GetLabels()["flink.apache.org/canary"]
	return series(r.prefix()+"_"+metric, labels)
}

// storedResources stores those of the scenarios in a namespace, under names of their own, and a canary.
func storedResources(t *testing.T, ns string) (all []storedResource) {
	t.Helper()
	var objects []map[string]any
	for _, file := range []string{"stored", "shapes"} {
		text, err := os.ReadFile("../../test/scenario/testdata/" + file + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		for _, document := range strings.Split(strings.TrimPrefix(string(text), "---\n"), "\n---\n") {
			var d struct {
				Resource map[string]any   `json:"resource"`
				Objects  []map[string]any `json:"objects"`
			}
			if err := yaml.Unmarshal([]byte(document), &d); err != nil {
				t.Fatal(err)
			}
			if d.Resource == nil {
				d.Resource = d.Objects[0]
			}
			objects = append(objects, d.Resource)
		}
	}
	for _, more := range []string{canary, activeBlue} {
		var object map[string]any
		if err := yaml.Unmarshal([]byte(more), &object); err != nil {
			t.Fatal(err)
		}
		objects = append(objects, object)
	}
	for i, object := range objects {
		all = append(all, storedResource{store(t, ns, fmt.Sprintf("stored-%d", i), object)})
	}
	return all
}

// canary is one that was asked, activeBlue one of a kind that is not run yet, as the Java operator leaves it.
const (
	canary = `
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  labels: {flink.apache.org/canary: "true"}
  annotations: {flink.apache.org/canary-asked: "2026-01-01T12:00:00Z"}
spec: {}
status: {observedGeneration: 7}
`
	activeBlue = `
apiVersion: flink.apache.org/v1beta1
kind: FlinkBlueGreenDeployment
metadata: {}
spec: {template: {spec: {flinkVersion: v1_20, serviceAccount: flink, jobManager: {resource: {memory: 1g}},
  taskManager: {resource: {memory: 1g}}}}}
status: {blueGreenState: ACTIVE_BLUE, jobStatus: {state: RUNNING}}
`
)

// store makes a resource, then its status.
func store(t *testing.T, ns, name string, object map[string]any) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{Object: object}
	status := object["status"]
	u.SetUID("")
	u.SetResourceVersion("")
	u.SetOwnerReferences(nil)
	u.SetFinalizers(nil)
	u.SetNamespace(ns)
	u.SetName(name)
	of := dynamic.NewForConfigOrDie(plane.Config()).Resource(schema.GroupVersionResource{
		Group: "flink.apache.org", Version: "v1beta1", Resource: strings.ToLower(u.GetKind()) + "s",
	}).Namespace(ns)
	made, err := of.Create(t.Context(), u, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("%s %s: %v", u.GetKind(), name, err)
	}
	made.Object["status"] = status
	if made, err = of.UpdateStatus(t.Context(), made, metav1.UpdateOptions{}); err != nil {
		t.Fatalf("status of %s %s: %v", u.GetKind(), name, err)
	}
	return made
}

// aboutKinds is what is told of each kind: its sets of states, its numbers, and the labels of what it is.
var aboutKinds = map[string]struct{ states, numbers, info map[string]string }{
	"flinkdeployment": {
		map[string]string{
			"lifecycle_state": "status.lifecycleState", "jobmanager_state": "status.jobManagerDeploymentStatus",
			"job_state": "status.jobStatus.state",
		},
		map[string]string{
			"cpu": "status.clusterInfo.total-cpu", "memory_bytes": "status.clusterInfo.total-memory",
			"state_size_bytes": "status.clusterInfo.state-size", "generation": "metadata.generation",
			"observed_generation": "status.observedGeneration", "created": "metadata.creationTimestamp",
			"canary_asked": "metadata.annotations.flink/canary-asked",
		},
		map[string]string{
			"flink_version": "status.clusterInfo.flink-version", "spec_version": "spec.flinkVersion", "mode": "spec.mode",
			"situation": "status.situation",
		},
	},
	"flinksessionjob": {
		map[string]string{"lifecycle_state": "status.lifecycleState", "job_state": "status.jobStatus.state"},
		map[string]string{
			"generation": "metadata.generation", "observed_generation": "status.observedGeneration",
			"created": "metadata.creationTimestamp", "canary_asked": "metadata.annotations.flink/canary-asked",
		},
		map[string]string{"cluster": "spec.deploymentName", "situation": "status.situation"},
	},
	"flinkstatesnapshot": {
		map[string]string{"state": "status.state"},
		map[string]string{"failures": "status.failures", "created": "metadata.creationTimestamp"},
		map[string]string{
			"job_kind": "spec.jobReference.kind", "job_name": "spec.jobReference.name",
			"type": "metadata.labels.snapshot/type", "trigger": "metadata.labels.snapshot/trigger-type",
		},
	},
	"flinkbluegreendeployment": {
		map[string]string{"state": "status.blueGreenState", "job_state": "status.jobStatus.state"},
		map[string]string{"created": "metadata.creationTimestamp"},
		map[string]string{"spec_version": "spec.template.spec.flinkVersion"},
	},
}

// at is a field as text; empty where there is none. In a path, / stands for the dot of a name.
func (r storedResource) at(path string) string {
	fields := strings.Split(path, ".")
	for i, field := range fields {
		fields[i] = strings.NewReplacer("flink/", "flink.apache.org/", "snapshot/", "snapshot.").Replace(field)
	}
	value, there, err := unstructured.NestedFieldNoCopy(r.Object, fields...)
	if !there || err != nil || value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

// promised are the series of a resource that docs/reference/metrics.md promises. Of a set of states all that are told count, and
// its own must be among them.
func (r storedResource) promised(t *testing.T, tells map[string]float64) map[string]float64 {
	t.Helper()
	about, want := aboutKinds[r.prefix()], map[string]float64{}
	add := func(metric string, value float64, labels map[string]string) { want[r.series(metric, labels)] = value }
	for metric, path := range about.states {
		state := r.at(path)
		if state == "" {
			continue
		}
		for told := range tells {
			if strings.HasPrefix(told, r.prefix()+"_"+metric+"{name="+r.GetName()+",") {
				want[told] = 0
			}
		}
		add(metric, 1, map[string]string{"state": state})
	}
	for metric, path := range about.numbers {
		if text := r.at(path); text != "" {
			add(metric, number(t, text), map[string]string{})
		}
	}
	info := map[string]string{}
	for label, path := range about.info {
		if text := r.at(path); text != "" {
			info[label] = text
		}
	}
	if len(info) > 0 {
		add("info", 1, info)
	}
	conditions, _, _ := unstructured.NestedSlice(r.Object, "status", "conditions")
	if r.GetKind() == "FlinkStateSnapshot" {
		conditions = nil
	}
	for _, c := range conditions {
		c := storedResource{&unstructured.Unstructured{Object: c.(map[string]any)}}
		is, status := 0.0, c.at("status")
		if status == "True" {
			is = 1
		}
		add("condition", is, map[string]string{"type": c.at("type"), "reason": c.at("reason")})
		add("condition_since", number(t, c.at("lastTransitionTime")), map[string]string{
			"type": c.at("type"), "reason": c.at("reason"), "status": status,
		})
	}
	return want
}

// number is a quantity, or a time in seconds since 1970.
func number(t *testing.T, text string) float64 {
	t.Helper()
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return float64(at.Unix())
	}
	quantity, err := resource.ParseQuantity(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return quantity.AsApproximateFloat64()
}
