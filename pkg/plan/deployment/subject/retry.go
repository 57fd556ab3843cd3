package subject

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan/backoff"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment/restarts"
)

// retryMost bounds the pause after an attempt that failed.
const retryMost = 10 * time.Minute

// RecordAttemptFailed closes the open intent, whose stop took nothing away, and answers when the next attempt may be made.
func (v *Subject) RecordAttemptFailed(reason, message string) time.Time {
	intent, attempts := v.Intent(), int32(1)
	if r := v.Seen.Resource.Status.Retry; r != nil && r.Generation == intent.Generation {
		attempts = r.Attempts + 1
	}
	after := v.Now().Add(backoff.After(attempts, retryMost))
	v.Want.Retry = &v1beta1.Retry{
		Generation: intent.Generation, Attempts: attempts, After: metav1.NewTime(after), Reason: reason, Message: message,
	}
	v.Want.Intent = nil
	v.Want.ReconciliationStatus.State = v1beta1.ReconciliationDeployed
	return after
}

// RestartPause says why and until when a job that failed again soon after a restart is not restarted yet.
func (v *Subject) RestartPause() (why Cause, early bool) {
	due := restarts.Due(v.Want.Restarts, v.Seen.Now)
	if !v.Seen.Now.Before(due) {
		return Cause{}, false
	}
	return Cause{restarts.Pending, fmt.Sprintf("the job failed again, after %d restarts in a row; the next one is at %s, a change of the spec is made at once",
		v.Want.Restarts.InARow, due.UTC().Format(time.RFC3339))}, true
}
