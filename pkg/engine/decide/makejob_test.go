package decide_test

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
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/host/session/submit"
	"github.com/kn-flink/kn-flink/pkg/host/sessionjob"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
	"github.com/kn-flink/kn-flink/pkg/plan/exceptions"
	"github.com/kn-flink/kn-flink/test/drawing"
)

func TestASessionJobRuns(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	w.UntilSteady()
	w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.FlinkJobRunning)
	s := w.Status()
	if len(w.Runs) != 1 || len(w.Running()) != 1 || w.Running()[0] != s.JobStatus.JobID || len(w.Jars) != 0 {
		t.Errorf("runs %+v, jobs %+v, jars %+v", w.Runs, w.Jobs, w.Jars)
	}
	if !strings.Contains(s.ReconciliationStatus.LastReconciledSpec, `"deploymentName":"session"`) ||
		strings.Contains(s.ReconciliationStatus.LastReconciledSpec, "podTemplate") {
		t.Errorf("recorded %s", s.ReconciliationStatus.LastReconciledSpec)
	}
	if p := w.Round(); !p.IsQuiet() || p.Status != nil {
		t.Errorf("a quiet job is left alone, got %s", p)
	}
	for _, e := range w.Events {
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
			w := enginetest.NewSessionJob(t, enginetest.HostedStateful(row.mode))
			w.UntilSteady()
			first := w.Status().JobStatus.JobID
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
			w.Run()
			w.Sleep(20 * time.Second)
			w.UntilSteady()
			w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.FlinkJobRunning)
			if len(w.Runs) != 2 || w.Runs[1].SavepointPath != row.from || w.Runs[1].JobID == first ||
				w.Runs[1].Parallelism != 4 || len(w.Running()) != 1 {
				t.Errorf("runs %+v, jobs %+v: %s", w.Runs, w.Jobs, row.reason)
			}
		})
	}
}

func TestASessionJobIsSuspendedAndResumed(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
	w.UntilSteady()
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = v1beta1.JobStateSuspended })
	w.Run()
	w.Run()
	w.Want(plan.Suspended, v1beta1.LifecycleSuspended, v1beta1.FlinkJobFinished)
	if p := w.Round(); !p.IsQuiet() || p.Status != nil {
		t.Errorf("a suspended job is left alone, got %s", p)
	}
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = v1beta1.JobStateRunning })
	w.UntilSteady()
	if len(w.Runs) != 2 || w.Runs[1].SavepointPath != "file:///s/savepoint-1" {
		t.Errorf("runs %+v", w.Runs)
	}
}

func TestASessionJobThatStartsSuspended(t *testing.T) {
	const from = "file:///s/mine"
	for _, mode := range []string{"stateless", "savepoint", "last-state"} {
		t.Run(mode, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateful(mode))
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) {
				s.Job.State, s.Job.InitialSavepointPath = v1beta1.JobStateSuspended, from
			})
			for range 3 {
				w.Run()
				w.Sleep(time.Minute)
			}
			w.Want(plan.NeverStarted, v1beta1.LifecycleSuspended, "")
			s := w.Status()
			if r := s.ReconciliationStatus; r.LastReconciledSpec != "" || r.LastStableSpec != "" || s.Intent != nil ||
				s.JobStatus.JobID != "" || s.JobStatus.UpgradeSavepointPath != "" || s.Error != "" || len(w.Jars) != 0 {
				t.Errorf("nothing is started or recorded, got %+v", s)
			}
			if p := w.Round(); !p.IsQuiet() || p.Status != nil {
				t.Errorf("it is left alone, got %s", p)
			}
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = v1beta1.JobStateRunning })
			w.UntilSteady()
			if len(w.Runs) != 1 || w.Runs[0].SavepointPath != from {
				t.Errorf("runs %+v, want one from %s", w.Runs, from)
			}
		})
	}
}

