package deployment

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/drawing"
)

// standalone is a spec in standalone mode.
func standalone(spec string) string {
	return strings.Replace(spec, `"image":`, `"mode":"standalone","image":`, 1)
}

// reactive is one in reactive mode, too, with two TaskManagers.
func reactive(spec string) string {
	spec = strings.Replace(spec, `"flinkConfiguration":{`, `"flinkConfiguration":{"scheduler-mode":"reactive",`, 1)
	return strings.Replace(standalone(spec), `"taskManager":{`, `"taskManager":{"replicas":2,`, 1)
}

func replicas(n int32) func(*v1beta1.FlinkDeploymentSpec) {
	return func(s *v1beta1.FlinkDeploymentSpec) { s.TaskManager.Replicas = &n }
}

// taskManagers is how many TaskManagers the world's Deployment of them has; -1 without one.
func (w *fixture) taskManagers() int32 {
	if tm, there := w.s.TaskManagerDeployment.Get(); there {
		return tm.Replicas
	}
	return -1
}

// TestAStandaloneClusterStarts with both Deployments: the start is released once both are there.
func TestAStandaloneClusterStarts(t *testing.T) {
	for name, spec := range map[string]string{
		"an application": standalone(application), "a session": standalone(session),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, spec)
			w.round()
			if p := w.round(); !strings.Contains(p.String(), "prepare start") || w.taskManagers() != 0 || w.released {
				t.Fatalf("%s, %d TaskManagers, released %t", p, w.taskManagers(), w.released)
			}
			w.s.Companions = plan.Present(Open(w.s).ExpectedCompanions()[:1])
			if p := w.round(); w.released {
				t.Fatalf("released before all is there: %s", p)
			}
			w.s.Companions = plan.Observed[[]cluster.Companion]{}
			if w.run(); !w.released || w.taskManagers() != 1 {
				t.Errorf("released %t, %d TaskManagers; rounds %q", w.released, w.taskManagers(), w.log)
			}
		})
	}
}

// TestAReactiveClusterIsScaled without a restart, an application's and a session's; any other is upgraded.
func TestAReactiveClusterIsScaled(t *testing.T) {
	fixed := strings.Replace(reactive(application), `"scheduler-mode":"reactive",`, ``, 1)
	rows := map[string]struct {
		spec   string
		edit   func(*v1beta1.FlinkDeploymentSpec)
		want   int32
		goesOn bool
	}{
		"more":  {reactive(application), replicas(5), 5, true},
		"fewer": {reactive(application), replicas(1), 1, true},
		"by parallelism": {
			strings.Replace(reactive(application), `"replicas":2,`, ``, 1),
			func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 8 }, 4, true,
		},
		"with another image": {reactive(application), func(s *v1beta1.FlinkDeploymentSpec) {
			replicas(5)(s)
			upgradeImage(s)
		}, 2, false},
		"not reactive": {fixed, replicas(5), 2, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, row.spec)
			id := w.status().JobStatus.JobID
			w.edit(row.edit)
			w.run()
			if stops := w.status().Intent != nil; stops == row.goesOn || w.taskManagers() != row.want {
				t.Fatalf("stops %t, %d TaskManagers; rounds %q", stops, w.taskManagers(), w.log)
			}
			if !row.goesOn {
				return
			}
			w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
			s := w.status()
			if s.JobStatus.JobID != id || s.TaskManager.Replicas != row.want || s.ObservedGeneration != 2 ||
				w.told("SpecChanged") != 1 {
				t.Errorf("%+v, told %d times", s, w.told("SpecChanged"))
			}
			if p := w.round(); !p.IsQuiet() {
				t.Errorf("it is done, and then: %s", p)
			}
		})
	}
}

func TestTaskManagersAreKeptAsDrawn(t *testing.T) {
	fixed := strings.Replace(reactive(application), `"scheduler-mode":"reactive",`, ``, 1)
	hand := func(w *fixture) {
		tm, _ := w.s.TaskManagerDeployment.Get()
		tm.Replicas = 7
		w.s.TaskManagerDeployment = plan.Present(tm)
	}
	gone := func(w *fixture) { w.s.TaskManagerDeployment = plan.Absent[cluster.TaskManagerDeployment]() }
	restarts := func(after func(w *fixture)) func(w *fixture) {
		return func(w *fixture) {
			after(w)
			w.serveJob(v1beta1.FlinkJobRestarting)
			w.run()
			w.run()
			w.serveJob(v1beta1.FlinkJobRunning)
		}
	}
	rows := map[string]struct {
		row  string
		spec string
		then func(w *fixture)
		want int32
	}{
		"they cannot be read": {"W1", reactive(application), func(w *fixture) {
			w.s.TaskManagerDeployment = plan.Unknown[cluster.TaskManagerDeployment]("forbidden")
		}, -1},
		"deleted by hand":               {"W2", reactive(application), gone, 2},
		"deleted by hand, not reactive": {"W2", fixed, restarts(gone), 2},
		"scaled by hand":                {"W3", reactive(application), hand, 2},
		"scaled by hand, not reactive":  {"W3", fixed, restarts(hand), 2},
		"as they are":                   {"W4", reactive(application), func(*fixture) {}, 2},
	}
	drawn := drawing.Read(t, "../cluster/upkeep/taskmanagers.go", "TaskManagers")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			w := stable(t, row.spec)
			row.then(w)
			w.run()
			if w.taskManagers() != row.want || w.status().Situation != string(plan.Steady) {
				t.Errorf("%d TaskManagers, want %d; %s; rounds %q", w.taskManagers(), row.want, w.status().Situation, w.log)
			}
			if again := w.told("TaskManagersMissing"); (again == 1) != (row.row == "W2") {
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
		w := failing(t, standalone(rollingBack))
		w.s.Now = w.s.Now.Add(7 * time.Minute)
		w.releasedAt(w.s.Now.Add(-6 * time.Minute))
		w.s.TaskManagerDeployment = seen
		if p := w.round(); p.Rule != "rollBack" || p.IsQuiet() {
			t.Errorf("%s: %s by rule %s, want a rollback", name, p, p.Rule)
		}
	}
}

