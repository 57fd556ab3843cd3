package world_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
)

// records stores a spec as the last stable one.
func records(t *testing.T, s *world.Seen, change func(*v1beta1.FlinkDeploymentSpec)) {
	t.Helper()
	spec := *s.Resource.Spec.DeepCopy()
	change(&spec)
	text, err := v1beta1.ReconciledDeployment{Spec: spec}.Text()
	if err != nil {
		t.Fatal(err)
	}
	s.Resource.Status.ReconciliationStatus.LastStableSpec = text
}

// After a rollback the last stable spec runs, as far as it can be read; else the one acted on last.
func TestWhichSpecRuns(t *testing.T) {
	stable := func(s *world.Seen) {
		records(t, s, func(spec *v1beta1.FlinkDeploymentSpec) { spec.Image = "stable" })
	}
	rolledBack := func(s *world.Seen) {
		s.Resource.Status.ReconciliationStatus.State = v1beta1.ReconciliationRolledBack
	}
	rows := map[string]struct {
		then    func(s *world.Seen)
		image   string
		nothing bool
	}{
		"nothing was deployed":                   {then: guesttest.NeverDeployed, nothing: true},
		"what was acted on last":                 {then: stable, image: "last"},
		"a rollback":                             {then: func(s *world.Seen) { stable(s); rolledBack(s) }, image: "stable"},
		"a rollback to what is known of no spec": {then: rolledBack, image: "last"},
		"a rollback to a spec that cannot be read": {then: func(s *world.Seen) {
			rolledBack(s)
			s.Resource.Status.ReconciliationStatus.LastStableSpec = "{"
		}, image: "last"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				s.Resource.Spec.Image = "last"
				guesttest.Deployed(t, s)
				s.Resource.Status.ReconciliationStatus.LastStableSpec = ""
				row.then(s)
			})
			running := v.Running()
			if row.nothing != (running == nil) {
				t.Fatalf("it runs %+v, want that nothing runs: %t", running, row.nothing)
			}
			if running != nil && running.Image != row.image {
				t.Errorf("image %q runs, want %q", running.Image, row.image)
			}
		})
	}
}

// A record that cannot be read is named, and counts as none.
func TestARecordThatCannotBeRead(t *testing.T) {
	v := guesttest.NewLife(t, func(s *world.Seen) { s.Resource.Status.ReconciliationStatus.LastReconciledSpec = "{" })
	if v.Last != nil || v.Unreadable == "" {
		t.Errorf("the last spec is %+v, unreadable because %q; want none, and a reason", v.Last, v.Unreadable)
	}
	v = guesttest.NewLife(t, func(s *world.Seen) { s.Resource.Status.Intent = &v1beta1.Intent{Spec: "delta:{"} })
	if v.Intent() == nil {
		t.Error("an intent whose spec cannot be read is no longer open")
	}
}

// The status of a resource that was never deployed begins as the Java operator's does, and keeps what it has.
func TestHowAStatusBegins(t *testing.T) {
	rows := map[string]struct {
		then       func(s *world.Seen)
		jobManager v1beta1.JobManagerDeploymentStatus
		state      v1beta1.ReconciliationState
	}{
		"nothing was deployed": {
			then:       guesttest.NeverDeployed,
			jobManager: v1beta1.JobManagerMissing, state: v1beta1.ReconciliationUpgrading,
		},
		"nothing was deployed, and it has a status": {
			then: func(s *world.Seen) {
				guesttest.NeverDeployed(s)
				s.Resource.Status.JobManagerDeploymentStatus = v1beta1.JobManagerError
				s.Resource.Status.ReconciliationStatus.State = v1beta1.ReconciliationDeployed
			},
			jobManager: v1beta1.JobManagerError, state: v1beta1.ReconciliationDeployed,
		},
		"it was deployed": {then: func(*world.Seen) {}, state: v1beta1.ReconciliationDeployed},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			got := guesttest.NewLife(t, row.then).Want
			if got.JobManagerDeploymentStatus != row.jobManager {
				t.Errorf("JobManager %q, want %q", got.JobManagerDeploymentStatus, row.jobManager)
			}
			if got.ReconciliationStatus.State != row.state {
				t.Errorf("state %q, want %q", got.ReconciliationStatus.State, row.state)
			}
		})
	}
}

