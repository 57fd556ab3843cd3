package sessionjob

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/failed"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
	"github.com/kn-flink/kn-flink/test/purity"
)

var start = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// fixture is a session cluster that is ready and one session job, small enough for pure tests: it carries plans out as
// apply and Flink would.
type fixture struct {
	t       *testing.T
	s       session.Snapshot
	version int
	jobs    []world.Job
	jars    []session.Jar
	runs    []plan.RunJar
	events  []plan.Event
	log     []string
	stops   map[string]string // the paths of savepoints, by trigger
	refuses string            // why Flink refuses to run jars; empty: it does not
	missing string            // the URI of a jar that cannot be had
	uploads bool              // this function uploads
	silent  bool              // Flink does not answer
	because string            // why it does not, or why stops with savepoint fail; empty: none fails
	saves   bool              // Flink takes savepoints
	taking  bool              // Flink is taking every savepoint that it was asked for
	others  []session.Other   // the other session jobs
	deaf    bool              // nobody can look at them
	unsaid  string            // what answers a run without saying whether the job begins; empty: nothing does

	untold string // why Flink does not tell of checkpoints; empty: it does

	newest v1beta1.FlinkJobState // what a job begins as; empty: RUNNING

	keepsJars bool // Flink does not delete jars
	jarsOff   bool // Flink has no list of them
	deleted   int  // how often it was asked to
}

const stateless = `{"deploymentName":"session","job":{"jarURI":"https://repo/etl.jar","parallelism":2,
	"upgradeMode":"stateless"}}`

func newWorld(t *testing.T, spec string) *fixture {
	t.Helper()
	w := &fixture{t: t, version: 1, uploads: true, saves: true, stops: map[string]string{}}
	r := &v1beta1.FlinkSessionJob{}
	r.APIVersion, r.Kind = v1beta1.APIVersion, v1beta1.KindFlinkSessionJob
	r.Namespace, r.Name, r.UID, r.Generation, r.ResourceVersion = "default", "etl", "uid-of-etl", 1, "1"
	if err := json.Unmarshal([]byte(spec), &r.Spec); err != nil {
		t.Fatal(err)
	}
	w.s = session.Snapshot{
		Now: start, Operator: flinkconf.NewOperator(nil), Resource: r,
		Cluster: plan.Present(sessionCluster()), JobManager: plan.Present(jobManager()),
		Autoscaled: plan.Absent[autoscaled.Store](),
	}
	return w
}

// sessionCluster is a FlinkDeployment that runs, with more options: keys and values.
func sessionCluster(more ...string) *v1beta1.FlinkDeployment {
	d := &v1beta1.FlinkDeployment{}
	d.Namespace, d.Name, d.UID, d.Generation = "default", "session", "uid-of-session", 1
	d.Spec = v1beta1.FlinkDeploymentSpec{
		Image: "flink:1.20", FlinkVersion: v1beta1.FlinkV1_20, ServiceAccount: "flink",
		FlinkConfiguration: v1beta1.FlinkConfiguration(`{"execution.checkpointing.savepoint-dir":"file:///s",
			"execution.checkpointing.dir":"file:///c"}`),
	}
	for i := 0; i+1 < len(more); i += 2 {
		d.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(strings.Replace(string(d.Spec.FlinkConfiguration), "{",
			`{"`+more[i]+`":"`+more[i+1]+`",`, 1))
	}
	record, err := v1beta1.ReconciledDeployment{Spec: d.Spec}.Text()
	if err != nil {
		panic(err)
	}
	d.Status.ReconciliationStatus = v1beta1.ReconciliationStatus{
		State: v1beta1.ReconciliationDeployed, LastReconciledSpec: record, LastStableSpec: record,
	}
	d.Status.JobManagerDeploymentStatus = v1beta1.JobManagerReady
	return d
}

func jobManager() *appsv1.Deployment {
	d := &appsv1.Deployment{}
	d.Namespace, d.Name, d.UID = "default", "session", "uid-of-jobmanager"
	d.Status.AvailableReplicas = 1
	d.Status.Conditions = []appsv1.DeploymentCondition{{
		Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue,
		LastTransitionTime: metav1.NewTime(start.Add(-time.Hour)),
	}}
	return d
}

func (w *fixture) bump() {
	w.version++
	w.s.Resource.ResourceVersion = strconv.Itoa(w.version)
}

