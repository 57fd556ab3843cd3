package snapshot

import (
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

var start = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// fixture is one snapshot, its job and a Flink small enough for pure tests: it carries plans out as apply would. Tests
// say what becomes of a request.
type fixture struct {
	t       testing.TB
	s       Snapshot
	version int
	// flink holds what became of each request, by its ID; requests counts those that started something.
	flink    map[string]snapshots.Operation
	requests int
	lossy    bool // requests do not arrive
	down     bool // Flink does not respond
	live     Job
	unlisted bool
	disposed []string
	// readers are others that may read a path.
	readers plan.Observed[snapshots.Readers]
	gone    bool
	writes  int // of status
	patches int // of labels
	events  []plan.Event
	log     []string
}

const (
	jobID = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	state = "s3://bucket/savepoints"
)

func newWorld(t testing.TB, spec v1beta1.FlinkStateSnapshotSpec) *fixture {
	w := &fixture{
		t: t, version: 1, flink: map[string]snapshots.Operation{}, readers: plan.Present(snapshots.Readers{}),
	}
	r := &v1beta1.FlinkStateSnapshot{}
	r.APIVersion, r.Kind = v1beta1.APIVersion, v1beta1.KindFlinkStateSnapshot
	r.Namespace, r.Name, r.UID, r.Generation, r.ResourceVersion = "default", "snap", "uid-of-snap", 1, "1"
	r.CreationTimestamp = metav1.NewTime(start)
	r.Spec = spec
	w.s = Snapshot{
		Now: start, Operator: flinkconf.NewOperator(nil), Resource: r, Deployment: plan.Absent[*v1beta1.FlinkDeployment](),
	}
	return w
}

func savepoint() v1beta1.FlinkStateSnapshotSpec {
	return v1beta1.FlinkStateSnapshotSpec{
		JobReference: &v1beta1.JobReference{Kind: v1beta1.JobKindFlinkDeployment, Name: "demo"},
		Savepoint:    &v1beta1.SavepointSpec{Path: state},
	}
}

func checkpoint() v1beta1.FlinkStateSnapshotSpec {
	s := savepoint()
	s.Savepoint, s.Checkpoint = nil, &v1beta1.CheckpointSpec{}
	return s
}

// runJob gives the world a FlinkDeployment whose job runs.
func (w *fixture) runJob() *fixture {
	w.deploy(v1beta1.FlinkV1_20, nil)
	w.live = Job{State: v1beta1.FlinkJobRunning, StartTime: "1700000000000"}
	return w
}

func (w *fixture) deploy(version v1beta1.FlinkVersion, options map[string]string) *v1beta1.FlinkDeployment {
	w.t.Helper()
	var configuration []string
	for name, value := range options {
		configuration = append(configuration, fmt.Sprintf("%q:%q", name, value))
	}
	text := fmt.Sprintf(`{"spec":{"image":"flink","flinkVersion":%q,"flinkConfiguration":{%s},
"job":{"jarURI":"local:///j.jar","parallelism":1,"state":"running","upgradeMode":"savepoint"}},
"resource_metadata":{"apiVersion":"flink.apache.org/v1beta1","firstDeployment":false}}`, version,
		strings.Join(configuration, ","))
	deployed, err := v1beta1.ParseReconciledDeployment(text)
	if err != nil {
		w.t.Fatal(err)
	}
	d := &v1beta1.FlinkDeployment{Spec: deployed.Spec}
	d.Namespace, d.Name, d.UID = "default", "demo", "uid-of-demo"
	d.Status.JobStatus = v1beta1.JobStatus{JobID: jobID, State: v1beta1.FlinkJobRunning}
	d.Status.JobManagerDeploymentStatus = v1beta1.JobManagerReady
	d.Status.ReconciliationStatus = v1beta1.ReconciliationStatus{
		LastReconciledSpec: text, State: v1beta1.ReconciliationDeployed,
	}
	w.s.Deployment = plan.Present(d)
	return d
}

// job changes the FlinkDeployment.
func (w *fixture) job(change func(d *v1beta1.FlinkDeployment)) {
	d, ok := w.s.Deployment.Get()
	if !ok {
		w.t.Fatal("there is no job to change")
	}
	d = d.DeepCopy()
	change(d)
	w.s.Deployment = plan.Present(d)
}

// end makes the job end, as both its resource and Flink tell.
func (w *fixture) end(state v1beta1.FlinkJobState) {
	w.job(func(d *v1beta1.FlinkDeployment) { d.Status.JobStatus.State = state })
	w.live.State = state
}

func (w *fixture) removeJob() { w.s.Deployment = plan.Absent[*v1beta1.FlinkDeployment]() }

func (w *fixture) later(d time.Duration) *fixture { w.s.Now = w.s.Now.Add(d); return w }

func (w *fixture) bump() { w.version++; w.s.Resource.ResourceVersion = fmt.Sprint(w.version) }

func (w *fixture) status() v1beta1.FlinkStateSnapshotStatus { return w.s.Resource.Status }

// look asks Flink what the decision asks for.
func (w *fixture) look() {
	w.s.Flink = Flink{}
	if AskReaders(w.s) != nil {
		w.s.Readers = w.readers
	}
	q := Ask(w.s)
	if q == nil || w.down {
		return
	}
	w.s.Flink.Job = plan.Absent[Job]()
	if q.JobID == jobID && w.live.State != "" && !w.unlisted {
		w.s.Flink.Job = plan.Present(w.live)
	}
	if q.Request == nil {
		return
	}
	answer, known := w.flink[q.Request.TriggerID]
	if !known {
		answer = snapshots.Operation{State: snapshots.OperationNotKnown}
	}
	w.s.Flink.Operation = plan.Present(answer)
	if id, wanted := AskCheckpoint(w.s); wanted {
		w.s.Flink.Checkpoint = plan.Present(Checkpoint{Done: true, Path: fmt.Sprintf("checkpoint_%d", id)})
	}
}

// round makes one plan and carries it out.
func (w *fixture) round() plan.Plan {
	w.t.Helper()
	w.look()
	p := Make(w.s)
	if again := Make(w.s); again.String() != p.String() {
		w.t.Fatalf("equal snapshots gave %q and %q", p, again)
	}
	w.carry(p)
	return p
}

func (w *fixture) carry(p plan.Plan) {
	w.t.Helper()
	w.events, w.log = append(w.events, p.Events...), append(w.log, p.String())
	var stored any
	for _, a := range p.Actions {
		if record, ok := a.(plan.Record); ok {
			w.store(record.Status.(*v1beta1.FlinkStateSnapshotStatus))
			stored = record.Status
			continue
		}
		w.do(a)
	}
	if status, ok := p.Status.(*v1beta1.FlinkStateSnapshotStatus); ok && p.Status != stored {
		w.store(status)
	}
	for _, a := range p.Finish {
		w.do(a)
	}
}

func (w *fixture) store(status *v1beta1.FlinkStateSnapshotStatus) {
	w.s.Resource.Status = *status.DeepCopy()
	w.writes++
	w.bump()
}

func (w *fixture) do(action plan.Action) {
	r := w.s.Resource
	switch a := action.(type) {
	case plan.AddFinalizer:
		r.Finalizers = append(r.Finalizers, a.Finalizer)
		w.bump()
	case plan.RemoveFinalizer:
		r.Finalizers, w.gone = nil, true
	case plan.SetLabels:
		if r.Labels == nil {
			r.Labels = map[string]string{}
		}
		for name, value := range a.Labels {
			r.Labels[name] = value
		}
		w.patches++
		w.bump()
	case plan.TriggerSavepoint:
		w.request(a.TriggerID)
	case plan.TriggerCheckpoint:
		w.request(a.TriggerID)
	case plan.DisposeSavepoint:
		w.disposed = append(w.disposed, a.Path)
	}
}

func (w *fixture) request(id string) {
	if r := w.status(); r.TriggerID != id || r.State != v1beta1.SnapshotInProgress {
		w.t.Fatalf("request %s was made before status had it: %+v", id, r)
	}
	if _, known := w.flink[id]; known || w.lossy {
		return
	}
	w.requests++
	w.flink[id] = snapshots.Operation{State: snapshots.OperationInProgress}
}

// run makes rounds until a plan asks for no other.
func (w *fixture) run() *fixture {
	w.t.Helper()
	for range 10 {
		if w.round().Requeue != plan.RequeueNow {
			return w
		}
	}
	w.t.Fatalf("no rest after: %q", w.log)
	return w
}

// answer decides the request in flight.
func (w *fixture) answer(o snapshots.Operation) *fixture {
	w.flink[w.status().TriggerID] = o
	return w
}

func completedAt(location string) snapshots.Operation {
	return snapshots.Operation{State: snapshots.OperationCompleted, Location: location, CheckpointID: 1}
}

func failedWith(why string) snapshots.Operation {
	return snapshots.Operation{State: snapshots.OperationFailed, Failure: why}
}

func (w *fixture) delete() *fixture {
	at := metav1.NewTime(w.s.Now)
	w.s.Resource.DeletionTimestamp = &at
	return w
}

func (w *fixture) want(situation plan.Situation, state v1beta1.SnapshotState) *fixture {
	w.t.Helper()
	if got := w.status(); got.Situation != string(situation) || got.State != state {
		w.t.Errorf("situation and state are %s, %s; want %s, %s\nrounds: %q\nconditions: %+v\nerror: %s",
			got.Situation, got.State, situation, state, w.log, got.Conditions, got.Error)
	}
	return w
}

// wantQuiet fails the test when another look, now, would do or write anything.
func (w *fixture) wantQuiet() *fixture {
	w.t.Helper()
	w.look()
	if p := Make(w.s); !p.IsQuiet() || p.Status != nil {
		w.t.Errorf("a second look does %s and writes %+v", p, p.Status)
	}
	return w
}

// eventsOf are the messages of the events of a reason.
func (w *fixture) eventsOf(reason string) []string {
	var list []string
	for _, e := range w.events {
		if string(e.Reason) == reason {
			if !e.Warning {
				w.t.Errorf("%s is no Warning", reason)
			}
			list = append(list, e.Message)
		}
	}
	return list
}

func (w *fixture) wantEvents(reason string, parts ...string) *fixture {
	w.t.Helper()
	got := w.eventsOf(reason)
	if len(got) != len(parts) {
		w.t.Errorf("events of %s: %q, want %d", reason, got, len(parts))
		return w
	}
	for i, part := range parts {
		if !strings.Contains(got[i], part) {
			w.t.Errorf("event of %s is %q, want it to contain %q", reason, got[i], part)
		}
	}
	return w
}

func (w *fixture) ready() metav1.ConditionStatus {
	for _, c := range w.status().Conditions {
		if c.Type == summary.Ready {
			return c.Status
		}
	}
	return ""
}

func limit(n int32) *int32 { return &n }

func yes(b bool) *bool { return &b }