// The generation that counts as deployed is the observed one, unless the status names another. A refusal that no status
// has yet is taken over.
func TestWhatALookBeginsWith(t *testing.T) {
	three := int64(3)
	v := guesttest.NewLife(t, func(s *world.Seen) {
		s.Resource.Status.DeployedGeneration = &three
		s.Refused = &v1beta1.Refused{Effect: "Rehearse"}
	})
	if v.Deployed != 3 {
		t.Errorf("generation %d counts as deployed, want 3", v.Deployed)
	}
	if v.Want.Refused == nil || v.Want.Refused.Effect != "Rehearse" {
		t.Errorf("refused %+v, want that of the round before", v.Want.Refused)
	}
	if v = guesttest.NewLife(t, func(*world.Seen) {}); v.Deployed != 1 || v.Want.Refused != nil {
		t.Errorf("generation %d, refused %+v; want the observed one and none", v.Deployed, v.Want.Refused)
	}
}

// The options of Flink are those that what runs was started with; the operator's own are those of the resource as it is
// now.
func TestWhichConfigurationRuns(t *testing.T) {
	const own, flinks = "kubernetes.operator.savepoint.history.max.count", "pipeline.max-parallelism"
	rows := map[string]struct {
		then        func(s *world.Seen)
		own, flinks string
	}{
		"before the first deployment": {then: guesttest.NeverDeployed, own: "9", flinks: "9"},
		"after it":                    {then: func(*world.Seen) {}, own: "9", flinks: "1"},
		"the spec cannot be read":     {then: func(s *world.Seen) { s.SpecProblem = "no object" }, own: "1", flinks: "1"},
		"the JobManager has another": {then: func(s *world.Seen) {
			s.Deployed = plan.Present(flinkconf.Config{flinks: "7"})
		}, own: "9", flinks: "1"},
		"the recorded one cannot be read": {then: func(s *world.Seen) {
			s.Resource.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(`{"a":[}`)
			guesttest.NeverDeployed(s)
		}},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				s.Resource.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(`{"` + own + `":"1","` + flinks + `":"1"}`)
				guesttest.Deployed(t, s)
				s.Resource.Spec.FlinkConfiguration = v1beta1.FlinkConfiguration(`{"` + own + `":"9","` + flinks + `":"9"}`)
				row.then(s)
			})
			c := v.Config()
			if c[own] != row.own || c[flinks] != row.flinks {
				t.Errorf("%s %q, %s %q; want %q, %q", own, c[own], flinks, c[flinks], row.own, row.flinks)
			}
			if noted := len(v.Notes) > 0; noted != (row.own == "") {
				t.Errorf("notes %q, want that a configuration that cannot be composed is noted", v.Notes)
			}
		})
	}
}

// A start that has begun goes on with the options that it began with, for its own spec alone.
func TestAStartKeepsItsOptions(t *testing.T) {
	const option = "pipeline.max-parallelism"
	v := guesttest.NewLife(t, func(s *world.Seen) {
		s.Resource.Status.Intent = &v1beta1.Intent{
			Step: v1beta1.StepStarting, Options: map[string]string{option: "7"}, SpecHash: "of another spec",
		}
	})
	if got := v.Compose(&v.Spec)[option]; got == "7" {
		t.Error("another spec gets the options of the open start")
	}
	v.Want.Intent.Step = v1beta1.StepReleased
	if got := v.Compose(&v.Spec)[option]; got == "7" {
		t.Error("a start that is released still decides on the options of the next")
	}
}

