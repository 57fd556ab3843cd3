package enginetest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/failed"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
)

// Option sets an option.
func Option(name, value string) func(*v1beta1.FlinkDeploymentSpec) {
	return func(s *v1beta1.FlinkDeploymentSpec) {
		s.FlinkConfiguration = v1beta1.FlinkConfiguration(strings.Replace(
			string(s.FlinkConfiguration), "{", `{"`+name+`":"`+value+`",`, 1,
		))
	}
}

// Stateful is an application whose state must be kept.
var Stateful = strings.Replace(strings.Replace(
	Application, `"upgradeMode":"stateless"`, `"upgradeMode":"savepoint"`, 1,
),
	`"flinkConfiguration":{`, `"flinkConfiguration":{"state.savepoints.dir":"file:///s",`+
		`"state.checkpoints.dir":"file:///c",`, 1)

// SavesFirst is a job that is to take a savepoint before its deletion.
var SavesFirst = With(Stateful, `"flinkConfiguration":{`,
	`"flinkConfiguration":{"kubernetes.operator.job.savepoint-on-deletion":"true",`)

// With replaces a part of a specification.
func With(spec, old, new string) string { return strings.Replace(spec, old, new, 1) }

// Given makes the first start begin from a savepoint.
func Given(spec string) string {
	return With(spec, `"parallelism":2`, `"parallelism":2,"initialSavepointPath":"file:///given"`)
}

// Suspended brings a resource with high-availability data to its suspension.
func Suspended(t *testing.T, spec string) *Deployment {
	t.Helper()
	w := Stable(t, spec)
	w.Snapshot.HAData = HaMaps(w.Status().JobStatus.JobID)
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended })
	w.Run()
	w.Terminate()
	w.Run()
	return w
}

// Checked switches the health check of a spec on.
func Checked(spec string) string {
	return strings.Replace(spec, `"flinkConfiguration":{`,
		`"flinkConfiguration":{"kubernetes.operator.cluster.health-check.enabled":"true",`+
			`"execution.checkpointing.interval":"1 min",`, 1)
}

// NoHAMaps is no high-availability data.
var NoHAMaps = plan.Present([]hadata.ConfigMap{})

// Recording is a stateful application whose snapshots its own status records.
var Recording = strings.Replace(
	Stateful, `"state.savepoints.dir"`, `"kubernetes.operator.snapshot.resource.enabled":"false","state.savepoints.dir"`,
	1,
)

// Nonces asks for a savepoint and a checkpoint.
func Nonces(n int64) func(*v1beta1.FlinkDeploymentSpec) {
	return func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job.SavepointTriggerNonce, s.Job.CheckpointTriggerNonce = &n, &n
	}
}

// StartedAgain has Flink list another run of the job.
func StartedAgain(w *Deployment) {
	jobs, _ := w.Snapshot.Flink.Jobs.Get()
	jobs[0].StartTime = "1800000000000"
}

// UnansweredFlink is a JobManager that does not answer.
func UnansweredFlink() world.Flink {
	return world.Flink{Jobs: plan.Unknown[[]world.Job]("refused")}
}

// Stable brings a new resource to STABLE.
func Stable(t *testing.T, spec string) *Deployment {
	t.Helper()
	return StableIn(t, nil, spec)
}

// StableIn does so in an installation with these settings.
func StableIn(t *testing.T, installation flinkconf.Config, spec string) *Deployment {
	t.Helper()
	key := fmt.Sprint(spec, installation)
	if known, is := stable.Load(key); is {
		return known.(*Deployment).copyFor(t)
	}
	w := NewDeployment(t, spec)
	w.Snapshot.Operator = flinkconf.NewOperator(installation)
	w.Run()
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Run()
	stable.Store(key, w.copyFor(t))
	return w
}

// stable has what StableIn made, by spec and settings: most tests begin there.
var stable sync.Map

// copyFor is a copy for another test.
func (w *Deployment) copyFor(t *testing.T) *Deployment {
	c := *w
	c.T, c.Snapshot.Resource = t, w.Snapshot.Resource.DeepCopy()
	if jm, is := w.Snapshot.JobManager.Get(); is {
		c.Snapshot.JobManager = plan.Present(jm.DeepCopy())
	}
	if jobs, is := w.Snapshot.Flink.Jobs.Get(); is {
		c.Snapshot.Flink.Jobs = plan.Present(slices.Clone(jobs))
	}
	c.Events, c.Log = slices.Clone(w.Events), slices.Clone(w.Log)
	return &c
}

