package facts

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/upgrade"
)

// LastStateAnswer is what Flink says of the newest state of a job that has ended.
type LastStateAnswer string

// The answers about the newest state of a job that has ended.
const (
	// LastStateUnsettled: its statistics may not show its end yet.
	LastStateUnsettled LastStateAnswer = "Unsettled"
	// LastStateUnknown: nobody could look.
	LastStateUnknown LastStateAnswer = "Unknown"
	// LastStateNamed: it has a path.
	LastStateNamed LastStateAnswer = "Named"
	// LastStateNowhere: it lies where nothing can be restored from.
	LastStateNowhere LastStateAnswer = "Nowhere"
	// LastStateDiscarded: Flink deleted it with the job.
	LastStateDiscarded LastStateAnswer = "Discarded"
	// LastStateForgotten: Flink names none any more, though the job had completed a checkpoint.
	LastStateForgotten LastStateAnswer = "Forgotten"
	// LastStateNone: there is none.
	LastStateNone LastStateAnswer = "None"
)

// LastStateOf says what the newest state of a job that has ended is, first match wins. text is its path, or why it is
// not known.
//
//	  #  statistics                 newest state                         retention             answer
//	 N1  may be older than the end  -                                    -                     Unsettled
//	 N2  unknown                    -                                    -                     Unknown
//	 N3  known                      none, one is known, not FINISHED     -                     Forgotten
//	 N4  of no execution graph      none, not FINISHED                   makes checkpoints     Forgotten
//	 N5  of no execution graph      none, not FINISHED                   unknown               Unknown
//	 N6  known                      none                                 -                     None
//	 N7  known                      was discarded, not FINISHED          -                     Discarded
//	 N8  known                      was discarded, FINISHED, that        -                     None
//	                                before it is none or the job's own:
//	                                nobody needs it any more
//	 N9  known                      was discarded, FINISHED, that        -                     Named
//	                                before it is not the job's own
//	N10  known                      has no path                          -                     Nowhere
//	N11  known                      has a path, FINISHED, or is a        -                     Named
//	                                savepoint, or not of this job
//	N12  known                      the job's own                        unknown               Unknown
//	N13  known                      the job's own                        goes with such an     Discarded
//	                                                                     end
//	N14  known                      the job's own                        outlives such an      Named
//	                                                                     end
//
// Flink deletes what does not outlive the job some time after it shows the job's end. With the adaptive scheduler a job
// that waits for resources has no statistics, and none after it has failed or was cancelled there: they are those of a
// job that never ran, and nobody can tell the two apart.
func LastStateOf(v *world.Look, job world.Job) (answer LastStateAnswer, text string) {
	flink := v.Seen.Flink
	c, known := flink.Checkpoints.Get()
	finished := job.State == v1beta1.FlinkJobFinished
	switch {
	case !StatisticsSettled(v, job):
		return LastStateUnsettled, ""
	case flink.Checkpoints.IsUnknown():
		return LastStateUnknown, flink.Checkpoints.Why()
	case !known && !finished && (KnownCheckpoint(v.Want.JobStatus) != nil || StatisticsForget(v)):
		return LastStateForgotten, ""
	case !known && !finished && flink.NoGraph && flink.Retention.IsUnknown():
		return LastStateUnknown, flink.Retention.Why()
	case !known:
		return LastStateNone, ""
	case c.Discarded && !finished:
		return LastStateDiscarded, ""
	case c.Discarded && (c.Path == "" || ownedBy(v, job, c)):
		return LastStateNone, ""
	case c.Path == "":
		return LastStateNowhere, ""
	case finished || !ownedBy(v, job, c):
		return LastStateNamed, c.Path
	case flink.Retention.IsUnknown():
		return LastStateUnknown, flink.Retention.Why()
	}
	kept, makes := flink.Retention.Get()
	outlives := kept.Cancelled
	if job.State == v1beta1.FlinkJobFailed {
		outlives = kept.Failed
	}
	if makes && !outlives {
		return LastStateDiscarded, ""
	}
	return LastStateNamed, c.Path
}

// StatisticsForget reports whether empty statistics of the job tell nothing: there is no execution graph that has them,
// and the job makes checkpoints.
func StatisticsForget(v *world.Look) bool {
	r, makes := v.Seen.Flink.Retention.Get()
	return v.Seen.Flink.NoGraph && makes && r.Periodic
}

// ownedBy reports whether Flink may delete the state with the job: a checkpoint that it made, in this process or an
// earlier one, and what it was restored from if it was told to claim that.
func ownedBy(v *world.Look, job world.Job, c world.Checkpoints) bool {
	switch c.Kind {
	case world.KindSavepoint, world.KindStop:
		return false
	case world.KindRestored:
		return claimsState(v) || strings.Contains(c.Path, "/"+job.ID+"/") || mayBeOwn(v, c.Path)
	case world.KindRestoredSavepoint:
		return claimsState(v)
	}
	return true
}

// claimsState reports whether Flink owns the state that the job was started from. A standalone application never does:
// its command line has no such option, and what it says about a start beats the configuration.
func claimsState(v *world.Look) bool {
	return v.Options.ClaimsState() && v.Running().DesiredMode() != v1beta1.ModeStandalone
}

