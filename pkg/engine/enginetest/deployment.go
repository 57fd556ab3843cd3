package enginetest

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/capacity"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
	"github.com/kn-flink/kn-flink/test/purity"
)

// Start is when the time of a test begins.
var Start = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// Deployment is a FlinkDeployment and its cluster, small enough for pure tests: it carries plans out on a snapshot, as
// apply and Kubernetes would, and makes no pods. Tests say what becomes of the Deployment.
type Deployment struct {
	// T is the test.
	T *testing.T
	// Snapshot is what there is to be seen.
	Snapshot cluster.Snapshot
	// Version is the resourceVersion.
	Version int
	// Uids is how many Deployments were made.
	Uids int
	// Released is true once a Deployment was released, Gone once the finalizer was removed.
	Released, Gone bool
	// Events are those that were published.
	Events []plan.Event
	// Log has the plan of each round.
	Log []string
}

// Specs to begin with.
const (
	// Application is a stateless application.
	Application = `{"image":"flink:1.20","flinkVersion":"v1_20","serviceAccount":"flink",
		"flinkConfiguration":{"taskmanager.numberOfTaskSlots":"2"},
"jobManager":{"resource":{"memory":"1024m","cpu":0.5}},"taskManager":{"resource":{"memory":"1024m","cpu":0.5}},
"job":{"jarURI":"local:///opt/flink/examples/streaming/StateMachineExample.jar","parallelism":2,"upgradeMode":"stateless"}}`
	// Session is a session cluster.
	Session = `{"image":"flink:1.20","flinkVersion":"v1_20","serviceAccount":"flink",
"jobManager":{"resource":{"memory":"1024m","cpu":0.5}},"taskManager":{"resource":{"memory":"1024m","cpu":0.5}}}`
)

// NewDeployment is one that no pass has seen.
func NewDeployment(t *testing.T, spec string) *Deployment {
	t.Helper()
	w := &Deployment{T: t, Version: 1}
	r := &v1beta1.FlinkDeployment{}
	r.APIVersion, r.Kind = v1beta1.APIVersion, v1beta1.KindFlinkDeployment
	r.Namespace, r.Name, r.UID, r.Generation, r.ResourceVersion = "default", "demo", "uid-of-demo", 1, "1"
	w.Snapshot = cluster.Snapshot{
		Seen: world.Seen{
			Now: Start, Operator: flinkconf.NewOperator(nil), Resource: r, Autoscaled: plan.Absent[autoscaled.Store](),
		},
		Objects: cluster.Objects{JobManager: plan.Absent[*appsv1.Deployment]()},
	}
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) {
		if err := json.Unmarshal([]byte(spec), s); err != nil {
			t.Fatal(err)
		}
	})
	r.Generation = 1
	return w
}

// Edit changes the spec, as a user would.
func (w *Deployment) Edit(change func(*v1beta1.FlinkDeploymentSpec)) {
	change(&w.Snapshot.Resource.Spec)
	w.Snapshot.Resource.Generation++
	w.Bump()
}

// Bump is a write of the resource.
func (w *Deployment) Bump() {
	w.Version++
	w.Snapshot.Resource.ResourceVersion = fmt.Sprint(w.Version)
}

// Round makes one plan and carries it out. What is seen in the course of one look leads to the same plan as all of it
// at once, and deciding changes nothing.
func (w *Deployment) Round() plan.Plan {
	w.T.Helper()
	inquiry, again := w.Look(), false
	p, err := purity.Decide(w.Snapshot.Resource, func() plan.Plan {
		if again {
			return deployment.Make(*inquiry.Seen)
		}
		again = true
		return inquiry.Plan()
	})
	if err != nil {
		w.T.Fatal(err)
	}
	for _, a := range p.Actions {
		w.Do(a)
	}
	if status, ok := p.Status.(*v1beta1.FlinkDeploymentStatus); ok {
		w.Store(status)
	}
	for _, a := range p.Finish {
		w.Do(a)
	}
	w.Events = append(w.Events, p.Events...)
	w.Log = append(w.Log, p.String())
	return p
}

// Run makes rounds until a plan asks for no other.
func (w *Deployment) Run() plan.Plan {
	w.T.Helper()
	for range 10 {
		if p := w.Round(); p.Requeue != plan.RequeueNow {
			return p
		}
	}
	w.T.Fatalf("no rest after: %q", w.Log)
	return plan.Plan{}
}

