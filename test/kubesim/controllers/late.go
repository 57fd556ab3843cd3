package controllers

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/test/kubesim"
)

// view is what the controllers of Deployments and ReplicaSets know of theirs at a time. What they make, and pods, they
// see at once: so they replace what somebody has deleted together with its owner, as they do on a control plane under
// load.
type view struct {
	at          time.Time
	deployments []*deployment
	sets        []*appsv1.ReplicaSet
}

// ControllersLate has the controllers of Deployments and ReplicaSets hear of a change to theirs that much later.
func (c *Controllers) ControllersLate(by time.Duration) { c.controllersLate = by }

// GarbageLate has the garbage collector pause for that long between two looks.
func (c *Controllers) GarbageLate(pause time.Duration) { c.garbageLate = pause }

// ControllersAway stops all that kube-controller-manager does, as while another one of it has still to take over: the
// controllers, the garbage collector, and what notices silent nodes.
func (c *Controllers) ControllersAway() { c.away = true }

// ControllersBack starts it again. It knows what is there then.
func (c *Controllers) ControllersBack() { c.away, c.views = false, nil }

// Away says whether it is stopped.
func (c *Controllers) Away() bool { return c.away }

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
	c.views = append(c.views, view{at: c.kube.Clock.Now(), deployments: all})
	return c.heard().deployments
}

// knownSets are those that their controller knows now.
func (c *Controllers) knownSets() []*appsv1.ReplicaSet {
	var all []*appsv1.ReplicaSet
	for _, u := range c.kube.PeekAll(kubesim.ReplicaSets, "", nil) {
		all = append(all, c.readSet(u))
	}
	c.views[len(c.views)-1].sets = all
	return c.heard().sets
}

// heard is the newest view that is old enough, or the oldest there is. Those before it are forgotten.
func (c *Controllers) heard() view {
	until := c.kube.Clock.Now().Add(-c.controllersLate)
	for len(c.views) > 1 && !c.views[1].at.After(until) {
		c.views = c.views[1:]
	}
	return c.views[0]
}

// collect runs the garbage collector when it is its turn.
func (c *Controllers) collect() {
	if now := c.kube.Clock.Now(); now.Sub(c.collected) >= c.garbageLate {
		c.kube.GCBehind(c.stillKnown())
		c.collected = now
	}
}

// stillKnown reports which Deployments and ReplicaSets a controller takes for there: the collector is never ahead of
// them. It is nil while none is late.
func (c *Controllers) stillKnown() func(types.UID) bool {
	if c.controllersLate == 0 {
		return nil
	}
	known := c.heard()
	return func(uid types.UID) bool {
		return slices.ContainsFunc(known.deployments, func(d *deployment) bool { return d.UID == uid }) ||
			slices.ContainsFunc(known.sets, func(set *appsv1.ReplicaSet) bool { return set.UID == uid })
	}
}