func TestASessionJobWaitsForItsCluster(t *testing.T) {
	rows := map[string]struct {
		prepare func(w *enginetest.SessionJob)
		reason  plan.Reason
	}{
		"is not there": {func(w *enginetest.SessionJob) {
			w.Snapshot.Cluster, w.Snapshot.JobManager = plan.Absent[*v1beta1.FlinkDeployment](),
				plan.Absent[*appsv1.Deployment]()
		}, plan.ReasonSessionClusterMissing},
		"could not be read": {func(w *enginetest.SessionJob) {
			w.Snapshot.Cluster = plan.Unknown[*v1beta1.FlinkDeployment]("time-out")
		}, plan.ReasonSessionClusterNotReady},
		"has an open intent, that is not released": {func(w *enginetest.SessionJob) {
			d := enginetest.SessionCluster()
			d.Status.Intent = &v1beta1.Intent{Step: v1beta1.StepStopping, Purpose: v1beta1.PurposeUpgrade}
			w.Snapshot.Cluster = plan.Present(d)
		}, plan.ReasonSessionClusterChanging},
		"is not recorded as deployed": {func(w *enginetest.SessionJob) {
			d := enginetest.SessionCluster()
			d.Spec.FlinkVersion, d.Status.ReconciliationStatus = v1beta1.FlinkV1_14, v1beta1.ReconciliationStatus{}
			w.Snapshot.Cluster, w.Snapshot.JobManager = plan.Present(d), plan.Absent[*appsv1.Deployment]()
		}, plan.ReasonSessionClusterChanging},
		"is being deleted": {func(w *enginetest.SessionJob) {
			d := enginetest.SessionCluster()
			d.DeletionTimestamp = &metav1.Time{Time: enginetest.Start}
			w.Snapshot.Cluster = plan.Present(d)
		}, plan.ReasonSessionClusterChanging},
		"has no JobManager that is available": {func(w *enginetest.SessionJob) {
			d := enginetest.JobManager()
			d.Status.AvailableReplicas = 0
			w.Snapshot.JobManager = plan.Present(d)
		}, plan.ReasonSessionClusterNotReady},
		"does not answer": {func(w *enginetest.SessionJob) { w.Silent = true }, plan.ReasonSessionClusterNotReady},
	}
	drawn := drawing.Read(t, "../../host/session/hosted.go", "ClusterReady")
	if err := drawn.Shown("clusterReady", slices.Collect(maps.Keys(rows))...); err != nil {
		t.Error(err)
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if err := drawn.Holds(name, drawing.Row{"reason": string(row.reason)}); err != nil {
				t.Error(err)
			}
			w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
			row.prepare(w)
			w.Run()
			w.Want(plan.Waiting, v1beta1.LifecycleCreated, "")
			found := false
			for _, c := range w.Status().Conditions {
				found = found || (c.Type == "Reconciling" && c.Reason == string(row.reason))
			}
			if !found || len(w.Runs)+len(w.Jars) > 0 {
				t.Errorf("want %s, got %+v", row.reason, w.Status().Conditions)
			}
			if p := w.Round(); !p.IsQuiet() || p.Status != nil {
				t.Errorf("it waits quietly, got %s", p)
			}
			w.Snapshot.Cluster, w.Snapshot.JobManager, w.Silent = plan.Present(
				enginetest.SessionCluster(),
			), plan.Present(
				enginetest.JobManager(),
			), false
			w.UntilSteady()
		})
	}
}

func TestARefusedRunIsTriedUnderItsID(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	w.Refuses = "ClassNotFoundException: org.Main"
	w.Run()
	s := w.Status()
	if s.JobStatus.State != v1beta1.FlinkJobReconciling || s.Retry == nil ||
		!strings.Contains(s.Error, "ClassNotFoundException") {
		t.Fatalf("%+v\n%q", s, w.Log)
	}
	w.Run()
	if len(w.Runs) != 1 {
		t.Errorf("it waits for its next attempt, %d runs", len(w.Runs))
	}
	w.Sleep(11 * time.Second)
	w.Refuses = ""
	w.UntilSteady()
	if len(w.Runs) != 2 || w.Runs[0].JobID != w.Runs[1].JobID || w.Status().Error != "" || w.Status().Retry != nil {
		t.Errorf("runs %+v, error %q", w.Runs, w.Status().Error)
	}
}