// RestoredFromItsOwn are the statistics of a job that was restored from a checkpoint of its own.
var RestoredFromItsOwn = plan.Present(
	world.Checkpoints{Restored: &world.Restored{Number: 2, Path: "file:///c/1/chk-2"}},
)

// Without are the same ConfigMaps without a checkpoint.
func Without(data plan.Observed[[]hadata.ConfigMap]) plan.Observed[[]hadata.ConfigMap] {
	maps, _ := data.Get()
	for i := range maps {
		maps[i].Checkpoint = false
	}
	return data
}

// Spelled puts options in front of those of a spec.
func Spelled(spec, options string) string {
	return With(spec, `"flinkConfiguration":{`, `"flinkConfiguration":{`+options+`,`)
}

// RanPods is one JobManager pod whose container has run.
func RanPods() plan.Observed[[]corev1.Pod] {
	return plan.Present([]corev1.Pod{{
		ObjectMeta: metav1.ObjectMeta{Name: "demo-1", CreationTimestamp: metav1.NewTime(Start)},
		Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{
			Name: "flink-main-container", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
		}}},
	}})
}

// WaitingPod is a pod one of whose containers waits, an init container if init is true.
func WaitingPod(reason, message string, init bool) corev1.Pod {
	waiting := []corev1.ContainerStatus{{
		Name: "c1", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}},
	}}
	pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "demo-1", CreationTimestamp: metav1.NewTime(Start)}}
	if init {
		pod.Status.InitContainerStatuses = waiting
	} else {
		pod.Status.ContainerStatuses = waiting
	}
	return pod
}

// Redeploy asks for a start from a path.
func Redeploy(path string, nonce int64) func(*v1beta1.FlinkDeploymentSpec) {
	return func(s *v1beta1.FlinkDeploymentSpec) {
		s.Job.InitialSavepointPath, s.Job.SavepointRedeployNonce = path, &nonce
	}
}

