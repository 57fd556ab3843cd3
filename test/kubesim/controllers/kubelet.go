package controllers

import (
	"fmt"
	"sort"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/test/kubesim"
)

// stepPod moves one pod by one step.
//
//	unbound                     the scheduler binds it, or says that it cannot
//	bound to a node that fails  nothing; nor when the kubelet alone is dead
//	being deleted               its processes end, then the object goes
//	bound                       volumes, image, start, or the trouble of the script
//	running                     the probe
func (c *Controllers) stepPod(pod *corev1.Pod) {
	switch {
	case pod.Spec.NodeName == "" && pod.DeletionTimestamp == nil:
		c.schedule(pod)
	case c.silent(pod.Spec.NodeName):
	case pod.DeletionTimestamp != nil:
		c.stop(pod)
	case pod.Status.Phase == corev1.PodPending || pod.Status.Phase == "":
		c.start(pod)
	case pod.Status.Phase == corev1.PodRunning:
		c.probe(pod)
	}
}

func (c *Controllers) schedule(pod *corev1.Pod) {
	script, _ := c.scriptOf(pod.Labels, pod.Spec)
	node := c.freeNode()
	if script.Unschedulable || node == "" {
		message := script.Message
		if message == "" {
			message = "0/1 nodes are available: 1 Insufficient memory."
		}
		pod.Status.Phase = corev1.PodPending
		c.setCondition(pod, corev1.PodScheduled, false, "Unschedulable", message)
		c.writePod(pod)
		return
	}
	_, err := c.kube.Update(kubesim.Pods, pod.Namespace, pod.Name, func(u *unstructured.Unstructured) {
		if err := unstructured.SetNestedField(u.Object, node, "spec", "nodeName"); err != nil {
			c.t.Errorf("controllers: bind pod %s/%s: %v", pod.Namespace, pod.Name, err)
		}
	})
	if err != nil {
		c.t.Errorf("controllers: bind pod %s/%s: %v", pod.Namespace, pod.Name, err)
	}
	pod.Status.Phase = corev1.PodPending
	c.setCondition(pod, corev1.PodScheduled, true, "", "")
	c.writePod(pod)
}

// freeNode is the first node that is heard of, else the first one whose silence nobody has noticed.
func (c *Controllers) freeNode() string {
	free := ""
	for _, node := range c.kube.PeekAll(kubesim.Nodes, "", nil) {
		switch name := node.GetName(); {
		case !c.silent(name):
			return name
		case !c.lost[name] && free == "":
			free = name
		}
	}
	return free
}

// start starts the containers of a bound pod, or writes why they do not start.
func (c *Controllers) start(pod *corev1.Pod) {
	if p, runs := c.running[pod.UID]; runs && p.unsaid > 0 {
		p.unsaid--
		c.running[pod.UID] = p
		return
	}
	script, container := c.scriptOf(pod.Labels, pod.Spec)
	now := metav1.NewTime(c.kube.Clock.Now())
	if pod.Status.StartTime == nil {
		pod.Status.StartTime = &now
	}
	missing := c.missingVolume(pod)
	if script.FailedMount {
		missing = script.Message
	}
	if missing != "" {
		c.setCondition(pod, corev1.PodReadyToStartContainers, false, "", "")
		c.waiting(pod, "", "ContainerCreating", "", "")
		c.event(pod, "FailedMount", missing)
		c.writePod(pod)
		return
	}
	c.setCondition(pod, corev1.PodReadyToStartContainers, true, "", "")
	c.setCondition(pod, corev1.PodInitialized, !script.Init, "", "")
	if script.Waiting != "" {
		if script.Init && len(pod.Spec.InitContainers) > 0 {
			container = pod.Spec.InitContainers[0].Name
		}
		c.waiting(pod, container, script.Waiting, script.Message, script.Terminated)
		c.writePod(pod)
		return
	}
	_, runs := c.running[pod.UID]
	if !runs {
		name := types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}
		c.running[pod.UID] = process{
			pod: name, node: pod.Spec.NodeName, stopping: script.StopSteps, unsaid: c.statusLate - 1,
		}
		c.runtime.Start(pod)
	}
	if !runs && c.statusLate > 0 && pod.Status.Phase != corev1.PodRunning { // a restart is told of as one
		c.waiting(pod, "", "ContainerCreating", "", "")
		c.writePod(pod)
		return
	}
	c.serial++
	pod.Status.Phase, pod.Status.PodIP = corev1.PodRunning, fmt.Sprintf("10.1.%d.%d", c.serial/250, c.serial%250+1)
	c.setRunning(pod, false)
	c.writePod(pod)
}

