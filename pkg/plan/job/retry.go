package job

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/backoff"
	"github.com/kn-flink/kn-flink/pkg/plan/restarts"
)

// recordAttemptFailed closes the open intent, whose stop took nothing away, and answers when the next attempt may be
// made.
func (v *Life) recordAttemptFailed(reason plan.Reason, message string) time.Time {
	intent := v.Intent()
	v.Want.Retry = backoff.Failed(v.Want.Retry, intent.Generation, v.Now(), string(reason), v.Hide(message))
	if intent.Stop == v1beta1.StopSavepoint {
		next := &v1beta1.GivenUpStop{JobID: intent.Stops.JobID, TriggerID: intent.TriggerID, At: v.Now()}
		if last := v.Want.GivenUpStop; last != nil && last.JobID == next.JobID && v.Since(last.At) < lateFor {
			next.Earlier = append([]string{last.TriggerID}, last.Earlier...)
			next.Earlier = next.Earlier[:min(len(next.Earlier), mostEarlier)]
		}
		v.Want.GivenUpStop = next
	}
	v.Want.Intent = nil
	v.Want.ReconciliationStatus.State = v1beta1.ReconciliationDeployed
	v.recordHowItRuns()
	return v.Want.Retry.After.Time
}

// recordHowItRuns takes back the upgradeMode that a stop had recorded for its successor: what runs was started from
// what status.jobStatus.startedFrom says.
func (v *Life) recordHowItRuns() {
	from := v.Want.JobStatus.StartedFrom
	if v.Last == nil || v.Last.Spec.Job == nil || from == nil || v.Last.Spec.Job.UpgradeMode == RestoredMode(from) {
		return
	}
	r := &v.Want.ReconciliationStatus
	stable := r.LastStableSpec == r.LastReconciledSpec
	record := v1beta1.ReconciledDeployment{Spec: *v.Last.Spec.DeepCopy()}
	record.Spec.Job.UpgradeMode = RestoredMode(from)
	v.StoreReconciled(record, v.IsFirst())
	if stable {
		r.LastStableSpec = r.LastReconciledSpec
	}
}

// nextAttempt is when something that failed is tried again, if that is what is waited for; zero otherwise.
func (v *Life) nextAttempt(waitsFor plan.Reason) time.Time {
	switch r := v.Want.Retry; {
	case waitsFor == restarts.Pending:
		return restarts.Due(v.Want.Restarts, v.Seen.Now)
	case r != nil && string(waitsFor) == r.Reason && v.Intent() == nil:
		return r.After.Time
	}
	return time.Time{}
}

// stoppedLate reports whether the job was finished by a stop with savepoint that had been given up: a request that came
// late has ended what was to go on. Its newest state is the savepoint of a stop then.
func (v *Life) stoppedLate() bool {
	c, known := v.Seen.Flink.Checkpoints.Get()
	return v.MayBeStoppedLate(v.Want.JobStatus.State) && known && c.Kind == KindStop && !c.Discarded
}

// lateFor is how long after it was given up a stop may still reach Flink: a process that was frozen, or a request that
// was held up, goes on within minutes. Whoever stops the job later is a person.
const lateFor = time.Hour

// mostEarlier bounds how many stops that were given up are remembered besides the newest. With as many, whose stop it
// was is not known.
const mostEarlier = 20

// observeOthersStop forgets the stops that were given up once the job was finished by somebody else's. All requests
// have to say so; what is not known counts as ours.
//
//	Flink's answer about our request  the job's end, its savepoint                       it was
//	not known                         the end is younger than rest.async.store-duration  somebody else's
//	failed                            the savepoint began after ours was given up        somebody else's
//	otherwise                         -                                                  ours
func (v *Life) observeOthersStop() {
	answers, asked := v.Seen.Flink.LateStops.Get()
	if !asked || v.Job == nil || !v.stoppedLate() || len(v.Want.GivenUpStop.Earlier) >= mostEarlier {
		return
	}
	now := v.Seen.Flink.Clock
	if now.IsZero() {
		now = v.Seen.Now
	}
	c, _ := v.Seen.Flink.Checkpoints.Get()
	given := v.Want.GivenUpStop.At.Add(now.Sub(v.Seen.Now)) // by Flink's clock
	for _, answer := range answers {
		remembers := now.Sub(v.Job.EndTime) < v.RemembersStops()-statisticsRoom
		switch {
		case answer.State == StopNotKnown && remembers:
		case answer.State == StopFailed && c.Completed.After(given.Add(statisticsRoom)):
		default:
			return
		}
	}
	v.Want.GivenUpStop = nil
}

// MayBeStoppedLate reports whether a job in such a state may be one whose stop was given up.
func (v *Life) MayBeStoppedLate(state v1beta1.FlinkJobState) bool {
	given := v.Want.GivenUpStop
	if state != v1beta1.FlinkJobFinished || given == nil || given.JobID != v.Want.JobStatus.JobID {
		return false
	}
	return given.At.IsZero() || v.EndedAt().Sub(given.At.Time) < lateFor
}

// StopOverdue reports whether the open stop with savepoint has taken longer than Flink gives a savepoint, and a minute
// for the end of the tasks.
func (v *Life) StopOverdue() bool {
	intent := v.Intent()
	open := intent != nil && intent.Step == v1beta1.StepStopping && intent.Stop == v1beta1.StopSavepoint && !intent.Ended
	return open && v.Since(intent.StoredAt) > v.CheckpointTimeout()+time.Minute
}

// DeletingFor is how long the resource has been marked for deletion.
func (v *Life) DeletingFor() time.Duration { return v.Since(*v.Seen.Resource.DeletionTimestamp) }

// redeploysInstead reports whether a newer spec says what to start from while a stop is open, which is the way out that
// a stop names whose job's state is not known. The old job ID is never used again after it, so nothing that the stop
// had begun can come back.
func (v *Life) redeploysInstead(standing Standing) bool {
	intent := v.Intent()
	if intent.Step != v1beta1.StepStopping || intent.Purpose == v1beta1.PurposeDelete || standing == Going {
		return false
	}
	return v.WantsRunning() && v.AsksRedeploy()
}

// unasked reports whether the jobs are not known although a JobManager is there to be asked. What was recorded of a job
// that has ended may not be its newest state then: its statistics lag behind.
func (v *Life) unasked() bool {
	return v.Host.CanBeAsked() && v.Seen.Flink.Jobs.IsUnknown()
}
