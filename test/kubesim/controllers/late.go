package controllers

import (
	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/test/kubesim"
)

// heard is what the controllers of Deployments and ReplicaSets know of theirs, newest last; they act on the first. What
// they make, and pods, they see at once: so they replace what somebody has deleted together with its owner, as they do
// on a control plane under load.
type heard struct {
	versions    []int64
	deployments [][]*deployment
	sets        [][]*appsv1.ReplicaSet
}

// ControllersLate has the controllers of Deployments and ReplicaSets hear of a change to theirs that many steps late.
func (c *Controllers) ControllersLate(steps int) { c.controllersLate = steps }

// GarbageLate has the garbage collector pause for that many steps between two looks.
func (c *Controllers) GarbageLate(steps int) { c.garbageLate, c.garbageIn = steps, steps }

// ControllersAway stops all that kube-controller-manager does, as while another one of it has still to take over: the
// controllers, the garbage collector, and what notices silent nodes.
func (c *Controllers) ControllersAway() { c.away = true }

// ControllersBack starts it again. It knows what is there then.
func (c *Controllers) ControllersBack() { c.away, c.heard = false, heard{} }

// InTime takes all that is late away: pod statuses, too.
func (c *Controllers) InTime() {
	c.ControllersBack()
	c.StatusLate(0)
	c.ControllersLate(0)
	c.GarbageLate(0)
}

// knownDeployments are those that their controller knows now.
func (c *Controllers) knownDeployments() []*deployment {
	var all []*deployment
	for _, u := range c.kube.PeekAll(kubesim.Deployments, "", nil) {
		all = append(all, c.readDeployment(u))
	}
	c.heard.versions = newest(c.controllersLate, c.heard.versions, c.kube.Version())
	c.heard.deployments = newest(c.controllersLate, c.heard.deployments, all)
	return c.heard.deployments[0]
}

// knownSets are those that their controller knows now.
func (c *Controllers) knownSets() []*appsv1.ReplicaSet {
	var all []*appsv1.ReplicaSet
	for _, u := range c.kube.PeekAll(kubesim.ReplicaSets, "", nil) {
		all = append(all, c.readSet(u))
	}
	c.heard.sets = newest(c.controllersLate, c.heard.sets, all)
	return c.heard.sets[0]
}

// newest appends, and keeps as many before it.
func newest[T any](before int, all []T, one T) []T {
	all = append(all, one)
	return all[max(0, len(all)-1-before):]
}

// collect runs the garbage collector when it is its turn.
func (c *Controllers) collect() {
	if c.garbageIn > 0 {
		c.garbageIn--
		return
	}
	c.kube.GC()
	c.garbageIn, c.collected = c.garbageLate, c.kube.Version()
}

// behind reports whether a controller has still to hear of something.
func (c *Controllers) behind() bool {
	version := c.kube.Version()
	return c.controllersLate > 0 && c.heard.versions[0] != version || c.garbageLate > 0 && c.collected != version
}
