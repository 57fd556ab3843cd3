package sessionjob

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// Other is another FlinkSessionJob of the namespace.
type Other struct {
	// UID is metadata.uid.
	UID types.UID
	// JobID is that of its job.
	JobID string
}

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
func copied(v view) (job.Result, bool) {
	why, of := "", v.Want.WrittenFor
	switch id := v.Want.JobStatus.JobID; {
	case id == "" || of == v.seen.Resource.UID:
		return job.Result{}, false
	case of != "":
		why = "was written for the resource with UID " + string(of)
	case !madeLate(v.seen.Resource):
		return job.Result{}, false
	case v.seen.Others.IsUnknown():
		return job.Unobservable("the other session jobs", v.seen.Others.Why()), true
	default:
		others, _ := v.seen.Others.Get()
		if !slices.ContainsFunc(others, func(o Other) bool { return o.JobID == id && o.UID != v.seen.Resource.UID }) {
			return job.Result{}, false
		}
		why = "names the job of another FlinkSessionJob"
	}
	v.isCopy = true
	if v.seen.Resource.DeletionTimestamp != nil {
		return v.copyGoes(why)
	}
	r := v.seen.Resource
	return job.Result{Situation: plan.NotOurs, Stall: &plan.Cause{Reason: plan.ReasonStatusCopied, Message: fmt.Sprintf(
		"status %s, so nothing is done; if job %s is to be this resource's, write that down with: kubectl patch "+
			"flinksessionjob %s -n %s --subresource=status --type=merge -p '{\"status\":{\"writtenFor\":\"%s\"}}'; else "+
			"delete this resource and create it again without a status",
		why, v.Want.JobStatus.JobID, r.Name, r.Namespace, r.UID)}}, true
}

// copyGoes lets a copy go that is deleted. Its job may be nobody's.
func (v view) copyGoes(why string) (job.Result, bool) {
	if _, missing := job.MissingFinalizer(v.Life); missing {
		return job.Result{Situation: plan.Deleting}, true
	}
	r := deletion(v).letGo()
	if !v.Want.JobStatus.State.IsTerminal() {
		r = deletion(v).letRun("status " + why + ", so it is not ended")
	}
	r.Situation = plan.Deleting
	return r, true
}

// signs writes down for whom the status is written that names a job.
func signs(v view) {
	if v.Want.JobStatus.JobID != "" && !v.isCopy {
		v.Want.WrittenFor = v.seen.Resource.UID
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
