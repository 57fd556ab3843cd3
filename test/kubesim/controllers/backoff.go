package controllers

import (
	"time"

	corev1 "k8s.io/api/core/v1"
)

// The back-off of a container that ends by itself: none after its first end, then twice as long each time.
const (
	firstBackOff = 10 * time.Second
	mostBackOff  = 5 * time.Minute
)

// backOff is how long the containers of a pod wait that ended by themselves.
type backOff struct {
	next  time.Duration
	until time.Time
}

// Exit is a crash of a process that ends by itself: it would do so again at once, so its next start waits.
func (c *Controllers) Exit(namespace, name, message string) {
	uid := c.crash(namespace, name, message)
	b := c.backOffs[uid]
	c.backOffs[uid] = backOff{
		next:  min(max(firstBackOff, 2*b.next), mostBackOff),
		until: c.kube.Clock.Now().Add(b.next),
	}
}

// backsOff says whether the containers of a pod wait for their next start, and writes it.
func (c *Controllers) backsOff(pod *corev1.Pod) bool {
	if !c.kube.Clock.Now().Before(c.backOffs[pod.UID].until) {
		return false
	}
	for i := range pod.Status.ContainerStatuses {
		pod.Status.ContainerStatuses[i].State = corev1.ContainerState{
			Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: "back-off restarting failed container"},
		}
	}
	c.writePod(pod)
	return true
}
