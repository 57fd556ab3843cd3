package deployment

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

func (w *fixture) delete() {
	now := metav1.NewTime(w.s.Now)
	w.s.Resource.DeletionTimestamp = &now
	w.bump()
}

// savesFirst is a job that is to take a savepoint before its deletion.
var savesFirst = with(stateful, `"flinkConfiguration":{`,
	`"flinkConfiguration":{"kubernetes.operator.job.savepoint-on-deletion":"true",`)

// collects lets somebody else delete the Deployment, as the garbage collector does.
func (w *fixture) collects() {
	jm, _ := w.s.JobManager.Get()
	jm = jm.DeepCopy()
	now := metav1.NewTime(w.s.Now)
	jm.DeletionTimestamp = &now
	w.s.JobManager = plan.Present(jm)
}

// TestDeletionEndsInEveryState deletes a resource at every point of its life.
func TestDeletionEndsInEveryState(t *testing.T) {
	rows := map[string]func(t *testing.T) *fixture{
		"never looked at":    func(t *testing.T) *fixture { return newWorld(t, application) },
		"with the finalizer": func(t *testing.T) *fixture { w := newWorld(t, application); w.round(); return w },
		"prepared":           func(t *testing.T) *fixture { w := newWorld(t, application); w.round(); w.round(); return w },
		"released":           func(t *testing.T) *fixture { w := newWorld(t, application); w.run(); return w },
		"stable":             func(t *testing.T) *fixture { return stable(t, application) },
		"stable, stateful":   func(t *testing.T) *fixture { return stable(t, stateful) },
		"a session cluster": func(t *testing.T) *fixture {
			w := stable(t, session)
			w.s.Flink.Jobs = plan.Present([]world.Job{})
			return w
		},
		"upgrading, stopping": func(t *testing.T) *fixture {
			w := stable(t, application)
			w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 4 })
			w.run()
			return w
		},
		"upgrading, stopped": func(t *testing.T) *fixture {
			w := stable(t, application)
			w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 4 })
			w.run()
			w.terminate()
			return w
		},
		"suspended": func(t *testing.T) *fixture {
			w := stable(t, application)
			w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended })
			w.run()
			w.terminate()
			w.run()
			return w
		},
		"failed": func(t *testing.T) *fixture {
			w := stable(t, application)
			w.serveJob(v1beta1.FlinkJobFailed)
			w.run()
			return w
		},
		"lost": func(t *testing.T) *fixture { w := stable(t, stateful); w.lose(); w.run(); return w },
		"Flink does not respond": func(t *testing.T) *fixture {
			w := stable(t, application)
			w.s.Flink = world.Flink{Jobs: plan.Unknown[[]world.Job]("refused")}
			return w
		},
		"an invalid spec": func(t *testing.T) *fixture {
			w := stable(t, application)
			w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 0 })
			w.run()
			return w
		},
		"a spec nobody can read": func(t *testing.T) *fixture {
			w := stable(t, application)
			w.s.SpecProblem = "spec.job: not an object"
			w.s.Resource.Spec = v1beta1.FlinkDeploymentSpec{}
			return w
		},
		"a status nobody can read": func(t *testing.T) *fixture {
			w := stable(t, application)
			w.s.Resource.Status.ReconciliationStatus.LastReconciledSpec = "{"
			return w
		},
		"somebody else's intent": func(t *testing.T) *fixture {
			w := stable(t, application)
			w.s.Resource.Status.Intent = &v1beta1.Intent{OperationID: "x", Step: v1beta1.StepStarting}
			return w
		},
	}
	for name, prepare := range rows {
		t.Run(name, func(t *testing.T) {
			w := prepare(t)
			w.delete()
			for range 4 {
				w.run()
				if jm, ok := w.s.JobManager.Get(); ok && jm.DeletionTimestamp != nil {
					w.terminate()
				}
			}
			if len(w.s.Resource.Finalizers) > 0 || w.s.JobManager.IsPresent() {
				t.Errorf(
					"finalizers %v, Deployment %t after %q; conditions %+v", w.s.Resource.Finalizers, w.s.JobManager.IsPresent(),
					w.log, w.status().Conditions,
				)
			}
		})
	}
}