// Look fills in what a look asks for beyond what tests set themselves.
func (w *Deployment) Look() *deployment.Inquiry {
	seen := w.Snapshot
	seen.Recorded = world.ReadRecorded(seen.Resource)
	inquiry := deployment.Open(seen)
	q := inquiry.First()
	fill(q.Pods, &w.Snapshot.Pods, plan.Present([]corev1.Pod{}))
	fill(q.TaskManagers, &w.Snapshot.TaskManagers, plan.Present([]corev1.Pod{}))
	fill(q.HAData, &w.Snapshot.HAData, plan.Present([]hadata.ConfigMap{}))
	fill(q.HANodes != nil, &w.Snapshot.HANodes, plan.Absent[znode.Tree]())
	fill(q.SessionJobs, &w.Snapshot.SessionJobs, plan.Present([]cluster.SessionJob{}))
	fill(q.TaskManagerDeployment, &w.Snapshot.TaskManagerDeployment, plan.Absent[cluster.TaskManagerDeployment]())
	if q.ReplicaSets && w.Snapshot.ReplicaSets.Why() == "" { // their controllers are quick
		sets := []cluster.ReplicaSet{}
		if w.Snapshot.JobManager.IsPresent() {
			sets = append(sets, cluster.ReplicaSet{Name: "demo-1", Deployment: w.Deployment().UID, Seen: true})
		}
		if tm, there := w.Snapshot.TaskManagerDeployment.Get(); there {
			sets = append(sets, cluster.ReplicaSet{Name: "demo-taskmanager-1", Deployment: tm.UID, Seen: true})
		}
		w.Snapshot.ReplicaSets = plan.Present(sets)
	}
	if q.Companions {
		fill(true, &w.Snapshot.Companions, plan.Present(inquiry.ExpectedCompanions()))
	}
	w.Snapshot.Recorded = seen.Recorded
	*inquiry.Seen = w.Snapshot
	w.Snapshot.Recorded = nil // it is of this look
	inquiry.Nodes()
	inquiry.Flink()
	inquiry.Seen.Room = plan.Observed[capacity.View]{}
	inquiry.AsksRoom()
	inquiry.Seen.Room = w.Snapshot.Room
	if inquiry.Readers() != nil && w.Snapshot.Readers.IsUnknown() && w.Snapshot.Readers.Why() == "" {
		w.Snapshot.Readers = plan.Present(snapshots.Readers{})
		inquiry.Seen.Readers = w.Snapshot.Readers
	}
	return inquiry
}

// fill answers what a look asks for and a test has not set.
func fill[T any](asked bool, o *plan.Observed[T], with plan.Observed[T]) {
	if asked && o.IsUnknown() && o.Why() == "" {
		*o = with
	}
}

// Store writes the status.
func (w *Deployment) Store(status *v1beta1.FlinkDeploymentStatus) {
	w.Snapshot.Resource.Status = *status.DeepCopy()
	w.Bump()
}

// Do carries an action out.
func (w *Deployment) Do(action plan.Action) {
	switch a := action.(type) {
	case plan.Record:
		w.Store(a.Status.(*v1beta1.FlinkDeploymentStatus))
	case plan.AddFinalizer:
		w.Snapshot.Resource.Finalizers = append(w.Snapshot.Resource.Finalizers, a.Finalizer)
		w.Bump()
	case plan.RemoveFinalizer:
		w.Snapshot.Resource.Finalizers, w.Gone = nil, true
	case plan.MakeTaskManagers:
		w.Do(plan.PrepareStart(a))
	case plan.PrepareStart:
		if tm := a.Cluster.TaskManager; tm != nil {
			w.Snapshot.TaskManagerDeployment = plan.Present(cluster.TaskManagerDeployment{
				ObjectVersion: plan.ObjectVersion{Name: tm.Name, UID: "tm-of-" + types.UID(a.Operation)},
			})
		}
		if w.Snapshot.JobManager.IsPresent() {
			return
		}
		w.Uids++
		jm := a.Cluster.JobManager.DeepCopy()
		none := int32(0)
		jm.UID, jm.Spec.Replicas, jm.CreationTimestamp = types.UID(fmt.Sprintf("jm-%d", w.Uids)), &none,
			metav1.NewTime(w.Snapshot.Now)
		w.Snapshot.JobManager, w.Snapshot.Pods = plan.Present(jm), plan.Observed[[]corev1.Pod]{}
	case plan.Release:
		jm := w.copyOf(a.UID)
		jm.Spec.Replicas = &a.Replicas
		metav1.SetMetaDataAnnotation(&jm.ObjectMeta, v1beta1.AnnotationReleased, a.At.Format(time.RFC3339))
		w.Snapshot.JobManager, w.Released = plan.Present(jm), true
		// others, from now on
		w.Snapshot.Pods, w.Snapshot.TaskManagers = plan.Observed[[]corev1.Pod]{}, plan.Observed[[]corev1.Pod]{}
	case plan.DeleteCluster:
		if tm, ok := w.Snapshot.TaskManagerDeployment.Get(); ok && tm.Name == a.Name {
			if tm.UID != "tm" { // else the test says what becomes of it
				w.Snapshot.TaskManagerDeployment = plan.Absent[cluster.TaskManagerDeployment]()
			}
			return
		}
		jm := w.copyOf(a.UID)
		now := metav1.NewTime(w.Snapshot.Now)
		jm.DeletionTimestamp = &now
		w.Snapshot.JobManager, w.Snapshot.Flink = plan.Present(jm), world.Flink{}
	case plan.KeepAutoscaled:
		w.Snapshot.Autoscaled = plan.Present(autoscaled.Store{Data: a.Data})
	case plan.Retire:
		jm := w.copyOf(a.UID)
		none := int32(0)
		jm.Spec.Replicas, jm.Status = &none, appsv1.DeploymentStatus{}
		delete(jm.Annotations, v1beta1.AnnotationOperation)
		w.Snapshot.JobManager, w.Snapshot.Flink = plan.Present(jm), world.Flink{}
	case plan.ScaleTaskManagers:
		tm, there := w.Snapshot.TaskManagerDeployment.Get()
		if !there || tm.UID != a.UID {
			w.T.Fatalf("scale of %s, which is not there", a.UID)
		}
		tm.Replicas = a.Replicas
		w.Snapshot.TaskManagerDeployment = plan.Present(tm)
	case plan.DeleteHAData:
		w.Snapshot.HAData, w.Snapshot.HANodes = plan.Present([]hadata.ConfigMap{}), plan.Absent[znode.Tree]()
	}
}

