package sessionjob

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/ask"
	"github.com/kn-flink/kn-flink/pkg/host/session/submit"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
	"github.com/kn-flink/kn-flink/pkg/plan/exceptions"
	"github.com/kn-flink/kn-flink/test/drawing"
)

func stateful(mode string) string { return strings.Replace(stateless, `"stateless"`, `"`+mode+`"`, 1) }

func TestASessionJobRuns(t *testing.T) {
	w := newWorld(t, stateless)
	w.untilSteady()
	w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.FlinkJobRunning)
	s := w.status()
	if len(w.runs) != 1 || len(w.running()) != 1 || w.running()[0] != s.JobStatus.JobID || len(w.jars) != 0 {
		t.Errorf("runs %+v, jobs %+v, jars %+v", w.runs, w.jobs, w.jars)
	}
	if !strings.Contains(s.ReconciliationStatus.LastReconciledSpec, `"deploymentName":"session"`) ||
		strings.Contains(s.ReconciliationStatus.LastReconciledSpec, "podTemplate") {
		t.Errorf("recorded %s", s.ReconciliationStatus.LastReconciledSpec)
	}
	if p := w.round(); !p.IsQuiet() || p.Status != nil {
		t.Errorf("a quiet job is left alone, got %s", p)
	}
	for _, e := range w.events {
		if e.Component == plan.ComponentJobManager {
			t.Errorf("a session job has no JobManager of its own: %+v", e)
		}
	}
}

func TestUpgradesOfASessionJob(t *testing.T) {
	rows := map[string]struct {
		mode, from string
		reason     string
	}{
		"stateless":  {"stateless", "", "it needs no state"},
		"savepoint":  {"savepoint", "file:///s/savepoint-1", "the savepoint of its stop"},
		"last-state": {"last-state", "", "without a checkpoint there is nothing to lose"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, stateful(row.mode))
			w.untilSteady()
			first := w.status().JobStatus.JobID
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
			w.run()
			w.sleep(20 * time.Second)
			w.untilSteady()
			w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.FlinkJobRunning)
			if len(w.runs) != 2 || w.runs[1].SavepointPath != row.from || w.runs[1].JobID == first ||
				w.runs[1].Parallelism != 4 || len(w.running()) != 1 {
				t.Errorf("runs %+v, jobs %+v: %s", w.runs, w.jobs, row.reason)
			}
		})
	}
}

func TestASessionJobIsSuspendedAndResumed(t *testing.T) {
	w := newWorld(t, stateful("savepoint"))
	w.untilSteady()
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = v1beta1.JobStateSuspended })
	w.run()
	w.run()
	w.want(plan.Suspended, v1beta1.LifecycleSuspended, v1beta1.FlinkJobFinished)
	if p := w.round(); !p.IsQuiet() || p.Status != nil {
		t.Errorf("a suspended job is left alone, got %s", p)
	}
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = v1beta1.JobStateRunning })
	w.untilSteady()
	if len(w.runs) != 2 || w.runs[1].SavepointPath != "file:///s/savepoint-1" {
		t.Errorf("runs %+v", w.runs)
	}
}

func TestASessionJobThatStartsSuspended(t *testing.T) {
	const from = "file:///s/mine"
	for _, mode := range []string{"stateless", "savepoint", "last-state"} {
		t.Run(mode, func(t *testing.T) {
			w := newWorld(t, stateful(mode))
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) {
				s.Job.State, s.Job.InitialSavepointPath = v1beta1.JobStateSuspended, from
			})
			for range 3 {
				w.run()
				w.sleep(time.Minute)
			}
			w.want(plan.NeverStarted, v1beta1.LifecycleSuspended, "")
			s := w.status()
			if r := s.ReconciliationStatus; r.LastReconciledSpec != "" || r.LastStableSpec != "" || s.Intent != nil ||
				s.JobStatus.JobID != "" || s.JobStatus.UpgradeSavepointPath != "" || s.Error != "" || len(w.jars) != 0 {
				t.Errorf("nothing is started or recorded, got %+v", s)
			}
			if p := w.round(); !p.IsQuiet() || p.Status != nil {
				t.Errorf("it is left alone, got %s", p)
			}
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = v1beta1.JobStateRunning })
			w.untilSteady()
			if len(w.runs) != 1 || w.runs[0].SavepointPath != from {
				t.Errorf("runs %+v, want one from %s", w.runs, from)
			}
		})
	}
}

