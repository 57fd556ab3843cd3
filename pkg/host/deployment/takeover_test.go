package deployment

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// What the Java operator left behind, at every point at which it may have been switched off, and what becomes of it.

const takenOverJob = "6e8f0a3c5b7d49e1a2c4e6f8091b3d5f"

// legacyStatus is a status as the Java operator stores it. Its texts are those of the legacyRecord function below.
type legacyStatus map[string]any

// legacyRecord is lastReconciledSpec as the Java operator prints it: the spec with the job's state and upgradeMode as
// it rewrote them.
func legacyRecord(t *testing.T, spec string, change func(*v1beta1.FlinkDeploymentSpec), first bool) string {
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

func as(state v1beta1.JobState, mode v1beta1.UpgradeMode) func(*v1beta1.FlinkDeploymentSpec) {
	return func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State, s.Job.UpgradeMode = state, mode }
}

const (
	runs      = v1beta1.JobStateRunning
	stopped   = v1beta1.JobStateSuspended
	empty     = v1beta1.UpgradeModeStateless
	saved     = v1beta1.UpgradeModeSavepoint
	lastState = v1beta1.UpgradeModeLastState
)

// deployed is the status of a running, stable job.
func deployed(last string) legacyStatus {
	return legacyStatus{
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
			"jobId": takenOverJob, "jobName": "demo", "startTime": "1700000000000", "updateTime": "1700000000500",
			"state":          "RUNNING",
			"savepointInfo":  map[string]any{"lastPeriodicSavepointTimestamp": 0, "savepointHistory": []any{}},
			"checkpointInfo": map[string]any{"lastPeriodicCheckpointTimestamp": 0},
		},
		"lifecycleState": "STABLE", "observedGeneration": 1,
		"reconciliationStatus": map[string]any{
			"lastReconciledSpec": last, "lastStableSpec": last, "reconciliationTimestamp": start.UnixMilli() - 1000,
			"state": "DEPLOYED",
		},
		"taskManager": map[string]any{"labelSelector": "component=taskmanager,app=demo", "replicas": 1},
	}
}

// with sets fields by their path, or drops them when the value is nil.
func (s legacyStatus) with(fields map[string]any) legacyStatus {
	text, _ := json.Marshal(s)
	copied := legacyStatus{}
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

// takeOver is a resource as the Java operator left it: its finalizer, its status, and, when generation is not zero, its
// Deployment.
func takeOver(t *testing.T, spec string, status legacyStatus, deployment int64) *fixture {
	t.Helper()
	w := newWorld(t, spec)
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
	r := w.s.Resource
	r.Status, r.Finalizers, r.Generation = d.Status, []string{
		v1beta1.FinalizerFlinkDeployment,
	}, max(1, d.Status.ObservedGeneration)
	if deployment > 0 {
		one := int32(1)
		jm := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Replicas: &one}}
		jm.Namespace, jm.Name, jm.UID, jm.CreationTimestamp = r.Namespace, r.Name, "jm-of-another",
			metav1.NewTime(start.Add(-time.Hour))
		jm.Annotations = map[string]string{v1beta1.AnnotationGeneration: fmt.Sprint(deployment)}
		jm.OwnerReferences = []metav1.OwnerReference{{Kind: v1beta1.KindFlinkDeployment, Name: r.Name, UID: r.UID}}
		jm.Status.Replicas = 1
		w.s.JobManager = plan.Present(jm)
	}
	return w
}

// flinkSays makes Flink answer with the job in a state.
func (w *fixture) flinkSays(state v1beta1.FlinkJobState) *fixture {
	id := w.status().JobStatus.JobID
	w.serveJob(state)
	jobs, _ := w.s.Flink.Jobs.Get()
	if id == "" {
		jobs[0].ID = takenOverJob
	}
	if state.IsTerminal() {
		jobs[0].EndTime = start.Add(-time.Minute)
	}
	return w
}

// leaves are the values of a status by their path.
func leaves(t *testing.T, value any) map[string]any {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var content any
	if err := json.Unmarshal(text, &content); err != nil {
		t.Fatal(err)
	}
	all := map[string]any{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, child := range v {
				walk(path+"."+name, child)
			}
		case nil:
		default:
			all[path] = v
		}
	}
	walk("", content)
	return all
}

// javaReads holds that a status in which nothing is open has a shape that the Java operator reads and goes on from.
func javaReads(t *testing.T, d *v1beta1.FlinkDeployment) {
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
	suspended := last.Spec.Job.DesiredState() == stopped
	if !job.State.Known() || (suspended && !job.State.IsTerminal()) || (!suspended && len(job.JobID) != 32) {
		t.Errorf("the job %q is %s, suspended %t", job.JobID, job.State, suspended)
	}
	if suspended && last.Spec.Job.UpgradeMode == saved && job.UpgradeSavepointPath == "" && (job.SavepointInfo == nil ||
		job.SavepointInfo.LastSavepoint == nil) {
		t.Error("suspended with a savepoint that is recorded nowhere")
	}
}

