package controllers

import (
	"sort"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/test/kubesim"
)

// NodeDown makes a node unreachable: its pods are not ready, its kubelet does nothing, its processes go on.
func (c *Controllers) NodeDown(name string) {
	c.down[name] = true
	c.notReady(name)
}

// notReady is what the control plane writes about a node that it does not hear from.
func (c *Controllers) notReady(name string) {
	c.writeNode(name, "Unknown", "NodeStatusUnknown")
	for _, pod := range c.podsOn(name) {
		pod = pod.DeepCopy()
		c.setCondition(pod, corev1.ContainersReady, false, "NodeNotReady", "")
		c.setCondition(pod, corev1.PodReady, false, "NodeNotReady", "")
		c.writePod(pod)
	}
}

// NodeUp makes the node reachable again. Its kubelet catches up with the next Step.
func (c *Controllers) NodeUp(name string) {
	delete(c.down, name)
	if !c.dead[name] {
		c.writeNode(name, "True", "KubeletReady")
	}
}

// KubeletDown kills the kubelet of a node: its processes go on and are reached as before, nothing is started, stopped
// or told.
func (c *Controllers) KubeletDown(name string) {
	if !c.silent(name) {
		c.notReady(name)
	}
	c.dead[name] = true
}

// KubeletUp starts it again.
func (c *Controllers) KubeletUp(name string) {
	was := c.dead[name]
	if delete(c.dead, name); was && !c.down[name] {
		c.writeNode(name, "True", "KubeletReady")
	}
}

// silent says whether nothing is heard of the kubelet of a node.
func (c *Controllers) silent(name string) bool { return c.down[name] || c.dead[name] }

// StatusLate sets how many steps after its start a process shows in the status of its pod, for pods that start from now
// on.
func (c *Controllers) StatusLate(steps int) { c.statusLate = steps }

// EvictPods deletes the pods of a node, as the taint manager does when it was unreachable for five minutes. On a node
// that is down they stay as objects being deleted.
func (c *Controllers) EvictPods(node string) {
	for _, pod := range c.podsOn(node) {
		if pod.DeletionTimestamp == nil {
			c.deletePod(pod)
		}
	}
}

// RemoveNode takes the machine away: its processes are dead, the Node object and its pods are gone.
func (c *Controllers) RemoveNode(name string) {
	delete(c.down, name)
	delete(c.dead, name)
	if err := c.kube.Delete(kubesim.Nodes, "", name, kubesim.DeleteOptions{}); err != nil {
		c.t.Errorf("controllers: delete node %s: %v", name, err)
	}
	for _, uid := range c.processesOn(name) {
		c.end(uid, false)
	}
	zero := int64(0)
	for _, pod := range c.podsOn(name) {
		if err := c.kube.Delete(
			kubesim.Pods, pod.Namespace, pod.Name, kubesim.DeleteOptions{GraceSeconds: &zero},
		); err != nil {
			c.t.Errorf("controllers: collect pod %s/%s: %v", pod.Namespace, pod.Name, err)
		}
	}
}

// IsDown says whether a node is unreachable.
func (c *Controllers) IsDown(node string) bool { return c.down[node] }

func (c *Controllers) writeNode(name, status, reason string) {
	c.setStatus(kubesim.Nodes, "", name, &corev1.NodeStatus{Conditions: []corev1.NodeCondition{{
		Type: corev1.NodeReady, Status: corev1.ConditionStatus(status), Reason: reason,
	}}})
}

func (c *Controllers) podsOn(node string) []*corev1.Pod {
	var on []*corev1.Pod
	for _, pod := range c.pods("", nil) {
		if pod.Spec.NodeName == node {
			on = append(on, pod)
		}
	}
	return on
}

func (c *Controllers) processesOn(node string) []types.UID {
	var uids []types.UID
	for uid, p := range c.running {
		if p.node == node {
			uids = append(uids, uid)
		}
	}
	sort.Slice(uids, func(i, j int) bool { return uids[i] < uids[j] })
	return uids
}
