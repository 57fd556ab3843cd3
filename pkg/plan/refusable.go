package plan

// Refusable reports whether an action changes an object in Kubernetes, or in ZooKeeper, and nothing of its own says
// when it is tried again: what is refused for now is tried less and less.
//
//	action                               tried again
//	Record, WakeClock                    with each look
//	of Flink, a request for an upload    by status, see the rules that make them
//	an Ingress, labels                   with each look, they hold nothing up
//	any other                            less and less
func Refusable(a Action) bool {
	switch a.(type) {
	case AddFinalizer, RemoveFinalizer, PrepareStart, Release, DeleteCluster, DeleteLeftovers, Retire, DropJobGraphs,
		DeleteHAData, ForceDeletePods, MakeTaskManagers, ScaleTaskManagers, CreateSnapshot, DeleteSnapshot:
		return true
	}
	return false
}