func TestASessionJobWaitsForItsCluster(t *testing.T) {
	rows := map[string]struct {
		prepare func(w *fixture)
		reason  plan.Reason
	}{
		"is not there": {func(w *fixture) {
			w.s.Cluster, w.s.JobManager = plan.Absent[*v1beta1.FlinkDeployment](), plan.Absent[*appsv1.Deployment]()
		}, plan.ReasonSessionClusterMissing},
		"could not be read": {func(w *fixture) {
			w.s.Cluster = plan.Unknown[*v1beta1.FlinkDeployment]("time-out")
		}, plan.ReasonSessionClusterNotReady},
		"has an open intent, that is not released": {func(w *fixture) {
			d := sessionCluster()
			d.Status.Intent = &v1beta1.Intent{Step: v1beta1.StepStopping, Purpose: v1beta1.PurposeUpgrade}
			w.s.Cluster = plan.Present(d)
		}, plan.ReasonSessionClusterChanging},
		"is not recorded as deployed": {func(w *fixture) {
			d := sessionCluster()
			d.Spec.FlinkVersion, d.Status.ReconciliationStatus = v1beta1.FlinkV1_14, v1beta1.ReconciliationStatus{}
			w.s.Cluster, w.s.JobManager = plan.Present(d), plan.Absent[*appsv1.Deployment]()
		}, plan.ReasonSessionClusterChanging},
		"is being deleted": {func(w *fixture) {
			d := sessionCluster()
			d.DeletionTimestamp = &metav1.Time{Time: start}
			w.s.Cluster = plan.Present(d)
		}, plan.ReasonSessionClusterChanging},
		"has no JobManager that is available": {func(w *fixture) {
			d := jobManager()
			d.Status.AvailableReplicas = 0
			w.s.JobManager = plan.Present(d)
		}, plan.ReasonSessionClusterNotReady},
		"does not answer": {func(w *fixture) { w.silent = true }, plan.ReasonSessionClusterNotReady},
	}
	drawn := drawing.Read(t, "../session/hosted.go", "ClusterReady")
	if err := drawn.Shown("clusterReady", slices.Collect(maps.Keys(rows))...); err != nil {
		t.Error(err)
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if err := drawn.Holds(name, drawing.Row{"reason": string(row.reason)}); err != nil {
				t.Error(err)
			}
			w := newWorld(t, stateless)
			row.prepare(w)
			w.run()
			w.want(plan.Waiting, v1beta1.LifecycleCreated, "")
			found := false
			for _, c := range w.status().Conditions {
				found = found || (c.Type == "Reconciling" && c.Reason == string(row.reason))
			}
			if !found || len(w.runs)+len(w.jars) > 0 {
				t.Errorf("want %s, got %+v", row.reason, w.status().Conditions)
			}
			if p := w.round(); !p.IsQuiet() || p.Status != nil {
				t.Errorf("it waits quietly, got %s", p)
			}
			w.s.Cluster, w.s.JobManager, w.silent = plan.Present(sessionCluster()), plan.Present(jobManager()), false
			w.untilSteady()
		})
	}
}

func TestARefusedRunIsTriedUnderItsID(t *testing.T) {
	w := newWorld(t, stateless)
	w.refuses = "ClassNotFoundException: org.Main"
	w.run()
	s := w.status()
	if s.JobStatus.State != v1beta1.FlinkJobReconciling || s.Retry == nil ||
		!strings.Contains(s.Error, "ClassNotFoundException") {
		t.Fatalf("%+v\n%q", s, w.log)
	}
	w.run()
	if len(w.runs) != 1 {
		t.Errorf("it waits for its next attempt, %d runs", len(w.runs))
	}
	w.sleep(11 * time.Second)
	w.refuses = ""
	w.untilSteady()
	if len(w.runs) != 2 || w.runs[0].JobID != w.runs[1].JobID || w.status().Error != "" || w.status().Retry != nil {
		t.Errorf("runs %+v, error %q", w.runs, w.status().Error)
	}
}