// What the JobManager was made with, and what the autoscaler keeps, count from the moment on that they are seen.
func TestWhatIsSeenLater(t *testing.T) {
	v := guesttest.NewLife(t, func(*world.Seen) {})
	before := v.Config()
	world.SeeDeployed(v, plan.Present(flinkconf.Config{"state.backend.type": "rocksdb"}))
	if !v.Seen.Deployed.IsPresent() || len(v.Config()) < len(before) {
		t.Errorf("deployed %v, and %d options where there were %d", v.Seen.Deployed, len(v.Config()), len(before))
	}

	v = guesttest.NewLife(t, func(s *world.Seen) {
		guesttest.Optioned(t, s, guesttest.TurnedOn, guesttest.TurnedOn+","+guesttest.Resized)
	})
	if !v.KeepsAutoscaled || !strings.Contains(string(v.Spec.FlinkConfiguration), guesttest.Vertex) {
		t.Fatalf("what the autoscaler had set is not in the spec that counts: %s", v.Spec.FlinkConfiguration)
	}
	world.SeeAutoscaled(v, plan.Present(autoscaled.Store{}))
	if strings.Contains(string(v.Spec.FlinkConfiguration), guesttest.Vertex) {
		t.Errorf("nothing is kept any more, and the spec has it still: %s", v.Spec.FlinkConfiguration)
	}
}

// A question that is asked apart sees its own world, and changes nothing of the other.
func TestAQuestionApart(t *testing.T) {
	v := guesttest.NewLife(t, func(*world.Seen) {})
	seen := *v.Seen
	seen.Now = seen.Now.Add(time.Hour)
	apart := world.Apart(v, &seen, v.Host)
	if apart.Seen.Now.Equal(v.Seen.Now) || apart.Starter != nil || apart.Stopper != nil {
		t.Errorf("apart: now %s, starter %v, stopper %v", apart.Seen.Now, apart.Starter, apart.Stopper)
	}
	apart.Note("apart")
	if len(v.Notes) > 0 {
		t.Errorf("the other look notes %q", v.Notes)
	}
}

// A note is written once, an event as often as it is published.
func TestNotesAndEvents(t *testing.T) {
	v := guesttest.NewLife(t, func(*world.Seen) {})
	for range 2 {
		v.Note("a line")
		v.Tell(plan.Event{Message: "an event"})
	}
	if diff := cmp.Diff([]string{"a line"}, v.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if len(v.Events) != 2 {
		t.Errorf("%d events, want 2", len(v.Events))
	}
}

// A change of the job's state has the time at which it was seen; the same state keeps its time. A job that runs again
// has no last state to be read.
func TestTheTimeOfAStateOfTheJob(t *testing.T) {
	v := guesttest.NewLife(t, func(s *world.Seen) {
		s.Resource.Status.JobStatus.State, s.Resource.Status.JobStatus.UpdateTime = v1beta1.FlinkJobFailed, "1"
		s.Resource.Status.JobStatus.LastStateUnread = true
	})
	if v.SetJobState(v1beta1.FlinkJobFailed); v.Want.JobStatus.UpdateTime != "1" {
		t.Errorf("the same state is of %s, want 1", v.Want.JobStatus.UpdateTime)
	}
	if got := v.EndedAt(); got.UnixMilli() != 1 {
		t.Errorf("it ended at %s, want one millisecond after the epoch", got)
	}
	v.SetJobState(v1beta1.FlinkJobRunning)
	if at := v.EndedAt(); !at.Time.Equal(guesttest.Noon) || v.Want.JobStatus.LastStateUnread {
		t.Errorf("it runs since %s, last state unread %t", at, v.Want.JobStatus.LastStateUnread)
	}
	v.Want.JobStatus.UpdateTime = ""
	if at := v.EndedAt(); !at.Time.Equal(guesttest.Noon) {
		t.Errorf("a state without a time is of %s, want the time of the look", at)
	}
}

// An operation that is released, or none, is rest; a deletion never is.
func TestWhenAJobIsAtRest(t *testing.T) {
	rows := map[string]struct {
		step    v1beta1.IntentStep
		deletes bool
		want    bool
	}{
		"nothing is open":          {want: true},
		"a start is released":      {step: v1beta1.StepReleased, want: true},
		"a start is prepared":      {step: v1beta1.StepStarting},
		"a stop is open":           {step: v1beta1.StepStopping},
		"the resource is deleted":  {deletes: true},
		"the deletion of a start":  {step: v1beta1.StepReleased, deletes: true},
		"the deletion has stopped": {step: v1beta1.StepStopping, deletes: true},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				if row.step != "" {
					s.Resource.Status.Intent = &v1beta1.Intent{Step: row.step}
				}
				if at := metav1.NewTime(s.Now); row.deletes {
					s.Resource.DeletionTimestamp = &at
				}
			})
			if got := v.AtRest(); got != row.want {
				t.Errorf("at rest: %t, want %t", got, row.want)
			}
		})
	}
}

