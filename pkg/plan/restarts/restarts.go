package restarts

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/backoff"
)

// Pending is the reason why what ended, or was lost, again is not restarted yet.
const Pending = plan.ReasonRestartPending

// Due is when the next restart may be made, given those before; zero means at once.
//
//	restarts so far                     next
//	none, or the last one is long ago   at once
//	n in a row                          10 s, 20 s, 40 s, ... after the n-th, at most 10 min
func Due(before *v1beta1.Restarts, now time.Time) time.Time {
	if !follows(before, now) {
		return time.Time{}
	}
	return before.Last.Add(backoff.After(before.InARow, backoff.Longest))
}

// Pause says why and until when what went wrong again soon after a restart is not restarted yet.
func Pause(before *v1beta1.Restarts, now time.Time) (why string, early bool) {
	due := Due(before, now)
	if !now.Before(due) {
		return "", false
	}
	return fmt.Sprintf("restarted %d times in a row, and not running again; the next restart is at %s, a change of the "+
		"spec is made at once",
		before.InARow, due.UTC().Format(time.RFC3339)), true
}

// Count is what a start leaves behind: one more for a recovery, none for any other purpose.
func Count(before *v1beta1.Restarts, purpose v1beta1.IntentPurpose, now metav1.Time) *v1beta1.Restarts {
	if purpose != v1beta1.PurposeRecover {
		return nil
	}
	next := v1beta1.Restarts{InARow: 1, Last: now}
	if follows(before, now.Time) {
		next.InARow += before.InARow
	}
	return &next
}

func follows(before *v1beta1.Restarts, now time.Time) bool {
	return before != nil && now.Sub(before.Last.Time) < backoff.Lasts
}