func TestANewerSpecTakesThePlaceOfARefusedRun(t *testing.T) {
	for _, mode := range []string{"stateless", "savepoint", "last-state"} {
		t.Run(mode, func(t *testing.T) {
			w := newWorld(t, stateful(mode))
			w.untilSteady()
			w.refuses = "no such method"
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.EntryClass = "org.Bad" })
			for range 5 {
				w.run()
				w.sleep(2 * time.Second)
			}
			refused := len(w.runs)
			w.refuses = ""
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.EntryClass = "org.Good" })
			w.untilSteady()
			last := w.runs[len(w.runs)-1]
			if len(w.runs) != refused+1 || last.EntryClass != "org.Good" ||
				last.SavepointPath != w.runs[refused-1].SavepointPath {
				t.Errorf("runs %+v", w.runs)
			}
		})
	}
}

func TestASessionJobIsRolledBack(t *testing.T) {
	for _, mode := range []string{"stateless", "savepoint", "last-state"} {
		t.Run(mode, func(t *testing.T) {
			w := newWorld(t, stateful(mode))
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) {
				s.FlinkConfiguration = v1beta1.FlinkConfiguration(
					`{"kubernetes.operator.deployment.rollback.enabled":"true",
					"kubernetes.operator.deployment.readiness.timeout":"60s"}`)
			})
			w.untilSteady()
			w.refuses = "no such method"
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.EntryClass = "org.Bad" })
			for range 10 {
				w.run()
				w.sleep(2 * time.Second)
			}
			w.refuses = ""
			w.jobs = append(w.jobs[:0:0], w.jobs...)
			w.s.Now = w.s.Now.Add(time.Minute)
			w.s.Resource.Status.Retry.After = metav1.NewTime(w.s.Now.Add(time.Hour)) // the bad one is not tried before
			w.untilSteady()
			w.want(plan.Steady, v1beta1.LifecycleRolledBack, v1beta1.FlinkJobRunning)
			if last := w.runs[len(w.runs)-1]; last.EntryClass != "" {
				t.Errorf("runs %+v", w.runs)
			}
		})
	}
}

func TestASessionJobWhoseClusterWasReplaced(t *testing.T) {
	w := newWorld(t, stateless)
	w.untilSteady()
	w.jobs = nil
	w.sleep(time.Minute)
	w.untilSteady()
	if len(w.runs) != 2 || w.runs[0].JobID == w.runs[1].JobID {
		t.Errorf("a stateless job runs again under a new ID: %+v", w.runs)
	}
	w = newWorld(t, stateful("savepoint"))
	w.untilSteady()
	w.jobs = nil
	w.sleep(time.Minute)
	w.run()
	w.want(plan.StateLost, v1beta1.LifecycleDeployed, v1beta1.FlinkJobReconciling)
	safe, command := false, false
	for _, c := range w.status().Conditions {
		safe = safe || (c.Type == "StateSafe" && c.Status == metav1.ConditionFalse)
		command = command || (c.Type == "Stalled" && strings.Contains(c.Message, "kubectl patch flinksessionjob etl"))
	}
	if !safe || !command || len(w.runs) != 1 {
		t.Errorf("%+v", w.status().Conditions)
	}
	nonce := int64(1)
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) {
		s.Job.InitialSavepointPath, s.Job.SavepointRedeployNonce = "file:///s/mine", &nonce
	})
	w.untilSteady()
	if len(w.runs) != 2 || w.runs[1].SavepointPath != "file:///s/mine" {
		t.Errorf("runs %+v", w.runs)
	}
}