// While a spec that counts or one that does not wants the state kept, it is kept.
func TestWhenAJobMayStartEmpty(t *testing.T) {
	const stateless, savepoint = v1beta1.UpgradeModeStateless, v1beta1.UpgradeModeSavepoint
	rows := map[string]struct {
		counts, asked v1beta1.UpgradeMode
		problem       string
		unread        string
		want          bool
	}{
		"it keeps its state":                      {counts: savepoint, asked: savepoint},
		"it needs none":                           {counts: stateless, asked: stateless, want: true},
		"an invalid spec wants it kept":           {counts: stateless, asked: savepoint, problem: "no"},
		"an invalid spec needs none, as before":   {counts: stateless, asked: stateless, problem: "no", want: true},
		"an invalid spec needs none from now on":  {counts: savepoint, asked: stateless, problem: "no"},
		"a spec that cannot be read":              {counts: stateless, asked: stateless, problem: "no", unread: "no object"},
		"a spec that cannot be read, of a keeper": {counts: savepoint, asked: stateless, problem: "no", unread: "no object"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				s.Resource.Spec.Job.UpgradeMode, s.SpecProblem = row.asked, row.unread
			})
			v.Spec = *v.Spec.DeepCopy()
			v.Spec.Job.UpgradeMode, v.Problem = row.counts, row.problem
			if got := v.MayStartEmpty(); got != row.want {
				t.Errorf("may start empty: %t, want %t", got, row.want)
			}
		})
	}
}

// Why Flink did not say how long a checkpoint may take counts only where status does not know it.
func TestWhyATimeoutIsNotKnown(t *testing.T) {
	unread := plan.Unknown[time.Duration]("refused")
	rows := map[string]struct {
		known *metav1.Duration
		seen  plan.Observed[time.Duration]
		want  string
	}{
		"Flink did not say":               {seen: unread, want: "refused"},
		"Flink did not say, it is known":  {known: &metav1.Duration{Duration: time.Minute}, seen: unread},
		"Flink said it":                   {seen: plan.Present(time.Hour)},
		"the job makes no checkpoints":    {seen: plan.Absent[time.Duration]()},
		"Flink was not asked in any look": {},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				s.Resource.Status.JobStatus.CheckpointTimeout, s.Flink.CheckpointTimeout = row.known, row.seen
			})
			if got := world.TimeoutUnread(v); got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
			if row.known != nil && v.CheckpointTimeout() != row.known.Duration {
				t.Errorf("timeout %s, want the known one", v.CheckpointTimeout())
			}
		})
	}
}

// The remedy names the resource and a nonce that is not in use.
func TestTheRemedyNamesTheResource(t *testing.T) {
	four := int64(4)
	v := guesttest.NewLife(t, func(s *world.Seen) { s.Resource.Spec.Job.SavepointRedeployNonce = &four })
	for _, part := range []string{"flinkdeployment demo", "-n default", `"savepointRedeployNonce":5`} {
		if !strings.Contains(v.Remedy(), part) {
			t.Errorf("the remedy lacks %q: %s", part, v.Remedy())
		}
	}
	if got := world.RedeployNonce(v1beta1.FlinkDeploymentSpec{}); got != 0 {
		t.Errorf("the nonce of a session cluster is %d, want 0", got)
	}
}
