package enginetest

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
	"github.com/kn-flink/kn-flink/pkg/host/sessionjob"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
	"github.com/kn-flink/kn-flink/test/purity"
)

// SessionJob is a session cluster that is ready and one session job, small enough for pure tests: it carries plans out
// as apply and Flink would.
type SessionJob struct {
	T        *testing.T        // the test
	Snapshot session.Snapshot  // what there is to be seen
	Version  int               // the resourceVersion
	Jobs     []world.Job       // those that Flink lists
	Jars     []session.Jar     // those that Flink has
	Runs     []plan.RunJar     // what Flink was asked to run
	Events   []plan.Event      // those that were published
	Log      []string          // the plan of each round
	Stops    map[string]string // the paths of savepoints, by trigger
	Refuses  string            // why Flink refuses to run jars; empty: it does not
	Missing  string            // the URI of a jar that cannot be had
	Uploads  bool              // this function uploads
	Silent   bool              // Flink does not answer
	Because  string            // why it does not, or why stops with savepoint fail; empty: none fails
	Saves    bool              // Flink takes savepoints
	Taking   bool              // Flink is taking every savepoint that it was asked for
	Others   []session.Other   // the other session jobs
	Deaf     bool              // nobody can look at them
	Unsaid   string            // what answers a run without saying whether the job begins; empty: nothing does

	Untold string // why Flink does not tell of checkpoints; empty: it does

	Newest v1beta1.FlinkJobState // what a job begins as; empty: RUNNING

	KeepsJars bool // Flink does not delete jars
	JarsOff   bool // Flink has no list of them
	Deleted   int  // how often it was asked to
}

// HostedStateless is a stateless session job.
const HostedStateless = `{"deploymentName":"session","job":{"jarURI":"https://repo/etl.jar","parallelism":2,
	"upgradeMode":"stateless"}}`

// NewSessionJob is one that no pass has seen.
func NewSessionJob(t *testing.T, spec string) *SessionJob {
	t.Helper()
	w := &SessionJob{T: t, Version: 1, Uploads: true, Saves: true, Stops: map[string]string{}}
	r := &v1beta1.FlinkSessionJob{}
	r.APIVersion, r.Kind = v1beta1.APIVersion, v1beta1.KindFlinkSessionJob
	r.Namespace, r.Name, r.UID, r.Generation, r.ResourceVersion = "default", "etl", "uid-of-etl", 1, "1"
	if err := json.Unmarshal([]byte(spec), &r.Spec); err != nil {
		t.Fatal(err)
	}
	w.Snapshot = session.Snapshot{
		Now: Start, Operator: flinkconf.NewOperator(nil), Resource: r,
		Cluster: plan.Present(SessionCluster()), JobManager: plan.Present(JobManager()),
		Autoscaled: plan.Absent[autoscaled.Store](),
	}
	return w
}

