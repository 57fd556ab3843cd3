package gather

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/pkg/render"
)

func oneLine(err error) string { return fail.Message(err) }

func version(u *unstructured.Unstructured) plan.ObjectVersion {
	return plan.ObjectVersion{Name: u.GetName(), UID: u.GetUID(), ResourceVersion: u.GetResourceVersion()}
}

func ownedBy(u *unstructured.Unstructured, uid string) bool {
	for _, o := range u.GetOwnerReferences() {
		if string(o.UID) == uid {
			return true
		}
	}
	return false
}

// checkpointKey starts the data keys that name a completed checkpoint in a high-availability ConfigMap.
const checkpointKey = "checkpointID-"

// haData lists the ConfigMaps of Kubernetes high availability: the cluster's, and one for each job. Flink's
// configuration ConfigMaps carry the same labels and go with the Deployment that owns them.
func (g *Gatherer) haData(ctx context.Context, namespace, name string) plan.Observed[[]hadata.ConfigMap] {
	list, err := g.Kube.List(
		ctx, kube.Query{Resource: kube.ConfigMaps, Namespace: namespace, Labels: render.HighAvailabilitySelector(name)},
	)
	if err != nil {
		return plan.Unknown[[]hadata.ConfigMap](oneLine(err))
	}
	found := []hadata.ConfigMap{}
	for i := range list.Items {
		u := &list.Items[i]
		if u.GetDeletionTimestamp() != nil || !(render.HoldsCheckpoints(u.GetName()) ||
			u.GetName() == render.ClusterHighAvailabilityName(name)) {
			continue
		}
		c := hadata.ConfigMap{ObjectVersion: version(u), Leader: leader(u)}
		data, _, _ := unstructured.NestedStringMap(u.Object, "data")
		for key := range data {
			c.Checkpoint = c.Checkpoint || strings.HasPrefix(key, checkpointKey)
			if id := render.JobOfGraph(key); id != "" {
				c.Graphs = append(c.Graphs, id)
				if render.IsPlan(key) {
					c.Plans = append(c.Plans, id)
				}
			}
		}
		slices.Sort(c.Graphs)
		slices.Sort(c.Plans)
		found = append(found, c)
	}
	slices.SortFunc(found, func(a, b hadata.ConfigMap) int { return strings.Compare(a.Name, b.Name) })
	return plan.Present(found)
}

// haNodes reads high-availability data in ZooKeeper.
func (g *Gatherer) haNodes(ctx context.Context, at znode.Location) plan.Observed[znode.Tree] {
	tree, found, err := g.ZooKeeper.Read(ctx, at)
	switch {
	case err != nil:
		return plan.Unknown[znode.Tree](oneLine(err))
	case !found:
		return plan.Absent[znode.Tree]()
	}
	return plan.Present(tree)
}

// newestFirst are the messages of a list of Kubernetes Events.
func newestFirst(list *unstructured.UnstructuredList) plan.Observed[[]string] {
	type seen struct{ at, message string }
	var all []seen
	for _, u := range list.Items {
		at, _, _ := unstructured.NestedString(u.Object, "lastTimestamp")
		message, _, _ := unstructured.NestedString(u.Object, "message")
		all = append(all, seen{at, message})
	}
	slices.SortFunc(all, func(a, b seen) int { return strings.Compare(b.at+b.message, a.at+a.message) })
	messages := make([]string, 0, len(all))
	for _, s := range all {
		messages = append(messages, s.message)
	}
	return plan.Present(messages)
}
