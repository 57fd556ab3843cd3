package deployment_test

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/drawing"
)

// reactive is one in reactive mode, too, with two TaskManagers.
func reactive(spec string) string {
	spec = strings.Replace(spec, `"flinkConfiguration":{`, `"flinkConfiguration":{"scheduler-mode":"reactive",`, 1)
	return strings.Replace(enginetest.Standalone(spec), `"taskManager":{`, `"taskManager":{"replicas":2,`, 1)
}

func replicas(n int32) func(*v1beta1.FlinkDeploymentSpec) {
	return func(s *v1beta1.FlinkDeploymentSpec) { s.TaskManager.Replicas = &n }
}

// taskManagers is how many TaskManagers the world's Deployment of them has; -1 without one.
func taskManagers(w *enginetest.Deployment) int32 {
	if tm, there := w.Snapshot.TaskManagerDeployment.Get(); there {
		return tm.Replicas
	}
	return -1
}

// TestAStandaloneClusterStarts with both Deployments: the start is released once both are there.
func TestAStandaloneClusterStarts(t *testing.T) {
	for name, spec := range map[string]string{
		"an application": enginetest.Standalone(enginetest.Application),
		"a session":      enginetest.Standalone(enginetest.Session),
	} {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewDeployment(t, spec)
			w.Round()
			if p := w.Round(); !strings.Contains(p.String(), "prepare start") || taskManagers(w) != 0 || w.Released {
				t.Fatalf("%s, %d TaskManagers, released %t", p, taskManagers(w), w.Released)
			}
			w.Snapshot.Companions = plan.Present(deployment.Open(w.Snapshot).ExpectedCompanions()[:1])
			if p := w.Round(); w.Released {
				t.Fatalf("released before all is there: %s", p)
			}
			w.Snapshot.Companions = plan.Observed[[]cluster.Companion]{}
			if w.Run(); !w.Released || taskManagers(w) != 1 {
				t.Errorf("released %t, %d TaskManagers; rounds %q", w.Released, taskManagers(w), w.Log)
			}
		})
	}
}

// TestAReactiveClusterIsScaled without a restart, an application's and a session's; any other is upgraded.
func TestAReactiveClusterIsScaled(t *testing.T) {
	fixed := strings.Replace(reactive(enginetest.Application), `"scheduler-mode":"reactive",`, ``, 1)
	rows := map[string]struct {
		spec   string
		edit   func(*v1beta1.FlinkDeploymentSpec)
		want   int32
		goesOn bool
	}{
		"more":  {reactive(enginetest.Application), replicas(5), 5, true},
		"fewer": {reactive(enginetest.Application), replicas(1), 1, true},
		"by parallelism": {
			strings.Replace(reactive(enginetest.Application), `"replicas":2,`, ``, 1),
			func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 8 }, 4, true,
		},
		"with another image": {reactive(enginetest.Application), func(s *v1beta1.FlinkDeploymentSpec) {
			replicas(5)(s)
			enginetest.UpgradeImage(s)
		}, 2, false},
		"not reactive": {fixed, replicas(5), 2, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, row.spec)
			id := w.Status().JobStatus.JobID
			w.Edit(row.edit)
			w.Run()
			if stops := w.Status().Intent != nil; stops == row.goesOn || taskManagers(w) != row.want {
				t.Fatalf("stops %t, %d TaskManagers; rounds %q", stops, taskManagers(w), w.Log)
			}
			if !row.goesOn {
				return
			}
			w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
			s := w.Status()
			if s.JobStatus.JobID != id || s.TaskManager.Replicas != row.want || s.ObservedGeneration != 2 ||
				w.Told("SpecChanged") != 1 {
				t.Errorf("%+v, told %d times", s, w.Told("SpecChanged"))
			}
			if p := w.Round(); !p.IsQuiet() {
				t.Errorf("it is done, and then: %s", p)
			}
		})
	}
}

