package controllers

import (
	"sort"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/test/kubesim"
)

// nodeGrace is how long the control plane takes a node for ready that it does not hear from
// (--node-monitor-grace-period of Kubernetes 1.32 and later; 40 s before).
const nodeGrace = 50 * time.Second

// leaseRenewal is how often a kubelet renews the Lease of its node: a quarter of nodeLeaseDurationSeconds.
const leaseRenewal = 10 * time.Second

// NodeDown makes a node unreachable: its kubelet does nothing, its processes go on. After nodeGrace it and its pods are
// not ready.
func (c *Controllers) NodeDown(name string) {
	c.fallSilent(name)
	c.down[name] = true
}

// KubeletDown kills the kubelet of a node: its processes go on and are reached as before, nothing is started, stopped
// or told. The control plane takes it for a node that is down.
func (c *Controllers) KubeletDown(name string) {
	c.fallSilent(name)
	c.dead[name] = true
}

func (c *Controllers) fallSilent(name string) {
	if !c.silent(name) {
		c.since[name] = c.kube.Clock.Now()
	}
}

// NodeUp makes the node reachable again. Its kubelet catches up with the next Step.
func (c *Controllers) NodeUp(name string) {
	delete(c.down, name)
	c.speaksAgain(name)
}

// KubeletUp starts it again.
func (c *Controllers) KubeletUp(name string) {
	delete(c.dead, name)
	c.speaksAgain(name)
}

func (c *Controllers) speaksAgain(name string) {
	if c.silent(name) {
		return
	}
	for uid, p := range c.running {
		if p.node == name {
			p.unsaid = 0 // it looks at all its pods
			c.running[uid] = p
		}
	}
	if delete(c.since, name); c.lost[name] {
		delete(c.lost, name)
		c.writeNode(name, "True", "KubeletReady")
	}
}

// stepNodes lets the kubelets renew the Leases of their nodes, and the control plane notice those that do not.
func (c *Controllers) stepNodes() {
	now := c.kube.Clock.Now()
	for _, u := range c.kube.PeekAll(kubesim.Nodes, "", nil) {
		name := u.GetName()
		switch {
		case !c.silent(name):
			if now.Sub(c.renewed[name]) >= leaseRenewal {
				c.renewed[name] = now
				c.kube.RenewLease(name)
			}
		case !c.lost[name] && !c.away && now.Sub(c.since[name]) >= nodeGrace:
			c.lost[name] = true
			c.notReady(name)
		}
	}
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

// silent says whether nothing is heard of the kubelet of a node.
func (c *Controllers) silent(name string) bool { return c.down[name] || c.dead[name] }

// IsSilent says whether nothing is heard of the kubelet of a node.
func (c *Controllers) IsSilent(node string) bool { return c.silent(node) }

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
	for _, seen := range []map[string]bool{c.down, c.dead, c.lost} {
		delete(seen, name)
	}
	delete(c.since, name)
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
		LastTransitionTime: metav1.NewTime(c.kube.Clock.Now()),
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