func TestTheDeletionOfASessionJob(t *testing.T) {
	rows := map[string]struct {
		prepare func(w *fixture)
		runs    int // jobs that run afterwards
		reason  string
	}{
		"never looked at": {func(*fixture) {}, 0, ""},
		"it runs":         {func(w *fixture) { w.untilSteady() }, 0, "it is cancelled"},
		"it ends by itself": {func(w *fixture) {
			w.untilSteady()
			w.set(w.status().JobStatus.JobID, v1beta1.FlinkJobFinished)
		}, 0, "there is nothing to cancel"},
		"it is suspended": {func(w *fixture) {
			w.untilSteady()
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = v1beta1.JobStateSuspended })
			w.run()
			w.run()
		}, 0, ""},
		"its cluster is gone": {func(w *fixture) {
			w.untilSteady()
			w.jobs = nil
			w.s.Cluster, w.s.JobManager = plan.Absent[*v1beta1.FlinkDeployment](), plan.Absent[*appsv1.Deployment]()
		}, 0, "row 2"},
		"its cluster is being deleted and does not wait": {func(w *fixture) {
			w.untilSteady()
			d := sessionCluster()
			d.DeletionTimestamp = &metav1.Time{Time: start}
			d.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(
				`{"kubernetes.operator.session.deletion.block-on-session-jobs":"false"}`)
			w.s.Cluster = plan.Present(d)
		}, 1, "row 3: it ends with its cluster"},
		"Flink does not answer": {
			func(w *fixture) { w.untilSteady(); w.silent = true },
			1,
			"after the clean-up timeout",
		},
		"its run was refused": {func(w *fixture) {
			w.refuses = "no such class"
			w.run()
		}, 0, ""},
		"its jar is being uploaded": {func(w *fixture) { w.uploads = false; w.run() }, 0, ""},
		"the job has vanished":      {func(w *fixture) { w.untilSteady(); w.jobs = nil }, 0, "row 1"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, stateless)
			row.prepare(w)
			w.s.Resource.DeletionTimestamp = &metav1.Time{Time: w.s.Now}
			w.bump()
			for i := 0; i < 40 && len(w.s.Resource.Finalizers) > 0; i++ {
				w.run()
				if len(w.s.Resource.Finalizers) > 0 && w.status().LifecycleState != v1beta1.LifecycleDeleting {
					t.Errorf("it is %s while it is deleted", w.status().LifecycleState)
				}
				w.sleep(10 * time.Second)
			}
			if len(w.s.Resource.Finalizers) > 0 || len(w.running()) != row.runs {
				t.Errorf("finalizers %v, jobs %v: %s\n%q", w.s.Resource.Finalizers, w.running(), row.reason, w.log)
			}
		})
	}
}

func TestASessionJobsSavepointOnDeletion(t *testing.T) {
	w := newWorld(t, stateful("savepoint"))
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) {
		s.FlinkConfiguration = v1beta1.FlinkConfiguration(`{"kubernetes.operator.job.savepoint-on-deletion":"true"}`)
	})
	w.untilSteady()
	w.s.Resource.DeletionTimestamp = &metav1.Time{Time: w.s.Now}
	w.bump()
	for i := 0; i < 10 && len(w.s.Resource.Finalizers) > 0; i++ {
		w.run()
		w.sleep(time.Second)
	}
	if len(w.s.Resource.Finalizers) > 0 || w.status().JobStatus.UpgradeSavepointPath != "file:///s/savepoint-1" {
		t.Errorf("finalizers %v, %+v\n%q", w.s.Resource.Finalizers, w.status().JobStatus, w.log)
	}
}

// The job that is then cancelled has ended, and its savepoint never will
func TestADeletionWhoseSavepointIsSkippedEnds(t *testing.T) {
	w := newWorld(t, stateful("savepoint"))
	w.edit(func(s *v1beta1.FlinkSessionJobSpec) {
		s.FlinkConfiguration = v1beta1.FlinkConfiguration(`{"kubernetes.operator.job.savepoint-on-deletion":"true"}`)
	})
	w.untilSteady()
	w.saves = false
	w.s.Resource.DeletionTimestamp = &metav1.Time{Time: w.s.Now}
	w.bump()
	for i := 0; i < 100 && len(w.s.Resource.Finalizers) > 0; i++ {
		w.run()
		w.sleep(time.Minute)
	}
	if len(w.s.Resource.Finalizers) > 0 || len(w.running()) != 0 {
		t.Errorf("finalizers %v, jobs %v\n%q", w.s.Resource.Finalizers, w.running(), w.log)
	}
}

