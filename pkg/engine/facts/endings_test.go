package facts

import (
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
)

// A state that the spec chooses may go with the job that made it.
func TestWhatBecomesOfAChosenState(t *testing.T) {
	const own, older, other = "s3://c/a/chk-7", "s3://c/a/chk-6", "s3://c/b/chk-7"
	kept := plan.Present(upgrade.Retention{Cancelled: true, Failed: true, Periodic: true})
	goes := plan.Present(upgrade.Retention{Failed: true, Periodic: true})
	newest := plan.Present(world.Checkpoints{Path: own, Kind: world.KindCheckpoint})
	rows := map[string]struct {
		chosen    string
		retention plan.Observed[upgrade.Retention]
		then      func(v *world.Look)
		want      OwnCheckpoint
	}{
		"its newest one":       {chosen: own, retention: kept, want: OwnCheckpointKept},
		"an older one":         {chosen: older, retention: kept, want: OwnCheckpointDeleted},
		"it goes with the job": {chosen: own, retention: goes, want: OwnCheckpointDeleted},
		"its retention is unknown": {
			chosen: own, retention: plan.Unknown[upgrade.Retention]("time-out"), want: OwnCheckpointUnknown,
		},
		"another job's":  {chosen: other, retention: kept},
		"no checkpoint":  {chosen: "s3://s/savepoint-1", retention: kept},
		"of a batch job": {chosen: own, retention: plan.Absent[upgrade.Retention]()},
		"the job has ended": {chosen: own, retention: kept, then: func(v *world.Look) {
			v.Job.State = v1beta1.FlinkJobFailed
		}},
		"the job began again": {chosen: own, retention: kept, then: func(v *world.Look) {
			v.Want.LostProgress = &v1beta1.LostProgress{}
		}},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				s.Resource.Spec.Job.InitialSavepointPath = row.chosen
				s.Flink.Retention, s.Flink.Checkpoints = row.retention, newest
			})
			if v.Job = &(world.Job{State: v1beta1.FlinkJobRunning}); row.then != nil {
				row.then(v)
			}
			if got := ChosenOwnCheckpoint(v); got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}

// A job that has finished is not to do again what it has done, unless it is meant to.
func TestWhichStartRepeatsWork(t *testing.T) {
	rows := map[string]struct {
		state       v1beta1.FlinkJobState
		startedFrom *v1beta1.StartPoint
		from        v1beta1.StartPoint
		want        bool
	}{
		"from what it was started from": {
			state: v1beta1.FlinkJobFinished, startedFrom: &v1beta1.StartPoint{Path: "file:///a"},
			from: v1beta1.StartPoint{Reason: "RecordedPath", Path: "file:/a"}, want: true,
		},
		"from another state": {
			state: v1beta1.FlinkJobFinished, startedFrom: &v1beta1.StartPoint{Path: "file:///a"},
			from: v1beta1.StartPoint{Reason: "LastSavepoint", Path: "file:///b"},
		},
		"from nothing, as before": {
			state: v1beta1.FlinkJobFinished, startedFrom: &v1beta1.StartPoint{},
			from: v1beta1.StartPoint{Reason: "NoStateYet"}, want: true,
		},
		"a stateless one": {
			state: v1beta1.FlinkJobFinished, startedFrom: &v1beta1.StartPoint{},
			from: v1beta1.StartPoint{Reason: "Stateless"},
		},
		"it has failed": {
			state: v1beta1.FlinkJobFailed, startedFrom: &v1beta1.StartPoint{},
			from: v1beta1.StartPoint{Reason: "NoStateYet"},
		},
		"what it was started from is unknown": {
			state: v1beta1.FlinkJobFinished, from: v1beta1.StartPoint{Reason: "NoStateYet"},
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				status := &s.Resource.Status.JobStatus
				status.State, status.StartTime, status.StartedFrom = row.state, "5", row.startedFrom
			})
			if got := RepeatsWork(v, row.from); got != row.want {
				t.Errorf("it repeats work: %t, want %t", got, row.want)
			}
		})
	}
}

// Where the last state of a job is lost, a user is told the command that starts it from another.
func TestALastStateThatIsLost(t *testing.T) {
	rows := map[string]struct {
		state v1beta1.FlinkJobState
		path  string
		mode  v1beta1.UpgradeMode
		want  bool
	}{
		"its path is not known": {state: v1beta1.FlinkJobFailed, path: v1beta1.LastStatePlaceholder, want: true},
		"its path is known":     {state: v1beta1.FlinkJobFailed, path: "s3://a"},
		"it needs none": {
			state: v1beta1.FlinkJobFailed, path: v1beta1.LastStatePlaceholder, mode: v1beta1.UpgradeModeStateless,
		},
		"it has finished": {state: v1beta1.FlinkJobFinished, path: v1beta1.LastStatePlaceholder},
		"it runs":         {state: v1beta1.FlinkJobRunning, path: v1beta1.LastStatePlaceholder},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				if row.mode != "" {
					s.Resource.Spec.Job.UpgradeMode = row.mode
				}
				s.Resource.Status.JobManagerDeploymentStatus = v1beta1.JobManagerReady
				s.Resource.Status.JobStatus.State, s.Resource.Status.JobStatus.UpgradeSavepointPath = row.state, row.path
			})
			got := LastStateStall(v)
			if (got != nil) != row.want {
				t.Fatalf("%+v, want one: %t", got, row.want)
			}
			if got != nil && !strings.Contains(got.Message, "kubectl patch flinkdeployment demo -n default") {
				t.Errorf("it names no command: %s", got.Message)
			}
		})
	}
	v := guesttest.NewLife(t, func(*world.Seen) {})
	if got := StatisticsForgotten(v); !strings.Contains(got, "adaptive scheduler") {
		t.Errorf("of a job that waited for resources: %s", got)
	}
	v.Want.JobStatus.Checkpoint = &v1beta1.KnownCheckpoint{JobID: "a", Path: "s3://c/a/chk-7"}
	if got := StatisticsForgotten(v); !strings.Contains(got, "s3://c/a/chk-7") {
		t.Errorf("of a job whose checkpoint is known: %s", got)
	}
}