func TestANewerSpecTakesThePlaceOfARefusedRun(t *testing.T) {
	for _, mode := range []string{"stateless", "savepoint", "last-state"} {
		t.Run(mode, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateful(mode))
			w.UntilSteady()
			w.Refuses = "no such method"
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.EntryClass = "org.Bad" })
			for range 5 {
				w.Run()
				w.Sleep(2 * time.Second)
			}
			refused := len(w.Runs)
			w.Refuses = ""
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.EntryClass = "org.Good" })
			w.UntilSteady()
			last := w.Runs[len(w.Runs)-1]
			if len(w.Runs) != refused+1 || last.EntryClass != "org.Good" ||
				last.SavepointPath != w.Runs[refused-1].SavepointPath {
				t.Errorf("runs %+v", w.Runs)
			}
		})
	}
}

func TestASessionJobIsRolledBack(t *testing.T) {
	for _, mode := range []string{"stateless", "savepoint", "last-state"} {
		t.Run(mode, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateful(mode))
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) {
				s.FlinkConfiguration = v1beta1.FlinkConfiguration(
					`{"kubernetes.operator.deployment.rollback.enabled":"true",
					"kubernetes.operator.deployment.readiness.timeout":"60s"}`)
			})
			w.UntilSteady()
			w.Refuses = "no such method"
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.EntryClass = "org.Bad" })
			for range 10 {
				w.Run()
				w.Sleep(2 * time.Second)
			}
			w.Refuses = ""
			w.Jobs = append(w.Jobs[:0:0], w.Jobs...)
			w.Snapshot.Now = w.Snapshot.Now.Add(time.Minute)
			w.Snapshot.Resource.Status.Retry.After = metav1.NewTime(
				w.Snapshot.Now.Add(time.Hour),
			) // the bad one is not tried before
			w.UntilSteady()
			w.Want(plan.Steady, v1beta1.LifecycleRolledBack, v1beta1.FlinkJobRunning)
			if last := w.Runs[len(w.Runs)-1]; last.EntryClass != "" {
				t.Errorf("runs %+v", w.Runs)
			}
		})
	}
}

func TestASessionJobWhoseClusterWasReplaced(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	w.UntilSteady()
	w.Jobs = nil
	w.Sleep(time.Minute)
	w.UntilSteady()
	if len(w.Runs) != 2 || w.Runs[0].JobID == w.Runs[1].JobID {
		t.Errorf("a stateless job runs again under a new ID: %+v", w.Runs)
	}
	w = enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
	w.UntilSteady()
	w.Jobs = nil
	w.Sleep(time.Minute)
	w.Run()
	w.Want(plan.StateLost, v1beta1.LifecycleDeployed, v1beta1.FlinkJobReconciling)
	safe, command := false, false
	for _, c := range w.Status().Conditions {
		safe = safe || (c.Type == "StateSafe" && c.Status == metav1.ConditionFalse)
		command = command || (c.Type == "Stalled" && strings.Contains(c.Message, "kubectl patch flinksessionjob etl"))
	}
	if !safe || !command || len(w.Runs) != 1 {
		t.Errorf("%+v", w.Status().Conditions)
	}
	nonce := int64(1)
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) {
		s.Job.InitialSavepointPath, s.Job.SavepointRedeployNonce = "file:///s/mine", &nonce
	})
	w.UntilSteady()
	if len(w.Runs) != 2 || w.Runs[1].SavepointPath != "file:///s/mine" {
		t.Errorf("runs %+v", w.Runs)
	}
}