func TestDeletionWaitsForWhatItCannotSee(t *testing.T) {
	w := stable(t, application)
	w.delete()
	w.s.JobManager = plan.Unknown[*appsv1.Deployment]("time-out")
	if p := w.round(); touches(p) || w.status().Situation != string(plan.Unobservable) {
		t.Errorf("nothing may be done on a guess, got %s", p)
	}
	w.s.JobManager = plan.Absent[*appsv1.Deployment]()
	w.s.Pods = plan.Unknown[[]corev1.Pod]("time-out")
	if p := w.round(); touches(p) || w.gone {
		t.Errorf("pods may be left, got %s", p)
	}
	w.s.Pods = plan.Present([]corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Name: "demo-1"}}})
	if w.run(); w.gone {
		t.Error("a pod was left")
	}
	w.s.Pods = plan.Present([]corev1.Pod{})
	if w.run(); !w.gone {
		t.Errorf("nothing is left, rounds %q", w.log)
	}
}

// A TaskManager that outlives its JobManager and its Deployment holds the resource. A cluster of the same name that
// somebody makes next would adopt it by its labels.
func TestADeletionWaitsForATaskManager(t *testing.T) {
	one := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "demo-taskmanager-1-1"}, Spec: corev1.PodSpec{NodeName: "n7"}}
	ended := *one.DeepCopy()
	ended.Status.Phase = corev1.PodSucceeded
	rows := map[string]struct {
		then plan.Observed[[]corev1.Pod]
		gone bool
	}{
		"it has ended":       {plan.Present([]corev1.Pod{ended}), true},
		"it is gone":         {plan.Present([]corev1.Pod{}), true},
		"nobody can look":    {plan.Unknown[[]corev1.Pod]("time-out"), false},
		"it has not, by far": {plan.Present([]corev1.Pod{one}), false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, application)
			w.delete()
			w.run()
			w.terminate()
			w.s.Pods, w.s.TaskManagers = plan.Present([]corev1.Pod{}), plan.Present([]corev1.Pod{one})
			for range 2 {
				p := w.run()
				if w.gone || touches(p) || w.status().LifecycleState != v1beta1.LifecycleDeleting {
					t.Fatalf("gone %t, %s, %s: the TaskManager runs", w.gone, w.status().LifecycleState, p)
				}
				w.s.Now = w.s.Now.Add(time.Minute)
			}
			w.s.Now = w.s.Now.Add(10 * time.Minute)
			w.run()
			if c := w.condition(summary.Stalled); w.gone || !strings.Contains(c.Message, one.Name) {
				t.Errorf("gone %t, Stalled %+v does not name %s", w.gone, c, one.Name)
			}
			w.s.TaskManagers = row.then
			if w.run(); w.gone != row.gone {
				t.Errorf("gone %t, want %t; rounds %q", w.gone, row.gone, w.log)
			}
		})
	}
}

func TestASessionClusterIsHeldByItsJobs(t *testing.T) {
	rows := map[string]struct {
		prepare func(*fixture)
		held    string
		reason  string
	}{
		"a session job": {
			func(w *fixture) { w.s.SessionJobs = plan.Present([]cluster.SessionJob{{Name: "etl"}}) }, "etl",
			"block-on-session-jobs is on by default",
		},
		"a job in it": {func(w *fixture) {
			w.s.Flink.Jobs = plan.Present([]world.Job{{ID: "aa", State: v1beta1.FlinkJobRunning}})
		}, "aa", "block-on-unmanaged-jobs is on by default"},
		"a job that ended": {func(w *fixture) {
			w.s.Flink.Jobs = plan.Present([]world.Job{{ID: "aa", State: v1beta1.FlinkJobFinished}})
		}, "", "it does not run"},
		"session jobs nobody could list": {
			func(w *fixture) {
				w.s.SessionJobs = plan.Unknown[[]cluster.SessionJob]("time-out")
			}, "time-out", "nothing is done on a guess",
		},
		"told not to be held by it": {func(w *fixture) {
			w.s.Flink.Jobs = plan.Present([]world.Job{{ID: "aa", State: v1beta1.FlinkJobRunning}})
			w.s.Resource.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(
				`{"kubernetes.operator.session.deletion.block-on-unmanaged-jobs":"false"}`,
			)
		}, "", "only session jobs hold it then"},
		"told not to be held": {func(w *fixture) {
			w.s.SessionJobs = plan.Present([]cluster.SessionJob{{Name: "etl"}})
			w.s.Resource.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(
				`{"kubernetes.operator.session.deletion.block-on-session-jobs":"false"}`,
			)
		}, "", "the option of the resource as it is now counts"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, session)
			w.s.Flink.Jobs = plan.Present([]world.Job{})
			row.prepare(w)
			w.delete()
			w.run()
			w.run()
			stalled := w.condition(summary.Stalled)
			if held := stalled.Reason == "CleanupBlocked"; held != (row.held != "") ||
				!strings.Contains(stalled.Message, row.held) {
				t.Errorf("Stalled %+v: %s", stalled, row.reason)
			}
			if row.held != "" && w.told("CleanupFailed") != 1 {
				t.Errorf("CleanupFailed was told %d times", w.told("CleanupFailed"))
			}
		})
	}
}

