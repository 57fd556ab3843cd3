package pass

import (
	"net/http"
	"testing"
	"time"

	"go.uber.org/zap"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/apply"
	"github.com/kn-flink/kn-flink/pkg/clock"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/test/flinksim"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// What follows are whole passes over the model of Kubernetes and Flink: what no pure test sees is the wiring between
// the packages.

const agent = "reconcile"

// installation is a Runner over a model World in which a job runs.
type installation struct {
	t *testing.T
	w *flinksim.World
	r *Runner
}

// install deploys an application and waits until it runs.
func install(t *testing.T) *installation {
	t.Helper()
	w := flinksim.NewWorld(t)
	_, err := w.Kube.Create(kubesim.PingSources, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "sources.knative.dev/v1", "kind": "PingSource",
		"metadata": map[string]any{"namespace": "flink-system", "name": "flink-clock"},
		"spec":     map[string]any{"schedule": clock.Transition.Schedule()},
	}})
	if err != nil {
		t.Fatal(err)
	}
	connect, err := gather.NewConnect(gather.Way{Dialer: w.Dial(agent)})
	if err != nil {
		t.Fatal(err)
	}
	client, log := kube.New(w.Dynamic(agent)), zap.NewNop().Sugar()
	i := &installation{t: t, w: w, r: &Runner{
		Gather: &gather.Gatherer{Kube: client, Flink: connect, Now: w.Clock.Now},
		Apply: &apply.Executor{Kube: client, Flink: connect,
			Clock: clock.New(client, "flink-system", "flink-clock", w.Clock.Now),
			Events: &apply.EventRecorder{Kube: client,
				Listeners: event.Publisher{URL: "http://broker.invalid/", Client: &http.Client{Transport: deaf{}}},
				Control:   event.Publisher{},
				Source:    "/functions/reconcile", Now: w.Clock.Now, Log: log}},
		Watches: func(string) bool { return true }, Log: log,
	}}
	i.create(v1beta1.FlinkDeploymentGVR.Resource, v1beta1.KindFlinkDeployment, "demo", map[string]any{
		"image": "flink:1.20", "flinkVersion": "v1_20", "serviceAccount": "flink",
		"flinkConfiguration": map[string]any{"taskmanager.numberOfTaskSlots": "2",
			"execution.checkpointing.savepoint-dir": "s3://s",
			"execution.checkpointing.interval":      "10 s", "execution.checkpointing.dir": "s3://c"},
		"jobManager":  map[string]any{"resource": map[string]any{"memory": "1024m", "cpu": 0.5}},
		"taskManager": map[string]any{"resource": map[string]any{"memory": "1024m", "cpu": 0.5}},
		"job":         map[string]any{"jarURI": "local:///j.jar", "parallelism": int64(2), "upgradeMode": "stateless"},
	})
	for range 10 {
		i.pass(v1beta1.KindFlinkDeployment, "demo")
		w.Clock.Advance(2 * time.Second)
		w.Settle()
	}
	return i
}

// deaf is a Broker that takes everything.
type deaf struct{}

// RoundTrip answers 202.
func (deaf) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusAccepted, Body: http.NoBody, Request: r}, nil
}

func (i *installation) create(plural, kind, name string, spec map[string]any) {
	i.t.Helper()
	gvr := v1beta1.GroupVersion.WithResource(plural)
	_, err := i.w.Kube.Create(gvr, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1beta1.APIVersion, "kind": kind, "metadata": map[string]any{"namespace": "flink", "name": name},
		"spec": spec,
	}})
	if err != nil {
		i.t.Fatal(err)
	}
}

// pass runs one pass. What it answers does not matter here: the next one goes on.
func (i *installation) pass(kind, name string) { i.run(kind, name, true) }

func (i *installation) run(kind, name string, firm bool) {
	// a crash is part of some tests
	_ = i.r.Run(i.t.Context(), event.Key{Kind: kind, Namespace: "flink", Name: name}, firm)
}

// merge is what a user does with kubectl patch.
func (i *installation) merge(name string, patch map[string]any) {
	i.t.Helper()
	object := kube.Object{Resource: v1beta1.FlinkDeploymentGVR, Namespace: "flink", Name: name}
	if _, err := kube.New(i.w.Dynamic("kubectl")).MergePatch(i.t.Context(), object, patch); err != nil {
		i.t.Fatal(err)
	}
}