// The job stores its intent, then looks at its session cluster
func TestNoRunOnAClusterAboutToChange(t *testing.T) {
	w := newWorld(t, stateless)
	for w.status().Intent == nil || w.status().Intent.Step != v1beta1.StepReleased {
		w.round()
	}
	d := sessionCluster()
	d.Status.Intent = &v1beta1.Intent{Step: v1beta1.StepStopping, Purpose: v1beta1.PurposeUpgrade}
	w.s.Cluster = plan.Present(d)
	w.run()
	if len(w.runs) != 0 {
		t.Errorf("runs %+v", w.runs)
	}
	w.s.Cluster = plan.Present(sessionCluster())
	w.sleep(time.Minute)
	w.untilSteady()
}

func TestTheUploadIsAskedForOnce(t *testing.T) {
	w := newWorld(t, stateless)
	w.uploads = false
	asked := func() int { return strings.Count(strings.Join(w.log, "\n"), "request upload") }
	for range 10 {
		w.run()
		w.sleep(2 * time.Second)
	}
	if asked() != 1 || len(w.jars) != 0 {
		t.Errorf("asked %d times, jars %v", asked(), w.jars)
	}
	w.sleep(submit.UploadTakes)
	w.run()
	if asked() != 2 {
		t.Errorf("an upload that did not come is asked for again, asked %d times", asked())
	}
	w.uploads = true
	w.untilSteady()
}

func TestTheEmptyJarIsUploadedAtOnce(t *testing.T) {
	w := newWorld(t, strings.Replace(stateless, `"jarURI":"https://repo/etl.jar"`, `"entryClass":"org.Main"`, 1))
	w.uploads = false
	w.untilSteady()
}

const overrides = "pipeline.jobvertex-parallelism-overrides"

func TestTheAutoscalerOfASessionJob(t *testing.T) {
	scaled := plan.Present(autoscaled.Store{Data: map[string]string{"parallelismOverrides": "a:2"}})
	rows := map[string]struct {
		enabled string
		cluster string // what the session cluster says of it
		stored  plan.Observed[autoscaled.Store]
		want    string
		told    bool
		reason  string
	}{
		"never on": {"", "", plan.Absent[autoscaled.Store](), "a:4", false, "what the user sets counts"},
		"on":       {"true", "", plan.Absent[autoscaled.Store](), "a:4", true, "none of it is the autoscaler's"},
		"on, and scaled": {
			"true", "", scaled, "a:2", true, "it keeps its size",
		},
		"on in the session cluster, and scaled": {
			"", "true", scaled, "a:2", true, "it counts for its jobs",
		},
		"off in the session cluster, and scaled": {
			"", "false", scaled, "a:4", false, "it was switched off",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, stateless)
			if row.cluster != "" {
				w.s.Cluster = plan.Present(sessionCluster("job.autoscaler.enabled", row.cluster))
			}
			configure := func(value string) {
				content := `{"` + overrides + `":"` + value + `"}`
				if row.enabled != "" {
					content = strings.Replace(content, "{", `{"job.autoscaler.enabled":"`+row.enabled+`",`, 1)
				}
				w.edit(
					func(s *v1beta1.FlinkSessionJobSpec) { s.FlinkConfiguration = v1beta1.FlinkConfiguration(content) },
				)
			}
			configure("a:2")
			w.untilSteady()
			w.s.Autoscaled = row.stored
			if !Open(w.s).AsksAutoscaled() && row.cluster != "false" {
				t.Error("what the autoscaler stored is not looked at")
			}
			configure("a:4")
			w.s.Resource.Spec.Job.Parallelism = 3 // a change in any case
			w.untilSteady()
			if got := w.runs[len(w.runs)-1].Configuration[overrides]; len(w.runs) != 2 || got != row.want {
				t.Errorf("%d runs, the last one with %q, want %q: %s", len(w.runs), got, row.want, row.reason)
			}
			told := false
			for _, c := range w.status().Conditions {
				told = told || (c.Type == summary.Autoscaling && c.Reason == string(plan.ReasonAutoscalerCollecting))
			}
			if told != row.told {
				t.Errorf("the condition Autoscaling is there: %t, want %t", told, row.told)
			}
		})
	}
}

