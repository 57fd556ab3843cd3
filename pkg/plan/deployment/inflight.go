package deployment

// inFlight brings the snapshots that status records up to what Flink says of them. It decides nothing.
func inFlight(v *view) (outcome, bool) {
	v.requests = v.ObserveRequests()
	return outcome{}, false
}
