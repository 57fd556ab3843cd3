package cluster

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
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

// judge decides about the pods that are left of a cluster. All that may go, go at once.
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
func (v Remains) judge() ending {
	left := v.PodsLeft()
	if d, some := v.givesUp(left); some {
		return d
	}
	wait := ending{Reason: plan.ReasonClusterTerminating, Message: "the old cluster is being deleted"}
	if !v.Overdue() {
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
	namespace := v.Resource().Namespace
	switch {
	case len(silent) > 0:
		return ending{Stalled: true, Reason: plan.ReasonNodeUnreachable, Message: fmt.Sprintf(
			"pods %s on nodes %s do not end, and %s; if those machines are really down, run: kubectl delete pod -n %s "+
				"--force --grace-period=0 %s",
			podNames(silent, ", "), nodeNames(silent), v.whyNot(silent), namespace, podNames(silent, " "))}
	case len(slow) > 0:
		return ending{Stalled: true, Reason: wait.Reason, Message: fmt.Sprintf(
			"pods %s do not terminate although their nodes %s are reachable; find the cause: kubectl describe pod -n %s %s",
			podNames(slow, ", "), nodeNames(slow), namespace, podNames(slow, " "))}
	case v.Seen.JobManager.IsPresent():
		return ending{Stalled: true, Reason: wait.Reason, Message: fmt.Sprintf(
			"the old Deployment is still not deleted; find the cause: kubectl get deployment %s -n %s -o yaml",
			v.Resource().Name, namespace)}
	}
	return wait
}

// givesUp answers for the pods that may be taken away, if there are any.
func (v Remains) givesUp(left []corev1.Pod) (ending, bool) {
	remove := plan.ForceDeletePods{Namespace: v.Resource().Namespace}
	var names, reasons []string
	for _, pod := range left {
		why := v.mayGo(pod)
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
func (v Remains) mayGo(pod corev1.Pod) string {
	node := v.Seen.Nodes[pod.Spec.NodeName]
	answers, known := node.Get()
	switch {
	case pod.Spec.NodeName == "":
		return ""
	case node.IsAbsent():
		return fmt.Sprintf("node %s does not exist any more", pod.Spec.NodeName)
	case known && !answers && v.Overdue() && v.fenced() == "":
		return fmt.Sprintf("node %s is not reachable, and no JobManager on it holds the leadership any more",
			pod.Spec.NodeName)
	}
	return ""
}

// Overdue reports whether the old cluster has had kubernetes.operator.resource.cleanup.timeout to end.
func (v Remains) Overdue() bool { return v.age() > v.CleanupTimeout() }

// age is how long the old cluster has been going away.
func (v Remains) age() time.Duration {
	jm, present := v.Seen.JobManager.Get()
	switch intent := v.Intent(); {
	case intent != nil && intent.EndedAt != nil:
		return v.Since(*intent.EndedAt)
	case intent != nil:
		return v.Since(intent.StoredAt)
	case v.Seen.Resource.DeletionTimestamp != nil:
		return job.Deletion(v.Life).Age()
	case present && jm.DeletionTimestamp != nil:
		return v.Since(*jm.DeletionTimestamp)
	case v.Want.PaceSince != nil:
		return v.Since(*v.Want.PaceSince)
	}
	return 0
}

// leaseMargin is added to the end of a leader's lease: the clocks of two machines differ.
const leaseMargin = time.Minute

// fenced says why a process of the cluster may still be the leader; empty when it cannot.
func (v Remains) fenced() string {
	data, known := v.Seen.HAData.Get()
	switch {
	case v.HA().Store.Mode != flinkconf.HAKubernetes:
		return "without high availability on Kubernetes it is not known whether the job still runs there"
	case !known:
		return "the high-availability data cannot be read: " + v.Seen.HAData.Why()
	}
	for _, c := range data {
		until, led := c.LeaderUntil.Get()
		switch {
		case c.LeaderUntil.IsUnknown():
			return fmt.Sprintf("the lease in ConfigMap %s cannot be read: %s", c.Name, c.LeaderUntil.Why())
		case led && !until.Add(leaseMargin).Before(v.Seen.Now):
			return fmt.Sprintf("a JobManager still renews its lease in ConfigMap %s", c.Name)
		}
	}
	return ""
}

// whyNot says why silent pods are not taken away.
func (v Remains) whyNot(pods []corev1.Pod) string {
	for _, pod := range pods {
		if node := v.Seen.Nodes[pod.Spec.NodeName]; node.IsUnknown() {
			return fmt.Sprintf("it is not known whether node %s is reachable: %s", pod.Spec.NodeName, node.Why())
		}
	}
	return "those nodes are not reachable: " + v.fenced()
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