func TestTaskManagersAreKeptAsDrawn(t *testing.T) {
	fixed := strings.Replace(reactive(enginetest.Application), `"scheduler-mode":"reactive",`, ``, 1)
	hand := func(w *enginetest.Deployment) {
		tm, _ := w.Snapshot.TaskManagerDeployment.Get()
		tm.Replicas = 7
		w.Snapshot.TaskManagerDeployment = plan.Present(tm)
	}
	gone := func(w *enginetest.Deployment) {
		w.Snapshot.TaskManagerDeployment = plan.Absent[cluster.TaskManagerDeployment]()
	}
	restarts := func(after func(w *enginetest.Deployment)) func(w *enginetest.Deployment) {
		return func(w *enginetest.Deployment) {
			after(w)
			w.ServeJob(v1beta1.FlinkJobRestarting)
			w.Run()
			w.Run()
			w.ServeJob(v1beta1.FlinkJobRunning)
		}
	}
	rows := map[string]struct {
		row  string
		spec string
		then func(w *enginetest.Deployment)
		want int32
	}{
		"they cannot be read": {"W1", reactive(enginetest.Application), func(w *enginetest.Deployment) {
			w.Snapshot.TaskManagerDeployment = plan.Unknown[cluster.TaskManagerDeployment]("forbidden")
		}, -1},
		"deleted by hand":               {"W2", reactive(enginetest.Application), gone, 2},
		"deleted by hand, not reactive": {"W2", fixed, restarts(gone), 2},
		"scaled by hand":                {"W3", reactive(enginetest.Application), hand, 2},
		"scaled by hand, not reactive":  {"W3", fixed, restarts(hand), 2},
		"as they are":                   {"W4", reactive(enginetest.Application), func(*enginetest.Deployment) {}, 2},
	}
	drawn := drawing.Read(t, "../cluster/upkeep/taskmanagers.go", "TaskManagers")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, row.spec)
			row.then(w)
			w.Run()
			if taskManagers(w) != row.want || w.Status().Situation != string(plan.Steady) {
				t.Errorf("%d TaskManagers, want %d; %s; rounds %q", taskManagers(w), row.want, w.Status().Situation, w.Log)
			}
			if again := w.Told("TaskManagersMissing"); (again == 1) != (row.row == "W2") {
				t.Errorf("told %d times", again)
			}
		})
	}
	if err := drawn.Shown("TaskManagers", shown...); err != nil {
		t.Error(err)
	}
}

// What has had its time is rolled back, whatever is known of its TaskManagers: they are not made again first.
func TestAStandaloneClusterIsRolledBackWithoutItsTaskManagers(t *testing.T) {
	for name, seen := range map[string]plan.Observed[cluster.TaskManagerDeployment]{
		"they are gone":       plan.Absent[cluster.TaskManagerDeployment](),
		"they cannot be read": plan.Unknown[cluster.TaskManagerDeployment]("forbidden"),
	} {
		w := enginetest.Failing(t, enginetest.Standalone(enginetest.RollingBack))
		w.Snapshot.Now = w.Snapshot.Now.Add(7 * time.Minute)
		w.ReleasedAt(w.Snapshot.Now.Add(-6 * time.Minute))
		w.Snapshot.TaskManagerDeployment = seen
		if p := w.Round(); p.Rule != "rollBack" || p.IsQuiet() {
			t.Errorf("%s: %s by rule %s, want a rollback", name, p, p.Rule)
		}
	}
}

// TestASuspendedStandaloneClusterGoes: its TaskManagers would run for nothing.
func TestASuspendedStandaloneClusterGoes(t *testing.T) {
	for name, spec := range map[string]string{
		"without high availability": enginetest.Standalone(enginetest.Stateful),
		"with it":                   enginetest.Standalone(enginetest.SavesHighlyAvailable),
	} {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, spec)
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended })
			w.Run()
			w.ServeJob(v1beta1.FlinkJobFinished)
			w.Snapshot.Flink.Stop = plan.Present(world.StopProgress{State: world.StopCompleted, Path: "s3://s/1"})
			w.Rules()
			if jm, _ := w.Snapshot.JobManager.Get(); jm == nil || jm.DeletionTimestamp == nil {
				t.Errorf("the cluster stays: %+v; rounds %q", jm, w.Log)
			}
		})
	}
}