func (w *fixture) edit(change func(*v1beta1.FlinkSessionJobSpec)) {
	w.s.Resource.Spec = *w.s.Resource.Spec.DeepCopy()
	change(&w.s.Resource.Spec)
	w.s.Resource.Generation++
	w.bump()
}

func (w *fixture) status() v1beta1.FlinkSessionJobStatus { return w.s.Resource.Status }

// look answers what a look asks for.
func (w *fixture) look() {
	w.s.Uploads = w.uploads
	q := Open(w.s).First()
	w.s.Flink.Jobs, w.s.Jars = plan.Observed[[]world.Job]{}, plan.Observed[[]session.Jar]{}
	switch {
	case w.silent:
		w.s.Flink.Jobs = plan.Unknown[[]world.Job](cmp.Or(w.because, "connection refused"))
	case q.Flink != nil:
		w.s.Flink.Jobs = plan.Present(append([]world.Job{}, w.jobs...))
	}
	w.s.Flink.Stop = plan.Observed[world.StopProgress]{}
	if q.Stop && !w.silent {
		w.s.Flink.Stop = plan.Present(world.StopProgress{State: world.StopNotKnown})
		if w.taking {
			w.s.Flink.Stop = plan.Present(world.StopProgress{State: world.StopInProgress})
		}
		if w.because != "" {
			w.s.Flink.Stop = plan.Present(world.StopProgress{State: world.StopFailed, Cause: w.because})
		}
		if path := w.stops[w.status().Intent.TriggerID]; path != "" {
			w.s.Flink.Stop = plan.Present(world.StopProgress{State: world.StopCompleted, Path: path})
		}
	}
	w.s.Others = plan.Observed[[]session.Other]{}
	if q.Others && !w.deaf {
		w.s.Others = plan.Present(append([]session.Other{}, w.others...))
	}
	if q.Jars && w.jarsOff {
		w.s.Jars = plan.Unknown[[]session.Jar]("404 Not found: /jars")
	} else if q.Jars && !w.silent {
		w.s.Jars = plan.Present(append([]session.Jar{}, w.jars...))
	}
	if w.untold != "" {
		w.s.Flink.Checkpoints = plan.Unknown[world.Checkpoints](w.untold)
	} else if more := Open(w.s).Flink(); more.Checkpoints && w.s.Flink.Checkpoints.IsUnknown() {
		w.s.Flink.Checkpoints = plan.Absent[world.Checkpoints]()
	}
	if w.s.Flink.Retention.IsUnknown() {
		w.s.Flink.Retention = plan.Present(upgrade.Retention{Cancelled: true, Failed: true, Periodic: true})
	}
}

// round makes one plan and carries it out.
func (w *fixture) round() plan.Plan {
	w.t.Helper()
	w.look()
	w.s.Recorded = session.ReadRecorded(w.s.Resource) // as looks share it
	p, err := purity.Decide(w.s.Resource, func() plan.Plan { return Make(w.s) })
	if err != nil {
		w.t.Fatal(err)
	}
	w.s.Recorded = nil
	w.events, w.log = append(w.events, p.Events...), append(w.log, p.String())
	for _, a := range p.Actions {
		if !w.do(a) {
			p.Requeue = "" // as a pass that ends with an error
			return p
		}
	}
	if status, ok := p.Status.(*v1beta1.FlinkSessionJobStatus); ok {
		w.store(status)
	}
	for _, a := range p.Finish {
		w.do(a)
	}
	return p
}

// run makes rounds until a plan asks for no other.
func (w *fixture) run() plan.Plan {
	w.t.Helper()
	for range 20 {
		if p := w.round(); p.Requeue != plan.RequeueNow {
			return p
		}
	}
	w.t.Fatalf("no rest after: %q", w.log)
	return plan.Plan{}
}

func (w *fixture) store(status *v1beta1.FlinkSessionJobStatus) {
	w.s.Resource.Status = *status.DeepCopy()
	w.bump()
}

