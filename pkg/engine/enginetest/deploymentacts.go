package enginetest

import (
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/pkg/plan/health"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
	"github.com/kn-flink/kn-flink/pkg/plan/storedspec"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
)

// Rules makes rounds until none follows soon, and says which rules decided.
func (w *Deployment) Rules() map[string]bool {
	w.T.Helper()
	decided := map[string]bool{}
	for range 10 {
		p := w.Round()
		decided[p.Rule] = true
		if p.Requeue == "" {
			break
		}
	}
	return decided
}

// Condition is that of a type; the zero value when there is none.
func (w *Deployment) Condition(name string) metav1.Condition {
	for _, c := range w.Status().Conditions {
		if c.Type == name {
			return c
		}
	}
	return metav1.Condition{}
}

// Told is how many events with a reason were published.
func (w *Deployment) Told(reason string) int {
	n := 0
	for _, e := range w.Events {
		if string(e.Reason) == reason {
			n++
		}
	}
	return n
}

// ServeTasks makes Flink answer with a RUNNING job of four tasks.
func (w *Deployment) ServeTasks(running, finished int) {
	w.ServeJob(v1beta1.FlinkJobRunning)
	jobs, _ := w.Snapshot.Flink.Jobs.Get()
	jobs[0].Running, jobs[0].Finished = running, finished
	w.Snapshot.Flink.Jobs = plan.Present(jobs)
}

// Delete marks the resource for deletion.
func (w *Deployment) Delete() {
	now := metav1.NewTime(w.Snapshot.Now)
	w.Snapshot.Resource.DeletionTimestamp = &now
	w.Bump()
}

// Collects lets somebody else delete the Deployment, as the garbage collector does.
func (w *Deployment) Collects() {
	jm, _ := w.Snapshot.JobManager.Get()
	jm = jm.DeepCopy()
	now := metav1.NewTime(w.Snapshot.Now)
	jm.DeletionTimestamp = &now
	w.Snapshot.JobManager = plan.Present(jm)
}

// Reasons are those of the events since it was asked last.
func (w *Deployment) Reasons() string {
	var all []string
	for _, e := range w.Events {
		all = append(all, string(e.Reason))
	}
	w.Events = nil
	return strings.Join(all, " ")
}

// Recorded is lastReconciledSpec.
func (w *Deployment) Recorded() v1beta1.ReconciledDeployment {
	w.T.Helper()
	last, err := v1beta1.ParseReconciledDeployment(w.Status().ReconciliationStatus.LastReconciledSpec)
	if err != nil || last.Meta == nil {
		w.T.Fatalf("lastReconciledSpec: %v", err)
	}
	return last
}

// DeployedGeneration is the one that the status names as deployed; the observed one when it names no other.
func (w *Deployment) DeployedGeneration() int64 {
	if other := w.Status().DeployedGeneration; other != nil {
		return *other
	}
	return w.Status().ObservedGeneration
}

// Health lets Flink answer for the job's restarts; its newest checkpoint is always young.
func (w *Deployment) Health(restarts int64) {
	w.Snapshot.Flink.Health = plan.Present(health.Seen{Restarts: restarts, Checkpoints: 1, Progress: w.Snapshot.Now})
}

// Answer lets Flink say the same of both types.
func (w *Deployment) Answer(o snapshots.Operation) {
	w.Snapshot.Flink.Requests = snapshots.Answers{Savepoint: plan.Present(o), Checkpoint: plan.Present(o)}
}

// Handled are the nonces of lastReconciledSpec.
func (w *Deployment) Handled() (savepoint, checkpoint int64) {
	w.T.Helper()
	last, err := v1beta1.ParseReconciledDeployment(w.Status().ReconciliationStatus.LastReconciledSpec)
	if err != nil {
		w.T.Fatal(err)
	}
	value := func(n *int64) int64 {
		if n == nil {
			return 0
		}
		return *n
	}
	return value(last.Spec.Job.SavepointTriggerNonce), value(last.Spec.Job.CheckpointTriggerNonce)
}

// IntentSpec is the spec that the open intent leads to, in full.
func (w *Deployment) IntentSpec() string {
	w.T.Helper()
	status := w.Snapshot.Resource.Status.DeepCopy()
	if err := storedspec.Read(status); err != nil {
		w.T.Error(err)
	}
	return status.Intent.Spec
}

// Statistics lets Flink name a checkpoint of the job that runs.
func (w *Deployment) Statistics(path string) {
	w.Snapshot.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: path, Completed: w.Snapshot.Now})
}

// Fails lets the job end FAILED just now: its statistics do not show its last checkpoint yet.
func (w *Deployment) Fails() {
	w.ServeJob(v1beta1.FlinkJobFailed)
	jobs, _ := w.Snapshot.Flink.Jobs.Get()
	jobs[0].EndTime = w.Snapshot.Now
	w.Run()
}

