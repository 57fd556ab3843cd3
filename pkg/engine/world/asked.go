package world

import "github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"

// triesNow ends the pauses that status records where a user has asked for a pass since, by a new value of an
// annotation, which status remembers: each value counts once.
//
//	the pause                                then
//	of an operation that failed              it is due; the attempts stay counted, so the next pause is longer
//	of a change that Kubernetes refused      the same
//	of a job that failed again and again     the count begins anew, as after a change of the spec
func triesNow(v *Look) {
	asked := v1beta1.ReconcileRequested(v.Seen.Resource.Annotations)
	if asked == "" || asked == v.Want.ReconcileRequested {
		return
	}
	now := v.Now()
	v.Want.ReconcileRequested, v.Want.Restarts = asked, nil
	if r := v.Want.Retry; r != nil && r.After.After(now.Time) {
		r.After = now
	}
	if r := v.Want.Refused; r != nil && r.After.After(now.Time) {
		r.After = now
	}
}
