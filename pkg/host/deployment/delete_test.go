package deployment_test

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

// TestDeletionEndsInEveryState deletes a resource at every point of its life.
func TestDeletionEndsInEveryState(t *testing.T) {
	rows := map[string]func(t *testing.T) *enginetest.Deployment{
		"never looked at": func(t *testing.T) *enginetest.Deployment {
			return enginetest.NewDeployment(t,
				enginetest.Application)
		},
		"with the finalizer": func(t *testing.T) *enginetest.Deployment {
			w := enginetest.NewDeployment(t, enginetest.Application)
			w.Round()
			return w
		},
		"prepared": func(t *testing.T) *enginetest.Deployment {
			w := enginetest.NewDeployment(t, enginetest.Application)
			w.Round()
			w.Round()
			return w
		},
		"released": func(t *testing.T) *enginetest.Deployment {
			w := enginetest.NewDeployment(t, enginetest.Application)
			w.Run()
			return w
		},
		"stable":           func(t *testing.T) *enginetest.Deployment { return enginetest.Stable(t, enginetest.Application) },
		"stable, stateful": func(t *testing.T) *enginetest.Deployment { return enginetest.Stable(t, enginetest.Stateful) },
		"a session cluster": func(t *testing.T) *enginetest.Deployment {
			w := enginetest.Stable(t, enginetest.Session)
			w.Snapshot.Flink.Jobs = plan.Present([]world.Job{})
			return w
		},
		"upgrading, stopping": func(t *testing.T) *enginetest.Deployment {
			w := enginetest.Stable(t, enginetest.Application)
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 4 })
			w.Run()
			return w
		},
		"upgrading, stopped": func(t *testing.T) *enginetest.Deployment {
			w := enginetest.Stable(t, enginetest.Application)
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 4 })
			w.Run()
			w.Terminate()
			return w
		},
		"suspended": func(t *testing.T) *enginetest.Deployment {
			w := enginetest.Stable(t, enginetest.Application)
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended })
			w.Run()
			w.Terminate()
			w.Run()
			return w
		},
		"failed": func(t *testing.T) *enginetest.Deployment {
			w := enginetest.Stable(t, enginetest.Application)
			w.ServeJob(v1beta1.FlinkJobFailed)
			w.Run()
			return w
		},
		"lost": func(t *testing.T) *enginetest.Deployment {
			w := enginetest.Stable(t, enginetest.Stateful)
			w.Lose()
			w.Run()
			return w
		},
		"Flink does not respond": func(t *testing.T) *enginetest.Deployment {
			w := enginetest.Stable(t, enginetest.Application)
			w.Snapshot.Flink = world.Flink{Jobs: plan.Unknown[[]world.Job]("refused")}
			return w
		},
		"an invalid spec": func(t *testing.T) *enginetest.Deployment {
			w := enginetest.Stable(t, enginetest.Application)
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 0 })
			w.Run()
			return w
		},
		"a spec nobody can read": func(t *testing.T) *enginetest.Deployment {
			w := enginetest.Stable(t, enginetest.Application)
			w.Snapshot.SpecProblem = "spec.job: not an object"
			w.Snapshot.Resource.Spec = v1beta1.FlinkDeploymentSpec{}
			return w
		},
		"a status nobody can read": func(t *testing.T) *enginetest.Deployment {
			w := enginetest.Stable(t, enginetest.Application)
			w.Snapshot.Resource.Status.ReconciliationStatus.LastReconciledSpec = "{"
			return w
		},
		"somebody else's intent": func(t *testing.T) *enginetest.Deployment {
			w := enginetest.Stable(t, enginetest.Application)
			w.Snapshot.Resource.Status.Intent = &v1beta1.Intent{OperationID: "x", Step: v1beta1.StepStarting}
			return w
		},
	}
	for name, prepare := range rows {
		t.Run(name, func(t *testing.T) {
			w := prepare(t)
			w.Delete()
			for range 4 {
				w.Run()
				if jm, ok := w.Snapshot.JobManager.Get(); ok && jm.DeletionTimestamp != nil {
					w.Terminate()
				}
			}
			if len(w.Snapshot.Resource.Finalizers) > 0 || w.Snapshot.JobManager.IsPresent() {
				t.Errorf(
					"finalizers %v, Deployment %t after %q; conditions %+v",
					w.Snapshot.Resource.Finalizers,
					w.Snapshot.JobManager.IsPresent(),
					w.Log,
					w.Status().Conditions,
				)
			}
		})
	}
}