// PersonDecides checks whether status says that the state is not safe, with the command that decides.
func (w *Deployment) PersonDecides(want bool) {
	w.T.Helper()
	unsafe := w.Condition(summary.StateSafe).Status == metav1.ConditionFalse
	if message := w.Condition(summary.Stalled).Message; unsafe != want ||
		strings.Contains(message, "kubectl patch flinkdeployment demo -n default") != want {
		w.T.Errorf("state unsafe: %v, message %q, want that a person decides: %v", unsafe, message, want)
	}
}

// BeginsAnew lets Flink list the job under another start time.
func (w *Deployment) BeginsAnew() {
	w.ServeJob(v1beta1.FlinkJobRunning)
	jobs, _ := w.Snapshot.Flink.Jobs.Get()
	jobs[0].StartTime = "1700000100000"
}

// Knows lets status know a checkpoint that the job has completed.
func (w *Deployment) Knows(path string) {
	job := &w.Snapshot.Resource.Status.JobStatus
	job.Checkpoint = &v1beta1.KnownCheckpoint{JobID: job.JobID, Path: path}
}

// Crash lets the JobManager's pod fail for a while: nobody answers.
func (w *Deployment) Crash() {
	jm, _ := w.Snapshot.JobManager.Get()
	jm = jm.DeepCopy()
	jm.Status.AvailableReplicas = 0
	w.Snapshot.JobManager, w.Snapshot.Flink = plan.Present(jm), world.Flink{}
	w.Snapshot.Now = w.Snapshot.Now.Add(2 * time.Minute)
	w.Run()
}

// Refuses lets the JobManager end again and again, because it does not find what it was to start from.
func (w *Deployment) Refuses(path string) {
	const said = "FlinkException: JobMaster for job a failed. <- JobInitializationException: Could not start the " +
		"JobMaster. <- FileNotFoundException: Cannot find checkpoint or savepoint file/directory '%s' on file system 'file'."
	pod := WaitingPod("CrashLoopBackOff", "back-off", false)
	pod.Status.ContainerStatuses[0].LastTerminationState.Terminated = &corev1.ContainerStateTerminated{
		ExitCode: 239, Message: fmt.Sprintf(said, path),
	}
	jm, _ := w.Snapshot.JobManager.Get()
	jm = jm.DeepCopy()
	jm.Status = appsv1.DeploymentStatus{}
	w.Snapshot.JobManager, w.Snapshot.Flink, w.Snapshot.Pods = plan.Present(
		jm,
	), world.Flink{}, plan.Present(
		[]corev1.Pod{pod},
	)
}

// Serve sets how many JobManager pods are available and what Flink answers.
func (w *Deployment) Serve(available int32, jobs plan.Observed[[]world.Job]) {
	jm, _ := w.Snapshot.JobManager.Get()
	jm = jm.DeepCopy()
	jm.Status.Replicas, jm.Status.AvailableReplicas = 1, available
	w.Snapshot.JobManager, w.Snapshot.Flink = plan.Present(jm), world.Flink{Jobs: jobs, Facts: w.Snapshot.Flink.Facts}
}

// Lose takes the Deployment away, as somebody with kubectl would.
func (w *Deployment) Lose() {
	w.Snapshot.JobManager, w.Snapshot.Flink, w.Snapshot.Pods,
		w.Snapshot.Companions = plan.Absent[*appsv1.Deployment](), world.Flink{},
		plan.Observed[[]corev1.Pod]{}, plan.Observed[[]cluster.Companion]{}
}

// LosesAllButItsData is a lost Deployment whose high-availability data names a checkpoint.
func (w *Deployment) LosesAllButItsData() {
	w.Snapshot.HAData = HaMaps(w.Status().JobStatus.JobID)
	w.Lose()
}

// RefusedRound makes one plan whose actions but the writes of status are refused.
func (w *Deployment) RefusedRound() plan.Plan {
	w.T.Helper()
	w.Look()
	p := deployment.Make(w.Snapshot)
	for _, a := range p.Actions {
		if record, ok := a.(plan.Record); ok {
			w.Do(record)
		}
	}
	return p
}

// Ends lets the job end a minute ago, with these statistics.
func (w *Deployment) Ends(end v1beta1.FlinkJobState, r upgrade.Retention, c world.Checkpoints) {
	w.ServeJob(end)
	jobs, _ := w.Snapshot.Flink.Jobs.Get()
	jobs[0].EndTime = w.Snapshot.Now.Add(-time.Minute)
	w.Snapshot.Flink.Checkpoints, w.Snapshot.Flink.Retention = plan.Present(c), plan.Present(r)
	w.Run()
}