func TestTheDeletionOfASessionJob(t *testing.T) {
	rows := map[string]struct {
		prepare func(w *enginetest.SessionJob)
		runs    int // jobs that run afterwards
		reason  string
	}{
		"never looked at": {func(*enginetest.SessionJob) {}, 0, ""},
		"it runs":         {func(w *enginetest.SessionJob) { w.UntilSteady() }, 0, "it is cancelled"},
		"it ends by itself": {func(w *enginetest.SessionJob) {
			w.UntilSteady()
			w.Set(w.Status().JobStatus.JobID, v1beta1.FlinkJobFinished)
		}, 0, "there is nothing to cancel"},
		"it is suspended": {func(w *enginetest.SessionJob) {
			w.UntilSteady()
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.State = v1beta1.JobStateSuspended })
			w.Run()
			w.Run()
		}, 0, ""},
		"its cluster is gone": {func(w *enginetest.SessionJob) {
			w.UntilSteady()
			w.Jobs = nil
			w.Snapshot.Cluster, w.Snapshot.JobManager = plan.Absent[*v1beta1.FlinkDeployment](),
				plan.Absent[*appsv1.Deployment]()
		}, 0, "row 2"},
		"its cluster is being deleted and does not wait": {func(w *enginetest.SessionJob) {
			w.UntilSteady()
			d := enginetest.SessionCluster()
			d.DeletionTimestamp = &metav1.Time{Time: enginetest.Start}
			d.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(
				`{"kubernetes.operator.session.deletion.block-on-session-jobs":"false"}`)
			w.Snapshot.Cluster = plan.Present(d)
		}, 1, "row 3: it ends with its cluster"},
		"Flink does not answer": {
			func(w *enginetest.SessionJob) { w.UntilSteady(); w.Silent = true },
			1,
			"after the clean-up timeout",
		},
		"its run was refused": {func(w *enginetest.SessionJob) {
			w.Refuses = "no such class"
			w.Run()
		}, 0, ""},
		"its jar is being uploaded": {func(w *enginetest.SessionJob) { w.Uploads = false; w.Run() }, 0, ""},
		"the job has vanished":      {func(w *enginetest.SessionJob) { w.UntilSteady(); w.Jobs = nil }, 0, "row 1"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
			row.prepare(w)
			w.Snapshot.Resource.DeletionTimestamp = &metav1.Time{Time: w.Snapshot.Now}
			w.Bump()
			for i := 0; i < 40 && len(w.Snapshot.Resource.Finalizers) > 0; i++ {
				w.Run()
				if len(w.Snapshot.Resource.Finalizers) > 0 && w.Status().LifecycleState != v1beta1.LifecycleDeleting {
					t.Errorf("it is %s while it is deleted", w.Status().LifecycleState)
				}
				w.Sleep(10 * time.Second)
			}
			if len(w.Snapshot.Resource.Finalizers) > 0 || len(w.Running()) != row.runs {
				t.Errorf("finalizers %v, jobs %v: %s\n%q", w.Snapshot.Resource.Finalizers, w.Running(), row.reason, w.Log)
			}
		})
	}
}

func TestASessionJobsSavepointOnDeletion(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) {
		s.FlinkConfiguration = v1beta1.FlinkConfiguration(`{"kubernetes.operator.job.savepoint-on-deletion":"true"}`)
	})
	w.UntilSteady()
	w.Snapshot.Resource.DeletionTimestamp = &metav1.Time{Time: w.Snapshot.Now}
	w.Bump()
	for i := 0; i < 10 && len(w.Snapshot.Resource.Finalizers) > 0; i++ {
		w.Run()
		w.Sleep(time.Second)
	}
	if len(w.Snapshot.Resource.Finalizers) > 0 || w.Status().JobStatus.UpgradeSavepointPath != "file:///s/savepoint-1" {
		t.Errorf("finalizers %v, %+v\n%q", w.Snapshot.Resource.Finalizers, w.Status().JobStatus, w.Log)
	}
}

