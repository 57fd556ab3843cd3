package cluster

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/plan/cluster/evidence"
)

// PodsLeft are the pods of the cluster whose processes run, or may begin to, as far as they were looked for.
//
//	pod                                                        left
//	its kubelet says that every container has ended            no: what is left of it is an object
//	a TaskManager that is being deleted, no container began    no: none will. A JobManager that asks for a TaskManager
//	                                                           with its last
//	                                                           breath leaves one
//	any other                                                  yes
func (v *Cluster) PodsLeft() []corev1.Pod {
	var left []corev1.Pod
	jobManagers, _ := v.Seen.Pods.Get()
	for _, pod := range jobManagers {
		if !evidence.Ended(pod) {
			left = append(left, pod)
		}
	}
	taskManagers, _ := v.Seen.TaskManagers.Get()
	for _, pod := range taskManagers {
		if !evidence.Ended(pod) && !evidence.NeverBegins(pod) {
			left = append(left, pod)
		}
	}
	return left
}

// jobManagerLeft reports whether a JobManager's process may run.
func (v *Cluster) jobManagerLeft() bool {
	pods, _ := v.Seen.Pods.Get()
	return slices.ContainsFunc(pods, func(pod corev1.Pod) bool { return !evidence.Ended(pod) })
}