// settle runs passes of the snapshot while time goes by, until its state stays as it is.
func (i *installation) settle(passes int) {
	for range passes {
		i.pass(v1beta1.KindFlinkStateSnapshot, "snap")
		i.w.Tap.Revive()
		i.w.Clock.Advance(2 * time.Second)
		i.w.Settle()
	}
}

func (i *installation) snapshot() *v1beta1.FlinkStateSnapshot {
	i.t.Helper()
	u := i.w.Kube.Get(v1beta1.FlinkStateSnapshotGVR, "flink", "snap")
	if u == nil {
		return nil
	}
	s, _, err := v1beta1.DecodeStateSnapshot(u.Object)
	if err != nil {
		i.t.Fatal(err)
	}
	return &s
}

// savepoints counts what lies in storage.
func (i *installation) savepoints() int {
	n := 0
	for _, s := range i.w.Storage.Snapshots() {
		if s.Savepoint {
			n++
		}
	}
	return n
}

func snapshotSpec(more map[string]any) map[string]any {
	more["jobReference"] = map[string]any{"kind": "FlinkDeployment", "name": "demo"}
	return more
}

func TestASnapshotIsTakenAndDisposedOf(t *testing.T) {
	i := install(t)
	i.create(
		"flinkstatesnapshots", v1beta1.KindFlinkStateSnapshot, "snap",
		snapshotSpec(map[string]any{"savepoint": map[string]any{}}),
	)
	i.settle(4)
	s := i.snapshot()
	if s.Status.State != v1beta1.SnapshotCompleted || s.Status.Path == nil || i.savepoints() != 1 ||
		s.Labels[v1beta1.LabelSnapshotState] != "COMPLETED" {
		t.Fatalf("status %+v, labels %v, %d savepoints", s.Status, s.Labels, i.savepoints())
	}
	if err := i.w.Kube.Delete(v1beta1.FlinkStateSnapshotGVR, "flink", "snap", kubesim.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	i.settle(2)
	if i.snapshot() != nil || i.savepoints() != 0 {
		t.Errorf("still there: %v, %d savepoints", i.snapshot() != nil, i.savepoints())
	}
}

func TestACheckpointIsTaken(t *testing.T) {
	i := install(t)
	i.create(
		"flinkstatesnapshots", v1beta1.KindFlinkStateSnapshot, "snap",
		snapshotSpec(map[string]any{"checkpoint": map[string]any{}}),
	)
	i.settle(4)
	if s := i.snapshot(); s.Status.State != v1beta1.SnapshotCompleted || s.Status.Path == nil || *s.Status.Path == "" {
		t.Errorf("status %+v", s.Status)
	}
}

// TestASnapshotSurvivesCrashes crashes the function after the n-th effect of taking a savepoint and of
// disposing of it, and wants the same end: one savepoint was made, and none is left.
func TestASnapshotSurvivesCrashes(t *testing.T) {
	crashed := 0
	for n := 1; n <= 12; n++ {
		i := install(t)
		i.create(
			"flinkstatesnapshots", v1beta1.KindFlinkStateSnapshot, "snap",
			snapshotSpec(map[string]any{"savepoint": map[string]any{}}),
		)
		i.w.Tap.Forget()
		i.w.Tap.CrashAfterEffect(agent, n)
		i.pass(v1beta1.KindFlinkStateSnapshot, "snap")
		if i.w.Tap.Dead(agent) {
			crashed++
		}
		i.settle(6)
		if s := i.snapshot(); s.Status.State != v1beta1.SnapshotCompleted || s.Status.Failures != 0 || i.savepoints() != 1 {
			t.Errorf("crash after effect %d of taking: %+v, %d savepoints", n, s.Status, i.savepoints())
		}
		if err := i.w.Kube.Delete(v1beta1.FlinkStateSnapshotGVR, "flink", "snap", kubesim.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		i.w.Tap.CrashAfterEffect(agent, n)
		i.settle(4)
		if i.snapshot() != nil || i.savepoints() != 0 {
			t.Errorf("crash after effect %d of disposing: %v is there, %d savepoints", n, i.snapshot(), i.savepoints())
		}
	}
	if crashed < 4 {
		t.Errorf("%d crashes; the finalizer, the record, the request and the labels are effects", crashed)
	}
}

func TestFormatUnknownLeavesTheChoiceToFlink(t *testing.T) {
	i := install(t)
	i.create(
		"flinkstatesnapshots", v1beta1.KindFlinkStateSnapshot, "snap",
		snapshotSpec(map[string]any{"savepoint": map[string]any{"formatType": "UNKNOWN"}}),
	)
	i.settle(4)
	if s := i.snapshot(); s.Status.State != v1beta1.SnapshotCompleted {
		t.Errorf("%+v", s.Status)
	}
}

// TestFaultsOfFlink breaks the request for a savepoint, and the one for its disposal, in each way that matters.
func TestFaultsOfFlink(t *testing.T) {
	rows := map[string]struct {
		fault  wire.Fault
		state  v1beta1.SnapshotState
		failed int32
		reason string
	}{
		"refused": {
			wire.Fault{Status: http.StatusBadRequest, Nth: 1}, v1beta1.SnapshotFailed, 1,
			"Flink's own word: an attempt that failed, and no other is left",
		},
		"failed inside": {
			wire.Fault{Status: http.StatusInternalServerError, Nth: 1}, v1beta1.SnapshotCompleted, 0,
			"nobody knows: asked again with the same ID",
		},
		"timeout": {
			wire.Fault{Err: wire.Timeout, Nth: 1}, v1beta1.SnapshotCompleted, 0,
			"it never came: asked again with the same ID",
		},
		"timeout, it came": {
			wire.Fault{Err: wire.Timeout, After: true, Nth: 1}, v1beta1.SnapshotCompleted, 0, "it came: found by its ID",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			i := install(t)
			i.create("flinkstatesnapshots", v1beta1.KindFlinkStateSnapshot, "snap",
				snapshotSpec(map[string]any{"backoffLimit": int64(0), "savepoint": map[string]any{}}))
			row.fault.Match = wire.On("create", "savepoints")
			i.w.Tap.Inject(row.fault)
			for range 4 {
				i.pass(v1beta1.KindFlinkStateSnapshot, "snap")
				i.w.Clock.Advance(2 * time.Second)
				i.w.Settle()
			}
			if s := i.snapshot(); s.Status.State != row.state || s.Status.Failures != row.failed ||
				(s.Status.Error != "") != (row.failed > 0) {
				t.Errorf("%s; got %+v", row.reason, s.Status)
			}
			if row.state != v1beta1.SnapshotCompleted {
				return
			}
			if i.savepoints() != 1 {
				t.Errorf("%d savepoints, want 1", i.savepoints())
			}
			if err := i.w.Kube.Delete(v1beta1.FlinkStateSnapshotGVR, "flink", "snap", kubesim.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			i.w.Tap.Inject(wire.Fault{Match: wire.On("create", "savepoint-disposal"), Status: http.StatusBadRequest})
			i.settle(1)
			i.w.Tap.Inject(wire.Fault{Match: wire.On("create", "savepoint-disposal"), Status: http.StatusBadRequest})
			if i.pass(v1beta1.KindFlinkStateSnapshot, "snap"); i.snapshot() == nil {
				t.Error("gone although its disposal was refused")
			}
			i.w.Clock.Advance(5 * time.Minute)
			if i.settle(1); i.snapshot() != nil {
				t.Error("still there after the clean-up timeout")
			}
		})
	}
}

func TestASnapshotOfAnotherNamesakeIsNotTaken(t *testing.T) {
	i := install(t)
	owner := i.w.Kube.Get(v1beta1.FlinkDeploymentGVR, "flink", "demo")
	i.create(
		"flinkstatesnapshots", v1beta1.KindFlinkStateSnapshot, "snap",
		snapshotSpec(map[string]any{"savepoint": map[string]any{}}),
	)
	_, err := i.w.Kube.Update(v1beta1.FlinkStateSnapshotGVR, "flink", "snap", func(u *unstructured.Unstructured) {
		u.SetAnnotations(map[string]string{v1beta1.AnnotationJobUID: "not-" + string(owner.GetUID())})
	})
	if err != nil {
		t.Fatal(err)
	}
	i.settle(3)
	if s := i.snapshot(); s.Status.State != v1beta1.SnapshotAbandoned || i.savepoints() != 0 {
		t.Errorf("%+v, %d savepoints", s.Status, i.savepoints())
	}
}