// A session cluster whose JobManager does not answer may have jobs in it: its deletion waits, and ends all the same.
func TestADeletionWaitsForAnAnswer(t *testing.T) {
	w := stable(t, session)
	w.s.Flink.Jobs = plan.Unknown[[]world.Job]("time-out")
	w.delete()
	w.run()
	w.s.Now = w.s.Now.Add(5*time.Minute - time.Second)
	w.run()
	if stalled := w.condition(summary.Stalled); stalled.Reason != "CleanupBlocked" ||
		!strings.Contains(stalled.Message, "its jobs cannot be listed: time-out") {
		t.Errorf("before the clean-up timeout: %+v, %q", stalled, w.log)
	}
	w.s.Now = w.s.Now.Add(time.Second)
	w.run()
	w.terminate()
	if w.run(); !w.gone {
		t.Errorf("after the clean-up timeout it is there still: %+v, %q", w.condition(summary.Stalled), w.log)
	}
}

// What an earlier configuration left in Kubernetes goes with a deletion; while the resource stays, it stays, too.
func TestADeletionRemovesWhatAnEarlierConfigurationLeft(t *testing.T) {
	left := func(t *testing.T) *fixture {
		w := stable(t, session)
		w.s.Flink.Jobs = plan.Present([]world.Job{})
		w.s.HAData = haMaps(strings.Repeat("a", 32))
		return w
	}
	w := left(t)
	w.run()
	if data, _ := w.s.HAData.Get(); len(data) == 0 {
		t.Errorf("a cluster that runs lost ConfigMaps that it does not use: %q", w.log)
	}
	w = left(t)
	w.delete()
	w.run()
	w.terminate()
	w.run()
	if data, _ := w.s.HAData.Get(); len(data) > 0 || !w.gone {
		t.Errorf("gone %t, %d ConfigMaps are left: %q", w.gone, len(data), w.log)
	}
}

func TestADeletionTakesItsSavepointFirst(t *testing.T) {
	completes := func(w *fixture) { w.stopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/1"}) }
	rows := map[string]struct {
		late   time.Duration
		answer func(*fixture)
		saved  bool
		reason string
	}{
		"it completes":                   {0, completes, true, "asked for"},
		"it completes, after a long lie": {time.Hour, completes, true, "that nobody looked is no reason to lose it"},
		"it takes its time, after one": {time.Hour, func(w *fixture) {
			w.stopWith(world.StopProgress{State: world.StopInProgress})
			w.run()
			w.s.Now = w.s.Now.Add(9 * time.Minute)
			w.run()
			completes(w)
		}, true, "an attempt has as long as a checkpoint"},
		"it never completes": {0, func(w *fixture) {
			w.stopWith(world.StopProgress{State: world.StopInProgress})
			w.run()
			w.s.Now = w.s.Now.Add(11 * time.Minute)
		}, false, "a deletion ends"},
		"it fails": {0, func(w *fixture) {
			w.stopWith(world.StopProgress{State: world.StopFailed, Cause: "disk full"})
			w.run()
			w.s.Now = w.s.Now.Add(11 * 60e9)
		}, false, "the deletion goes on when its time is over"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, savesFirst)
			w.delete()
			w.s.Now = w.s.Now.Add(row.late)
			if p := w.run(); !strings.Contains(p.String(), "with savepoint") {
				t.Fatalf("got %s", p)
			}
			row.answer(w)
			w.run()
			if saved := w.status().JobStatus.UpgradeSavepointPath == "file:///s/1"; saved != row.saved {
				t.Errorf("saved %t: %s", saved, row.reason)
			}
			w.terminate()
			w.run()
			if !w.gone || (w.told("SavepointSkipped") > 0) == row.saved {
				t.Errorf("gone %t, SavepointSkipped told %d times, rounds %q", w.gone, w.told("SavepointSkipped"), w.log)
			}
		})
	}
}