// moved are the fields that a pass may change when it takes a running job over.
var moved = []string{".conditions", ".clusterInfo.", ".lifecycleState"}

// TestARunningJobIsTakenOver: no restart, no field lost, and the status may be handed back.
func TestARunningJobIsTakenOver(t *testing.T) {
	plain := func(t *testing.T) string { return legacyRecord(t, stateful, nil, true) }
	bare := func(t *testing.T) string {
		text := map[string]json.RawMessage{}
		if err := json.Unmarshal([]byte(plain(t)), &text); err != nil {
			t.Fatal(err)
		}
		return string(text["spec"])
	}
	ready := func(*fixture) {}
	rows := map[string]struct {
		spec      string
		status    func(t *testing.T) legacyStatus
		cluster   func(w *fixture)
		gone      bool
		situation plan.Situation
		lifecycle v1beta1.LifecycleState
		may       []string // fields that move beside the usual ones
		reason    string
	}{
		"stable": {
			stateful, func(t *testing.T) legacyStatus { return deployed(plain(t)) }, ready, false, plan.Steady,
			v1beta1.LifecycleStable, nil, "A.1, loop 3",
		},
		"a session cluster": {session, func(t *testing.T) legacyStatus {
			return deployed(legacyRecord(t, session, nil, true)).with(map[string]any{"jobStatus": nil, "taskManager": nil})
		}, func(w *fixture) { w.s.Flink.Jobs = plan.Present([]world.Job{}) }, false, plan.Steady, v1beta1.LifecycleStable,
			nil, "it has no job"},
		"just started": {stateful, func(t *testing.T) legacyStatus {
			return deployed(plain(t)).with(map[string]any{"jobManagerDeploymentStatus": "DEPLOYING",
				"jobStatus.state": "RECONCILING", "jobStatus.startTime": nil,
				"reconciliationStatus.lastStableSpec": nil, "clusterInfo": nil, "lifecycleState": "DEPLOYED"})
		}, ready, false, plan.Steady, v1beta1.LifecycleStable,
			[]string{".jobManagerDeploymentStatus", ".jobStatus.state", ".jobStatus.updateTime"}, "A.1, loop 1"},
		"not available yet": {stateful, func(t *testing.T) legacyStatus {
			return deployed(plain(t)).with(map[string]any{
				"jobManagerDeploymentStatus": "DEPLOYING", "jobStatus.state": "RECONCILING",
				"reconciliationStatus.lastStableSpec": nil, "lifecycleState": "DEPLOYED",
			})
		}, func(w *fixture) {
			w.s.Flink = world.Flink{}
			jm, _ := w.s.JobManager.Get()
			jm.Status.AvailableReplicas = 0
		}, false, plan.Waiting, v1beta1.LifecycleDeployed, nil, "A.1, loop 1"},
		"port open, not ready": {stateful, func(t *testing.T) legacyStatus {
			return deployed(plain(t)).with(map[string]any{
				"jobManagerDeploymentStatus": "DEPLOYED_NOT_READY", "jobStatus.state": "RECONCILING",
			})
		}, ready, false, plan.Steady, v1beta1.LifecycleStable,
			[]string{".jobManagerDeploymentStatus", ".jobStatus.state", ".jobStatus.updateTime"}, "A.1, loop 2"},
		"recorded in the form of 1.15": {stateful, func(t *testing.T) legacyStatus {
			old := strings.Replace(bare(t), "{", `{"apiVersion":"v1beta1",`, 1)
			return deployed(old)
		}, ready, false, plan.Steady, v1beta1.LifecycleStable, nil, "api 1.15, row 11"},
		"recorded with metadata": {stateful, func(t *testing.T) legacyStatus {
			return deployed(strings.Replace(
				plain(t), `"firstDeployment":true`, `"metadata":{"generation":1},"firstDeployment":true`, 1,
			))
		}, ready, false, plan.Steady, v1beta1.LifecycleStable, nil, "api 1.9: an old metadata object is dropped"},
		"of an operator that stored less": {stateful, func(t *testing.T) legacyStatus {
			return deployed(plain(t)).with(map[string]any{"observedGeneration": nil, "taskManager": nil,
				"lifecycleState": nil, "conditions": nil, "clusterInfo": nil,
				"jobStatus.checkpointInfo": nil, "jobStatus.savepointInfo": nil, "jobStatus.startTime": nil,
				"jobStatus.updateTime": nil, "jobStatus.jobName": nil})
		}, ready, false, plan.Steady, v1beta1.LifecycleStable, nil, "fields that later versions added"},
		"without a job ID": {stateful, func(t *testing.T) legacyStatus {
			return deployed(plain(t)).with(map[string]any{"jobStatus.jobId": nil, "jobStatus.state": "RECONCILING"})
		}, ready, false, plan.Steady, v1beta1.LifecycleStable, []string{".jobStatus.state", ".jobStatus.updateTime"},
			"its only job is the job"},
		"without a state": {stateful, func(t *testing.T) legacyStatus {
			return deployed(plain(t)).with(map[string]any{"reconciliationStatus.state": nil, "lifecycleState": "UPGRADING"})
		}, ready, false, plan.Steady, v1beta1.LifecycleStable, nil, "empty means UPGRADING, and what runs is the spec"},
		"UPGRADING, and deployed": {stateful, func(t *testing.T) legacyStatus {
			return deployed(legacyRecord(
				t, stateful, as(stopped, saved), false,
			)).with(map[string]any{"reconciliationStatus.state": "UPGRADING", "jobManagerDeploymentStatus": "MISSING",
				"jobStatus.state": "FINISHED", "jobStatus.upgradeSavepointPath": "file:///s/1", "lifecycleState": "UPGRADING",
				"reconciliationStatus.lastStableSpec": legacyRecord(t, stateful, nil, true)})
		}, ready, false, plan.Steady, v1beta1.LifecycleStable,
			[]string{".reconciliationStatus.", ".jobManagerDeploymentStatus", ".jobStatus.state", ".jobStatus.updateTime"},
			"A.2: the crash after the create"},
		"UPGRADING, and nothing to do": {stateful, func(t *testing.T) legacyStatus {
			return deployed(legacyRecord(t, stateful, as(runs, saved), false)).with(map[string]any{
				"reconciliationStatus.state": "UPGRADING", "lifecycleState": "UPGRADING",
			})
		}, ready, false, plan.Steady, v1beta1.LifecycleStable, []string{".reconciliationStatus.state"},
			"a cancellation that did not come through, and the change was taken back"},
		"with an error": {stateful, func(t *testing.T) legacyStatus {
			return deployed(plain(t)).with(map[string]any{
				"error": `{"type":"org.apache.flink.kubernetes.operator.exception.ReconciliationException","message":"x",` +
					`"additionalMetadata":{},"throwableList":[]}`,
			})
		}, ready, false, plan.Steady, v1beta1.LifecycleStable, []string{".error"}, "it is proved gone"},
		"rolled back": {rollingBack, func(t *testing.T) legacyStatus {
			return deployed(legacyRecord(
				t, rollingBack, as(runs, lastState), false,
			)).with(map[string]any{"reconciliationStatus.state": "ROLLED_BACK", "lifecycleState": "ROLLED_BACK",
				"reconciliationStatus.lastStableSpec": legacyRecord(
					t, rollingBack, func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.19" }, true,
				)})
		}, ready, false, plan.Steady, v1beta1.LifecycleRolledBack, nil, "A.6: the failed spec is not tried again"},
		"with savepoints in its status": {recording, func(t *testing.T) legacyStatus {
			return deployed(
				legacyRecord(t, recording, nil, true),
			).with(map[string]any{"jobStatus.upgradeSavepointPath": "file:///s/1",
				"jobStatus.savepointInfo": map[string]any{"lastPeriodicSavepointTimestamp": 1700000000000,
					"lastSavepoint": map[string]any{
						"timeStamp": start.UnixMilli() - 4000, "location": "file:///s/2", "triggerType": "MANUAL",
						"formatType": "NATIVE", "triggerNonce": 3,
					},
					"savepointHistory": []any{
						map[string]any{
							"timeStamp": start.UnixMilli() - 5000, "location": "file:///s/1", "triggerType": "UPGRADE",
							"formatType": "CANONICAL",
						},
						map[string]any{
							"timeStamp": start.UnixMilli() - 4000, "location": "file:///s/2", "triggerType": "UNKNOWN",
							"formatType": "UNKNOWN",
						},
					}},
				"jobStatus.checkpointInfo": map[string]any{
					"lastPeriodicCheckpointTimestamp": 7,
					"lastCheckpoint": map[string]any{
						"timeStamp": 9, "triggerType": "PERIODIC", "formatType": "FULL",
					},
				}})
		}, ready, false, plan.Steady, v1beta1.LifecycleStable, nil, "nothing of the record is lost"},
		"with empty trigger fields": {recording, func(t *testing.T) legacyStatus {
			return deployed(legacyRecord(t, recording, nil, true)).with(map[string]any{
				"jobStatus.savepointInfo": map[string]any{
					"lastPeriodicSavepointTimestamp": 0, "triggerId": "", "triggerTimestamp": 0,
				},
			})
		}, ready, false, plan.Steady, v1beta1.LifecycleStable, nil, "an empty ID is no request"},
		"finished, its JobManager kept": {stateful, func(t *testing.T) legacyStatus {
			return deployed(plain(t)).with(map[string]any{
				"jobStatus.state": "FINISHED", "jobStatus.updateTime": fmt.Sprint(start.UnixMilli() - 1000),
			})
		}, func(w *fixture) { w.flinkSays(v1beta1.FlinkJobFinished) }, false, plan.Ended, v1beta1.LifecycleStable, nil,
			"3.14"},
		"finished, its JobManager gone": {stateful, func(t *testing.T) legacyStatus {
			return deployed(plain(t)).with(map[string]any{
				"jobStatus.state": "FINISHED", "jobManagerDeploymentStatus": "MISSING",
			})
		}, nil, true, plan.Ended, v1beta1.LifecycleStable, nil, "the end of a job outlives its cluster"},
		"failed": {stateful, func(t *testing.T) legacyStatus {
			return deployed(plain(t)).with(map[string]any{
				"jobStatus.state": "FAILED", "jobStatus.updateTime": fmt.Sprint(start.UnixMilli() - 1000),
				"lifecycleState": "FAILED", "error": "x",
			})
		}, func(w *fixture) { w.flinkSays(v1beta1.FlinkJobFailed) }, false, plan.Ended, v1beta1.LifecycleFailed, nil, "3.14"},
		"suspended with a savepoint, and kept": {keptSuspended(highlyAvailable), func(t *testing.T) legacyStatus {
			return suspendedStatus(
				legacyRecord(t, keptSuspended(highlyAvailable), as(stopped, saved), false),
			).with(map[string]any{
				"jobManagerDeploymentStatus": "READY", "jobStatus.upgradeSavepointPath": "file:///s/1",
			})
		}, func(w *fixture) { w.suspendSpec(); w.flinkSays(v1beta1.FlinkJobFinished) }, false, plan.Suspended,
			v1beta1.LifecycleSuspended, nil, "A.5"},
		"suspended with its last state": {highlyAvailable, func(t *testing.T) legacyStatus {
			return suspendedStatus(legacyRecord(t, highlyAvailable, as(stopped, lastState), false))
		}, func(w *fixture) { w.suspendSpec(); w.s.HAData = haMaps(takenOverJob) }, true, plan.Suspended,
			v1beta1.LifecycleSuspended, nil, "A.5"},
		"suspended without state": {application, func(t *testing.T) legacyStatus {
			return suspendedStatus(legacyRecord(t, application, as(stopped, empty), false))
		}, func(w *fixture) { w.suspendSpec() }, true, plan.Suspended, v1beta1.LifecycleSuspended, nil, "A.5"},
	}
	for _, state := range []v1beta1.FlinkJobState{v1beta1.FlinkJobInitializing, v1beta1.FlinkJobCreated,
		v1beta1.FlinkJobFailing, v1beta1.FlinkJobRestarting,
		v1beta1.FlinkJobSuspended, v1beta1.FlinkJobReconciling} {
		row := rows["stable"]
		row.status = func(t *testing.T) legacyStatus {
			return deployed(plain(t)).with(map[string]any{"jobStatus.state": string(state)})
		}
		row.cluster = func(w *fixture) { w.flinkSays(state) }
		row.situation, row.lifecycle, row.reason = plan.Waiting, v1beta1.LifecycleDeployed, "Flink itself goes on"
		rows["the job is "+string(state)] = row
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			status := row.status(t)
			generation := int64(1)
			if row.gone {
				generation = 0
			}
			w := takeOver(t, row.spec, status, generation)
			if !row.gone {
				w.flinkSays(v1beta1.FlinkJobRunning)
			}
			if row.cluster != nil {
				row.cluster(w)
			}
			before := leaves(t, w.status())
			for range 3 {
				p := w.run()
				for _, a := range p.Effects() {
					if a.Disruptive() || strings.HasPrefix(a.String(), "prepare") {
						t.Errorf("%s: %s", row.reason, a)
					}
				}
			}
			if p := w.round(); !p.IsQuiet() || p.Status != nil {
				t.Errorf("it must come to rest, got %s with status %+v", p, p.Status)
			}
			if got := w.status(); got.Situation != string(row.situation) || got.LifecycleState != row.lifecycle {
				t.Errorf(
					"%s %s, want %s %s: %s; %+v", got.Situation, got.LifecycleState, row.situation, row.lifecycle, row.reason,
					got.Conditions,
				)
			}
			after := leaves(t, w.status())
			may := append(slices.Clone(moved), row.may...)
			for _, path := range slices.Sorted(maps.Keys(before)) {
				if slices.ContainsFunc(may, func(m string) bool { return strings.HasPrefix(path, m) }) {
					continue
				}
				if !reflect.DeepEqual(after[path], before[path]) {
					t.Errorf("%s was %v and is %v", path, before[path], after[path])
				}
			}
			if health := before[".clusterInfo.ClusterHealthInfo"]; health != nil &&
				after[".clusterInfo.ClusterHealthInfo"] != health {
				t.Error("what the health check remembers is lost")
			}
			javaReads(t, w.s.Resource)
		})
	}
}