// A Deployment whose job has ended, or is suspended, is deleted when its controllers make no more pods of it. ADR 71.
func TestTheClusterOfAnEndedJobIsRetiredFirst(t *testing.T) {
	suspend := func(w *enginetest.Deployment) {
		w.Edit(enginetest.Suspends)
		w.Run()
		w.StopWith(world.StopProgress{State: world.StopCompleted, Path: "s3://s/1"})
	}
	finish := func(w *enginetest.Deployment) {
		w.ServeJob(v1beta1.FlinkJobFinished)
		w.Run()
		w.Snapshot.Now = w.Snapshot.Now.Add(time.Hour)
	}
	rows := map[string]struct {
		spec      string
		ends      func(w *enginetest.Deployment)
		situation plan.Situation
	}{
		"suspended, standalone":           {enginetest.Standalone(enginetest.Stateful), suspend, plan.Suspended},
		"finished long ago":               {enginetest.Ttl(enginetest.Stateful), finish, plan.Ended},
		"finished long ago, a standalone": {enginetest.Standalone(enginetest.Ttl(enginetest.Stateful)), finish, plan.Ended},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, row.spec)
			row.ends(w)
			w.Snapshot.ReplicaSets = plan.Unknown[[]cluster.ReplicaSet](
				"time-out",
			) // as long as a reason is set, nothing fills it in
			w.Rules()
			jm := w.Deployment()
			if jm.DeletionTimestamp != nil || *jm.Spec.Replicas != 0 {
				t.Fatalf("replicas %d, deleted %v; rounds %q", *jm.Spec.Replicas, jm.DeletionTimestamp, w.Log)
			}
			w.Snapshot.ReplicaSets = plan.Observed[[]cluster.ReplicaSet]{}
			w.Rules()
			if jm := w.Deployment(); jm.DeletionTimestamp == nil || w.Status().Situation != string(row.situation) {
				t.Errorf("deleted %v, it is said to be %s; rounds %q", jm.DeletionTimestamp, w.Status().Situation, w.Log)
			}
		})
	}
}

// TestALostStandaloneClusterIsRecovered once the TaskManagers of the lost one have ended.
func TestALostStandaloneClusterIsRecovered(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Standalone(enginetest.Application))
	w.Lose()
	w.Snapshot.TaskManagers = plan.Present([]corev1.Pod{{}})
	w.Run()
	if w.Snapshot.JobManager.IsPresent() {
		t.Fatalf("started beside a TaskManager; rounds %q", w.Log)
	}
	w.Snapshot.TaskManagers = plan.Present([]corev1.Pod{})
	w.Snapshot.TaskManagerDeployment = plan.Absent[cluster.TaskManagerDeployment]()
	w.Run()
	if !w.Snapshot.JobManager.IsPresent() || taskManagers(w) != 1 {
		t.Errorf("%d TaskManagers; rounds %q", taskManagers(w), w.Log)
	}
}

// TestATakenOverStandaloneClusterIsChanged as any other: what the Java operator made goes, the JobManager first.
func TestATakenOverStandaloneClusterIsChanged(t *testing.T) {
	w := enginetest.TakeOver(t, enginetest.Standalone(enginetest.Application),
		enginetest.Deployed(enginetest.LegacyRecord(t, enginetest.Standalone(enginetest.Application), nil, true)), 1).
		FlinkSays(v1beta1.FlinkJobRunning)
	w.Snapshot.TaskManagerDeployment = plan.Present(cluster.TaskManagerDeployment{
		ObjectVersion: plan.ObjectVersion{Name: "demo-taskmanager", UID: "tm", ResourceVersion: "7"}, Replicas: 1,
	})
	w.Run()
	w.Edit(enginetest.UpgradeImage)
	for range 8 {
		p := w.Round()
		jm, present := w.Snapshot.JobManager.Get()
		if strings.Contains(p.String(), "delete cluster demo-taskmanager (tm)") {
			if present {
				t.Fatalf("the TaskManagers go before the JobManager; rounds %q", w.Log)
			}
			w.Snapshot.TaskManagerDeployment = plan.Absent[cluster.TaskManagerDeployment]()
		}
		if present && jm.DeletionTimestamp != nil {
			w.Snapshot.JobManager, w.Snapshot.Pods = plan.Absent[*appsv1.Deployment](), plan.Observed[[]corev1.Pod]{}
		}
	}
	if tm, there := w.Snapshot.TaskManagerDeployment.Get(); !there || tm.UID == "tm" ||
		!w.Snapshot.JobManager.IsPresent() {
		t.Errorf("%+v; rounds %q", tm, w.Log)
	}
}
