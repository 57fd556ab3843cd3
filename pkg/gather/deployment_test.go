package gather

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/flinksim"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// newGatherer is a gatherer over an empty world with one stateful, highly available resource in it.
func newGatherer(t *testing.T) (*Gatherer, *flinksim.World) {
	t.Helper()
	w := flinksim.NewWorld(t)
	connect, err := NewConnect(Way{Dialer: w.Dial("gather")})
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1beta1.APIVersion, "kind": v1beta1.KindFlinkDeployment,
		"metadata": map[string]any{"namespace": "flink", "name": "demo"},
		"spec": map[string]any{
			"image": "flink:1.20", "flinkVersion": "v1_20", "serviceAccount": "flink",
			"flinkConfiguration": map[string]any{
				"high-availability.type": "kubernetes", "high-availability.storageDir": "s3://ha",
			},
			"jobManager":  map[string]any{"resource": map[string]any{"memory": "1024m", "cpu": 0.5}},
			"taskManager": map[string]any{"resource": map[string]any{"memory": "1024m", "cpu": 0.5}},
			"job":         map[string]any{"jarURI": "local:///x.jar", "parallelism": int64(1), "upgradeMode": "last-state"},
		},
	}}
	if _, err := w.Kube.Create(kubesim.FlinkDeployments, u); err != nil {
		t.Fatal(err)
	}
	return &Gatherer{
		Kube: kube.New(w.Dynamic("gather")), Flink: connect, Operator: flinkconf.NewOperator(nil), Now: w.Clock.Now,
	}, w
}

func TestWhatCannotBeLookedAtIsUnknown(t *testing.T) {
	rows := map[string]struct {
		fault *wire.Fault
		state func(s cluster.Snapshot) bool
		why   func(s cluster.Snapshot) string
		says  string
	}{
		"the Deployment is not there": {nil, func(s cluster.Snapshot) bool { return s.JobManager.IsAbsent() }, nil, ""},
		"the Deployment cannot be read": {&wire.Fault{Match: wire.On("get", "deployments"), Status: 500},
			func(s cluster.Snapshot) bool { return s.JobManager.IsUnknown() },
			func(s cluster.Snapshot) string { return s.JobManager.Why() }, "deployments flink/demo"},
		"the HA data is not there": {nil, func(s cluster.Snapshot) bool {
			list, ok := s.HAData.Get()
			return ok &&
				len(list) == 0
		}, nil, ""},
		"the HA data cannot be listed": {&wire.Fault{Match: wire.On("list", "configmaps"), Status: 403},
			func(s cluster.Snapshot) bool { return s.HAData.IsUnknown() },
			func(s cluster.Snapshot) string { return s.HAData.Why() }, "configmaps"},
		"nobody asked": {nil, func(s cluster.Snapshot) bool {
			return s.Flink.Jobs.IsUnknown() &&
				s.Flink.Jobs.Why() == ""
		}, nil, ""},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			g, w := newGatherer(t)
			if row.fault != nil {
				w.Tap.Inject(*row.fault)
			}
			inquiry, err := g.Deployment(t.Context(), Read{Resource: demo(w)})
			if err != nil {
				t.Fatalf("%v: only the resource itself must be readable", err)
			}
			s := *inquiry.Seen
			if !row.state(s) {
				t.Errorf("the snapshot says otherwise: %+v %+v", s.JobManager, s.HAData)
			}
			if row.why != nil && !strings.Contains(row.why(s), row.says) {
				t.Errorf("it says %q, want it to name %q", row.why(s), row.says)
			}
			if row.fault != nil {
				for _, a := range inquiry.Plan().Effects() {
					if a.Disruptive() {
						t.Errorf("%s on what is unknown", a)
					}
				}
			}
		})
	}
}

// demo is the resource as it is stored.
func demo(w *flinksim.World) *unstructured.Unstructured {
	return w.Kube.Get(kubesim.FlinkDeployments, "flink", "demo")
}

func TestTheResourceItself(t *testing.T) {
	g, w := newGatherer(t)
	if _, err := w.Kube.UpdateStatus(
		kubesim.FlinkDeployments, "flink", "demo", map[string]any{"observedGeneration": "text"},
	); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Deployment(t.Context(), Read{Resource: demo(w)}); fail.KindOf(err) != fail.Invalid {
		t.Errorf("got %v, want an invalid resource: a status that cannot be read is not overwritten", err)
	}
}

