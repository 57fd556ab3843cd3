package deployment

import "github.com/kn-flink/kn-flink/pkg/plan/deployment/jobsnapshots"

// inFlight brings the snapshots that status records up to what Flink says of them. It decides nothing.
func inFlight(v *view) (result, bool) {
	v.requests = jobsnapshots.Observe(v.Subject)
	return result{}, false
}

// observed brings the status of a resource that was deployed up to what was seen, for the rules that follow.
func observed(v *view) (result, bool) {
	if v.Last != nil {
		v.Observe()
	}
	return result{}, false
}