func TestDeletionWaitsForWhatItCannotSee(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Application)
	w.Delete()
	w.Snapshot.JobManager = plan.Unknown[*appsv1.Deployment]("time-out")
	if p := w.Round(); enginetest.Touches(p) || w.Status().Situation != string(plan.Unobservable) {
		t.Errorf("nothing may be done on a guess, got %s", p)
	}
	w.Snapshot.JobManager = plan.Absent[*appsv1.Deployment]()
	w.Snapshot.Pods = plan.Unknown[[]corev1.Pod]("time-out")
	if p := w.Round(); enginetest.Touches(p) || w.Gone {
		t.Errorf("pods may be left, got %s", p)
	}
	w.Snapshot.Pods = plan.Present([]corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Name: "demo-1"}}})
	if w.Run(); w.Gone {
		t.Error("a pod was left")
	}
	w.Snapshot.Pods = plan.Present([]corev1.Pod{})
	if w.Run(); !w.Gone {
		t.Errorf("nothing is left, rounds %q", w.Log)
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
			w := enginetest.Stable(t, enginetest.Application)
			w.Delete()
			w.Run()
			w.Terminate()
			w.Snapshot.Pods, w.Snapshot.TaskManagers = plan.Present([]corev1.Pod{}), plan.Present([]corev1.Pod{one})
			for range 2 {
				p := w.Run()
				if w.Gone || enginetest.Touches(p) || w.Status().LifecycleState != v1beta1.LifecycleDeleting {
					t.Fatalf("gone %t, %s, %s: the TaskManager runs", w.Gone, w.Status().LifecycleState, p)
				}
				w.Snapshot.Now = w.Snapshot.Now.Add(time.Minute)
			}
			w.Snapshot.Now = w.Snapshot.Now.Add(10 * time.Minute)
			w.Run()
			if c := w.Condition(summary.Stalled); w.Gone || !strings.Contains(c.Message, one.Name) {
				t.Errorf("gone %t, Stalled %+v does not name %s", w.Gone, c, one.Name)
			}
			w.Snapshot.TaskManagers = row.then
			if w.Run(); w.Gone != row.gone {
				t.Errorf("gone %t, want %t; rounds %q", w.Gone, row.gone, w.Log)
			}
		})
	}
}

func TestASessionClusterIsHeldByItsJobs(t *testing.T) {
	rows := map[string]struct {
		prepare func(*enginetest.Deployment)
		held    string
		reason  string
	}{
		"a session job": {
			func(w *enginetest.Deployment) {
				w.Snapshot.SessionJobs = plan.Present([]cluster.SessionJob{{Name: "etl"}})
			}, "etl",
			"block-on-session-jobs is on by default",
		},
		"a job in it": {func(w *enginetest.Deployment) {
			w.Snapshot.Flink.Jobs = plan.Present([]world.Job{{ID: "aa", State: v1beta1.FlinkJobRunning}})
		}, "aa", "block-on-unmanaged-jobs is on by default"},
		"a job that ended": {func(w *enginetest.Deployment) {
			w.Snapshot.Flink.Jobs = plan.Present([]world.Job{{ID: "aa", State: v1beta1.FlinkJobFinished}})
		}, "", "it does not run"},
		"session jobs nobody could list": {
			func(w *enginetest.Deployment) {
				w.Snapshot.SessionJobs = plan.Unknown[[]cluster.SessionJob]("time-out")
			}, "time-out", "nothing is done on a guess",
		},
		"told not to be held by it": {func(w *enginetest.Deployment) {
			w.Snapshot.Flink.Jobs = plan.Present([]world.Job{{ID: "aa", State: v1beta1.FlinkJobRunning}})
			w.Snapshot.Resource.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(
				`{"kubernetes.operator.session.deletion.block-on-unmanaged-jobs":"false"}`,
			)
		}, "", "only session jobs hold it then"},
		"told not to be held": {func(w *enginetest.Deployment) {
			w.Snapshot.SessionJobs = plan.Present([]cluster.SessionJob{{Name: "etl"}})
			w.Snapshot.Resource.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(
				`{"kubernetes.operator.session.deletion.block-on-session-jobs":"false"}`,
			)
		}, "", "the option of the resource as it is now counts"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.Session)
			w.Snapshot.Flink.Jobs = plan.Present([]world.Job{})
			row.prepare(w)
			w.Delete()
			w.Run()
			w.Run()
			stalled := w.Condition(summary.Stalled)
			if held := stalled.Reason == "CleanupBlocked"; held != (row.held != "") ||
				!strings.Contains(stalled.Message, row.held) {
				t.Errorf("Stalled %+v: %s", stalled, row.reason)
			}
			if row.held != "" && w.Told("CleanupFailed") != 1 {
				t.Errorf("CleanupFailed was told %d times", w.Told("CleanupFailed"))
			}
		})
	}
}

