package deployment

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
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
	"github.com/kn-flink/kn-flink/test/purity"
)

var start = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// fixture is a cluster small enough for pure tests: it carries plans out on a snapshot, as apply and Kubernetes would,
// without pods of its own accord. Tests say what becomes of the Deployment.
type fixture struct {
	t        *testing.T
	s        cluster.Snapshot
	version  int
	uids     int
	released bool
	gone     bool
	events   []plan.Event
	log      []string
}

const (
	application = `{"image":"flink:1.20","flinkVersion":"v1_20","serviceAccount":"flink",
		"flinkConfiguration":{"taskmanager.numberOfTaskSlots":"2"},
"jobManager":{"resource":{"memory":"1024m","cpu":0.5}},"taskManager":{"resource":{"memory":"1024m","cpu":0.5}},
"job":{"jarURI":"local:///opt/flink/examples/streaming/StateMachineExample.jar","parallelism":2,"upgradeMode":"stateless"}}`
	session = `{"image":"flink:1.20","flinkVersion":"v1_20","serviceAccount":"flink",
"jobManager":{"resource":{"memory":"1024m","cpu":0.5}},"taskManager":{"resource":{"memory":"1024m","cpu":0.5}}}`
)

func newWorld(t *testing.T, spec string) *fixture {
	t.Helper()
	w := &fixture{t: t, version: 1}
	r := &v1beta1.FlinkDeployment{}
	r.APIVersion, r.Kind = v1beta1.APIVersion, v1beta1.KindFlinkDeployment
	r.Namespace, r.Name, r.UID, r.Generation, r.ResourceVersion = "default", "demo", "uid-of-demo", 1, "1"
	w.s = cluster.Snapshot{
		Seen: world.Seen{
			Now: start, Operator: flinkconf.NewOperator(nil), Resource: r, Autoscaled: plan.Absent[autoscaled.Store](),
		},
		Objects: cluster.Objects{JobManager: plan.Absent[*appsv1.Deployment]()},
	}
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) {
		if err := json.Unmarshal([]byte(spec), s); err != nil {
			t.Fatal(err)
		}
	})
	r.Generation = 1
	return w
}

// edit changes the spec, as a user would.
func (w *fixture) edit(change func(*v1beta1.FlinkDeploymentSpec)) {
	change(&w.s.Resource.Spec)
	w.s.Resource.Generation++
	w.bump()
}

func (w *fixture) bump() {
	w.version++
	w.s.Resource.ResourceVersion = fmt.Sprint(w.version)
}

// round makes one plan and carries it out.
func (w *fixture) round() plan.Plan {
	w.t.Helper()
	w.look()
	w.s.Recorded = world.ReadRecorded(w.s.Resource) // as looks share it
	p, err := purity.Decide(w.s.Resource, func() plan.Plan { return Make(w.s) })
	if err != nil {
		w.t.Fatal(err)
	}
	w.s.Recorded = nil
	for _, a := range p.Actions {
		w.do(a)
	}
	if status, ok := p.Status.(*v1beta1.FlinkDeploymentStatus); ok {
		w.store(status)
	}
	for _, a := range p.Finish {
		w.do(a)
	}
	w.events = append(w.events, p.Events...)
	w.log = append(w.log, p.String())
	return p
}

// run makes rounds until a plan asks for no other.
func (w *fixture) run() plan.Plan {
	w.t.Helper()
	for range 10 {
		if p := w.round(); p.Requeue != plan.RequeueNow {
			return p
		}
	}
	w.t.Fatalf("no rest after: %q", w.log)
	return plan.Plan{}
}