// The job that is then cancelled has ended, and its savepoint never will
func TestADeletionWhoseSavepointIsSkippedEnds(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
	w.Edit(func(s *v1beta1.FlinkSessionJobSpec) {
		s.FlinkConfiguration = v1beta1.FlinkConfiguration(`{"kubernetes.operator.job.savepoint-on-deletion":"true"}`)
	})
	w.UntilSteady()
	w.Saves = false
	w.Snapshot.Resource.DeletionTimestamp = &metav1.Time{Time: w.Snapshot.Now}
	w.Bump()
	for i := 0; i < 100 && len(w.Snapshot.Resource.Finalizers) > 0; i++ {
		w.Run()
		w.Sleep(time.Minute)
	}
	if len(w.Snapshot.Resource.Finalizers) > 0 || len(w.Running()) != 0 {
		t.Errorf("finalizers %v, jobs %v\n%q", w.Snapshot.Resource.Finalizers, w.Running(), w.Log)
	}
}

// The job stores its intent, then looks at its session cluster
func TestNoRunOnAClusterAboutToChange(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	for w.Status().Intent == nil || w.Status().Intent.Step != v1beta1.StepReleased {
		w.Round()
	}
	d := enginetest.SessionCluster()
	d.Status.Intent = &v1beta1.Intent{Step: v1beta1.StepStopping, Purpose: v1beta1.PurposeUpgrade}
	w.Snapshot.Cluster = plan.Present(d)
	w.Run()
	if len(w.Runs) != 0 {
		t.Errorf("runs %+v", w.Runs)
	}
	w.Snapshot.Cluster = plan.Present(enginetest.SessionCluster())
	w.Sleep(time.Minute)
	w.UntilSteady()
}

func TestTheUploadIsAskedForOnce(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	w.Uploads = false
	asked := func() int { return strings.Count(strings.Join(w.Log, "\n"), "request upload") }
	for range 10 {
		w.Run()
		w.Sleep(2 * time.Second)
	}
	if asked() != 1 || len(w.Jars) != 0 {
		t.Errorf("asked %d times, jars %v", asked(), w.Jars)
	}
	w.Sleep(submit.UploadTakes)
	w.Run()
	if asked() != 2 {
		t.Errorf("an upload that did not come is asked for again, asked %d times", asked())
	}
	w.Uploads = true
	w.UntilSteady()
}

func TestTheEmptyJarIsUploadedAtOnce(t *testing.T) {
	w := enginetest.NewSessionJob(
		t,
		strings.Replace(enginetest.HostedStateless, `"jarURI":"https://repo/etl.jar"`, `"entryClass":"org.Main"`, 1),
	)
	w.Uploads = false
	w.UntilSteady()
}

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
			w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
			if row.cluster != "" {
				w.Snapshot.Cluster = plan.Present(enginetest.SessionCluster("job.autoscaler.enabled", row.cluster))
			}
			configure := func(value string) {
				content := `{"` + enginetest.HostedOverrides + `":"` + value + `"}`
				if row.enabled != "" {
					content = strings.Replace(content, "{", `{"job.autoscaler.enabled":"`+row.enabled+`",`, 1)
				}
				w.Edit(
					func(s *v1beta1.FlinkSessionJobSpec) { s.FlinkConfiguration = v1beta1.FlinkConfiguration(content) },
				)
			}
			configure("a:2")
			w.UntilSteady()
			w.Snapshot.Autoscaled = row.stored
			if !sessionjob.Open(w.Snapshot).AsksAutoscaled() && row.cluster != "false" {
				t.Error("what the autoscaler stored is not looked at")
			}
			configure("a:4")
			w.Snapshot.Resource.Spec.Job.Parallelism = 3 // a change in any case
			w.UntilSteady()
			if got := w.Runs[len(w.Runs)-1].Configuration[enginetest.HostedOverrides]; len(w.Runs) != 2 || got != row.want {
				t.Errorf("%d runs, the last one with %q, want %q: %s", len(w.Runs), got, row.want, row.reason)
			}
			told := false
			for _, c := range w.Status().Conditions {
				told = told || (c.Type == summary.Autoscaling && c.Reason == string(plan.ReasonAutoscalerCollecting))
			}
			if told != row.told {
				t.Errorf("the condition Autoscaling is there: %t, want %t", told, row.told)
			}
		})
	}
}