// EndedWith checks what is recorded of a job that has ended, and that an edit starts it from that or, when it is lost,
// not at all.
func (w *Deployment) EndedWith(want string) {
	w.T.Helper()
	lost, s := want == v1beta1.LastStatePlaceholder, w.Status()
	if s.JobStatus.UpgradeSavepointPath != want && (s.Intent == nil || s.Intent.From.Path != want) {
		w.T.Errorf("recorded %q, want %q; rounds %q", s.JobStatus.UpgradeSavepointPath, want, w.Log)
	}
	if w.PersonDecides(lost); lost && (s.Intent != nil || w.Told("CheckpointDiscarded") != 1) {
		w.T.Errorf("intent %+v, told %d times", s.Intent, w.Told("CheckpointDiscarded"))
	}
	if lost && strings.Contains(w.Condition(summary.Stalled).Message, "/chk-") {
		w.T.Errorf("a deleted checkpoint is named: %s", w.Condition(summary.Stalled).Message)
	}
	w.Edit(UpgradeImage)
	w.Run()
	if w.PersonDecides(lost); lost != (w.Status().Intent == nil) {
		w.T.Errorf("an edit: intent %+v, rounds %q", w.Status().Intent, w.Log)
	}
}

// RunningImage is the image of the JobManager.
func (w *Deployment) RunningImage() string {
	jm, _ := w.Snapshot.JobManager.Get()
	return jm.Spec.Template.Spec.Containers[0].Image
}

// ReleasedAt has the Deployment released at another time.
func (w *Deployment) ReleasedAt(at time.Time) {
	jm, _ := w.Snapshot.JobManager.Get()
	jm = jm.DeepCopy()
	jm.Annotations[v1beta1.AnnotationReleased] = at.UTC().Format(time.RFC3339)
	w.Snapshot.JobManager = plan.Present(jm)
}

// Late lets the readiness timeout pass.
func (w *Deployment) Late() {
	w.T.Helper()
	w.Snapshot.Now = w.Snapshot.Now.Add(6 * time.Minute)
	w.Run()
}

// NeverStarts leaves the newest start with a pod that cannot start.
func (w *Deployment) NeverStarts() {
	pod := WaitingPod("ImagePullBackOff", "no such image", false)
	pod.CreationTimestamp = w.Deployment().CreationTimestamp
	w.Snapshot.Pods = plan.Present([]corev1.Pod{pod})
}

// State is that of the reconciliation.
func (w *Deployment) State() v1beta1.ReconciliationState {
	return w.Status().ReconciliationStatus.State
}

// ChangesBySavepoint carries a change that takes a savepoint to its release.
func (w *Deployment) ChangesBySavepoint(change func(*v1beta1.FlinkDeploymentSpec)) {
	w.T.Helper()
	w.Snapshot.HAData = plan.Present([]hadata.ConfigMap{})
	w.Edit(change)
	w.Run()
	w.StopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/1"})
	w.Run()
	w.Terminate()
	w.Run()
}

// RecordedImage is the image of a recorded spec.
func (w *Deployment) RecordedImage(text string) string {
	w.T.Helper()
	r, err := v1beta1.ParseReconciledDeployment(text)
	if err != nil {
		w.T.Fatal(err)
	}
	return r.Spec.Image
}

// StopWith lets Flink answer for the stop-with-savepoint. Once it is completed the job has finished.
func (w *Deployment) StopWith(progress world.StopProgress) {
	w.Snapshot.Flink.Stop = plan.Present(progress)
	if jobs, ok := w.Snapshot.Flink.Jobs.Get(); ok && progress.State == world.StopCompleted {
		jobs[0].State = v1beta1.FlinkJobFinished
	}
}

// LastMode is the upgradeMode that is recorded.
func (w *Deployment) LastMode() v1beta1.UpgradeMode {
	last, err := v1beta1.ParseReconciledDeployment(w.Status().ReconciliationStatus.LastReconciledSpec)
	if err != nil {
		w.T.Fatal(err)
	}
	return last.Spec.Job.UpgradeMode
}

// From is what the open start begins from.
func (w *Deployment) From() v1beta1.StartPoint {
	w.T.Helper()
	if intent := w.Status().Intent; intent != nil && intent.From != nil {
		return *intent.From
	}
	w.T.Fatalf("no start is open, rounds %q, conditions %+v", w.Log, w.Status().Conditions)
	return v1beta1.StartPoint{}
}

// Runs brings a prepared or released start to a running job.
func (w *Deployment) Runs() {
	w.T.Helper()
	w.Run()
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Run()
	w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
}

// Deployment is that of the JobManager; nil when it is not there.
func (w *Deployment) Deployment() *appsv1.Deployment { jm, _ := w.Snapshot.JobManager.Get(); return jm }

// Did are the actions of all rounds so far, as text.
func (w *Deployment) Did() string { return strings.Join(w.Log, "\n") }
