package takedown

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// ending is what to do about a cluster that has not ended yet.
type ending struct {
	// Delete are the pods to be taken away without waiting for their nodes; nil when there is none.
	Delete *plan.ForceDeletePods
	// Why goes with Delete: for people, one line.
	Why string
	// Stalled is true when nothing goes on until a person acts.
	Stalled bool
	// Reason says why.
	Reason plan.Reason
	// Message is one line: what is waited for, or what a person can do.
	Message string
}

// judgeEnd decides about the pods that are left of a cluster. All that may go, go at once.
//
//	its node          clean-up timeout   high availability   then
//	does not exist    -                  -                   delete: its processes went with the machine
//	does not answer   over               lease run out       delete: it leads no more
//	does not answer   over               otherwise           NodeUnreachable: only a person knows whether the machine is
//	                                                         down
//	unknown           over               -                   the same
//	answers           over               -                   ClusterTerminating, and where to look: the machine is at
//	                                                         it, or somebody holds it
//	-                 not over           -                   wait
//
// Without pods it is the Deployment itself that does not end.
func judgeEnd(v *cluster.Cluster) ending {
	left := cluster.PodsLeft(v)
	if d, some := givesUpPods(v, left); some {
		return d
	}
	wait := ending{Reason: plan.ReasonClusterTerminating, Message: "the old cluster is being deleted"}
	if !cluster.Overdue(v) {
		return wait
	}
	var silent, slow []corev1.Pod
	for _, pod := range left {
		if answers, known := v.Seen.Nodes[pod.Spec.NodeName].Get(); (known && answers) || pod.Spec.NodeName == "" {
			slow = append(slow, pod)
		} else {
			silent = append(silent, pod)
		}
	}
	namespace := v.Look.Resource().Namespace
	switch {
	case len(silent) > 0:
		return ending{Stalled: true, Reason: plan.ReasonNodeUnreachable, Message: fmt.Sprintf(
			"pods %s on nodes %s do not end, and %s; if those machines are really down, run: kubectl delete pod -n %s "+
				"--force --grace-period=0 %s",
			podNames(silent, ", "), nodeNames(silent), whyNot(v, silent), namespace, podNames(silent, " "))}
	case len(slow) > 0:
		return ending{Stalled: true, Reason: wait.Reason, Message: fmt.Sprintf(
			"pods %s do not terminate although their nodes %s are reachable; find the cause: kubectl describe pod -n %s %s",
			podNames(slow, ", "),
			nodeNames(slow),
			namespace,
			podNames(slow, " "),
		)}
	case v.Seen.JobManager.IsPresent():
		return ending{Stalled: true, Reason: wait.Reason, Message: fmt.Sprintf(
			"the old Deployment is still not deleted; find the cause: kubectl get deployment %s -n %s -o yaml",
			v.Look.Resource().Name, namespace)}
	}
	return wait
}

// givesUpPods answers for the pods that may be taken away, if there are any.
func givesUpPods(v *cluster.Cluster, left []corev1.Pod) (ending, bool) {
	remove := plan.ForceDeletePods{Namespace: v.Look.Resource().Namespace}
	var names, reasons []string
	for _, pod := range left {
		why := mayGo(v, pod)
		if why == "" {
			continue
		}
		remove.Pods, names = append(remove.Pods, plan.PodName{Name: pod.Name, UID: pod.UID}), append(names, pod.Name)
		if !slices.Contains(reasons, why) {
			reasons = append(reasons, why)
		}
	}
	if len(names) == 0 {
		return ending{}, false
	}
	word, seen := "pod", strings.Join(reasons, "; ")
	if len(names) > 1 {
		word = "pods"
	}
	return ending{
		Delete: &remove, Why: fmt.Sprintf("Deleting %s %s by force: %s", word, strings.Join(names, ", "), seen),
		Reason: plan.ReasonClusterTerminating, Message: "the old cluster is being deleted; " + seen,
	}, true
}

// mayGo says why a pod may be taken away; empty when it may not.
func mayGo(v *cluster.Cluster, pod corev1.Pod) string {
	node := v.Seen.Nodes[pod.Spec.NodeName]
	answers, known := node.Get()
	switch {
	case pod.Spec.NodeName == "":
		return ""
	case node.IsAbsent():
		return fmt.Sprintf("node %s does not exist any more", pod.Spec.NodeName)
	case known && !answers && cluster.Overdue(v) && fenced(v) == "":
		return fmt.Sprintf("node %s is not reachable, and no JobManager on it holds the leadership any more",
			pod.Spec.NodeName)
	}
	return ""
}

// fenced says why a process of the cluster may still be the leader; empty when it cannot.
func fenced(v *cluster.Cluster) string {
	data, known := v.Seen.HAData.Get()
	switch {
	case v.HA().Store.Mode != flinkconf.HAKubernetes:
		return "without high availability on Kubernetes it is not known whether the job still runs there"
	case !known:
		return "the high-availability data cannot be read: " + v.Seen.HAData.Why()
	}
	for _, c := range data {
		if c.Leader.IsUnknown() {
			return fmt.Sprintf("the lease in ConfigMap %s cannot be read: %s", c.Name, c.Leader.Why())
		}
	}
	return cluster.Leases(data).Held(v.Look.Want.Leases, v.Seen.Now)
}

// whyNot says why silent pods are not taken away.
func whyNot(v *cluster.Cluster, pods []corev1.Pod) string {
	for _, pod := range pods {
		if node := v.Seen.Nodes[pod.Spec.NodeName]; node.IsUnknown() {
			return fmt.Sprintf("it is not known whether node %s is reachable: %s", pod.Spec.NodeName, node.Why())
		}
	}
	return "those nodes are not reachable: " + fenced(v)
}

func podNames(pods []corev1.Pod, separator string) string {
	var names []string
	for _, p := range pods {
		names = append(names, p.Name)
	}
	return strings.Join(names, separator)
}

func nodeNames(pods []corev1.Pod) string {
	var names []string
	for _, p := range pods {
		if !slices.Contains(names, p.Spec.NodeName) {
			names = append(names, p.Spec.NodeName)
		}
	}
	return strings.Join(names, ", ")
}
