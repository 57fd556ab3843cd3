package backoff

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

const (
	// Soonest is the pause after a change of an object is refused for the first time.
	Soonest = 2 * time.Second
	// First is the pause after the first failure.
	First = 10 * time.Second
	// Longest is the longest pause between two attempts, but of a FlinkStateSnapshot.
	Longest = 10 * time.Minute
	// Lasts is for how long what was tried again must have gone well before the count begins anew. It is longer than any
	// pause and what delays an attempt after it.
	Lasts = 30 * time.Minute
)

// After is the pause after the n-th failure in a row: 10 s, 20 s, 40 s and so on, at most most. Without a failure there
// is none.
func After(failures int32, most time.Duration) time.Duration {
	return doubled(First, failures, most)
}

func doubled(pause time.Duration, failures int32, most time.Duration) time.Duration {
	if failures < 1 {
		return 0
	}
	for range failures - 1 {
		if pause *= 2; pause >= most {
			return most
		}
	}
	return min(pause, most)
}

// Failed is one more failure of an operation for this generation of the spec. Those of another generation do not count.
func Failed(before *v1beta1.Retry, generation int64, now metav1.Time, reason, message string) *v1beta1.Retry {
	r := v1beta1.Retry{Generation: generation, Attempts: 1, Reason: reason, Message: message}
	if before != nil && before.Generation == generation {
		r.Attempts += before.Attempts
	}
	r.After = metav1.NewTime(now.Add(After(r.Attempts, Longest)))
	return &r
}

// Refused is one more refusal of a change of an object, which says what, for which generation of the spec, and why. The
// pauses are 2 s, 4 s, 8 s and so on: most refusals are over soon.
func Refused(before *v1beta1.Refused, one v1beta1.Refused, now metav1.Time) *v1beta1.Refused {
	var last *v1beta1.Retry
	if before != nil && before.Effect == one.Effect {
		last = &before.Retry
	}
	one.Retry = *Failed(last, one.Generation, now, one.Reason, one.Message)
	one.After = metav1.NewTime(now.Add(doubled(Soonest, one.Attempts, Longest)))
	return &one
}

// Waits reports whether an operation for this generation of the spec has to wait for its next attempt.
func Waits(r *v1beta1.Retry, generation int64, now time.Time) bool {
	return r != nil && r.Generation == generation && now.Before(r.After.Time)
}