// look fills in what the snapshot asks for beyond what tests set themselves.
func (w *fixture) look() {
	q := Open(w.s).First()
	if q.Pods && w.s.Pods.IsUnknown() && w.s.Pods.Why() == "" {
		w.s.Pods = plan.Present([]corev1.Pod{})
	}
	if q.TaskManagers && w.s.TaskManagers.IsUnknown() && w.s.TaskManagers.Why() == "" {
		w.s.TaskManagers = plan.Present([]corev1.Pod{})
	}
	if q.HAData && w.s.HAData.IsUnknown() && w.s.HAData.Why() == "" {
		w.s.HAData = plan.Present([]hadata.ConfigMap{})
	}
	if q.HANodes != nil && w.s.HANodes.IsUnknown() && w.s.HANodes.Why() == "" {
		w.s.HANodes = plan.Absent[znode.Tree]()
	}
	if q.SessionJobs && w.s.SessionJobs.IsUnknown() && w.s.SessionJobs.Why() == "" {
		w.s.SessionJobs = plan.Present([]cluster.SessionJob{})
	}
	if q.TaskManagerDeployment && w.s.TaskManagerDeployment.IsUnknown() && w.s.TaskManagerDeployment.Why() == "" {
		w.s.TaskManagerDeployment = plan.Absent[cluster.TaskManagerDeployment]()
	}
	if q.ReplicaSets && w.s.ReplicaSets.Why() == "" { // their controllers are quick
		sets := []cluster.ReplicaSet{}
		if w.s.JobManager.IsPresent() {
			sets = append(sets, cluster.ReplicaSet{Name: "demo-1", Deployment: cluster.New(w.s).Incarnation(), Seen: true})
		}
		if tm, there := w.s.TaskManagerDeployment.Get(); there {
			sets = append(sets, cluster.ReplicaSet{Name: "demo-taskmanager-1", Deployment: tm.UID, Seen: true})
		}
		w.s.ReplicaSets = plan.Present(sets)
	}
	if q.Companions && w.s.Companions.IsUnknown() && w.s.Companions.Why() == "" {
		w.s.Companions = plan.Present(Open(w.s).ExpectedCompanions())
	}
	if Open(w.s).Readers() != nil && w.s.Readers.IsUnknown() && w.s.Readers.Why() == "" {
		w.s.Readers = plan.Present(snapshots.Readers{})
	}
}

func (w *fixture) store(status *v1beta1.FlinkDeploymentStatus) {
	w.s.Resource.Status = *status.DeepCopy()
	w.bump()
}

func (w *fixture) do(action plan.Action) {
	switch a := action.(type) {
	case plan.Record:
		w.store(a.Status.(*v1beta1.FlinkDeploymentStatus))
	case plan.AddFinalizer:
		w.s.Resource.Finalizers = append(w.s.Resource.Finalizers, a.Finalizer)
		w.bump()
	case plan.RemoveFinalizer:
		w.s.Resource.Finalizers, w.gone = nil, true
	case plan.MakeTaskManagers:
		w.do(plan.PrepareStart(a))
	case plan.PrepareStart:
		if tm := a.Cluster.TaskManager; tm != nil {
			w.s.TaskManagerDeployment = plan.Present(cluster.TaskManagerDeployment{
				ObjectVersion: plan.ObjectVersion{Name: tm.Name, UID: "tm-of-" + types.UID(a.Operation)},
			})
		}
		if w.s.JobManager.IsPresent() {
			return
		}
		w.uids++
		jm := a.Cluster.JobManager.DeepCopy()
		none := int32(0)
		jm.UID, jm.Spec.Replicas, jm.CreationTimestamp = types.UID(fmt.Sprintf("jm-%d", w.uids)), &none,
			metav1.NewTime(w.s.Now)
		w.s.JobManager, w.s.Pods = plan.Present(jm), plan.Observed[[]corev1.Pod]{}
	case plan.Release:
		jm, ok := w.s.JobManager.Get()
		if !ok || jm.UID != a.UID {
			w.t.Fatalf("release of %s, which is not there", a.UID)
		}
		jm = jm.DeepCopy()
		jm.Spec.Replicas = &a.Replicas
		metav1.SetMetaDataAnnotation(&jm.ObjectMeta, v1beta1.AnnotationReleased, a.At.Format(time.RFC3339))
		w.s.JobManager, w.released = plan.Present(jm), true
		w.s.Pods, w.s.TaskManagers = plan.Observed[[]corev1.Pod]{}, plan.Observed[[]corev1.Pod]{} // others, from now on
	case plan.DeleteCluster:
		if tm, ok := w.s.TaskManagerDeployment.Get(); ok && tm.Name == a.Name {
			if tm.UID != "tm" { // else the test says what becomes of it
				w.s.TaskManagerDeployment = plan.Absent[cluster.TaskManagerDeployment]()
			}
			return
		}
		jm, ok := w.s.JobManager.Get()
		if !ok || jm.UID != a.UID {
			w.t.Fatalf("deletion of %s, which is not there", a.UID)
		}
		jm = jm.DeepCopy()
		now := metav1.NewTime(w.s.Now)
		jm.DeletionTimestamp = &now
		w.s.JobManager, w.s.Flink = plan.Present(jm), world.Flink{}
	case plan.KeepAutoscaled:
		w.s.Autoscaled = plan.Present(autoscaled.Store{Data: a.Data})
	case plan.Retire:
		jm, ok := w.s.JobManager.Get()
		if !ok || jm.UID != a.UID {
			w.t.Fatalf("retirement of %s, which is not there", a.UID)
		}
		jm = jm.DeepCopy()
		none := int32(0)
		jm.Spec.Replicas, jm.Status = &none, appsv1.DeploymentStatus{}
		delete(jm.Annotations, v1beta1.AnnotationOperation)
		w.s.JobManager, w.s.Flink = plan.Present(jm), world.Flink{}
	case plan.ScaleTaskManagers:
		tm, there := w.s.TaskManagerDeployment.Get()
		if !there || tm.UID != a.UID {
			w.t.Fatalf("scale of %s, which is not there", a.UID)
		}
		tm.Replicas = a.Replicas
		w.s.TaskManagerDeployment = plan.Present(tm)
	case plan.DeleteHAData:
		w.s.HAData, w.s.HANodes = plan.Present([]hadata.ConfigMap{}), plan.Absent[znode.Tree]()
	}
}