// With foreground propagation the garbage collector may be faster than any pass, or come in the middle of the
// savepoint.
func TestASavepointThatIsForestalledIsTold(t *testing.T) {
	foreground := func(w *fixture) {
		w.s.Resource.Finalizers = append(w.s.Resource.Finalizers, metav1.FinalizerDeleteDependents)
		w.delete()
	}
	collect := (*fixture).collects
	rows := map[string]struct {
		happens func(w *fixture)
		says    string
	}{
		"the Deployment goes first": {func(w *fixture) { foreground(w); collect(w); w.run() }, "--cascade=background"},
		"it is gone already":        {func(w *fixture) { foreground(w); w.terminate() }, "--cascade=background"},
		"in the middle of the savepoint": {func(w *fixture) { foreground(w); w.run(); collect(w); w.run() },
			"The savepoint before the deletion is not known to be complete: the resource is deleted with foreground " +
				"propagation"},
		"gone in the middle of the savepoint": {
			func(w *fixture) { foreground(w); w.run(); w.terminate(); w.run() }, "not known to be complete",
		},
		"while the savepoint waits for the job": {func(w *fixture) {
			w.serveJob(v1beta1.FlinkJobRestarting)
			foreground(w)
			w.run()
			collect(w)
			w.run()
		}, "No savepoint was taken"},
		"somebody else deletes it": {func(w *fixture) { w.delete(); collect(w); w.run() }, "deleted by somebody else"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, savesFirst)
			row.happens(w)
			for range 3 {
				w.run()
			}
			w.terminate()
			w.run()
			var told []string
			for _, e := range w.events {
				if e.Reason == "SavepointSkipped" {
					told = append(told, e.Message)
				}
			}
			if len(told) != 1 || !strings.Contains(told[0], row.says) || !w.gone {
				t.Errorf("told %q, want once, saying %q; gone %t, rounds %q", told, row.says, w.gone, w.log)
			}
		})
	}
}

func TestHADataGoesWithTheResource(t *testing.T) {
	spec := strings.Replace(
		application, `"flinkConfiguration":{`,
		`"flinkConfiguration":{"high-availability.type":"kubernetes","high-availability.storageDir":"file:///h",`, 1,
	)
	w := stable(t, spec)
	w.s.HAData = plan.Present([]hadata.ConfigMap{
		{ObjectVersion: plan.ObjectVersion{Name: "demo-cluster-config-map", UID: "1", ResourceVersion: "5"}},
	})
	w.delete()
	w.run()
	if data, _ := w.s.HAData.Get(); len(data) == 0 {
		t.Fatal("the data went while a JobManager may use it")
	}
	w.terminate()
	w.run()
	if data, _ := w.s.HAData.Get(); len(data) > 0 || !w.gone {
		t.Errorf("data %+v, gone %t, rounds %q", data, w.gone, w.log)
	}
}

func TestAPodThatDoesNotEndIsNamed(t *testing.T) {
	w := stable(t, application)
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 4 })
	w.run()
	w.run()
	w.s.Pods = plan.Present([]corev1.Pod{
		{ObjectMeta: metav1.ObjectMeta{Name: "demo-1"}, Spec: corev1.PodSpec{NodeName: "node-7"}},
	})
	w.run()
	if c := w.condition(summary.Reconciling); c.Reason != "ClusterTerminating" {
		t.Fatalf("Reconciling %+v", c)
	}
	w.s.Now = w.s.Now.Add(6 * 60e9)
	w.run()
	c := w.condition(summary.Stalled)
	if c.Reason != "NodeUnreachable" || !strings.Contains(c.Message, "demo-1") ||
		!strings.Contains(c.Message, "node-7") || !strings.Contains(c.Message, "kubectl delete pod") {
		t.Errorf("Stalled %+v", c)
	}
}

