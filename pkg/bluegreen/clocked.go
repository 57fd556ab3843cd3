package bluegreen

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// A deadline counts only while somebody could look. Each look at a change that waits stores, in steps of a tenth of the
// grace period and at most once a minute, that it was made; a longer gap moves the deadline.

// seldom is the shortest time between two notes of a look.
const seldom = time.Minute

// deadline is when a change gives up that begins to wait now.
func (v *view) deadline() string { return v.now().Add(v.grace()).Format(time.RFC3339) }

// overDeadline reports whether the time to become ready is over. An adopted change without one has all of it.
func (v *view) overDeadline(s *v1beta1.FlinkBlueGreenDeploymentStatus) bool {
	deadline := instantOf(s.AbortTimestamp)
	if s.Transition != nil {
		deadline = deadline.Add(v.blind(s.Transition.Looked.Time))
	}
	return !deadline.IsZero() && v.now().After(deadline)
}

// period is how often a look at a change that waits is stored.
func (v *view) period() time.Duration { return max(seldom, v.grace()/10) }

// blind is for how long nobody looked; zero where a look is as old as usual.
func (v *view) blind(looked time.Time) time.Duration {
	gap := v.now().Sub(looked)
	if looked.IsZero() || gap <= 3*v.period() {
		return 0
	}
	return gap
}

// clocked stores in the next status that a change was looked at, if that is due.
func clocked(v view, next *v1beta1.FlinkBlueGreenDeploymentStatus) {
	t := next.Transition
	if t == nil || v.now().Sub(t.Looked.Time) < v.period() && !t.Looked.IsZero() {
		return
	}
	if deadline := instantOf(next.AbortTimestamp); !deadline.IsZero() {
		next.AbortTimestamp = deadline.Add(v.blind(t.Looked.Time)).Format(time.RFC3339)
	}
	t.Looked = metav1.NewTime(v.now())
}