// terminate lets the Deployment that is being deleted go.
func (w *fixture) terminate() {
	w.s.JobManager, w.s.Pods, w.s.Companions = plan.Absent[*appsv1.Deployment](), plan.Observed[[]corev1.Pod]{},
		plan.Observed[[]cluster.Companion]{}
	if w.s.TaskManagerDeployment.IsPresent() { // the garbage collector takes it
		w.s.TaskManagerDeployment = plan.Absent[cluster.TaskManagerDeployment]()
	}
}

// serveJob makes the JobManager available and Flink answer with the job in a state.
func (w *fixture) serveJob(state v1beta1.FlinkJobState) {
	jm, _ := w.s.JobManager.Get()
	jm = jm.DeepCopy()
	jm.Status.Replicas, jm.Status.AvailableReplicas = 1, 1
	w.s.JobManager = plan.Present(jm)
	w.s.Flink = world.Flink{
		Jobs: plan.Present([]world.Job{
			{
				ID: w.s.Resource.Status.JobStatus.JobID, Name: "demo", State: state, StartTime: "1700000000000", Tasks: 4,
				Running: 4,
			},
		}),
		Facts:     plan.Present(world.ClusterFacts{Version: "1.20.5", Revision: "abc", TaskManagers: 1}),
		Retention: plan.Present(upgrade.Retention{Cancelled: true, Failed: true, Periodic: true}),
	}
	if state.IsTerminal() {
		w.s.Flink.Checkpoints = plan.Absent[world.Checkpoints]()
	}
}

func (w *fixture) status() v1beta1.FlinkDeploymentStatus { return w.s.Resource.Status }

// want fails the test when the status tells something else.
func (w *fixture) want(
	situation plan.Situation, lifecycle v1beta1.LifecycleState, jm v1beta1.JobManagerDeploymentStatus,
	job v1beta1.FlinkJobState,
) {
	w.t.Helper()
	got := w.status()
	if got.Situation != string(situation) || got.LifecycleState != lifecycle || got.JobManagerDeploymentStatus != jm ||
		got.JobStatus.State != job {
		w.t.Errorf("situation, lifecycle, JobManager, job are %s, %s, %s, %s; want %s, %s, %s, %s\nrounds: "+
			"%q\nconditions: %+v",
			got.Situation, got.LifecycleState, got.JobManagerDeploymentStatus, got.JobStatus.State, situation, lifecycle, jm,
			job, w.log, got.Conditions)
	}
}

// touches reports whether a plan does anything but wake the clock.
func touches(p plan.Plan) bool {
	for _, a := range p.Effects() {
		if a != (plan.WakeClock{}) {
			return true
		}
	}
	return false
}