// copyOf is a copy of the JobManager's Deployment, which has to be the one of a UID.
func (w *Deployment) copyOf(uid types.UID) *appsv1.Deployment {
	w.T.Helper()
	jm, there := w.Snapshot.JobManager.Get()
	if !there || jm.UID != uid {
		w.T.Fatalf("an action is for the Deployment %s, which is not there", uid)
	}
	return jm.DeepCopy()
}

// Terminate lets the Deployment that is being deleted go.
func (w *Deployment) Terminate() {
	w.Snapshot.JobManager, w.Snapshot.Pods, w.Snapshot.Companions = plan.Absent[*appsv1.Deployment](),
		plan.Observed[[]corev1.Pod]{},
		plan.Observed[[]cluster.Companion]{}
	if w.Snapshot.TaskManagerDeployment.IsPresent() { // the garbage collector takes it
		w.Snapshot.TaskManagerDeployment = plan.Absent[cluster.TaskManagerDeployment]()
	}
}

// ServeJob makes the JobManager available and Flink answer with the job in a state.
func (w *Deployment) ServeJob(state v1beta1.FlinkJobState) {
	jm, _ := w.Snapshot.JobManager.Get()
	jm = jm.DeepCopy()
	jm.Status.Replicas, jm.Status.AvailableReplicas = 1, 1
	w.Snapshot.JobManager = plan.Present(jm)
	w.Snapshot.Flink = world.Flink{
		Jobs: plan.Present([]world.Job{
			{
				ID: w.Snapshot.Resource.Status.JobStatus.JobID, Name: "demo", State: state, StartTime: "1700000000000", Tasks: 4,
				Running: 4,
			},
		}),
		Facts:     plan.Present(world.ClusterFacts{Version: "1.20.5", Revision: "abc", TaskManagers: 1}),
		Retention: plan.Present(upgrade.Retention{Cancelled: true, Failed: true, Periodic: true}),
	}
	if state.IsTerminal() {
		w.Snapshot.Flink.Checkpoints = plan.Absent[world.Checkpoints]()
	}
}

// Status is the one that is stored.
func (w *Deployment) Status() v1beta1.FlinkDeploymentStatus { return w.Snapshot.Resource.Status }

// Want fails the test when the status tells something else.
func (w *Deployment) Want(
	situation plan.Situation, lifecycle v1beta1.LifecycleState, jm v1beta1.JobManagerDeploymentStatus,
	job v1beta1.FlinkJobState,
) {
	w.T.Helper()
	got := w.Status()
	if got.Situation != string(situation) || got.LifecycleState != lifecycle || got.JobManagerDeploymentStatus != jm ||
		got.JobStatus.State != job {
		w.T.Errorf("situation, lifecycle, JobManager, job are %s, %s, %s, %s; want %s, %s, %s, %s\nrounds: "+
			"%q\nconditions: %+v",
			got.Situation, got.LifecycleState, got.JobManagerDeploymentStatus, got.JobStatus.State, situation, lifecycle, jm,
			job, w.Log, got.Conditions)
	}
}

// Touches reports whether a plan does anything but wake the clock.
func Touches(p plan.Plan) bool {
	for _, a := range p.Effects() {
		if a != (plan.WakeClock{}) {
			return true
		}
	}
	return false
}