func TestAnUnreadableSpecIsItsProblem(t *testing.T) {
	g, w := newGatherer(t)
	if _, err := w.Kube.Update(kubesim.FlinkDeployments, "flink", "demo", func(u *unstructured.Unstructured) {
		u.Object["spec"].(map[string]any)["job"] = "text"
	}); err != nil {
		t.Fatal(err)
	}
	inquiry, err := g.Deployment(t.Context(), Read{Resource: demo(w)})
	if err != nil || inquiry.Seen.SpecProblem == "" {
		t.Errorf("the look fails with %v, or names no problem of the spec", err)
	}
}

// counting is a reader that fails lists after a number of them.
type counting struct {
	Reader
	left int
}

// ListBinary counts down.
func (c *counting) ListBinary(ctx context.Context, q kube.Query, into kube.BinaryList) error {
	if c.left--; c.left < 0 {
		return errors.New("away")
	}
	return c.Reader.ListBinary(ctx, q, into)
}

func TestDeploymentsInBulk(t *testing.T) {
	g, w := newGatherer(t)
	for _, name := range []string{"one", "two"} {
		labels := map[string]any{"app": name, "component": "jobmanager", "type": "flink-native-kubernetes"}
		u := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "apps/v1", "kind": "Deployment",
			"metadata": map[string]any{"namespace": "flink", "name": name, "labels": labels},
			"spec": map[string]any{
				"selector": map[string]any{"matchLabels": labels},
				"template": map[string]any{"metadata": map[string]any{"labels": labels}},
			},
		}}
		if _, err := w.Kube.Create(kubesim.Deployments, u); err != nil {
			t.Fatal(err)
		}
	}
	for name, namespace := range map[string]string{"one-a": "flink", "one-b": "flink", "other-a": "default"} {
		app, _, _ := strings.Cut(name, "-")
		labels := map[string]any{"app": app, "component": "jobmanager", "type": "flink-native-kubernetes"}
		u := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Pod",
			"metadata": map[string]any{"namespace": namespace, "name": name, "labels": labels}, "spec": map[string]any{},
		}}
		if _, err := w.Kube.Create(kubesim.Pods, u); err != nil {
			t.Fatal(err)
		}
	}
	clusters := Clusters{Names: []string{"one", "two", "three"}, Namespace: "flink", Selector: "component=jobmanager"}
	for i := range room / 8 { // so that they need more than one request
		clusters.Names = append(clusters.Names, fmt.Sprintf("none-%d", i))
	}
	look, pods := g.JobManagers(t.Context(), clusters), g.PodsOf(t.Context(), clusters)
	if !look("flink", "one").IsPresent() || !look("flink", "two").IsPresent() || !look("flink", "three").IsAbsent() {
		t.Error("want one and two present, three absent")
	}
	for name, want := range map[string]int{"one": 2, "two": 0} {
		if seen, ok := pods(t.Context(), "flink", name, "jobmanager").Get(); !ok || len(seen) != want {
			t.Errorf("%s has %d pods, known %t; want %d", name, len(seen), ok, want)
		}
	}
	clusters.Namespace = ""
	g.Kube = &counting{g.Kube, 1}
	look = g.JobManagers(t.Context(), clusters)
	for _, name := range []string{"one", "three"} {
		if o := look("flink", name); !o.IsUnknown() || !strings.Contains(o.Why(), "away") {
			t.Errorf("%s is %+v, want Unknown: one of the lists failed", name, o)
		}
	}
	if o := g.PodsOf(t.Context(), clusters)(t.Context(), "flink", "one", "jobmanager"); !o.IsUnknown() {
		t.Errorf("pods are %+v, want Unknown: one of the lists failed", o)
	}
}

func TestNobodyListens(t *testing.T) {
	g, _ := newGatherer(t)
	client, err := g.Flink(plan.Endpoint{URL: "http://" + flinksim.Host("flink", "demo")})
	if err != nil {
		t.Fatal(err)
	}
	if jobs, err := client.Jobs(t.Context()); err == nil {
		t.Errorf("got %v, want no connection", jobs)
	}
}
