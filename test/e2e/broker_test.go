//go:build e2e && nightly

package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/clock"
	"github.com/kn-flink/kn-flink/test/life"
	"github.com/kn-flink/kn-flink/test/watch"
)

// eventing is where Knative's brokers run, and what of one keeps events or carries them: an in-memory channel forgets
// what it holds when its dispatcher dies.
const eventing = "knative-eventing"

var brokerPods = []string{
	"messaging.knative.dev/channel=in-memory-channel,messaging.knative.dev/role=dispatcher",
	"eventing.knative.dev/brokerRole=filter",
	"eventing.knative.dev/brokerRole=ingress",
}

// inFlight is how many resources are applied while the broker dies.
const inFlight = 20

// A broker that is killed with events in flight loses them: the resources are late, and never lost, because the clock
// looks at everything. make nightly runs it, for it waits for five minutes.
func TestABrokerIsKilled(t *testing.T) {
	t.Run("a job runs", func(t *testing.T) {
		kube.create(t, example(t, "basic.yaml", "broker-steady", nil))
		kube.resource(t, "broker-steady", life.Limit).Until("is STABLE", life.State("STABLE"))
		kube.clock(t, life.Limit, clock.Steady)
		took := kube.applyWithoutBroker(t, "broker-job")
		figures.duration("broker killed, a job runs: the last of 20 resources released", 75*time.Second, took)
	})
	t.Run("all asleep", func(t *testing.T) {
		kube.clock(t, 10*time.Minute, clock.Asleep)
		for _, function := range []string{"admit", "reconcile", "observe"} {
			asleep(t, function, 4*time.Minute)
		}
		took := kube.applyWithoutBroker(t, "broker-asleep")
		figures.duration("broker killed, all asleep: the last of 20 resources released", 315*time.Second, took)
	})
}

// clock waits until the clock has a pace.
func (c *cluster) clock(t *testing.T, limit time.Duration, pace clock.Pace) {
	t.Helper()
	w := c.watch(watch.Deadline(t, limit), t, pingSources, system, "", "app.kubernetes.io/component=clock")
	w.Until("the pace is "+string(pace), func(o watch.Object) (bool, string) {
		if o.Unstructured == nil {
			return false, "there is no clock"
		}
		is := watch.Text(o.Unstructured, "spec", "schedule")
		return is == pace.Schedule(), "its schedule is " + is
	})
}

// applyWithoutBroker makes resources and kills the broker as soon as the first one is stored: nothing had the time to
// wake the clock. It says how long after the last one all JobManager Deployments were released.
func (c *cluster) applyWithoutBroker(t *testing.T, name string) time.Duration {
	t.Helper()
	ctx := watch.Deadline(t, 8*time.Minute)
	jobManagers := c.watch(ctx, t, deployments, space, "", "component=jobmanager")
	before := len(jobManagers.Seen)
	t.Cleanup(func() { c.brokerIsBack(t) })
	var at time.Time
	for i := range inFlight {
		at = c.create(t, example(t, "basic.yaml", fmt.Sprintf("%s-%d", name, i), homeless(t))).At
		if i == 0 {
			c.killBroker(ctx, t)
		}
	}
	last := jobManagers.All("all are released", before+inFlight, func(o watch.Object) bool {
		ok, _ := life.Released(o)
		return ok
	})
	return last.Sub(at)
}

func (c *cluster) killBroker(ctx context.Context, t *testing.T) {
	t.Helper()
	now := int64(0)
	for _, labels := range brokerPods {
		list, err := c.list(ctx, pods, eventing, labels)
		if err != nil || len(list) == 0 {
			t.Fatalf("%d pods of the broker with %s: %v", len(list), labels, err)
		}
		for _, pod := range list {
			err := c.in(pods, eventing).Delete(ctx, pod.GetName(), metav1.DeleteOptions{GracePeriodSeconds: &now})
			if err != nil && !apierrors.IsNotFound(err) {
				t.Fatal(err)
			}
		}
	}
}

// brokerIsBack waits for the broker's pods, so that the next test finds it as it was.
func (c *cluster) brokerIsBack(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	for _, labels := range brokerPods {
		c.watch(ctx, t, pods, eventing, "", labels).All("the broker is back", 1, func(o watch.Object) bool {
			return isReady(o.Unstructured)
		})
	}
}