// suspendedStatus is the status of a suspended job without a JobManager.
func suspendedStatus(last string) legacyStatus {
	return deployed(last).with(map[string]any{"jobManagerDeploymentStatus": "MISSING", "jobStatus.state": "FINISHED",
		"lifecycleState":       "SUSPENDED",
		"jobStatus.updateTime": fmt.Sprint(start.UnixMilli() - 1000),
		"taskManager":          map[string]any{"labelSelector": "", "replicas": 0}, "clusterInfo": nil})
}

// suspendSpec is the spec that such a job has.
func (w *fixture) suspendSpec() { w.s.Resource.Spec.Job.State = stopped }

func TestASavepointInFlightIsTakenOver(t *testing.T) {
	for name, spec := range map[string]string{
		"as asked for": recording, "before FlinkStateSnapshots were switched on": stateful,
	} {
		t.Run(name, func(t *testing.T) {
			last := legacyRecord(
				t, spec, func(s *v1beta1.FlinkDeploymentSpec) { n := int64(1); s.Job.SavepointTriggerNonce = &n }, true,
			)
			w := takeOver(t, spec, deployed(last).with(map[string]any{
				"jobStatus.savepointInfo.triggerId":        "0123456789abcdef0123456789abcdef",
				"jobStatus.savepointInfo.triggerTimestamp": start.UnixMilli() - 30000,
				"jobStatus.savepointInfo.triggerType":      "MANUAL", "jobStatus.savepointInfo.formatType": "NATIVE",
			}), 1).flinkSays(v1beta1.FlinkJobRunning)
			two := int64(2)
			w.s.Resource.Spec.Job.SavepointTriggerNonce = &two
			w.s.Snapshots = plan.Present([]v1beta1.FlinkStateSnapshot{})
			w.answer(snapshots.Operation{State: snapshots.OperationCompleted, Location: "file:///s/9"})
			w.run()
			info := w.status().JobStatus.SavepointInfo
			if info.LastSavepoint == nil || info.LastSavepoint.Location != "file:///s/9" ||
				info.LastSavepoint.FormatType != v1beta1.SavepointFormatNative ||
				info.LastSavepoint.TimeStamp != start.UnixMilli()-30000 || len(info.SavepointHistory) != 1 ||
				info.TriggerID != nil {
				t.Errorf("record %+v", info)
			}
			if n, _ := w.handled(); n != 2 {
				t.Errorf("nonce %d is handled, want 2", n)
			}
			if p := w.round(); touches(p) {
				t.Errorf("one nonce is one savepoint, got %s", p)
			}
			javaReads(t, w.s.Resource)
		})
	}
}

