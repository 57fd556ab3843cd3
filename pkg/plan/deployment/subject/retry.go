package subject

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan/backoff"
	"github.com/kn-flink/kn-flink/pkg/plan/deployment/restarts"
)

// RecordAttemptFailed closes the open intent, whose stop took nothing away, and answers when the next attempt may be made.
func (v *Subject) RecordAttemptFailed(reason, message string) time.Time {
	v.Want.Retry = backoff.Failed(v.Want.Retry, v.Intent().Generation, v.Now(), reason, v.Hide(message))
	v.Want.Intent = nil
	v.Want.ReconciliationStatus.State = v1beta1.ReconciliationDeployed
	return v.Want.Retry.After.Time
}

// NextAttempt is when something that failed is tried again, if that is what is waited for; zero otherwise.
func (v *Subject) NextAttempt(waitsFor string) time.Time {
	switch r := v.Want.Retry; {
	case waitsFor == restarts.Pending:
		return restarts.Due(v.Want.Restarts, v.Seen.Now)
	case r != nil && waitsFor == r.Reason && v.Intent() == nil:
		return r.After.Time
	}
	return time.Time{}
}