// StatisticsSettled reports whether the statistics of a job that has ended show its last checkpoint. Flink answers from
// a cache, and its clock says how old that may be. Of a job that was cancelled without an execution graph it does not
// know when that was: then it is when the end was first seen.
func StatisticsSettled(v *world.Look, job world.Job) bool {
	asked, ended := v.Seen.Flink.Clock, job.EndTime
	if ended.IsZero() && v.Seen.Flink.NoGraph {
		asked, ended = v.Seen.Now, v.EndedAt().Time
	}
	if asked.IsZero() {
		asked = v.Seen.Now
	}
	return asked.Sub(ended) >= v.Options.StatisticsAge()+StatisticsRoom
}

// statisticsRoom is for what lies between the end of a job and the time that Flink gives it, and between one process
// and another.
const StatisticsRoom = time.Second

// StatisticsForgotten says that nobody knows the newest state of a job any more, and where to look for it.
func StatisticsForgotten(v *world.Look) string {
	known := KnownCheckpoint(v.Want.JobStatus)
	if known == nil {
		return "the job ended while it waited for resources, and the adaptive scheduler does not report the checkpoints " +
			"that it had completed; if it never ran, upgradeMode stateless and another restartNonce start it empty"
	}
	message := "Flink's statistics name no checkpoint of the job any more, though it had completed one"
	if known.Path != "" {
		message += "; search next to one that was seen: " + known.Path
	}
	return message
}

// CheckpointDiscarded says how the newest state of a job was lost.
const CheckpointDiscarded = "Flink deleted the newest checkpoint of the job when the job ended: " +
	"its execution.checkpointing.externalized-checkpoint-retention does not keep it"

// lastStateLost reports whether the job has ended other than FINISHED, needs the state that it had, and nobody knows
// that.
func lastStateLost(v *world.Look) bool {
	status := v.Want.JobStatus
	ended := upgrade.Ended(status.State, HAUsable(v), v.Want.JobManagerDeploymentStatus)
	lost := ended && status.State != v1beta1.FlinkJobFinished &&
		status.UpgradeSavepointPath == v1beta1.LastStatePlaceholder
	return lost && !v.MayStartEmpty()
}

// LastStateStall is what a person is told where the last state is lost; nil where it is not.
func LastStateStall(v *world.Look) *plan.Cause {
	if !lastStateLost(v) {
		return nil
	}
	return &plan.Cause{Reason: plan.ReasonLastStateUnknown, Message: fmt.Sprintf("the job is %s, and its newest "+
		"checkpoint was deleted with it or could not be read any more. Find its newest savepoint. %s",
		v.Want.JobStatus.State, v.Remedy())}
}

// StateTakenAt is when the newest state of a job was taken; nil when nobody knows. Of one that was restored Flink says
// only when that was.
func StateTakenAt(v *world.Look, c world.Checkpoints) *metav1.Time {
	status := v.Want.JobStatus
	switch {
	case c.Path != "" && c.Path == status.UpgradeSavepointPath && status.StateTaken != nil:
		return status.StateTaken
	case c.Kind.Restored() || c.Completed.IsZero():
		return nil
	}
	at := metav1.NewTime(c.Completed.UTC().Truncate(time.Second))
	return &at
}

// StateTaken is when the state of a start was taken, as far as status knows; nil when it does not.
//
//	start from               known
//	the recorded path        with the path
//	the last savepoint       with it
//	high-availability data   when the cluster was taken down for it, and its statistics were read then; of a cluster
//	                         that is lost, with the newest checkpoint that is known
func StateTaken(v *world.Look, from v1beta1.StartPoint) *metav1.Time {
	status, info := v.Want.JobStatus, v.Want.JobStatus.SavepointInfo
	ofData := v.Intent() != nil && v.Intent().Stop == v1beta1.StopLastState
	switch {
	case from.Taken != nil || from.Kind == v1beta1.StartEmpty:
		return from.Taken
	case from.Reason == "HighAvailabilityData" && !ofData && KnownCheckpoint(status) != nil:
		return KnownCheckpoint(status).Taken
	case ofData != (from.Kind == v1beta1.StartLastState):
		return nil
	case ofData, from.Path == status.UpgradeSavepointPath:
		return status.StateTaken
	case info == nil || info.LastSavepoint == nil:
		return nil
	}
	if last := info.LastSavepoint; last.Location == from.Path && last.TimeStamp > 0 {
		at := metav1.NewTime(time.UnixMilli(last.TimeStamp).UTC().Truncate(time.Second))
		return &at
	}
	return nil
}

// RepeatsWork reports whether a start is from what a job that has FINISHED was started from, too: what it has done is
// done again. Flink keeps no checkpoint of such a job, but what it took as a savepoint. A stateless one is meant to.
func RepeatsWork(v *world.Look, from v1beta1.StartPoint) bool {
	status := v.Want.JobStatus
	if status.State != v1beta1.FlinkJobFinished || status.StartTime == "" || status.StartedFrom == nil {
		return false
	}
	switch from.Reason {
	case "RecordedPath", "LastSavepoint":
		return status.StartedFrom.Path != "" && sameLocation(v.Hide(from.Path), status.StartedFrom.Path)
	case "NoStateYet":
		return true
	}
	return false
}

// sameLocation reports whether two paths are the same, also when Flink spells one otherwise: file:/a is file:///a.
func sameLocation(a, b string) bool {
	plain := func(location string) string {
		scheme, rest, _ := strings.Cut(withoutMetadata(location), ":")
		return scheme + ":" + strings.TrimLeft(rest, "/")
	}
	return plain(a) == plain(b)
}

// LastStateAwaited reports whether the job has ended, needs its newest state, and that is not read yet.
func LastStateAwaited(v *world.Look) bool {
	return v.Want.JobStatus.LastStateUnread && !v.MayStartEmpty()
}