// A session cluster whose JobManager does not answer may have jobs in it: its deletion waits, and ends all the same.
func TestADeletionWaitsForAnAnswer(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Session)
	w.Snapshot.Flink.Jobs = plan.Unknown[[]world.Job]("time-out")
	w.Delete()
	w.Run()
	w.Snapshot.Now = w.Snapshot.Now.Add(5*time.Minute - time.Second)
	w.Run()
	if stalled := w.Condition(summary.Stalled); stalled.Reason != "CleanupBlocked" ||
		!strings.Contains(stalled.Message, "its jobs cannot be listed: time-out") {
		t.Errorf("before the clean-up timeout: %+v, %q", stalled, w.Log)
	}
	w.Snapshot.Now = w.Snapshot.Now.Add(time.Second)
	w.Run()
	w.Terminate()
	if w.Run(); !w.Gone {
		t.Errorf("after the clean-up timeout it is there still: %+v, %q", w.Condition(summary.Stalled), w.Log)
	}
}

// What an earlier configuration left in Kubernetes goes with a deletion; while the resource stays, it stays, too.
func TestADeletionRemovesWhatAnEarlierConfigurationLeft(t *testing.T) {
	left := func(t *testing.T) *enginetest.Deployment {
		w := enginetest.Stable(t, enginetest.Session)
		w.Snapshot.Flink.Jobs = plan.Present([]world.Job{})
		w.Snapshot.HAData = enginetest.HaMaps(strings.Repeat("a", 32))
		return w
	}
	w := left(t)
	w.Run()
	if data, _ := w.Snapshot.HAData.Get(); len(data) == 0 {
		t.Errorf("a cluster that runs lost ConfigMaps that it does not use: %q", w.Log)
	}
	w = left(t)
	w.Delete()
	w.Run()
	w.Terminate()
	w.Run()
	if data, _ := w.Snapshot.HAData.Get(); len(data) > 0 || !w.Gone {
		t.Errorf("gone %t, %d ConfigMaps are left: %q", w.Gone, len(data), w.Log)
	}
}