// TestASuspendedStandaloneClusterGoes: its TaskManagers would run for nothing.
func TestASuspendedStandaloneClusterGoes(t *testing.T) {
	for name, spec := range map[string]string{
		"without high availability": standalone(stateful), "with it": standalone(savesHighlyAvailable),
	} {
		t.Run(name, func(t *testing.T) {
			w := stable(t, spec)
			w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended })
			w.run()
			w.serveJob(v1beta1.FlinkJobFinished)
			w.s.Flink.Stop = plan.Present(world.StopProgress{State: world.StopCompleted, Path: "s3://s/1"})
			w.rules()
			if jm, _ := w.s.JobManager.Get(); jm == nil || jm.DeletionTimestamp == nil {
				t.Errorf("the cluster stays: %+v; rounds %q", jm, w.log)
			}
		})
	}
}

// A Deployment whose job has ended, or is suspended, is deleted when its controllers make no more pods of it. ADR 71.
func TestTheClusterOfAnEndedJobIsRetiredFirst(t *testing.T) {
	suspend := func(w *fixture) {
		w.edit(suspends)
		w.run()
		w.stopWith(world.StopProgress{State: world.StopCompleted, Path: "s3://s/1"})
	}
	finish := func(w *fixture) {
		w.serveJob(v1beta1.FlinkJobFinished)
		w.run()
		w.s.Now = w.s.Now.Add(time.Hour)
	}
	rows := map[string]struct {
		spec      string
		ends      func(w *fixture)
		situation plan.Situation
	}{
		"suspended, standalone":           {standalone(stateful), suspend, plan.Suspended},
		"finished long ago":               {ttl(stateful), finish, plan.Ended},
		"finished long ago, a standalone": {standalone(ttl(stateful)), finish, plan.Ended},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, row.spec)
			row.ends(w)
			w.s.ReplicaSets = plan.Unknown[[]cluster.ReplicaSet]("time-out") // as long as a reason is set, nothing fills it in
			w.rules()
			jm := w.deployment()
			if jm.DeletionTimestamp != nil || *jm.Spec.Replicas != 0 {
				t.Fatalf("replicas %d, deleted %v; rounds %q", *jm.Spec.Replicas, jm.DeletionTimestamp, w.log)
			}
			w.s.ReplicaSets = plan.Observed[[]cluster.ReplicaSet]{}
			w.rules()
			if jm := w.deployment(); jm.DeletionTimestamp == nil || w.status().Situation != string(row.situation) {
				t.Errorf("deleted %v, it is said to be %s; rounds %q", jm.DeletionTimestamp, w.status().Situation, w.log)
			}
		})
	}
}

// TestALostStandaloneClusterIsRecovered once the TaskManagers of the lost one have ended.
func TestALostStandaloneClusterIsRecovered(t *testing.T) {
	w := stable(t, standalone(application))
	w.lose()
	w.s.TaskManagers = plan.Present([]corev1.Pod{{}})
	w.run()
	if w.s.JobManager.IsPresent() {
		t.Fatalf("started beside a TaskManager; rounds %q", w.log)
	}
	w.s.TaskManagers = plan.Present([]corev1.Pod{})
	w.s.TaskManagerDeployment = plan.Absent[cluster.TaskManagerDeployment]()
	w.run()
	if !w.s.JobManager.IsPresent() || w.taskManagers() != 1 {
		t.Errorf("%d TaskManagers; rounds %q", w.taskManagers(), w.log)
	}
}

// TestATakenOverStandaloneClusterIsChanged as any other: what the Java operator made goes, the JobManager first.
func TestATakenOverStandaloneClusterIsChanged(t *testing.T) {
	w := takeOver(t, standalone(application), deployed(legacyRecord(t, standalone(application), nil, true)), 1).
		flinkSays(v1beta1.FlinkJobRunning)
	w.s.TaskManagerDeployment = plan.Present(cluster.TaskManagerDeployment{
		ObjectVersion: plan.ObjectVersion{Name: "demo-taskmanager", UID: "tm", ResourceVersion: "7"}, Replicas: 1,
	})
	w.run()
	w.edit(upgradeImage)
	for range 8 {
		p := w.round()
		jm, present := w.s.JobManager.Get()
		if strings.Contains(p.String(), "delete cluster demo-taskmanager (tm)") {
			if present {
				t.Fatalf("the TaskManagers go before the JobManager; rounds %q", w.log)
			}
			w.s.TaskManagerDeployment = plan.Absent[cluster.TaskManagerDeployment]()
		}
		if present && jm.DeletionTimestamp != nil {
			w.s.JobManager, w.s.Pods = plan.Absent[*appsv1.Deployment](), plan.Observed[[]corev1.Pod]{}
		}
	}
	if tm, there := w.s.TaskManagerDeployment.Get(); !there || tm.UID == "tm" || !w.s.JobManager.IsPresent() {
		t.Errorf("%+v; rounds %q", tm, w.log)
	}
}
