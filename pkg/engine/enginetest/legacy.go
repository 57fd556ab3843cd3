package enginetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// What the Java operator left behind, at every point at which it may have been switched off, and what becomes of it.

// TakenOverJob is the ID of a job of the Java operator.
const TakenOverJob = "6e8f0a3c5b7d49e1a2c4e6f8091b3d5f"

// LegacyStatus is a status as the Java operator stores it. Its texts are those of the LegacyRecord function below.
type LegacyStatus map[string]any

// LegacyRecord is lastReconciledSpec as the Java operator prints it: the spec with the job's state and upgradeMode as
// it rewrote them.
func LegacyRecord(t *testing.T, spec string, change func(*v1beta1.FlinkDeploymentSpec), first bool) string {
	t.Helper()
	r := v1beta1.ReconciledDeployment{
		Meta: &v1beta1.ReconciledMetadata{APIVersion: v1beta1.APIVersion, FirstDeployment: first},
	}
	if err := json.Unmarshal([]byte(spec), &r.Spec); err != nil {
		t.Fatal(err)
	}
	if r.Spec.Job != nil {
		r.Spec.Job.State = v1beta1.JobStateRunning
	}
	if change != nil {
		change(&r.Spec)
	}
	text, err := r.Text()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// As sets the state and the upgradeMode of a job.
func As(state v1beta1.JobState, mode v1beta1.UpgradeMode) func(*v1beta1.FlinkDeploymentSpec) {
	return func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State, s.Job.UpgradeMode = state, mode }
}

// States and upgrade modes, in the words of the tests.
const (
	// Runs is RUNNING.
	Runs = v1beta1.JobStateRunning
	// Stopped is SUSPENDED.
	Stopped = v1beta1.JobStateSuspended
	// Empty is STATELESS.
	Empty = v1beta1.UpgradeModeStateless
	// Saved is SAVEPOINT.
	Saved = v1beta1.UpgradeModeSavepoint
	// LastState is LAST_STATE.
	LastState = v1beta1.UpgradeModeLastState
)

// Deployed is the status of a running, stable job.
func Deployed(last string) LegacyStatus {
	return LegacyStatus{
		"clusterInfo": map[string]any{"flink-version": "1.20.5", "flink-revision": "abc", "state-size": "3372",
			"total-cpu": "1.0", "total-memory": "2147483648",
			"ClusterHealthInfo": `{"timeStamp":1}`},
		"conditions": []any{
			map[string]any{
				"type": "Running", "status": "True", "reason": "Running", "message": "Job status RUNNING",
				"lastTransitionTime": "2026-11-21T11:00:00.123456789Z",
			},
		},
		"jobManagerDeploymentStatus": "READY",
		"jobStatus": map[string]any{
			"jobId": TakenOverJob, "jobName": "demo", "startTime": "1700000000000", "updateTime": "1700000000500",
			"state":          "RUNNING",
			"savepointInfo":  map[string]any{"lastPeriodicSavepointTimestamp": 0, "savepointHistory": []any{}},
			"checkpointInfo": map[string]any{"lastPeriodicCheckpointTimestamp": 0},
		},
		"lifecycleState": "STABLE", "observedGeneration": 1,
		"reconciliationStatus": map[string]any{
			"lastReconciledSpec": last, "lastStableSpec": last, "reconciliationTimestamp": Start.UnixMilli() - 1000,
			"state": "DEPLOYED",
		},
		"taskManager": map[string]any{"labelSelector": "component=taskmanager,app=demo", "replicas": 1},
	}
}

// With sets fields by their path, or drops them when the value is nil.
func (s LegacyStatus) With(fields map[string]any) LegacyStatus {
	text, _ := json.Marshal(s)
	copied := LegacyStatus{}
	_ = json.Unmarshal(text, &copied)
	for path, value := range fields {
		parts := strings.Split(path, ".")
		at := map[string]any(copied)
		for _, part := range parts[:len(parts)-1] {
			if _, ok := at[part].(map[string]any); !ok {
				at[part] = map[string]any{}
			}
			at = at[part].(map[string]any)
		}
		if value == nil {
			delete(at, parts[len(parts)-1])
			continue
		}
		at[parts[len(parts)-1]] = value
	}
	return copied
}