// SessionCluster is a FlinkDeployment that runs, with more options: keys and values.
func SessionCluster(more ...string) *v1beta1.FlinkDeployment {
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

// JobManager is the Deployment of the session cluster's JobManager.
func JobManager() *appsv1.Deployment {
	d := &appsv1.Deployment{}
	d.Namespace, d.Name, d.UID = "default", "session", "uid-of-jobmanager"
	d.Status.AvailableReplicas = 1
	d.Status.Conditions = []appsv1.DeploymentCondition{{
		Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue,
		LastTransitionTime: metav1.NewTime(Start.Add(-time.Hour)),
	}}
	return d
}

// Bump is a write of the resource.
func (w *SessionJob) Bump() {
	w.Version++
	w.Snapshot.Resource.ResourceVersion = strconv.Itoa(w.Version)
}

// Edit changes the spec, as a user would.
func (w *SessionJob) Edit(change func(*v1beta1.FlinkSessionJobSpec)) {
	w.Snapshot.Resource.Spec = *w.Snapshot.Resource.Spec.DeepCopy()
	change(&w.Snapshot.Resource.Spec)
	w.Snapshot.Resource.Generation++
	w.Bump()
}

// Status is the one that is stored.
func (w *SessionJob) Status() v1beta1.FlinkSessionJobStatus { return w.Snapshot.Resource.Status }

// Look answers what a look asks for.
func (w *SessionJob) Look() *sessionjob.Inquiry {
	w.Snapshot.Uploads = w.Uploads
	seen := w.Snapshot
	seen.Recorded = session.ReadRecorded(seen.Resource)
	inquiry := sessionjob.Open(seen)
	q := inquiry.First()
	w.Snapshot.Flink.Jobs, w.Snapshot.Jars = plan.Observed[[]world.Job]{}, plan.Observed[[]session.Jar]{}
	switch {
	case w.Silent:
		w.Snapshot.Flink.Jobs = plan.Unknown[[]world.Job](cmp.Or(w.Because, "connection refused"))
	case q.Flink != nil:
		w.Snapshot.Flink.Jobs = plan.Present(append([]world.Job{}, w.Jobs...))
	}
	w.Snapshot.Flink.Stop = plan.Observed[world.StopProgress]{}
	if q.Stop && !w.Silent {
		w.Snapshot.Flink.Stop = plan.Present(world.StopProgress{State: world.StopNotKnown})
		if w.Taking {
			w.Snapshot.Flink.Stop = plan.Present(world.StopProgress{State: world.StopInProgress})
		}
		if w.Because != "" {
			w.Snapshot.Flink.Stop = plan.Present(world.StopProgress{State: world.StopFailed, Cause: w.Because})
		}
		if path := w.Stops[w.Status().Intent.TriggerID]; path != "" {
			w.Snapshot.Flink.Stop = plan.Present(world.StopProgress{State: world.StopCompleted, Path: path})
		}
	}
	w.Snapshot.Others = plan.Observed[[]session.Other]{}
	if q.Others && !w.Deaf {
		w.Snapshot.Others = plan.Present(append([]session.Other{}, w.Others...))
	}
	if q.Jars && w.JarsOff {
		w.Snapshot.Jars = plan.Unknown[[]session.Jar]("404 Not found: /jars")
	} else if q.Jars && !w.Silent {
		w.Snapshot.Jars = plan.Present(append([]session.Jar{}, w.Jars...))
	}
	if w.Untold != "" {
		w.Snapshot.Flink.Checkpoints = plan.Unknown[world.Checkpoints](w.Untold)
	} else if more := w.seenBy(inquiry, seen.Recorded).Flink(); more.Checkpoints &&
		w.Snapshot.Flink.Checkpoints.IsUnknown() {
		w.Snapshot.Flink.Checkpoints = plan.Absent[world.Checkpoints]()
	}
	if w.Snapshot.Flink.Retention.IsUnknown() {
		w.Snapshot.Flink.Retention = plan.Present(upgrade.Retention{Cancelled: true, Failed: true, Periodic: true})
	}
	return w.seenBy(inquiry, seen.Recorded)
}

// seenBy hands over what was seen until now.
func (w *SessionJob) seenBy(inquiry *sessionjob.Inquiry, recorded *session.Recorded) *sessionjob.Inquiry {
	*inquiry.Seen = w.Snapshot
	inquiry.Seen.Recorded = recorded
	return inquiry
}

// Round makes one plan and carries it out, as that of Deployment.
func (w *SessionJob) Round() plan.Plan {
	w.T.Helper()
	inquiry, again := w.Look(), false
	p, err := purity.Decide(w.Snapshot.Resource, func() plan.Plan {
		if again {
			return sessionjob.Make(*inquiry.Seen)
		}
		again = true
		return inquiry.Plan()
	})
	if err != nil {
		w.T.Fatal(err)
	}
	w.Events, w.Log = append(w.Events, p.Events...), append(w.Log, p.String())
	for _, a := range p.Actions {
		if !w.Do(a) {
			p.Requeue = "" // as a pass that ends with an error
			return p
		}
	}
	if status, ok := p.Status.(*v1beta1.FlinkSessionJobStatus); ok {
		w.Store(status)
	}
	for _, a := range p.Finish {
		w.Do(a)
	}
	return p
}

// Run makes rounds until a plan asks for no other.
func (w *SessionJob) Run() plan.Plan {
	w.T.Helper()
	for range 20 {
		if p := w.Round(); p.Requeue != plan.RequeueNow {
			return p
		}
	}
	w.T.Fatalf("no rest after: %q", w.Log)
	return plan.Plan{}
}

// Store writes the status.
func (w *SessionJob) Store(status *v1beta1.FlinkSessionJobStatus) {
	w.Snapshot.Resource.Status = *status.DeepCopy()
	w.Bump()
}

// Do carries an action out; false when it failed, which is shown as a pass shows it.
func (w *SessionJob) Do(a plan.Action) bool {
	switch a := a.(type) {
	case plan.Record:
		w.Store(a.Status.(*v1beta1.FlinkSessionJobStatus))
	case plan.AddFinalizer:
		w.Snapshot.Resource.Finalizers = append(w.Snapshot.Resource.Finalizers, a.Finalizer)
		w.Bump()
	case plan.RemoveFinalizer:
		w.Snapshot.Resource.Finalizers = nil
		w.Bump()
	case plan.UploadJar:
		if w.Missing != "" && a.URI == w.Missing {
			return w.Fails(a, "JarNotFound", "response 404")
		}
		w.Jars = append(w.Jars, session.Jar{ID: fmt.Sprintf("%d_%s", len(w.Jars), a.Name), Name: a.Name})
	case plan.DeleteJar:
		if w.Deleted++; !w.KeepsJars {
			w.Jars = slices.DeleteFunc(w.Jars, func(j session.Jar) bool { return j.ID == a.JarID })
		}
	case plan.RunJar:
		stored := w.Status()
		if i := stored.Intent; i == nil || i.JobID != a.JobID || stored.JobStatus.JobID != a.JobID ||
			i.Release == nil || i.Release.RunAt == nil {
			w.T.Errorf("Flink is asked to run job %s before that is stored: %+v", a.JobID, stored.Intent)
		}
		w.Runs = append(w.Runs, a)
		if w.Refuses != "" {
			return w.Fails(a, "JarRunFailed", w.Refuses)
		}
		if w.Unsaid != "" {
			return w.Fails(a, string(plan.ReasonJarRunUnanswered), w.Unsaid)
		}
		state := v1beta1.FlinkJobRunning
		if w.Newest != "" {
			state = w.Newest
		}
		running := 2
		if state == v1beta1.FlinkJobCreated {
			running = 0
		}
		w.Jobs = append(w.Jobs, world.Job{
			ID: a.JobID, Name: "etl", State: state, Tasks: 2, Running: running,
			StartTime: strconv.FormatInt(w.Snapshot.Now.UnixMilli(), 10),
		})
	case plan.KeepAutoscaled:
		w.Snapshot.Autoscaled = plan.Present(autoscaled.Store{Data: a.Data})
	case plan.CancelJob:
		w.Set(a.JobID, v1beta1.FlinkJobCanceled)
	case plan.StopWithSavepoint:
		if !w.Saves {
			break
		}
		w.Set(a.JobID, v1beta1.FlinkJobFinished)
		w.Stops[a.TriggerID] = fmt.Sprintf("file:///s/savepoint-%d", len(w.Stops)+1)
	}
	return true
}

// RunningJob is a job that runs.
func RunningJob(id string) world.Job {
	return world.Job{ID: id, Name: "etl", State: v1beta1.FlinkJobRunning, Tasks: 2, Running: 2, StartTime: "5"}
}

// Fails shows an action that failed, as a pass shows it.
func (w *SessionJob) Fails(a plan.Action, reason, message string) (done bool) {
	p := sessionjob.Failed(w.Snapshot,
		failed.Effect{Action: a, Kind: fail.Denied, Reason: reason, Message: message}).Plans[0]
	w.Events = append(w.Events, p.Events...)
	for _, also := range p.Actions {
		w.Do(also)
	}
	w.Store(p.Status.(*v1beta1.FlinkSessionJobStatus))
	return false
}

// Set changes the state of a job.
func (w *SessionJob) Set(id string, state v1beta1.FlinkJobState) {
	for i := range w.Jobs {
		if w.Jobs[i].ID == id {
			w.Jobs[i].State = state
			if state == v1beta1.FlinkJobRunning {
				w.Jobs[i].Running = w.Jobs[i].Tasks
			}
			if state.IsTerminal() {
				w.Jobs[i].EndTime = w.Snapshot.Now
			}
		}
	}
}

// Sleep lets time pass.
func (w *SessionJob) Sleep(d time.Duration) { w.Snapshot.Now = w.Snapshot.Now.Add(d) }

// Running are the IDs of jobs that have not ended.
func (w *SessionJob) Running() []string {
	var ids []string
	for _, j := range w.Jobs {
		if !j.State.IsTerminal() {
			ids = append(ids, j.ID)
		}
	}
	return ids
}

// Want holds what a user sees.
func (w *SessionJob) Want(situation plan.Situation, lifecycle v1beta1.LifecycleState, state v1beta1.FlinkJobState) {
	w.T.Helper()
	s := w.Status()
	if s.Situation != string(situation) || s.LifecycleState != lifecycle || s.JobStatus.State != state {
		w.T.Fatalf("%s %s %s, want %s %s %s; error %q; %+v\n%q", s.Situation, s.LifecycleState, s.JobStatus.State,
			situation, lifecycle, state, s.Error, s.Conditions, w.Log)
	}
}

// UntilSteady lets time pass until nothing is left to do.
func (w *SessionJob) UntilSteady() {
	w.T.Helper()
	for range 20 {
		if w.Run(); w.Status().Situation == string(plan.Steady) && w.Status().Intent == nil {
			return
		}
		w.Sleep(2 * time.Second)
	}
	w.T.Fatalf("not steady: %+v\n%q", w.Status(), w.Log)
}
