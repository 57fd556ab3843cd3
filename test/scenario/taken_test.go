package scenario

import (
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

func init() { maps.Copy(scenarios, takenScenarios) }

// take makes a FlinkStateSnapshot. One of a session job refers to that.
func (h *harness) take(name string, spec map[string]any) {
	h.t.Helper()
	if reference, is := spec["jobReference"].(map[string]any); is {
		reference["kind"] = kindName(h.kindOf(reference["name"].(string)))
	}
	u := &unstructured.Unstructured{
		Object: map[string]any{"apiVersion": v1beta1.APIVersion, "kind": v1beta1.KindFlinkStateSnapshot, "spec": spec},
	}
	u.SetNamespace(namespace)
	u.SetName(name)
	if _, err := h.w.Kube.Create(kubesim.FlinkStateSnapshots, u); err != nil {
		h.t.Fatal(err)
	}
}

// of refers to a FlinkDeployment, with what else a snapshot's spec says.
func of(name string, more map[string]any) map[string]any {
	spec := map[string]any{"jobReference": map[string]any{"kind": v1beta1.KindFlinkDeployment, "name": name}}
	maps.Copy(spec, more)
	return spec
}

// snapshot is a FlinkStateSnapshot's state and path; NotFound when there is none.
func (h *harness) snapshot(name string) (state v1beta1.SnapshotState, path string) {
	h.t.Helper()
	u := h.w.Kube.Peek(kubesim.FlinkStateSnapshots, namespace, name)
	if u == nil {
		return "NotFound", ""
	}
	snapshot, _, err := v1beta1.DecodeStateSnapshot(u.Object)
	if err != nil {
		h.t.Fatal(err)
	}
	if snapshot.Status.Path != nil {
		path = *snapshot.Status.Path
	}
	return snapshot.Status.State, path
}

func (h *harness) untilSnapshot(name string, want v1beta1.SnapshotState) (path string) {
	h.t.Helper()
	h.until("snapshot "+name+" is "+string(want), func() bool {
		state, at := h.snapshot(name)
		path = at
		return state == want
	})
	return path
}

// drops deletes a FlinkStateSnapshot, and waits until it is gone.
func (h *harness) drops(name string) {
	h.t.Helper()
	if err := h.w.Kube.Delete(kubesim.FlinkStateSnapshots, namespace, name, kubesim.DeleteOptions{}); err != nil {
		h.t.Fatal(err)
	}
	h.untilSnapshot(name, "NotFound")
}

// takenScenarios are about FlinkStateSnapshots, run by TestScenarios.
var takenScenarios = map[string]scenario{
	"a savepoint by a resource of its own, and without it": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint")))
		h.untilStable("demo")
		h.take("mine", of("demo", map[string]any{"savepoint": map[string]any{}}))
		path := h.untilSnapshot("mine", v1beta1.SnapshotCompleted)
		if _, there := h.w.Storage.Get(path); !there {
			h.t.Errorf("nothing is at %q", path)
		}
		expect(h.t, "savepoints that were taken", h.stored(), 1)
		h.drops("mine")
		expect(h.t, "savepoints that are left", h.stored(), 0)
		h.sees("demo", stable, "nothing")
	}, "one resource is one savepoint, wherever a pass dies, and its files go with it"},

	"a savepoint that stays when its resource goes": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint")))
		h.untilStable("demo")
		h.take("mine", of("demo", map[string]any{"savepoint": map[string]any{"disposeOnDelete": false}}))
		path := h.untilSnapshot("mine", v1beta1.SnapshotCompleted)
		h.drops("mine")
		expect(h.t, "savepoints that are left", h.stored(), 1)
		h.edit("demo", jobField("initialSavepointPath", path), jobField("savepointRedeployNonce", int64(1)))
		h.untilStarts("demo", 2)
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
		expect(h.t, "the redeployment is from", h.w.Flink.Starts(namespace, "demo")[1].From, path)
	}, "it is the person's, and a job can be started from it"},

	"a checkpoint by a resource of its own": {func(h *harness) {
		h.apply("demo", application(stateful("last-state"), highlyAvailable))
		h.untilStable("demo")
		h.take("mine", of("demo", map[string]any{"checkpoint": map[string]any{}}))
		h.untilSnapshot("mine", v1beta1.SnapshotCompleted)
		h.drops("mine")
		h.edit("demo", parallelism(4))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, high-availability data(checkpoint)")
	}, "its files are Flink's, and the job may need them"},

	"a savepoint that fails as often as it may": {func(h *harness) {
		h.w.Flink.ScriptJob("demo", job.Script{SnapshotFails: "the store is full"})
		h.apply("demo", application(stateful("savepoint")))
		h.untilStable("demo")
		h.take("mine", of("demo", map[string]any{"savepoint": map[string]any{}, "backoffLimit": int64(2)}))
		h.untilSnapshot("mine", v1beta1.SnapshotFailed)
		h.rest()
		expect(h.t, "savepoints", h.stored(), 0)
		h.drops("mine")
		h.sees("demo", stable, "nothing")
	}, "its backoff limit ends it, and the job goes on"},

	"a savepoint of a job that is suspended": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint"), jobState("suspended")))
		h.untilSituation("demo", "NeverStarted")
		h.take("mine", of("demo", map[string]any{"savepoint": map[string]any{}}))
		h.untilSnapshot("mine", v1beta1.SnapshotAbandoned)
		h.edit("demo", jobState("running"))
		h.untilStable("demo")
		h.rest()
		expect(h.t, "savepoints", h.stored(), 0)
	}, "what is given up stays so"},

	"a savepoint that exists already": {func(h *harness) {
		const path = "s3://mine/savepoint-1"
		h.w.Storage.Put(job.Snapshot{Path: path, Savepoint: true, Progress: 5})
		h.take("mine", map[string]any{"savepoint": map[string]any{"alreadyExists": true, "path": path}})
		expect(h.t, "where it is", h.untilSnapshot("mine", v1beta1.SnapshotCompleted), path)
		h.drops("mine")
		expect(h.t, "savepoints that are left", h.stored(), 1)
	}, "nobody is asked for it, and nobody is there to dispose of it"},
}
