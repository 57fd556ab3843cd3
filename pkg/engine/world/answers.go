package world

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// Unasked reports whether the jobs are not known although a JobManager is there to be asked. What was recorded of a job
// that has ended may not be its newest state then: its statistics lag behind.
func Unasked(v *Look) bool {
	return v.Host.CanBeAsked() && v.Seen.Flink.Jobs.IsUnknown()
}

// answerTimeout is how long a JobManager whose pod is ready may leave a call unanswered before its job counts as one
// that does not run.
const AnswerTimeout = time.Minute

// Unanswered reports whether nobody has said for less than that what the job does: since it was heard of last, or its
// pod became ready.
func Unanswered(v *Look) bool {
	silent := v.Want.JobManagerDeploymentStatus == v1beta1.JobManagerDeployedNotReady &&
		v.Want.JobStatus.State == v1beta1.FlinkJobReconciling
	return silent && (v.Since(v.EndedAt()) < AnswerTimeout || v.Since(v.Host.AvailableAt()) < AnswerTimeout)
}