func TestADeletionTakesItsSavepointFirst(t *testing.T) {
	completes := func(w *enginetest.Deployment) {
		w.StopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/1"})
	}
	rows := map[string]struct {
		late   time.Duration
		answer func(*enginetest.Deployment)
		saved  bool
		reason string
	}{
		"it completes":                   {0, completes, true, "asked for"},
		"it completes, after a long lie": {time.Hour, completes, true, "that nobody looked is no reason to lose it"},
		"it takes its time, after one": {time.Hour, func(w *enginetest.Deployment) {
			w.StopWith(world.StopProgress{State: world.StopInProgress})
			w.Run()
			w.Snapshot.Now = w.Snapshot.Now.Add(9 * time.Minute)
			w.Run()
			completes(w)
		}, true, "an attempt has as long as a checkpoint"},
		"it never completes": {0, func(w *enginetest.Deployment) {
			w.StopWith(world.StopProgress{State: world.StopInProgress})
			w.Run()
			w.Snapshot.Now = w.Snapshot.Now.Add(11 * time.Minute)
		}, false, "a deletion ends"},
		"it fails": {0, func(w *enginetest.Deployment) {
			w.StopWith(world.StopProgress{State: world.StopFailed, Cause: "disk full"})
			w.Run()
			w.Snapshot.Now = w.Snapshot.Now.Add(11 * 60e9)
		}, false, "the deletion goes on when its time is over"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.SavesFirst)
			w.Delete()
			w.Snapshot.Now = w.Snapshot.Now.Add(row.late)
			if p := w.Run(); !strings.Contains(p.String(), "with savepoint") {
				t.Fatalf("got %s", p)
			}
			row.answer(w)
			w.Run()
			if saved := w.Status().JobStatus.UpgradeSavepointPath == "file:///s/1"; saved != row.saved {
				t.Errorf("saved %t: %s", saved, row.reason)
			}
			w.Terminate()
			w.Run()
			if !w.Gone || (w.Told("SavepointSkipped") > 0) == row.saved {
				t.Errorf("gone %t, SavepointSkipped told %d times, rounds %q", w.Gone, w.Told("SavepointSkipped"), w.Log)
			}
		})
	}
}

// With foreground propagation the garbage collector may be faster than any pass, or come in the middle of the
// savepoint.
func TestASavepointThatIsForestalledIsTold(t *testing.T) {
	foreground := func(w *enginetest.Deployment) {
		w.Snapshot.Resource.Finalizers = append(w.Snapshot.Resource.Finalizers, metav1.FinalizerDeleteDependents)
		w.Delete()
	}
	collect := (*enginetest.Deployment).Collects
	rows := map[string]struct {
		happens func(w *enginetest.Deployment)
		says    string
	}{
		"the Deployment goes first": {
			func(w *enginetest.Deployment) { foreground(w); collect(w); w.Run() },
			"--cascade=background",
		},
		"it is gone already": {
			func(w *enginetest.Deployment) { foreground(w); w.Terminate() },
			"--cascade=background",
		},
		"in the middle of the savepoint": {func(w *enginetest.Deployment) { foreground(w); w.Run(); collect(w); w.Run() },
			"The savepoint before the deletion is not known to be complete: the resource is deleted with foreground " +
				"propagation"},
		"gone in the middle of the savepoint": {
			func(w *enginetest.Deployment) { foreground(w); w.Run(); w.Terminate(); w.Run() }, "not known to be complete",
		},
		"while the savepoint waits for the job": {func(w *enginetest.Deployment) {
			w.ServeJob(v1beta1.FlinkJobRestarting)
			foreground(w)
			w.Run()
			collect(w)
			w.Run()
		}, "No savepoint was taken"},
		"somebody else deletes it": {
			func(w *enginetest.Deployment) { w.Delete(); collect(w); w.Run() },
			"deleted by somebody else",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, enginetest.SavesFirst)
			row.happens(w)
			for range 3 {
				w.Run()
			}
			w.Terminate()
			w.Run()
			var told []string
			for _, e := range w.Events {
				if e.Reason == "SavepointSkipped" {
					told = append(told, e.Message)
				}
			}
			if len(told) != 1 || !strings.Contains(told[0], row.says) || !w.Gone {
				t.Errorf("told %q, want once, saying %q; gone %t, rounds %q", told, row.says, w.Gone, w.Log)
			}
		})
	}
}

