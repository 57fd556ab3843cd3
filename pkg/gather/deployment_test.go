package gather

import (
	"context"
	"errors"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment"
	"github.com/kn-flink/kn-flink/test/flinksim"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// newGatherer is a gatherer over an empty world with one stateful, highly available resource in it.
func newGatherer(t *testing.T) (*Gatherer, *flinksim.World) {
	t.Helper()
	w := flinksim.NewWorld(t)
	connect, err := NewConnect(w.Dial("gather"), nil)
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1beta1.APIVersion, "kind": v1beta1.KindFlinkDeployment, "metadata": map[string]any{"namespace": "flink", "name": "demo"},
		"spec": map[string]any{
			"image": "flink:1.20", "flinkVersion": "v1_20", "serviceAccount": "flink",
			"flinkConfiguration": map[string]any{"high-availability.type": "kubernetes", "high-availability.storageDir": "s3://ha"},
			"jobManager":         map[string]any{"resource": map[string]any{"memory": "1024m", "cpu": 0.5}},
			"taskManager":        map[string]any{"resource": map[string]any{"memory": "1024m", "cpu": 0.5}},
			"job":                map[string]any{"jarURI": "local:///x.jar", "parallelism": int64(1), "upgradeMode": "last-state"},
		},
	}}
	if _, err := w.Kube.Create(kubesim.FlinkDeployments, u); err != nil {
		t.Fatal(err)
	}
	return &Gatherer{Kube: kube.New(w.Dynamic("gather")), Flink: connect, Operator: flinkconf.NewOperator(nil), Now: w.Clock.Now}, w
}

func TestWhatCannotBeLookedAtIsUnknown(t *testing.T) {
	rows := map[string]struct {
		fault *wire.Fault
		state func(s deployment.Snapshot) bool
		why   func(s deployment.Snapshot) string
		says  string
	}{
		"the Deployment is not there": {nil, func(s deployment.Snapshot) bool { return s.JobManager.IsAbsent() }, nil, ""},
		"the Deployment cannot be read": {&wire.Fault{Match: wire.On("get", "deployments"), Status: 500},
			func(s deployment.Snapshot) bool { return s.JobManager.IsUnknown() }, func(s deployment.Snapshot) string { return s.JobManager.Why() }, "deployments flink/demo"},
		"the HA data is not there": {nil, func(s deployment.Snapshot) bool { list, ok := s.HAData.Get(); return ok && len(list) == 0 }, nil, ""},
		"the HA data cannot be listed": {&wire.Fault{Match: wire.On("list", "configmaps"), Status: 403},
			func(s deployment.Snapshot) bool { return s.HAData.IsUnknown() }, func(s deployment.Snapshot) string { return s.HAData.Why() }, "configmaps"},
		"nobody asked": {nil, func(s deployment.Snapshot) bool { return s.Flink.Jobs.IsUnknown() && s.Flink.Jobs.Why() == "" }, nil, ""},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			g, w := newGatherer(t)
			if row.fault != nil {
				w.Tap.Inject(*row.fault)
			}
			s, _, found, err := g.Deployment(t.Context(), "flink", "demo")
			if err != nil || !found {
				t.Fatalf("found %t, %v: only the resource itself must be readable", found, err)
			}
			if !row.state(s) {
				t.Errorf("the snapshot says otherwise: %+v %+v", s.JobManager, s.HAData)
			}
			if row.why != nil && !strings.Contains(row.why(s), row.says) {
				t.Errorf("it says %q, want it to name %q", row.why(s), row.says)
			}
			if row.fault != nil {
				for _, a := range deployment.Make(s).Effects() {
					if a.Disruptive() {
						t.Errorf("%s on what is unknown", a)
					}
				}
			}
		})
	}
}

func TestTheResourceItself(t *testing.T) {
	g, w := newGatherer(t)
	if _, _, found, err := g.Deployment(t.Context(), "flink", "other"); found || err != nil {
		t.Errorf("found %t, %v; want neither", found, err)
	}
	remove := w.Tap.Inject(wire.Fault{Match: wire.On("get", "flinkdeployments"), Status: 500})
	if _, _, _, err := g.Deployment(t.Context(), "flink", "demo"); fail.KindOf(err) != fail.Transient {
		t.Errorf("got %v, want a transient error", err)
	}
	remove()
	if _, err := w.Kube.UpdateStatus(kubesim.FlinkDeployments, "flink", "demo", map[string]any{"observedGeneration": "text"}); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := g.Deployment(t.Context(), "flink", "demo"); fail.KindOf(err) != fail.Invalid {
		t.Errorf("got %v, want an invalid resource: a status that cannot be read is not overwritten", err)
	}
}

func TestASpecThatCannotBeReadIsAProblemOfTheSpec(t *testing.T) {
	g, w := newGatherer(t)
	if _, err := w.Kube.Update(kubesim.FlinkDeployments, "flink", "demo", func(u *unstructured.Unstructured) {
		u.Object["spec"].(map[string]any)["job"] = "text"
	}); err != nil {
		t.Fatal(err)
	}
	s, _, _, err := g.Deployment(t.Context(), "flink", "demo")
	if err != nil || s.SpecProblem == "" {
		t.Errorf("problem %q, %v; want the problem named and the look to go on", s.SpecProblem, err)
	}
}

// counting is a reader that fails lists after a number of them.
type counting struct {
	Reader
	left int
}

// List counts down.
func (c *counting) List(ctx context.Context, q kube.Query) (*unstructured.UnstructuredList, error) {
	if c.left--; c.left < 0 {
		return nil, errors.New("away")
	}
	return c.Reader.List(ctx, q)
}

func TestDeploymentsInBulk(t *testing.T) {
	g, w := newGatherer(t)
	for _, name := range []string{"one", "two"} {
		labels := map[string]any{"component": "jobmanager", "type": "flink-native-kubernetes"}
		u := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"namespace": "flink", "name": name, "labels": labels},
			"spec": map[string]any{"selector": map[string]any{"matchLabels": labels}, "template": map[string]any{"metadata": map[string]any{"labels": labels}}},
		}}
		if _, err := w.Kube.Create(kubesim.Deployments, u); err != nil {
			t.Fatal(err)
		}
	}
	of := func(name string) *unstructured.Unstructured {
		u := &unstructured.Unstructured{Object: map[string]any{}}
		u.SetNamespace("flink")
		u.SetName(name)
		return u
	}
	look := g.JobManagers(t.Context(), "component=jobmanager", []string{"flink"})
	if !look(of("one")).IsPresent() || !look(of("two")).IsPresent() || !look(of("three")).IsAbsent() {
		t.Error("want one and two present, three absent")
	}
	g.Kube = &counting{g.Kube, 1}
	look = g.JobManagers(t.Context(), "component=jobmanager", []string{"flink", "default"})
	for _, name := range []string{"one", "three"} {
		if o := look(of(name)); !o.IsUnknown() || !strings.Contains(o.Why(), "away") {
			t.Errorf("%s is %+v, want Unknown: one list of two failed", name, o)
		}
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