func TestAFailureOfASessionJobIsToldOnce(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	w.UntilSteady()
	told := func() (n int) {
		for _, e := range w.Events {
			if e.Reason == plan.ReasonJobException {
				n++
			}
		}
		return n
	}
	w.Sleep(time.Minute)
	w.Snapshot.Flink.Exceptions = plan.Present(
		[]exceptions.Entry{{At: w.Snapshot.Now, StackTrace: "java.io.IOException: disk full"}},
	)
	for i := range w.Jobs {
		w.Jobs[i].Modified = w.Snapshot.Now
	}
	for range 4 {
		w.Run()
		w.Sleep(time.Minute)
	}
	if n := told(); n != 1 {
		t.Errorf("told %d times", n)
	}
	w.Look()
	if more := sessionjob.Open(w.Snapshot).Flink(); more.Exceptions != 0 {
		t.Errorf("a steady job costs a question about %d failures", more.Exceptions)
	}
	if p := w.Round(); !p.IsQuiet() || p.Status != nil {
		t.Errorf("a job whose failure was told is left alone, got %s", p)
	}
}

// What was rolled back stays so until the spec changes: the record is that of the failed spec, as if it had run.
func TestASessionJobWithoutItsJarRollsBack(t *testing.T) {
	const missing = "https://jars.example.com/missing.jar"
	for _, mode := range []string{"stateless", "savepoint", "last-state"} {
		t.Run(mode, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateful(mode))
			w.Edit(enginetest.HostedOptions(`{"kubernetes.operator.deployment.rollback.enabled":"true",` +
				`"kubernetes.operator.deployment.readiness.timeout":"60s"}`))
			w.UntilSteady()
			good := w.Snapshot.Resource.Spec.Job.JarURI
			w.Missing = missing
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.JarURI = missing })
			for range 20 {
				w.Run()
				w.Sleep(10 * time.Second)
			}
			w.Want(plan.Steady, v1beta1.LifecycleRolledBack, v1beta1.FlinkJobRunning)
			if n := len(w.Running()); n != 1 || len(w.Runs) != 2 {
				t.Errorf("runs %+v, %d jobs", w.Runs, n)
			}
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.JarURI, s.Job.Parallelism = good, 4 })
			w.Run()
			w.Sleep(20 * time.Second)
			w.UntilSteady()
			w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.FlinkJobRunning)
			if n := len(w.Running()); n != 1 || len(w.Runs) != 3 {
				t.Errorf("runs %+v, %d jobs", w.Runs, n)
			}
		})
	}
}

// The JobManager keeps no jar of a start that was given up: a refused one is uploaded again for the next attempt.
func TestTheJarOfARefusedRunIsDeleted(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	w.Refuses = "no such method"
	for range 3 {
		w.Run()
	}
	if len(w.Runs) != 1 || len(w.Jars) != 0 {
		t.Errorf("runs %+v, jars %+v", w.Runs, w.Jars)
	}
	w.Sleep(time.Minute)
	w.Refuses = ""
	w.UntilSteady()
	if len(w.Running()) != 1 || len(w.Jars) != 0 {
		t.Errorf("jobs %+v, jars %+v", w.Jobs, w.Jars)
	}
}

// Another job of the cluster is not taken for this one.
func TestASessionJobWithoutAnIDTakesNoJob(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	w.UntilSteady()
	w.Snapshot.Resource.Status.JobStatus.JobID = ""
	other := w.Jobs[0].ID
	w.Round()
	if got := w.Status().JobStatus.JobID; got == other {
		t.Errorf("the job is %s, which nobody said", got)
	}
}

// A job that does not move costs no request of its own.
func TestAQuietSessionJobIsNotAskedAbout(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	w.UntilSteady()
	w.Snapshot.Flink.Exceptions = plan.Present([]exceptions.Entry{})
	w.Run()
	w.Snapshot.Flink.Exceptions = plan.Observed[[]exceptions.Entry]{}
	w.Look()
	if more := sessionjob.Open(w.Snapshot).Flink(); more != (ask.More{}) {
		t.Errorf("a quiet job is asked for %+v", more)
	}
}