// ChosenThenFailed is a stable spec that was redeployed from file:///p1, and a change that fails and is rolled back;
// the rollback's old cluster is gone.
func ChosenThenFailed(t *testing.T) (w *Deployment, before *v1beta1.FlinkDeploymentSpec) {
	t.Helper()
	w = Stable(t, RollingBack)
	replace := func(edit func(*v1beta1.FlinkDeploymentSpec)) {
		w.Edit(edit)
		w.Run()
		w.Terminate()
		w.Run()
	}
	replace(Redeploy("file:///p1", 1))
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Run()
	before = w.Snapshot.Resource.Spec.DeepCopy()
	w.Snapshot.HAData = HaMaps(w.Status().JobStatus.JobID)
	replace(func(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:bad" })
	w.Late()
	w.Terminate()
	return w, before
}

// Suspends asks for the suspension of the job.
func Suspends(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended }

// Denied is the plan after an action that Kubernetes does not allow.
func Denied(s cluster.Snapshot, a plan.Action, message string) plan.Plan {
	return deployment.Failed(s, failed.Effect{Action: a, Kind: fail.Denied, Reason: "Forbidden",
		Message: message}).Plans[0]
}

// RefusedByFlink is the plan after Flink refused an action for good.
func RefusedByFlink(s cluster.Snapshot, a plan.Action, message string) plan.Plan {
	return deployment.Failed(s, failed.Effect{Action: a, Kind: fail.Invalid, Message: message}).Plans[0]
}

// Retentions are the values of execution.checkpointing.externalized-checkpoint-retention, as Flink tells them.
var Retentions = map[string]upgrade.Retention{
	"RETAIN_ON_CANCELLATION":      {Cancelled: true, Failed: true, Periodic: true},
	"DELETE_ON_CANCELLATION":      {Failed: true, Periodic: true},
	"NO_EXTERNALIZED_CHECKPOINTS": {Periodic: true},
}

// RollingBack is a job with high availability that may be rolled back.
var RollingBack = strings.Replace(
	HighlyAvailable, `"state.savepoints.dir"`,
	`"kubernetes.operator.deployment.rollback.enabled":"true","state.savepoints.dir"`, 1,
)

// Failing brings a resource to a change that is deployed and does not run.
func Failing(t *testing.T, spec string) *Deployment {
	t.Helper()
	w := Stable(t, spec)
	w.Snapshot.HAData = HaMaps(w.Status().JobStatus.JobID)
	w.Edit(UpgradeImage)
	w.Run()
	w.Terminate()
	w.Run()
	if !w.Released || w.Status().ReconciliationStatus.State != v1beta1.ReconciliationDeployed {
		t.Fatalf("the change was not deployed, rounds %q, %+v", w.Log, w.Status().Conditions)
	}
	return w
}

// RolledBack is the end of the story above.
func RolledBack(t *testing.T) *Deployment {
	t.Helper()
	w := Failing(t, RollingBack)
	w.Snapshot.Now = w.Snapshot.Now.Add(6 * 60e9)
	w.Run()
	w.Terminate()
	w.Run()
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Run()
	return w
}

// Rolls switches rollbacks on.
func Rolls(spec string) string {
	return With(
		spec, `"flinkConfiguration":{`,
		`"flinkConfiguration":{"kubernetes.operator.deployment.rollback.enabled":"true",`+
			`"high-availability.type":"kubernetes","high-availability.storageDir":"file:///h",`,
	)
}

// UpgradedBySavepoint is a job that was upgraded by a savepoint.
func UpgradedBySavepoint(t *testing.T, spec string) *Deployment {
	t.Helper()
	w := Stable(t, spec)
	w.ChangesBySavepoint(UpgradeImage)
	if w.RunningImage() != "flink:1.20.5" || w.State() != v1beta1.ReconciliationDeployed {
		t.Fatalf("not deployed, rounds %q", w.Log)
	}
	return w
}

// Standalone is a spec in standalone mode.
func Standalone(spec string) string {
	return strings.Replace(spec, `"image":`, `"mode":"standalone","image":`, 1)
}

// HighlyAvailable is a last-state application with Kubernetes high availability.
var HighlyAvailable = strings.Replace(strings.Replace(
	Stateful, `"upgradeMode":"savepoint"`, `"upgradeMode":"last-state"`, 1,
),
	`"state.savepoints.dir"`, `"high-availability.type":"kubernetes","high-availability.storageDir":"file:///h",`+
		`"state.savepoints.dir"`, 1)

// HaMaps are what Flink keeps for a job with a completed checkpoint.
func HaMaps(jobID string) plan.Observed[[]hadata.ConfigMap] {
	return plan.Present([]hadata.ConfigMap{
		{
			ObjectVersion: plan.ObjectVersion{Name: "demo-" + jobID + "-config-map", UID: "1", ResourceVersion: "5"},
			Checkpoint:    true,
		},
		{ObjectVersion: plan.ObjectVersion{Name: "demo-cluster-config-map", UID: "2", ResourceVersion: "6"}},
	})
}

// UpgradeImage asks for another image.
func UpgradeImage(s *v1beta1.FlinkDeploymentSpec) { s.Image = "flink:1.20.5" }

// LateStop is a job that was restarted under its ID after a stop of it had failed; then the request of that stop comes
// through.
func LateStop(t *testing.T) *Deployment {
	t.Helper()
	w := Stable(t, With(HighlyAvailable, `"upgradeMode":"last-state"`, `"upgradeMode":"savepoint"`))
	w.Snapshot.HAData = HaMaps(w.Status().JobStatus.JobID)
	w.Edit(UpgradeImage)
	w.Run()
	jobs, _ := w.Snapshot.Flink.Jobs.Get()
	jobs[0].StartTime, jobs[0].State = "1800000000000", v1beta1.FlinkJobRestarting // it failed over
	w.Run()
	for range 2 { // Flink does not say for a minute what it was restored from
		w.Snapshot.Now = w.Snapshot.Now.Add(time.Minute)
		w.Run()
	}
	w.Terminate() // it does not run: the change is made by last state
	w.Run()
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Snapshot.Flink.Checkpoints = plan.Present(world.Checkpoints{Restored: &world.Restored{Number: 7}})
	w.Run()
	w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
	return w
}

// Unschedulable is a pod that no node has room for.
func Unschedulable() corev1.Pod {
	var pod corev1.Pod
	pod.Name, pod.Status.Phase = "demo-taskmanager-1-1", corev1.PodPending
	pod.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable",
		Message: "0/1 nodes are available: 1 Insufficient memory",
	}}
	return pod
}

// SavesHighlyAvailable is a job with high availability that is upgraded by savepoints.
var SavesHighlyAvailable = With(HighlyAvailable, `"upgradeMode":"last-state"`, `"upgradeMode":"savepoint"`)

// Ttl lets the cluster of a job that has ended stay for five minutes.
func Ttl(spec string) string {
	return With(
		spec, `"flinkConfiguration":{`, `"flinkConfiguration":{"kubernetes.operator.jm-deployment.shutdown-ttl":"5 min",`,
	)
}

// KeptSuspended keeps the JobManager of a suspended job.
func KeptSuspended(spec string) string {
	return With(spec, `"flinkConfiguration":{`,
		`"flinkConfiguration":{"kubernetes.operator.jm-deployment.keep-suspended.enabled":"true",`)
}