func TestAFailureOfASessionJobIsToldOnce(t *testing.T) {
	w := newWorld(t, stateless)
	w.untilSteady()
	told := func() (n int) {
		for _, e := range w.events {
			if e.Reason == plan.ReasonJobException {
				n++
			}
		}
		return n
	}
	w.sleep(time.Minute)
	w.s.Flink.Exceptions = plan.Present([]exceptions.Entry{{At: w.s.Now, StackTrace: "java.io.IOException: disk full"}})
	for i := range w.jobs {
		w.jobs[i].Modified = w.s.Now
	}
	for range 4 {
		w.run()
		w.sleep(time.Minute)
	}
	if n := told(); n != 1 {
		t.Errorf("told %d times", n)
	}
	w.look()
	if more := Open(w.s).Flink(); more.Exceptions != 0 {
		t.Errorf("a steady job costs a question about %d failures", more.Exceptions)
	}
	if p := w.round(); !p.IsQuiet() || p.Status != nil {
		t.Errorf("a job whose failure was told is left alone, got %s", p)
	}
}

// What was rolled back stays so until the spec changes: the record is that of the failed spec, as if it had run.
func TestASessionJobWithoutItsJarRollsBack(t *testing.T) {
	const missing = "https://jars.example.com/missing.jar"
	for _, mode := range []string{"stateless", "savepoint", "last-state"} {
		t.Run(mode, func(t *testing.T) {
			w := newWorld(t, stateful(mode))
			w.edit(options(`{"kubernetes.operator.deployment.rollback.enabled":"true",` +
				`"kubernetes.operator.deployment.readiness.timeout":"60s"}`))
			w.untilSteady()
			good := w.s.Resource.Spec.Job.JarURI
			w.missing = missing
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.JarURI = missing })
			for range 20 {
				w.run()
				w.sleep(10 * time.Second)
			}
			w.want(plan.Steady, v1beta1.LifecycleRolledBack, v1beta1.FlinkJobRunning)
			if n := len(w.running()); n != 1 || len(w.runs) != 2 {
				t.Errorf("runs %+v, %d jobs", w.runs, n)
			}
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.JarURI, s.Job.Parallelism = good, 4 })
			w.run()
			w.sleep(20 * time.Second)
			w.untilSteady()
			w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.FlinkJobRunning)
			if n := len(w.running()); n != 1 || len(w.runs) != 3 {
				t.Errorf("runs %+v, %d jobs", w.runs, n)
			}
		})
	}
}

// The JobManager keeps no jar of a start that was given up: a refused one is uploaded again for the next attempt.
func TestTheJarOfARefusedRunIsDeleted(t *testing.T) {
	w := newWorld(t, stateless)
	w.refuses = "no such method"
	for range 3 {
		w.run()
	}
	if len(w.runs) != 1 || len(w.jars) != 0 {
		t.Errorf("runs %+v, jars %+v", w.runs, w.jars)
	}
	w.sleep(time.Minute)
	w.refuses = ""
	w.untilSteady()
	if len(w.running()) != 1 || len(w.jars) != 0 {
		t.Errorf("jobs %+v, jars %+v", w.jobs, w.jars)
	}
}

// Another job of the cluster is not taken for this one.
func TestASessionJobWithoutAnIDTakesNoJob(t *testing.T) {
	w := newWorld(t, stateless)
	w.untilSteady()
	w.s.Resource.Status.JobStatus.JobID = ""
	other := w.jobs[0].ID
	w.round()
	if got := w.status().JobStatus.JobID; got == other {
		t.Errorf("the job is %s, which nobody said", got)
	}
}

// A job that does not move costs no request of its own.
func TestAQuietSessionJobIsNotAskedAbout(t *testing.T) {
	w := newWorld(t, stateless)
	w.untilSteady()
	w.s.Flink.Exceptions = plan.Present([]exceptions.Entry{})
	w.run()
	w.s.Flink.Exceptions = plan.Observed[[]exceptions.Entry]{}
	w.look()
	if more := Open(w.s).Flink(); more != (ask.More{}) {
		t.Errorf("a quiet job is asked for %+v", more)
	}
}
