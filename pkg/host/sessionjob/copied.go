package sessionjob

import (
	"slices"
	"strconv"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/decide"
	"github.com/kn-flink/kn-flink/pkg/engine/decision"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/host/session/cancel"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// copied stops at a status that was written for another resource, as a backup that is restored under another name has
// it: its job is that one's. First match wins:
//
//	 #  status was written for  the resource was made        another session job  then
//	W1  nobody's job            -                            -                    go on
//	W2  this resource           -                            -                    go on
//	W3  another resource        -                            -                    it is a copy
//	W4  not known               before its job began         -                    go on
//	W5  not known               after that, or who knows     cannot be read       wait
//	W6  not known               after that, or who knows     has the same job     it is a copy
//	W7  not known               after that, or who knows     has not              go on
//
// Who goes on is written down with the next status. A copy that is deleted goes, and touches nothing. The status of the
// Java operator does not say for whom it was written, and the IDs of its jobs do not follow from a UID.
func copied(v *session.Job) decision.Decision {
	why, of := "", v.Look.Want.WrittenFor
	switch id := v.Look.Want.JobStatus.JobID; {
	case id == "" || of == v.Seen.Resource.UID:
		return decision.Pass()
	case of != "":
		why = "was written for the resource with UID " + string(of)
	case !madeLate(v.Seen.Resource):
		return decision.Pass()
	case v.Seen.Others.IsUnknown():
		return decision.Settle(decision.Unobservable("the other session jobs", v.Seen.Others.Why()))
	default:
		others, _ := v.Seen.Others.Get()
		if !slices.ContainsFunc(
			others,
			func(o session.Other) bool { return o.JobID == id && o.UID != v.Seen.Resource.UID },
		) {
			return decision.Pass()
		}
		why = "names the job of another FlinkSessionJob"
	}
	if v.Seen.Resource.DeletionTimestamp != nil {
		return decision.Settle(copyGoes(v, why), decision.Copied)
	}
	return decide.StatusCopied(v.Look, why, "job "+v.Look.Want.JobStatus.JobID)
}

// copyGoes lets a copy go that is deleted. Its job may be nobody's.
func copyGoes(v *session.Job, why string) decision.Result {
	if _, missing := decide.MissingFinalizer(v.Look); missing {
		return decision.Result{Situation: plan.Deleting}
	}
	r := cancel.LetGo(v)
	if !v.Look.Want.JobStatus.State.IsTerminal() {
		r = cancel.LetRun(v, "status "+why+", so it is not ended")
	}
	r.Situation = plan.Deleting
	return r
}

// signs writes down for whom the status is written that names a job.
func signs(v *session.Job) {
	if v.Look.Want.JobStatus.JobID != "" && !v.Look.IsCopy {
		v.Look.Want.WrittenFor = v.Seen.Resource.UID
	}
}

// asksOthers reports whether to look at the other session jobs of the namespace.
func asksOthers(r *v1beta1.FlinkSessionJob) bool {
	return r.Status.WrittenFor == "" && r.Status.JobStatus.JobID != "" && madeLate(r)
}

// madeLate reports whether the resource was made after the job that its status names began, as far as is known.
func madeLate(r *v1beta1.FlinkSessionJob) bool {
	millis, err := strconv.ParseInt(r.Status.JobStatus.StartTime, 10, 64)
	return err != nil || r.CreationTimestamp.After(time.UnixMilli(millis))
}