// TestAnOperationIsTakenOver: what was on its way goes on from where it stood, with the state that the Java operator
// meant.
func TestAnOperationIsTakenOver(t *testing.T) {
	upgraded := func(spec, image string) string { return strings.Replace(spec, "flink:1.20", image, 1) }
	old := func(t *testing.T, spec string) string { return legacyRecord(t, spec, nil, true) }
	between := func(t *testing.T, spec string, mode v1beta1.UpgradeMode, fields map[string]any) legacyStatus {
		s := deployed(legacyRecord(
			t, spec, as(stopped, mode), false,
		)).with(map[string]any{"reconciliationStatus.state": "UPGRADING",
			"reconciliationStatus.lastStableSpec": old(t, spec),
			"jobStatus.state":                     "FINISHED", "jobManagerDeploymentStatus": "MISSING",
			"lifecycleState": "UPGRADING", "observedGeneration": 2,
			"taskManager": map[string]any{"labelSelector": "", "replicas": 0}})
		return s.with(fields)
	}
	withInitial := func(spec string) string {
		return strings.Replace(spec, `"parallelism":2`, `"parallelism":2,"initialSavepointPath":"file:///s/mine"`, 1)
	}
	rows := map[string]struct {
		spec    string
		status  func(t *testing.T) legacyStatus
		running int64 // generation of the Deployment that is there; 0 for none
		cluster func(w *fixture)
		from    string // what the next start is from: "<kind> <path>"; empty when none is to be made
		keeps   bool   // the start keeps the job's ID
		image   string
		ends    v1beta1.LifecycleState
		reason  string
	}{
		"nothing deployed": {stateful, func(*testing.T) legacyStatus {
			return legacyStatus{"jobStatus": map[string]any{
				"checkpointInfo": map[string]any{"lastPeriodicCheckpointTimestamp": 0},
			}, "jobManagerDeploymentStatus": "MISSING",
				"lifecycleState":       "CREATED",
				"reconciliationStatus": map[string]any{"reconciliationTimestamp": 0, "state": "UPGRADING"},
				"taskManager":          map[string]any{"labelSelector": "", "replicas": 0}}
		}, 0, nil, "Empty ", false, "", v1beta1.LifecycleStable, "A.1, W1"},
		"before the first deployment": {stateful, func(t *testing.T) legacyStatus {
			return between(t, stateful, empty,
				map[string]any{"reconciliationStatus.lastReconciledSpec": legacyRecord(t, stateful, as(stopped, empty), true),
					"reconciliationStatus.lastStableSpec": nil, "observedGeneration": 1, "jobStatus.state": nil,
					"jobStatus.startTime": nil})
		}, 0, nil, "Empty ", false, "", v1beta1.LifecycleStable, "A.1, W2 and W3"},
		"before the first deployment, from a savepoint": {withInitial(application), func(t *testing.T) legacyStatus {
			return between(t, withInitial(application), saved,
				map[string]any{"reconciliationStatus.lastReconciledSpec": legacyRecord(
					t, withInitial(application), as(stopped, saved), true,
				),
					"reconciliationStatus.lastStableSpec": nil, "observedGeneration": 1, "jobStatus.state": nil,
					"jobStatus.upgradeSavepointPath": "file:///s/mine"})
		}, 0, nil, "Savepoint file:///s/mine", false, "", v1beta1.LifecycleStable,
			"A.1, W2: a stateless job, too, is brought with its state"},
		"stopped with a savepoint, not deleted yet": {stateful, func(t *testing.T) legacyStatus {
			return between(
				t, stateful, saved,
				map[string]any{"jobManagerDeploymentStatus": "READY", "jobStatus.upgradeSavepointPath": "file:///s/1"},
			)
		}, 1, func(w *fixture) { w.flinkSays(v1beta1.FlinkJobFinished) }, "Savepoint file:///s/1", false, "",
			v1beta1.LifecycleStable, "A.2, loop n"},
		"stopped with a savepoint, deleted": {stateful, func(t *testing.T) legacyStatus {
			return between(t, stateful, saved, map[string]any{"jobStatus.upgradeSavepointPath": "file:///s/1"})
		}, 0, nil, "Savepoint file:///s/1", false, "", v1beta1.LifecycleStable, "A.2, loop n+1"},
		"stopped with a savepoint, recorded as older operators did": {stateful, func(t *testing.T) legacyStatus {
			return between(
				t, stateful, saved,
				map[string]any{
					"jobStatus.savepointInfo.lastSavepoint": map[string]any{
						"timeStamp": 5, "location": "file:///s/old", "triggerType": "UPGRADE",
					},
				},
			)
		}, 0, nil, "Savepoint file:///s/old", false, "", v1beta1.LifecycleStable, "3.7: the legacy location"},
		"stopped with a savepoint, nothing written": {upgraded(stateful, "flink:1.20.5"),
			func(t *testing.T) legacyStatus { return deployed(old(t, stateful)) },
			1, func(w *fixture) {
				w.s.Resource.Generation = 2
				w.flinkSays(v1beta1.FlinkJobFinished)
				w.s.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///s/1"})
			}, "Savepoint file:///s/1", false, "flink:1.20.5", v1beta1.LifecycleStable, "A.2: the crash after the savepoint"},
		"changed again meanwhile": {upgraded(stateful, "flink:1.20.6"), func(t *testing.T) legacyStatus {
			return between(
				t, upgraded(stateful, "flink:1.20.5"), saved, map[string]any{"jobStatus.upgradeSavepointPath": "file:///s/1"},
			)
		}, 0, func(w *fixture) { w.s.Resource.Generation = 3 }, "Savepoint file:///s/1", false, "flink:1.20.6",
			v1beta1.LifecycleStable, "A.2: the newest spec, from the same savepoint"},
		"taken down for its last state": {highlyAvailable,
			func(t *testing.T) legacyStatus { return between(t, highlyAvailable, lastState, nil) },
			0, func(w *fixture) { w.s.HAData = haMaps(takenOverJob) }, "LastState " + v1beta1.LastStatePlaceholder, true, "",
			v1beta1.LifecycleStable, "A.3"},
		"taken down for its last state, marker written": {highlyAvailable, func(t *testing.T) legacyStatus {
			return between(
				t, highlyAvailable, lastState, map[string]any{"jobStatus.upgradeSavepointPath": v1beta1.LastStatePlaceholder},
			)
		}, 0, func(w *fixture) { w.s.HAData = haMaps(takenOverJob) }, "LastState " + v1beta1.LastStatePlaceholder, true, "",
			v1beta1.LifecycleStable, "A.3, loop n+1"},
		"its last state is gone": {highlyAvailable, func(t *testing.T) legacyStatus {
			return between(
				t, highlyAvailable, lastState,
				map[string]any{"error": "HA metadata is not available to restore from last state."},
			)
		}, 0, nil, "", false, "", v1beta1.LifecycleUpgrading, "A.3: RestoreFailed"},
		"stateless": {
			application, func(t *testing.T) legacyStatus { return between(t, application, empty, nil) }, 0, nil, "Empty ",
			false, "", v1beta1.LifecycleStable, "3.3",
		},
		"being cancelled for a change": {upgraded(stateful, "flink:1.20.5"), func(t *testing.T) legacyStatus {
			return deployed(legacyRecord(t, stateful, as(runs, saved), false)).with(map[string]any{
				"reconciliationStatus.state": "UPGRADING", "jobStatus.state": "CANCELLING", "lifecycleState": "UPGRADING",
			})
		}, 1, func(w *fixture) {
			w.s.Resource.Generation = 2
			w.flinkSays(v1beta1.FlinkJobCancelling)
			if p := w.run(); touches(p) {
				w.t.Errorf("a cancellation on its way is waited for, got %s", p)
			}
			w.flinkSays(v1beta1.FlinkJobCanceled)
			w.s.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///c/7"})
		}, "Savepoint file:///c/7", false, "flink:1.20.5", v1beta1.LifecycleStable, "3.3: an asynchronous cancel; A.4"},
		"cancelled for a change": {upgraded(stateful, "flink:1.20.5"), func(t *testing.T) legacyStatus {
			return deployed(legacyRecord(
				t, stateful, as(stopped, saved), false,
			)).with(map[string]any{"reconciliationStatus.state": "UPGRADING", "jobStatus.state": "CANCELED",
				"lifecycleState":                 "UPGRADING",
				"jobStatus.upgradeSavepointPath": "file:///c/7"})
		}, 1, func(w *fixture) { w.s.Resource.Generation = 2; w.flinkSays(v1beta1.FlinkJobCanceled) },
			"Savepoint file:///c/7", false, "flink:1.20.5", v1beta1.LifecycleStable,
			"2.3: a cancellation that was seen to end"},
		"being cancelled for a suspension": {stateful, func(t *testing.T) legacyStatus {
			return deployed(legacyRecord(t, stateful, as(runs, saved), false)).with(map[string]any{
				"reconciliationStatus.state": "UPGRADING", "jobStatus.state": "CANCELLING", "lifecycleState": "UPGRADING",
			})
		}, 1, func(w *fixture) {
			w.suspendSpec()
			w.s.Resource.Generation = 2
			w.flinkSays(v1beta1.FlinkJobCanceled)
			w.s.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "file:///c/7"})
		}, "", false, "", v1beta1.LifecycleSuspended, "B6"},
		"cancelled for a suspension": {stateful, func(t *testing.T) legacyStatus {
			return deployed(legacyRecord(
				t, stateful, as(stopped, saved), false,
			)).with(map[string]any{"reconciliationStatus.state": "UPGRADING", "jobStatus.state": "CANCELED",
				"lifecycleState":                 "UPGRADING",
				"jobStatus.upgradeSavepointPath": "file:///c/7"})
		}, 1, func(w *fixture) { w.suspendSpec(); w.s.Resource.Generation = 2; w.flinkSays(v1beta1.FlinkJobCanceled) }, "",
			false, "", v1beta1.LifecycleSuspended, "B6: it never became SUSPENDED"},
		"rolling back, taken down": {upgraded(rollingBack, "flink:bad"), func(t *testing.T) legacyStatus {
			return deployed(legacyRecord(
				t, upgraded(rollingBack, "flink:bad"), as(runs, lastState), false,
			)).with(map[string]any{"reconciliationStatus.state": "ROLLING_BACK",
				"reconciliationStatus.lastStableSpec": old(t, rollingBack), "jobStatus.state": "FINISHED",
				"jobManagerDeploymentStatus": "MISSING", "lifecycleState": "ROLLING_BACK"})
		}, 0, func(w *fixture) { w.s.HAData = haMaps(takenOverJob) }, "LastState " + v1beta1.LastStatePlaceholder, true,
			"flink:1.20", v1beta1.LifecycleRolledBack, "A.6"},
		"rolling back, not taken down": {upgraded(rollingBack, "flink:bad"), func(t *testing.T) legacyStatus {
			return deployed(legacyRecord(
				t, upgraded(rollingBack, "flink:bad"), as(runs, lastState), false,
			)).with(map[string]any{"reconciliationStatus.state": "ROLLING_BACK",
				"reconciliationStatus.lastStableSpec": old(t, rollingBack), "jobStatus.state": "RECONCILING",
				"lifecycleState": "ROLLING_BACK"})
		}, 1, func(w *fixture) { w.s.HAData = haMaps(takenOverJob) }, "LastState " + v1beta1.LastStatePlaceholder, true,
			"flink:1.20", v1beta1.LifecycleRolledBack, "B10: the crash in between"},
		"rolling back, and nothing to go back with": {upgraded(rollingBack, "flink:bad"), func(t *testing.T) legacyStatus {
			return deployed(legacyRecord(
				t, upgraded(rollingBack, "flink:bad"), as(runs, lastState), false,
			)).with(map[string]any{"reconciliationStatus.state": "ROLLING_BACK",
				"reconciliationStatus.lastStableSpec": old(t, rollingBack), "jobStatus.state": "RECONCILING",
				"lifecycleState": "ROLLING_BACK"})
		}, 1, func(w *fixture) { w.s.HAData = plan.Present([]hadata.ConfigMap{}) }, "", false, "flink:bad",
			v1beta1.LifecycleRollingBack, "what is there is not taken down for nothing"},
		"rolling back, and a new spec": {upgraded(rollingBack, "flink:good"), func(t *testing.T) legacyStatus {
			return deployed(legacyRecord(
				t, upgraded(rollingBack, "flink:bad"), as(runs, lastState), false,
			)).with(map[string]any{"reconciliationStatus.state": "ROLLING_BACK",
				"reconciliationStatus.lastStableSpec": old(t, rollingBack), "jobStatus.state": "FINISHED",
				"jobManagerDeploymentStatus": "MISSING", "lifecycleState": "ROLLING_BACK"})
		}, 0, func(w *fixture) { w.s.Resource.Generation = 2; w.s.HAData = haMaps(takenOverJob) },
			"LastState " + v1beta1.LastStatePlaceholder, true, "flink:good", v1beta1.LifecycleStable,
			"3.13: a spec that changes meanwhile"},
		"rolling back without state": {upgraded(application, "flink:bad"), func(t *testing.T) legacyStatus {
			return deployed(legacyRecord(
				t, upgraded(application, "flink:bad"), as(runs, empty), false,
			)).with(map[string]any{"reconciliationStatus.state": "ROLLING_BACK",
				"reconciliationStatus.lastStableSpec": old(t, application), "jobStatus.state": "FINISHED",
				"jobManagerDeploymentStatus": "MISSING", "lifecycleState": "ROLLING_BACK"})
		}, 0, nil, "Empty ", false, "flink:1.20", v1beta1.LifecycleRolledBack, "3.13: STATELESS if the failed one was"},
		"resumed from a savepoint": {stateful, func(t *testing.T) legacyStatus {
			return suspendedStatus(legacyRecord(t, stateful, as(stopped, saved), false)).with(map[string]any{
				"jobStatus.upgradeSavepointPath": "file:///s/1",
			})
		}, 0, func(w *fixture) { w.s.Resource.Generation = 2 }, "Savepoint file:///s/1", false, "", v1beta1.LifecycleStable,
			"A.5"},
		"resumed from its last state": {highlyAvailable, func(t *testing.T) legacyStatus {
			return suspendedStatus(legacyRecord(t, highlyAvailable, as(stopped, lastState), false))
		},
			0, func(w *fixture) { w.s.Resource.Generation = 2; w.s.HAData = haMaps(takenOverJob) },
			"LastState " + v1beta1.LastStatePlaceholder, true, "", v1beta1.LifecycleStable, "A.5"},
		"a session cluster being upgraded": {session, func(t *testing.T) legacyStatus {
			return deployed(legacyRecord(t, session, nil, false)).with(map[string]any{"jobStatus": nil,
				"reconciliationStatus.state": "UPGRADING", "jobManagerDeploymentStatus": "MISSING",
				"reconciliationStatus.lastStableSpec": nil, "lifecycleState": "UPGRADING"})
		}, 0, nil, "Empty ", false, "", v1beta1.LifecycleStable, "3.11"},
		"its JobManager lost": {highlyAvailable,
			func(t *testing.T) legacyStatus { return deployed(old(t, highlyAvailable)) },
			0, func(w *fixture) { w.s.HAData = haMaps(takenOverJob) }, "LastState " + v1beta1.LastStatePlaceholder, true, "",
			v1beta1.LifecycleStable, "A.7"},
		"its JobManager lost, without high availability": {stateful,
			func(t *testing.T) legacyStatus { return deployed(old(t, stateful)) },
			0, nil, "", false, "", v1beta1.LifecycleFailed, "A.7, and nothing that names its state"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := takeOver(t, row.spec, row.status(t), row.running)
			if row.cluster != nil {
				row.cluster(w)
			}
			from, job := w.follow()
			if from != row.from || (from != "" && w.s.Resource.Spec.Job != nil && (job == takenOverJob) != row.keeps) {
				t.Errorf(
					"the next start is from %q under job %s, want %q: %s; rounds %q, %+v", from, job, row.from, row.reason, w.log,
					w.status().Conditions,
				)
			}
			if row.from != "" {
				w.serveJob(v1beta1.FlinkJobRunning)
				w.run()
			}
			if got := w.status(); got.LifecycleState != row.ends {
				t.Errorf(
					"it ends %s in %s, want %s: %s; rounds %q", got.LifecycleState, got.Situation, row.ends, row.reason, w.log,
				)
			}
			if row.from == "" && strings.Contains(strings.Join(w.log, " "), "delete cluster") && row.image != "" {
				t.Errorf("what runs was taken down for nothing: %s; rounds %q", row.reason, w.log)
			}
			if row.image != "" && row.from != "" && w.s.JobManager.IsPresent() && w.runningImage() != row.image {
				t.Errorf("image %s runs, want %s", w.runningImage(), row.image)
			}
			w.run()
			if p := w.round(); !p.IsQuiet() || p.Status != nil {
				t.Errorf("it must come to rest, got %s", p)
			}
			if row.ends != v1beta1.LifecycleUpgrading && row.ends != v1beta1.LifecycleRollingBack {
				javaReads(t, w.s.Resource)
			}
		})
	}
}

// follow makes rounds, letting what is deleted go, until nothing happens any more, and says what the start on the way
// is from.
func (w *fixture) follow() (from, job string) {
	w.t.Helper()
	for range 8 {
		before := len(w.log)
		for {
			p := w.round()
			if i := w.status().Intent; i != nil && i.From != nil && i.Step != v1beta1.StepStopping {
				from, job = string(i.From.Kind)+" "+i.From.Path, i.JobID
			}
			if p.Requeue != plan.RequeueNow {
				break
			}
			if len(w.log) > before+10 {
				w.t.Fatalf("no rest after %q", w.log)
			}
		}
		if jm, ok := w.s.JobManager.Get(); ok && jm.DeletionTimestamp != nil {
			w.terminate()
		}
	}
	return from, job
}
