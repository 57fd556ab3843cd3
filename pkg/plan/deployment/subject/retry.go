package subject

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan/backoff"
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
		Generation: intent.Generation, Attempts: attempts, After: metav1.NewTime(after), Reason: reason, Message: v.Hide(message),
	}
	v.Want.Intent = nil
	v.Want.ReconciliationStatus.State = v1beta1.ReconciliationDeployed
	return after
}
