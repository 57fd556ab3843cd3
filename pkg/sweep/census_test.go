package sweep

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"go.uber.org/zap"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
	"github.com/kn-flink/kn-flink/pkg/telemetry/otlp"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/otlpsim"
)

// measured gives an observer metrics, and says what pushes them.
func (f *fleetOf) measured(t testing.TB) (collector *otlpsim.Receiver, push func()) {
	t.Helper()
	collector = otlpsim.New(t)
	m, err := metrics.New(metrics.Setup{
		Function: "observe", Namespace: "flink-system", Endpoint: otlp.Endpoint{URL: collector.URL, Timeout: time.Minute},
		Now: f.kube.Clock.Now, Log: zap.NewNop().Sugar(),
	})
	if err != nil {
		t.Fatal(err)
	}
	f.Metrics = m
	return collector, func() { m.Close(t.Context()) }
}

// stable lets the resources from one number to another be stable.
func (f *fleetOf) stable(t testing.TB, from, to int, version string) {
	t.Helper()
	for i := from; i < to; i++ {
		status := map[string]any{
			"situation": "Steady", "lifecycleState": "STABLE", "jobManagerDeploymentStatus": "READY",
			"jobStatus": map[string]any{"state": "RUNNING"}, "clusterInfo": map[string]any{"flink-version": version},
			"lifecycleSince": f.kube.Clock.Now().Add(time.Duration(i) * time.Second).UTC().Format(time.RFC3339),
		}
		name := fmt.Sprintf("demo-%04d", i)
		if _, err := f.kube.UpdateStatus(kubesim.FlinkDeployments, "flink", name, status); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTheFleetIsCountedWhateverBecomesOfItsShards: no shard of these sweeps ever comes to a pod.
func TestTheFleetIsCountedWhateverBecomesOfItsShards(t *testing.T) {
	n := 18*pageSize + 7
	f := newFleet(t, n)
	collector, push := f.measured(t)
	sweep := func() {
		t.Helper()
		f.kube.Clock.Advance(10 * time.Minute)
		if err := f.Tick(t.Context()); err != nil {
			t.Fatal(err)
		}
		push()
	}
	counts := func(want map[string]float64) {
		t.Helper()
		for name, gauge := range map[string]metrics.Gauge{
			"all": metrics.Resources, "STABLE": metrics.States, "FAILED": metrics.States, "READY": metrics.JobManagers,
			"RUNNING": metrics.Jobs, "1.20.4": metrics.Versions, "UNKNOWN": metrics.Versions,
		} {
			labels := []string{"k8s.namespace.name=flink", "flink.resource.kind=FlinkDeployment"}
			switch {
			case gauge == metrics.Versions:
				labels = append(labels, "flink.version="+name)
			case name != "all":
				labels = append(labels, "flink.state="+name)
			}
			if got := collector.Sum(string(gauge), labels...); got != want[name] {
				t.Errorf("%s: %v, want %v", name, got, want[name])
			}
		}
		if got := collector.Sum(string(metrics.Resources)); got != want["all"] {
			t.Errorf("%v resources in all, want %v", got, want["all"])
		}
	}
	longest := func(want time.Duration) {
		t.Helper()
		if got := collector.Sum(string(metrics.StateAge), "flink.state=STABLE"); got != want.Seconds() {
			t.Errorf("one has been stable for %v s, want %v", got, want)
		}
	}
	sweep()
	if got := len(f.shards(t)); got != 19 {
		t.Fatalf("%d shards, want 19", got)
	}
	counts(map[string]float64{"all": float64(n), "UNKNOWN": float64(n)})
	longest(0)

	f.stable(t, 100, 1000, "1.20.4")
	sweep()
	counts(map[string]float64{
		"all": float64(n), "STABLE": 900, "READY": 900, "RUNNING": 900, "1.20.4": 900, "UNKNOWN": float64(n - 900),
	})

	longest(10*time.Minute - 100*time.Second)

	if err := f.kube.Delete(kubesim.FlinkDeployments, "flink", "demo-0100", kubesim.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	for i := 150; i < n; i++ {
		name := fmt.Sprintf("demo-%04d", i)
		if err := f.kube.Delete(kubesim.FlinkDeployments, "flink", name, kubesim.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	f.shards(t)
	sweep()
	if got := len(f.shards(t)); got != 0 {
		t.Fatalf("%d shards, want none: one page is left", got)
	}
	counts(map[string]float64{"all": 149, "STABLE": 49, "READY": 49, "RUNNING": 49, "1.20.4": 49, "UNKNOWN": 100})
	longest(20*time.Minute - 101*time.Second)
}

func TestACanaryIsNotCounted(t *testing.T) {
	f := newFleet(t, 2)
	if _, err := f.kube.Update(kubesim.FlinkDeployments, "flink", "demo-0000", func(u *unstructured.Unstructured) {
		u.SetLabels(map[string]string{v1beta1.LabelCanary: "True"})
	}); err != nil {
		t.Fatal(err)
	}
	collector, push := f.measured(t)
	if err := f.Tick(t.Context()); err != nil {
		t.Fatal(err)
	}
	push()
	if got := collector.Sum(string(metrics.Resources)); got != 1 {
		t.Errorf("%v resources, want 1", got)
	}
}

func TestASweepTellsWhenItWasAndWhetherItSawAll(t *testing.T) {
	f := newFleet(t, 3)
	collector, push := f.measured(t)
	if err := f.Tick(t.Context()); err != nil {
		t.Fatal(err)
	}
	push()
	began := f.kube.Clock.Now()
	if got := collector.Sum(string(metrics.SweepTime)); int64(got) != began.Unix() {
		t.Errorf("the sweep was at %v, want %d", got, began.Unix())
	}
	if got := collector.Sum(string(metrics.SweepInterval)); got != 60 {
		t.Errorf("sweeps are %v s apart, want 60", got)
	}
	if got := collector.Sum(string(metrics.SweepComplete)); got != 1 {
		t.Errorf("complete is %v", got)
	}
	if got := collector.Count(string(metrics.SweepDuration), "flink.operator.sweep=all"); got != 1 {
		t.Errorf("%d sweeps were measured", got)
	}
	if got := collector.Total(string(metrics.Looks), "flink.resource.kind=FlinkDeployment"); got != 3 {
		t.Errorf("%v looks, want 3", got)
	}
	if got := collector.Total(string(metrics.Requests)); got != 3 {
		t.Errorf("%v passes were asked for, want 3", got)
	}
	c := &census{at: began.Add(time.Minute), counts: map[counted]int{{metrics.Resources, "k", "n", ""}: 7}}
	c.tell(f.Observer, false)
	push()
	if got := collector.Sum(string(metrics.SweepComplete)); got != 0 {
		t.Errorf("complete is %v", got)
	}
	if got := collector.Sum(string(metrics.Resources)); got != 3 {
		t.Errorf("%v resources, want those of the sweep that saw all", got)
	}
}

func TestAnOldDefinitionIsNotAFleetWithoutNamespaces(t *testing.T) {
	f := newFleet(t, 0)
	collector, push := f.measured(t)
	c := f.newCensus()
	deployments, _ := kindOf(v1beta1.KindFlinkDeployment)
	c.addRow(deployments, "", map[string]any{columnLifecycle: "STABLE"})
	c.tell(f.Observer, true)
	push()
	if got := collector.Samples(string(metrics.Resources)); len(got) != 0 {
		t.Errorf("got %v, want nothing: the namespaces are not known", got)
	}
	if got := collector.Sum(string(metrics.SweepComplete)); got != 1 {
		t.Error("the sweep itself was made")
	}
}

func TestFactsOfOneResource(t *testing.T) {
	f := newFleet(t, 0)
	collector, push := f.measured(t)
	now := f.kube.Clock.Now()
	resource := &v1beta1.FlinkDeployment{}
	resource.Namespace, resource.Name = "flink", "demo"
	text := fmt.Sprintf(`{"conditions":[{"type":"Stalled","status":"True","reason":"Unaccounted","lastTransitionTime":%q}],
		"clusterInfo":{"total-cpu":"2.5","total-memory":"4294967296","state-size":"x"}}`,
		now.Add(-time.Hour).UTC().Format(time.RFC3339))
	if err := unmarshalStatus(text, resource); err != nil {
		t.Fatal(err)
	}
	facts := facts{
		v1beta1.KindFlinkDeployment, resource, now, resource.Status.ClusterInfo, resource.Status.Conditions,
		now.Add(-90 * time.Second),
	}
	f.tell(facts)
	push()
	for gauge, want := range map[metrics.Gauge]float64{
		metrics.CPU: 2.5, metrics.Memory: 4 << 30, metrics.CheckpointAge: 90, metrics.StateSize: 0,
	} {
		labels := []string{"k8s.namespace.name=flink", "flink.resource.name=demo", "service.instance.id="}
		if got := collector.Sum(string(gauge), labels...); got != want {
			t.Errorf("%s: %v, want %v", gauge, got, want)
		}
	}
	waits := collector.Samples(string(metrics.Waiting), "flink.operator.reason=Unaccounted")
	if len(waits) != 1 || waits[0].Value < 3600 || waits[0].Value > 3601 {
		t.Errorf("it waits %v, want an hour", waits)
	}
}

func unmarshalStatus(text string, into *v1beta1.FlinkDeployment) error {
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON([]byte(`{"apiVersion":"flink.apache.org/v1beta1","kind":"FlinkDeployment","metadata":` +
		`{"namespace":"flink","name":"demo"},"status":` + text + `}`)); err != nil {
		return err
	}
	decoded, _, err := v1beta1.DecodeDeployment(u.Object)
	*into = decoded
	return err
}

// BenchmarkMetricsOfASweep is what metrics add to a sweep of 1,000 resources, up to the last byte of the push. A sweep
// itself takes 2,200 ms of CPU and more (docs/internals/scale.md).
func BenchmarkMetricsOfASweep(b *testing.B) {
	f := newFleet(b, 0)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
	}))
	defer server.Close()
	m, err := metrics.New(metrics.Setup{
		Function: "observe", Namespace: "flink-system", Endpoint: otlp.Endpoint{URL: server.URL, Timeout: time.Minute},
		Now: f.kube.Clock.Now, Log: zap.NewNop().Sugar(),
	})
	if err != nil {
		b.Fatal(err)
	}
	f.Metrics = m
	resource := &v1beta1.FlinkDeployment{}
	resource.Namespace, resource.Name = "flink", "demo"
	status := `{"clusterInfo":{"total-cpu":"2.5","total-memory":"4294967296","state-size":"1"}}`
	if err := unmarshalStatus(status, resource); err != nil {
		b.Fatal(err)
	}
	row := map[string]any{
		columnLifecycle: "STABLE", columnNamespace: "flink", columnJob: "RUNNING", columnManager: "READY",
		columnVersion: "1.20.4",
	}
	deployments, _ := kindOf(v1beta1.KindFlinkDeployment)
	for b.Loop() {
		c, now := f.newCensus(), f.kube.Clock.Now()
		for i := range 1000 {
			c.addRow(deployments, "", row)
			f.tell(facts{v1beta1.KindFlinkDeployment, resource, now, resource.Status.ClusterInfo, nil, now})
			m.Count(b.Context(), metrics.Looks, 1, metrics.Kind(v1beta1.KindFlinkDeployment))
			if i%pageSize == 0 {
				m.Close(b.Context()) // a shard
			}
		}
		c.tell(f.Observer, true)
		m.Close(b.Context())
	}
}
