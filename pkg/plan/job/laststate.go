package job

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
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

// LastState knows the newest state of a job that has ended: what Flink says of it, what is recorded of it for the next
// start, and that nobody can tell it any more.
type LastState Life

// of says what the newest state of a job that has ended is, first match wins. text is its path, or why it is not known.
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
func (v LastState) of(job Job) (answer LastStateAnswer, text string) {
	flink := v.Seen.Flink
	c, known := flink.Checkpoints.Get()
	finished := job.State == v1beta1.FlinkJobFinished
	switch {
	case !v.settled(job):
		return LastStateUnsettled, ""
	case flink.Checkpoints.IsUnknown():
		return LastStateUnknown, flink.Checkpoints.Why()
	case !known && !finished && (KnownCheckpoint(v.Want.JobStatus) != nil || v.forgets()):
		return LastStateForgotten, ""
	case !known && !finished && flink.NoGraph && flink.Retention.IsUnknown():
		return LastStateUnknown, flink.Retention.Why()
	case !known:
		return LastStateNone, ""
	case c.Discarded && !finished:
		return LastStateDiscarded, ""
	case c.Discarded && (c.Path == "" || v.ownedBy(job, c)):
		return LastStateNone, ""
	case c.Path == "":
		return LastStateNowhere, ""
	case finished || !v.ownedBy(job, c):
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

// forgets reports whether empty statistics of the job tell nothing: there is no execution graph that has them, and the
// job makes checkpoints.
func (v LastState) forgets() bool {
	r, makes := v.Seen.Flink.Retention.Get()
	return v.Seen.Flink.NoGraph && makes && r.Periodic
}

// ownedBy reports whether Flink may delete the state with the job: a checkpoint that it made, in this process or an
// earlier one, and what it was restored from if it was told to claim that.
func (v LastState) ownedBy(job Job, c Checkpoints) bool {
	switch c.Kind {
	case KindSavepoint, KindStop:
		return false
	case KindRestored:
		return v.claims() || strings.Contains(c.Path, "/"+job.ID+"/") || mayBeOwn(Life(v), c.Path)
	case KindRestoredSavepoint:
		return v.claims()
	}
	return true
}

// claims reports whether Flink owns the state that the job was started from. A standalone application never does: its
// command line has no such option, and what it says about a start beats the configuration.
func (v LastState) claims() bool {
	return v.ClaimsState() && v.Running().DesiredMode() != v1beta1.ModeStandalone
}

// settled reports whether the statistics of a job that has ended show its last checkpoint. Flink answers from a cache,
// and its clock says how old that may be. Of a job that was cancelled without an execution graph it does not know when
// that was: then it is when the end was first seen.
func (v LastState) settled(job Job) bool {
	asked, ended := v.Seen.Flink.Clock, job.EndTime
	if ended.IsZero() && v.Seen.Flink.NoGraph {
		asked, ended = v.Seen.Now, v.EndedAt().Time
	}
	if asked.IsZero() {
		asked = v.Seen.Now
	}
	return asked.Sub(ended) >= v.StatisticsAge()+statisticsRoom
}

// statisticsRoom is for what lies between the end of a job and the time that Flink gives it, and between one process
// and another.
const statisticsRoom = time.Second

// observe takes over the newest state of a job that has ended, while the JobManager that knows it is there. before is
// what was recorded of the job until now. What a job without state of its own was given stays recorded: it had not even
// read it.
//
//	its newest state                                    what is recorded for the next start
//	-, and it was suspended                             what its suspension recorded: that may be a state of a person's
//	                                                    choice
//	unsettled or unknown                                as it was; unread, unless the end was recorded before
//	named                                               that
//	nowhere, discarded or forgotten                     lost
//	none, by the statistics of another run              lost: who answers was told of the end and saw nothing of the job
//	none                                                as it was
func (v LastState) observe(job Job, before v1beta1.JobStatus) {
	if suspended := !v.LastRunning() && before.State.IsTerminal(); !job.State.IsTerminal() || suspended {
		return
	}
	status := &v.Want.JobStatus
	answer, path := v.of(job)
	otherRun := before.StartTime != "" && before.StartTime != job.StartTime
	switch {
	case answer == LastStateUnsettled, answer == LastStateUnknown:
		if !before.State.IsTerminal() {
			status.LastStateUnread = !v.MayStartEmpty()
		}
	case answer == LastStateNamed:
		c, _ := v.Seen.Flink.Checkpoints.Get()
		v.record(v1beta1.StartPoint{Path: path, Taken: v.takenAt(c)})
	case answer != LastStateNone, otherRun:
		status.LastStateUnread = status.LastStateUnread || !before.State.IsTerminal()
		if v.lose() {
			v.tellLost(answer)
		}
	default:
		status.LastStateUnread = false
	}
}

// tellLost tells how the newest state of a job was lost, where a person would not see it otherwise.
func (v LastState) tellLost(answer LastStateAnswer) {
	e := plan.Event{Warning: true, Component: plan.ComponentJob}
	switch answer {
	case LastStateDiscarded:
		e.Reason, e.Message = plan.ReasonCheckpointDiscarded, CheckpointDiscarded
	case LastStateForgotten:
		e.Reason, e.Message = plan.ReasonCheckpointForgotten, v.forgotten()
	default:
		return
	}
	v.Tell(e)
}

// forgotten says that nobody knows the newest state of a job any more, and where to look for it.
func (v LastState) forgotten() string {
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

// lose records that nobody will ever tell the newest state of a job that has ended, where it was not read: a person
// decides then. A job that may start empty needs none; it stays unread, because its spec may be changed.
func (v LastState) lose() (lost bool) {
	status := &v.Want.JobStatus
	if lost = status.LastStateUnread && !v.MayStartEmpty(); lost {
		v.record(v1beta1.StartPoint{Path: v1beta1.LastStatePlaceholder})
	}
	return lost
}

// lost reports whether the job has ended other than FINISHED, needs the state that it had, and nobody knows that.
func (v LastState) lost() bool {
	status := v.Want.JobStatus
	ended := upgrade.Ended(status.State, HAData(v).Usable(), v.Want.JobManagerDeploymentStatus)
	lost := ended && status.State != v1beta1.FlinkJobFinished &&
		status.UpgradeSavepointPath == v1beta1.LastStatePlaceholder
	return lost && !v.MayStartEmpty()
}

// Stall is what a person is told where the last state is lost; nil where it is not.
func (v LastState) Stall() *plan.Cause {
	if !v.lost() {
		return nil
	}
	return &plan.Cause{Reason: plan.ReasonLastStateUnknown, Message: fmt.Sprintf("the job is %s, and its newest "+
		"checkpoint was deleted with it or could not be read any more. Find its newest savepoint. %s",
		v.Want.JobStatus.State, Life(v).Remedy())}
}

// record records what the next start is from.
func (v LastState) record(from v1beta1.StartPoint) {
	status := &v.Want.JobStatus
	status.UpgradeSavepointPath, status.StateTaken, status.LastStateUnread = from.Path, from.Taken, false
}

// takenAt is when the newest state of a job was taken; nil when nobody knows. Of one that was restored Flink says only
// when that was.
func (v LastState) takenAt(c Checkpoints) *metav1.Time {
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

// taken is when the state of a start was taken, as far as status knows; nil when it does not.
//
//	start from               known
//	the recorded path        with the path
//	the last savepoint       with it
//	high-availability data   when the cluster was taken down for it, and its statistics were read then; of a cluster
//	                         that is lost, with the newest checkpoint that is known
func (v LastState) taken(from v1beta1.StartPoint) *metav1.Time {
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

// repeatsWork reports whether a start is from what a job that has FINISHED was started from, too: what it has done is
// done again. Flink keeps no checkpoint of such a job, but what it took as a savepoint. A stateless one is meant to.
func (v LastState) repeatsWork(from v1beta1.StartPoint) bool {
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

// Awaited reports whether the job has ended, needs its newest state, and that is not read yet.
func (v LastState) Awaited() bool {
	return v.Want.JobStatus.LastStateUnread && !v.MayStartEmpty()
}