// missingVolume names a ConfigMap or Secret that a volume needs and that is not there.
func (c *Controllers) missingVolume(pod *corev1.Pod) string {
	for _, volume := range pod.Spec.Volumes {
		if m := volume.ConfigMap; m != nil && (m.Optional == nil || !*m.Optional) &&
			c.kube.Peek(kubesim.ConfigMaps, pod.Namespace, m.Name) == nil {
			return fmt.Sprintf("MountVolume.SetUp failed for volume %q : configmap %q not found", volume.Name, m.Name)
		}
		if m := volume.Secret; m != nil && (m.Optional == nil || !*m.Optional) &&
			c.kube.Peek(kubesim.Secrets, pod.Namespace, m.SecretName) == nil {
			return fmt.Sprintf("MountVolume.SetUp failed for volume %q : secret %q not found", volume.Name, m.SecretName)
		}
	}
	return ""
}

func (c *Controllers) probe(pod *corev1.Pod) {
	if _, known := c.running[pod.UID]; !known {
		if !c.backsOff(pod) {
			c.start(pod) // its containers crashed: they start again
		}
		return
	}
	script, _ := c.scriptOf(pod.Labels, pod.Spec)
	c.setRunning(pod, !script.NeverReady && c.runtime.Ready(pod))
	c.writePod(pod)
}

// stop ends the processes of a pod being deleted, says so, and then takes the object away: each is a step.
func (c *Controllers) stop(pod *corev1.Pod) {
	if p, ok := c.running[pod.UID]; ok && p.stopping > 0 {
		p.stopping--
		c.running[pod.UID] = p
		return
	}
	if _, ran := c.running[pod.UID]; ran {
		c.end(pod.UID, false)
		c.setEnded(pod)
		c.writePod(pod)
		return
	}
	zero := int64(0)
	if err := c.kube.Delete(
		kubesim.Pods, pod.Namespace, pod.Name, kubesim.DeleteOptions{UID: string(pod.UID), GraceSeconds: &zero},
	); err != nil {
		c.t.Errorf("controllers: end pod %s/%s: %v", pod.Namespace, pod.Name, err)
	}
}

func (c *Controllers) end(uid types.UID, crashed bool) {
	if _, ok := c.running[uid]; ok {
		delete(c.running, uid)
		c.runtime.Stop(uid, crashed)
	}
}

// reap ends processes whose pod object is gone, where the kubelet can: on a failing node they go on.
func (c *Controllers) reap() {
	var uids []string
	for uid := range c.running {
		uids = append(uids, string(uid))
	}
	sort.Strings(uids)
	for _, uid := range uids {
		p := c.running[types.UID(uid)]
		u := c.kube.Peek(kubesim.Pods, p.pod.Namespace, p.pod.Name)
		if !c.silent(p.node) && (u == nil || string(u.GetUID()) != uid) {
			c.end(types.UID(uid), false)
		}
	}
}

// Crash ends the containers of a pod with an error. With restart policy Never the pod has failed; otherwise they start
// again in the next step.
func (c *Controllers) Crash(namespace, name, message string) {
	c.t.Helper()
	c.crash(namespace, name, message)
}

func (c *Controllers) crash(namespace, name, message string) types.UID {
	c.t.Helper()
	u := c.kube.Peek(kubesim.Pods, namespace, name)
	if u == nil {
		c.t.Fatalf("controllers: crash pod %s/%s: it is not there", namespace, name)
	}
	pod := &corev1.Pod{}
	c.convert(u, pod)
	if c.dead[pod.Spec.NodeName] {
		c.end(pod.UID, true) // nobody is left to say so
		return pod.UID
	}
	again := pod.Spec.RestartPolicy != corev1.RestartPolicyNever
	c.end(pod.UID, again)
	c.setRunning(pod, false)
	for i := range pod.Status.ContainerStatuses {
		ended := corev1.ContainerState{
			Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error", Message: message},
		}
		status := &pod.Status.ContainerStatuses[i]
		status.LastTerminationState, status.State = ended, ended
		if again {
			status.RestartCount++
		}
	}
	if !again {
		pod.Status.Phase = corev1.PodFailed
	}
	c.writePod(pod)
	return pod.UID
}
