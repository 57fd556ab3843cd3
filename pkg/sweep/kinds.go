package sweep

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/kube"
)

// kind is a kind, and how its resources are found and looked at.
type kind struct {
	kinds.Kind
	sweeper
}

// sweeper is how the resources of one kind are found and looked at.
type sweeper struct {
	// finds is what a full sweep looks for, given what it has seen of the kinds before; nil: all. rare is true in the
	// sweeps of each tenth minute.
	finds func(seen *fleet, rare bool) []find
	// looks prepares for a page of one namespace, or of all, and answers the look at one resource of it.
	looks func(o *Observer, ctx context.Context, namespace string, list *unstructured.UnstructuredList) look
	// items are the resources of a spread page, read in another way than by looks; nil: by looks.
	items func(o *Observer, ctx context.Context, page kube.Query, snapshots bool) ([]item, part, error)
}

// find is a query, and which of its answers are looked at; nil: all.
type find struct {
	query kube.Query
	only  func(u *unstructured.Unstructured) bool
	// apart has a shard of its own look at all of it, if there is more than a page.
	apart bool
}

// look decides whether a pass would do or record anything for a resource, and asks for it.
type look func(ctx context.Context, u *unstructured.Unstructured) error

// sweepers are those of the kinds.
//
//	kind                         a full sweep looks at
//	FlinkDeployment              all
//	FlinkSessionJob              all
//	FlinkStateSnapshot           not finished; finished and fast
//	                             rarely as well: finished and marked to go
//	  where the FlinkDeployments not finished and fast, or of another kind's
//	  are spread                 job; the others are looked at with their job;
//	                             rarely instead: all that are not finished
//	FlinkBlueGreenDeployment     all
//
// Most snapshots are finished: the rare sweep is only for one whose deletion nobody has seen the event of.
var sweepers = map[string]sweeper{
	v1beta1.KindFlinkDeployment:    {looks: (*Observer).lookAtDeployments, items: (*Observer).deploymentItems},
	v1beta1.KindFlinkSessionJob:    {looks: (*Observer).lookAtSessionJobs},
	v1beta1.KindFlinkStateSnapshot: {looks: (*Observer).lookAtSnapshots, finds: snapshotFinds},

	v1beta1.KindFlinkBlueGreenDeployment: {looks: (*Observer).lookAtBlueGreens},
}

// swept are all kinds, in the order in which they are read.
func swept() []kind {
	all := make([]kind, 0, len(kinds.All))
	for _, k := range kinds.All {
		all = append(all, kind{k, sweepers[k.Name]})
	}
	return all
}

// kindOf finds a kind by its name; false: it is none of ours.
func kindOf(name string) (kind, bool) {
	k, ours := kinds.Of(name)
	return kind{k, sweepers[k.Name]}, ours
}

// found is what a full sweep looks for.
func (k kind) found(seen *fleet, rare bool) []find {
	if k.finds == nil {
		return []find{{}}
	}
	return k.finds(seen, rare)
}

// inTransition selects the resources that a pass left in transition.
const (
	inTransition    = "status.pace=" + string(v1beta1.PaceFast)
	notInTransition = "status.pace!=" + string(v1beta1.PaceFast)
)

// rarely is how many minutes lie between two sweeps of what hardly ever needs one.
const rarely = 10