// TakeOver is a resource as the Java operator left it: its finalizer, its status, and, when generation is not zero, its
// Deployment.
func TakeOver(t *testing.T, spec string, status LegacyStatus, deployment int64) *Deployment {
	t.Helper()
	w := NewDeployment(t, spec)
	text, err := json.Marshal(map[string]any{"status": status})
	if err != nil {
		t.Fatal(err)
	}
	content := map[string]any{}
	if err := json.Unmarshal(text, &content); err != nil {
		t.Fatal(err)
	}
	d, _, err := v1beta1.DecodeDeployment(content)
	if err != nil {
		t.Fatal(err)
	}
	r := w.Snapshot.Resource
	r.Status, r.Finalizers, r.Generation = d.Status, []string{
		v1beta1.FinalizerFlinkDeployment,
	}, max(1, d.Status.ObservedGeneration)
	if deployment > 0 {
		one := int32(1)
		jm := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Replicas: &one}}
		jm.Namespace, jm.Name, jm.UID, jm.CreationTimestamp = r.Namespace, r.Name, "jm-of-another",
			metav1.NewTime(Start.Add(-time.Hour))
		jm.Annotations = map[string]string{v1beta1.AnnotationGeneration: fmt.Sprint(deployment)}
		jm.OwnerReferences = []metav1.OwnerReference{{Kind: v1beta1.KindFlinkDeployment, Name: r.Name, UID: r.UID}}
		jm.Status.Replicas = 1
		w.Snapshot.JobManager = plan.Present(jm)
	}
	return w
}

// FlinkSays makes Flink answer with the job in a state.
func (w *Deployment) FlinkSays(state v1beta1.FlinkJobState) *Deployment {
	id := w.Status().JobStatus.JobID
	w.ServeJob(state)
	jobs, _ := w.Snapshot.Flink.Jobs.Get()
	if id == "" {
		jobs[0].ID = TakenOverJob
	}
	if state.IsTerminal() {
		jobs[0].EndTime = Start.Add(-time.Minute)
	}
	return w
}

// JavaReads holds that a status in which nothing is open has a shape that the Java operator reads and goes on from.
func JavaReads(t *testing.T, d *v1beta1.FlinkDeployment) {
	t.Helper()
	s := d.Status
	r := s.ReconciliationStatus
	states := []v1beta1.ReconciliationState{v1beta1.ReconciliationDeployed, v1beta1.ReconciliationRolledBack}
	if s.Intent != nil && s.Intent.Step != v1beta1.StepReleased {
		t.Fatalf("intent %s %s is open", s.Intent.Purpose, s.Intent.Step)
	}
	if r.LastReconciledSpec == "" {
		return
	}
	if !slices.Contains(states, r.State) || !s.JobManagerDeploymentStatus.Known() || !s.LifecycleState.Known() {
		t.Errorf("state %q, JobManager %q, lifecycle %q", r.State, s.JobManagerDeploymentStatus, s.LifecycleState)
	}
	for _, text := range []string{r.LastReconciledSpec, r.LastStableSpec} {
		if text == "" {
			continue
		}
		legacyRecord, err := v1beta1.ParseReconciledDeployment(text)
		if err != nil {
			t.Errorf("a record that cannot be read: %v", err)
		} else if legacyRecord.Meta != nil && legacyRecord.Meta.APIVersion != v1beta1.APIVersion {
			t.Errorf("a record of %q", legacyRecord.Meta.APIVersion)
		}
	}
	last, _ := v1beta1.ParseReconciledDeployment(r.LastReconciledSpec)
	if last.Spec.Job == nil {
		return
	}
	job := s.JobStatus
	suspended := last.Spec.Job.DesiredState() == Stopped
	if !job.State.Known() || (suspended && !job.State.IsTerminal()) || (!suspended && len(job.JobID) != 32) {
		t.Errorf("the job %q is %s, suspended %t", job.JobID, job.State, suspended)
	}
	if suspended && last.Spec.Job.UpgradeMode == Saved && job.UpgradeSavepointPath == "" && (job.SavepointInfo == nil ||
		job.SavepointInfo.LastSavepoint == nil) {
		t.Error("suspended with a savepoint that is recorded nowhere")
	}
}

// Follow makes rounds, letting what is deleted go, until nothing happens any more, and says what the start on the way
// is from.
func (w *Deployment) Follow() (from, job string) {
	w.T.Helper()
	for range 8 {
		before := len(w.Log)
		for {
			p := w.Round()
			if i := w.Status().Intent; i != nil && i.From != nil && i.Step != v1beta1.StepStopping {
				from, job = string(i.From.Kind)+" "+i.From.Path, i.JobID
			}
			if p.Requeue != plan.RequeueNow {
				break
			}
			if len(w.Log) > before+10 {
				w.T.Fatalf("no rest after %q", w.Log)
			}
		}
		if jm, ok := w.Snapshot.JobManager.Get(); ok && jm.DeletionTimestamp != nil {
			w.Terminate()
		}
	}
	return from, job
}
