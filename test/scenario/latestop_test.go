package scenario

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
)

func init() { maps.Copy(scenarios, lateStopScenarios) }

// lateStopScenarios are stops that were given up and reach Flink after all. That of a highly available application is
// one of retentionScenarios.
var lateStopScenarios = map[string]scenario{
	"a stop of ours that comes after it was given up": {func(h *harness) {
		h.w.Flink.ScriptJob("demo", job.Script{SnapshotFails: "the store is full"})
		h.apply("demo", application(stateful("savepoint")))
		h.untilStable("demo")
		h.edit("demo", parallelism(4))
		h.until("the failure is told", func() bool { return strings.Contains(h.status("demo").Error, "the store is full") })
		h.flink("demo", func(j *job.Job) { j.Script = job.Script{} })
		h.edit("demo", parallelism(2))
		h.untilStable("demo")
		h.pass(6 * time.Minute) // Flink forgets the request that failed
		late := h.status("demo").GivenUpStop
		if late == nil {
			h.t.Fatal("the stop is forgotten")
		}
		h.flink("demo", func(j *job.Job) {
			if !j.Begin(job.Trigger{ID: late.TriggerID, Kind: job.Stop}, h.w.Clock.Now()) {
				h.t.Error("Flink remembers the request")
			}
		})
		h.until("it is started again", func() bool { return strings.HasSuffix(h.starts("demo"), "path(savepoint)") })
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "a job that nobody wants to end goes on from the savepoint of that stop"},
}

// lateStop is a stop with savepoint that a pass was about to ask for when it was frozen: it goes on when that is long
// over for everybody else.
type lateStop struct {
	at             time.Time
	jobID, trigger string
}

// freezeStop freezes a pass that is about to post the stop of the open intent, or the one that was given up last, for
// some tens of seconds.
func (r *run) freezeStop(n int) {
	status, after := r.status(demo), pick(n, 10*time.Second, 30*time.Second, time.Minute, 6*time.Minute)
	late := lateStop{at: r.w.Clock.Now().Add(after)}
	if given := status.GivenUpStop; given != nil {
		late.jobID, late.trigger = given.JobID, given.TriggerID
	}
	if i := status.Intent; i != nil && i.Step == v1beta1.StepStopping && i.Stop == v1beta1.StopSavepoint {
		late.jobID, late.trigger = i.Stops.JobID, i.TriggerID
	}
	if late.jobID != "" && late.trigger != "" {
		r.stops = append(r.stops, late)
	}
}

// postStops lets the frozen passes go on whose time has come: Flink takes their requests as it takes any other.
func (r *run) postStops() {
	now := r.w.Clock.Now()
	r.stops = slices.DeleteFunc(r.stops, func(late lateStop) bool {
		due := !now.Before(late.at)
		if j := r.w.Flink.Job(namespace, demo, late.jobID); due && j != nil && j.State == job.Running {
			r.w.Flink.Do(namespace, demo, late.jobID, func(j *job.Job) {
				j.Begin(job.Trigger{ID: late.trigger, Kind: job.Stop}, now)
			})
		}
		return due
	})
}