// TestAResourceThatGoesGetsNoStatus: only the write that nobody could read is left out. Listeners hear DELETED.
func TestAResourceThatGoesGetsNoStatus(t *testing.T) {
	for name, row := range map[string]struct {
		finalizers []string
		deleted    bool
		gone       bool
	}{
		"ours is the last":        {[]string{v1beta1.FinalizerFlinkDeployment}, true, true},
		"another one holds it":    {[]string{v1beta1.FinalizerFlinkDeployment, "example.com/backup"}, true, false},
		"it is not being deleted": {[]string{v1beta1.FinalizerFlinkDeployment}, false, false},
	} {
		w := newWorld(t, application)
		w.s.Resource.Finalizers = row.finalizers
		if row.deleted {
			w.delete()
			w.s.Resource.Finalizers = row.finalizers
		}
		w.look()
		p := Make(w.s)
		if p.Gone != row.gone {
			t.Errorf("%s: gone %t, want %t: %s", name, p.Gone, row.gone, p)
		}
		status, ok := p.Status.(*v1beta1.FlinkDeploymentStatus)
		if told := ok && status.LifecycleState == v1beta1.LifecycleDeleted; told != row.deleted {
			t.Errorf("%s: told as deleted %t, want %t", name, told, row.deleted)
		}
	}
}

// TestAStandaloneClusterIsDeleted deletes one that the Java operator left: its TaskManagers are a Deployment of their
// own.
func TestAStandaloneClusterIsDeleted(t *testing.T) {
	standalone := strings.Replace(application, `"image":`, `"mode":"standalone","image":`, 1)
	left := func(t *testing.T) *fixture {
		w := takeOver(t, standalone, deployed(legacyRecord(t, standalone, nil, true)), 1).flinkSays(v1beta1.FlinkJobRunning)
		w.s.TaskManagerDeployment = plan.Present(cluster.TaskManagerDeployment{ObjectVersion: plan.ObjectVersion{
			Name: "demo-taskmanager", UID: "tm", ResourceVersion: "7",
		}})
		return w
	}
	rows := map[string]struct {
		begin  func(w *fixture)
		ends   plan.Situation
		reason string
	}{
		"deleted": {func(w *fixture) { w.delete() }, plan.Deleting, "the finalizer goes"},
		"suspended": {
			func(w *fixture) { w.run(); w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = stopped }) },
			plan.Suspended, "a stop takes them, too",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := left(t)
			row.begin(w)
			for range 6 {
				p := w.round()
				if jm, present := w.s.JobManager.Get(); present && jm.DeletionTimestamp != nil {
					if strings.Contains(p.String(), "demo-taskmanager") {
						t.Fatal("TaskManagers go after the JobManager")
					}
					w.terminate()
				}
				if strings.Contains(p.String(), "delete cluster demo-taskmanager (tm)") {
					w.s.TaskManagerDeployment = plan.Absent[cluster.TaskManagerDeployment]()
				}
			}
			if got := w.status().Situation; !w.s.TaskManagerDeployment.IsAbsent() || (got != string(row.ends) && !w.gone) ||
				(row.ends == plan.Deleting) != w.gone {
				t.Errorf("it ends in %s, gone %t: %s; rounds %q", got, w.gone, row.reason, w.log)
			}
		})
	}
	t.Run("Unknown waits", func(t *testing.T) {
		w := left(t)
		w.terminate()
		w.s.TaskManagerDeployment = plan.Unknown[cluster.TaskManagerDeployment]("forbidden")
		w.delete()
		for range 3 {
			w.run()
		}
		if w.gone || w.status().Situation != string(plan.Unobservable) {
			t.Errorf("gone %t, %s", w.gone, w.status().Situation)
		}
	})
}