func TestHADataGoesWithTheResource(t *testing.T) {
	spec := strings.Replace(
		enginetest.Application, `"flinkConfiguration":{`,
		`"flinkConfiguration":{"high-availability.type":"kubernetes","high-availability.storageDir":"file:///h",`, 1,
	)
	w := enginetest.Stable(t, spec)
	w.Snapshot.HAData = plan.Present([]hadata.ConfigMap{
		{ObjectVersion: plan.ObjectVersion{Name: "demo-cluster-config-map", UID: "1", ResourceVersion: "5"}},
	})
	w.Delete()
	w.Run()
	if data, _ := w.Snapshot.HAData.Get(); len(data) == 0 {
		t.Fatal("the data went while a JobManager may use it")
	}
	w.Terminate()
	w.Run()
	if data, _ := w.Snapshot.HAData.Get(); len(data) > 0 || !w.Gone {
		t.Errorf("data %+v, gone %t, rounds %q", data, w.Gone, w.Log)
	}
}

func TestAPodThatDoesNotEndIsNamed(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Application)
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = 4 })
	w.Run()
	w.Run()
	w.Snapshot.Pods = plan.Present([]corev1.Pod{
		{ObjectMeta: metav1.ObjectMeta{Name: "demo-1"}, Spec: corev1.PodSpec{NodeName: "node-7"}},
	})
	w.Run()
	if c := w.Condition(summary.Reconciling); c.Reason != "ClusterTerminating" {
		t.Fatalf("Reconciling %+v", c)
	}
	w.Snapshot.Now = w.Snapshot.Now.Add(6 * 60e9)
	w.Run()
	c := w.Condition(summary.Stalled)
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
		w := enginetest.NewDeployment(t, enginetest.Application)
		w.Snapshot.Resource.Finalizers = row.finalizers
		if row.deleted {
			w.Delete()
			w.Snapshot.Resource.Finalizers = row.finalizers
		}
		w.Look()
		p := deployment.Make(w.Snapshot)
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
	standalone := strings.Replace(enginetest.Application, `"image":`, `"mode":"standalone","image":`, 1)
	left := func(t *testing.T) *enginetest.Deployment {
		w := enginetest.TakeOver(t, standalone, enginetest.Deployed(enginetest.LegacyRecord(t, standalone, nil, true)), 1).
			FlinkSays(v1beta1.FlinkJobRunning)
		w.Snapshot.TaskManagerDeployment = plan.Present(cluster.TaskManagerDeployment{ObjectVersion: plan.ObjectVersion{
			Name: "demo-taskmanager", UID: "tm", ResourceVersion: "7",
		}})
		return w
	}
	rows := map[string]struct {
		begin  func(w *enginetest.Deployment)
		ends   plan.Situation
		reason string
	}{
		"deleted": {func(w *enginetest.Deployment) { w.Delete() }, plan.Deleting, "the finalizer goes"},
		"suspended": {
			func(w *enginetest.Deployment) {
				w.Run()
				w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = enginetest.Stopped })
			},
			plan.Suspended, "a stop takes them, too",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := left(t)
			row.begin(w)
			for range 6 {
				p := w.Round()
				if jm, present := w.Snapshot.JobManager.Get(); present && jm.DeletionTimestamp != nil {
					if strings.Contains(p.String(), "demo-taskmanager") {
						t.Fatal("TaskManagers go after the JobManager")
					}
					w.Terminate()
				}
				if strings.Contains(p.String(), "delete cluster demo-taskmanager (tm)") {
					w.Snapshot.TaskManagerDeployment = plan.Absent[cluster.TaskManagerDeployment]()
				}
			}
			if got := w.Status().Situation; !w.Snapshot.TaskManagerDeployment.IsAbsent() ||
				(got != string(row.ends) && !w.Gone) ||
				(row.ends == plan.Deleting) != w.Gone {
				t.Errorf("it ends in %s, gone %t: %s; rounds %q", got, w.Gone, row.reason, w.Log)
			}
		})
	}
	t.Run("Unknown waits", func(t *testing.T) {
		w := left(t)
		w.Terminate()
		w.Snapshot.TaskManagerDeployment = plan.Unknown[cluster.TaskManagerDeployment]("forbidden")
		w.Delete()
		for range 3 {
			w.Run()
		}
		if w.Gone || w.Status().Situation != string(plan.Unobservable) {
			t.Errorf("gone %t, %s", w.Gone, w.Status().Situation)
		}
	})
}