// do carries an action out; false when it failed, which is shown as a pass shows it.
func (w *fixture) do(a plan.Action) bool {
	switch a := a.(type) {
	case plan.Record:
		w.store(a.Status.(*v1beta1.FlinkSessionJobStatus))
	case plan.AddFinalizer:
		w.s.Resource.Finalizers = append(w.s.Resource.Finalizers, a.Finalizer)
		w.bump()
	case plan.RemoveFinalizer:
		w.s.Resource.Finalizers = nil
		w.bump()
	case plan.UploadJar:
		if w.missing != "" && a.URI == w.missing {
			return w.fails(a, "JarNotFound", "response 404")
		}
		w.jars = append(w.jars, session.Jar{ID: fmt.Sprintf("%d_%s", len(w.jars), a.Name), Name: a.Name})
	case plan.DeleteJar:
		if w.deleted++; !w.keepsJars {
			w.jars = slices.DeleteFunc(w.jars, func(j session.Jar) bool { return j.ID == a.JarID })
		}
	case plan.RunJar:
		stored := w.status()
		if i := stored.Intent; i == nil || i.JobID != a.JobID || stored.JobStatus.JobID != a.JobID ||
			i.Release == nil || i.Release.RunAt == nil {
			w.t.Errorf("Flink is asked to run job %s before that is stored: %+v", a.JobID, stored.Intent)
		}
		w.runs = append(w.runs, a)
		if w.refuses != "" {
			return w.fails(a, "JarRunFailed", w.refuses)
		}
		if w.unsaid != "" {
			return w.fails(a, string(plan.ReasonJarRunUnanswered), w.unsaid)
		}
		state := v1beta1.FlinkJobRunning
		if w.newest != "" {
			state = w.newest
		}
		running := 2
		if state == v1beta1.FlinkJobCreated {
			running = 0
		}
		w.jobs = append(w.jobs, world.Job{
			ID: a.JobID, Name: "etl", State: state, Tasks: 2, Running: running,
			StartTime: strconv.FormatInt(w.s.Now.UnixMilli(), 10),
		})
	case plan.KeepAutoscaled:
		w.s.Autoscaled = plan.Present(autoscaled.Store{Data: a.Data})
	case plan.CancelJob:
		w.set(a.JobID, v1beta1.FlinkJobCanceled)
	case plan.StopWithSavepoint:
		if !w.saves {
			break
		}
		w.set(a.JobID, v1beta1.FlinkJobFinished)
		w.stops[a.TriggerID] = fmt.Sprintf("file:///s/savepoint-%d", len(w.stops)+1)
	}
	return true
}

// runningJob is a job that runs.
func runningJob(id string) world.Job {
	return world.Job{ID: id, Name: "etl", State: v1beta1.FlinkJobRunning, Tasks: 2, Running: 2, StartTime: "5"}
}

// fails shows an action that failed, as a pass shows it.
func (w *fixture) fails(a plan.Action, reason, message string) (done bool) {
	p := Failed(w.s, failed.Effect{Action: a, Kind: fail.Denied, Reason: reason, Message: message}).Plans[0]
	w.events = append(w.events, p.Events...)
	for _, also := range p.Actions {
		w.do(also)
	}
	w.store(p.Status.(*v1beta1.FlinkSessionJobStatus))
	return false
}

// set changes the state of a job.
func (w *fixture) set(id string, state v1beta1.FlinkJobState) {
	for i := range w.jobs {
		if w.jobs[i].ID == id {
			w.jobs[i].State = state
			if state == v1beta1.FlinkJobRunning {
				w.jobs[i].Running = w.jobs[i].Tasks
			}
			if state.IsTerminal() {
				w.jobs[i].EndTime = w.s.Now
			}
		}
	}
}

// sleep lets time pass.
func (w *fixture) sleep(d time.Duration) { w.s.Now = w.s.Now.Add(d) }

// running are the IDs of jobs that have not ended.
func (w *fixture) running() []string {
	var ids []string
	for _, j := range w.jobs {
		if !j.State.IsTerminal() {
			ids = append(ids, j.ID)
		}
	}
	return ids
}

// want holds what a user sees.
func (w *fixture) want(situation plan.Situation, lifecycle v1beta1.LifecycleState, state v1beta1.FlinkJobState) {
	w.t.Helper()
	s := w.status()
	if s.Situation != string(situation) || s.LifecycleState != lifecycle || s.JobStatus.State != state {
		w.t.Fatalf("%s %s %s, want %s %s %s; error %q; %+v\n%q", s.Situation, s.LifecycleState, s.JobStatus.State,
			situation, lifecycle, state, s.Error, s.Conditions, w.log)
	}
}

// untilSteady lets time pass until nothing is left to do.
func (w *fixture) untilSteady() {
	w.t.Helper()
	for range 20 {
		if w.run(); w.status().Situation == string(plan.Steady) && w.status().Intent == nil {
			return
		}
		w.sleep(2 * time.Second)
	}
	w.t.Fatalf("not steady: %+v\n%q", w.status(), w.log)
}