// A job that has finished may have been stopped by a request that was given up, and came late.
func TestAStopThatCameLate(t *testing.T) {
	given := func(job string, before time.Duration) *v1beta1.GivenUpStop {
		return &v1beta1.GivenUpStop{JobID: job, At: metav1.NewTime(guesttest.Noon.Add(-before))}
	}
	stop := plan.Present(world.Checkpoints{Kind: world.KindStop})
	rows := map[string]struct {
		state       v1beta1.FlinkJobState
		given       *v1beta1.GivenUpStop
		checkpoints plan.Observed[world.Checkpoints]
		may, did    bool
	}{
		"its newest state is that of a stop": {
			state: v1beta1.FlinkJobFinished, given: given("a", time.Minute), checkpoints: stop, may: true, did: true,
		},
		"its newest state is another": {
			state: v1beta1.FlinkJobFinished, given: given("a", time.Minute), may: true,
			checkpoints: plan.Present(world.Checkpoints{Kind: world.KindCheckpoint}),
		},
		"too long after":    {state: v1beta1.FlinkJobFinished, given: given("a", 2*time.Hour), checkpoints: stop},
		"of another job":    {state: v1beta1.FlinkJobFinished, given: given("b", time.Minute), checkpoints: stop},
		"none was given up": {state: v1beta1.FlinkJobFinished, checkpoints: stop},
		"it was cancelled":  {state: v1beta1.FlinkJobCanceled, given: given("a", time.Minute), checkpoints: stop},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				s.Resource.Status.JobStatus.State, s.Resource.Status.GivenUpStop = row.state, row.given
				s.Resource.Status.JobStatus.UpdateTime = strconv.FormatInt(guesttest.Noon.UnixMilli(), 10)
				s.Flink.Checkpoints = row.checkpoints
			})
			if got := LateStopMayHaveEnded(v, row.state); got != row.may {
				t.Errorf("a stop may have ended it: %t, want %t", got, row.may)
			}
			if got := LateStopTookEffect(v); got != row.did {
				t.Errorf("a stop ended it: %t, want %t", got, row.did)
			}
		})
	}
}

// A savepoint is taken before a deletion that asks for one, unless it has been, or was skipped.
func TestWhichDeletionSavesFirst(t *testing.T) {
	const on, off = `"kubernetes.operator.job.savepoint-on-deletion":"true"`, `"a":"b"`
	open := func(stop v1beta1.StopKind, ended bool) *v1beta1.Intent {
		i := &v1beta1.Intent{
			Purpose: v1beta1.PurposeDelete, Step: v1beta1.StepStopping, Stop: stop, Ended: ended,
			Stops: &v1beta1.Incarnation{},
		}
		if ended {
			i.From = &v1beta1.StartPoint{}
		}
		return i
	}
	rows := map[string]struct {
		options string
		intent  *v1beta1.Intent
		state   v1beta1.FlinkJobState
		want    bool
	}{
		"a running job":        {options: on, state: v1beta1.FlinkJobRunning, want: true},
		"its stop is open":     {options: on, intent: open(v1beta1.StopSavepoint, false), want: true},
		"its stop has ended":   {options: on, intent: open(v1beta1.StopSavepoint, true)},
		"it was skipped":       {options: on, intent: open(v1beta1.StopStateless, false)},
		"the job has ended":    {options: on, state: v1beta1.FlinkJobFailed},
		"nothing asks for one": {options: off, state: v1beta1.FlinkJobRunning},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				guesttest.Optioned(t, s, row.options, row.options)
				at := metav1.NewTime(s.Now.Add(-time.Minute))
				s.Resource.DeletionTimestamp = &at
				s.Resource.Status.Intent, s.Resource.Status.JobStatus.State = row.intent, row.state
			})
			if got := SavesFirst(v); got != row.want {
				t.Errorf("it saves first: %t, want %t", got, row.want)
			}
			if age := DeletionAge(v); age != time.Minute {
				t.Errorf("it is being deleted for %s, want a minute", age)
			}
		})
	}
}

// The configuration that a JobManager was made with is read where status does not speak of it.
func TestWhichJobManagersConfigurationIsRead(t *testing.T) {
	rows := map[string]struct {
		at     place
		named  *v1beta1.Deployed
		intent *v1beta1.Intent
		want   bool
	}{
		"it is not named": {at: place{standing: world.There}, want: true},
		"it is named": {
			at: place{standing: world.There}, named: &v1beta1.Deployed{DeploymentUID: "uid-of-session"},
		},
		"another is named": {
			at: place{standing: world.There}, named: &v1beta1.Deployed{DeploymentUID: "other"}, want: true,
		},
		"it is being deleted":   {at: place{standing: world.Going}},
		"its start is prepared": {at: place{standing: world.There}, intent: &v1beta1.Intent{Step: v1beta1.StepStarting}},
		"its start is released": {
			at: place{standing: world.There}, intent: &v1beta1.Intent{Step: v1beta1.StepReleased}, want: true,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := lifeAt(t, row.at, func(s *world.Seen) {
				s.Resource.Status.Deployed, s.Resource.Status.Intent = row.named, row.intent
			})
			if got := AsksDeployed(v); got != row.want {
				t.Errorf("it is read: %t, want %t", got, row.want)
			}
		})
	}
}
