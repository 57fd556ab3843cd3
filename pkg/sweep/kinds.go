package sweep

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan/unsupported"
)

// kind is how the resources of one kind are found and looked at.
type kind struct {
	name     string
	resource schema.GroupVersionResource
	// page is how many resources one list brings, and one shard looks at: some 4 MB.
	page int64
	// finds is what a full sweep looks for, given what it has seen of the kinds before. rare is true in the sweeps of each
	// tenth minute.
	finds func(seen *fleet, rare bool) []find
	// looks prepares for a page of one namespace, or of all, and answers the look at one resource of it.
	looks func(o *Observer, ctx context.Context, namespace string, list *unstructured.UnstructuredList) look
	// counts tells the fleet what a resource means for the clock.
	counts func(f *fleet, u *unstructured.Unstructured)
	// fast has those in transition looked at by each tick.
	fast bool
	// batches has events of their Deployments left to the next tick where many move at the same time.
	batches bool
	// spreads has the pages of a sweep looked at by whichever pods take them, if there is more than one.
	spreads bool
	// items are the resources of a spread page, read in another way than by looks; nil: by looks.
	items func(o *Observer, ctx context.Context, page kube.Query, snapshots bool) ([]item, error)
	// snapshots has a spread page look at the snapshots of its jobs, too.
	snapshots bool
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

// kinds are all that are looked after.
//
//	kind                         a full sweep looks at                           fast   spread   counts for the clock
//	FlinkDeployment              all                                             yes    yes      fast, running
//	FlinkStateSnapshot           not finished; finished and fast                 yes    no       fast
//	                             rarely as well: finished and marked to go
//	  where the FlinkDeployments not finished and fast, or of another kind's
//	  are spread                 job; the others are looked at with their job;
//	                             rarely instead: all that are not finished
//	FlinkSessionJob              all                                             yes    yes      fast, running
//	FlinkBlueGreenDeployment     fast; rarely instead: all. A pass is asked for  no     no       no
//	                             if the Java operator's finalizer holds it
//
// Most snapshots are finished: the rare sweep is only for one whose deletion nobody has seen the event of. The last
// kind is not run yet: see package unsupported.
var kinds = []kind{
	{
		name: v1beta1.KindFlinkDeployment, resource: v1beta1.FlinkDeploymentGVR, fast: true, batches: true, spreads: true,
		page: 200, finds: everything, looks: (*Observer).lookAtDeployments, counts: (*fleet).addDeployment,
		items: (*Observer).deploymentItems, snapshots: true,
	},
	{
		name: v1beta1.KindFlinkSessionJob, resource: v1beta1.FlinkSessionJobGVR, fast: true, spreads: true,
		page: 500, finds: everything, looks: (*Observer).lookAtSessionJobs, counts: (*fleet).addSessionJob,
	},
	held(v1beta1.KindFlinkBlueGreenDeployment, v1beta1.FlinkBlueGreenDeploymentGVR),
	{
		name: v1beta1.KindFlinkStateSnapshot, resource: v1beta1.FlinkStateSnapshotGVR, fast: true,
		page: 500, finds: snapshotFinds, looks: (*Observer).lookAtSnapshots, counts: (*fleet).addSnapshot,
	},
}

// everything finds all resources of a kind.
func everything(*fleet, bool) []find { return []find{{}} }

// inTransition selects the resources that a pass left in transition.
const (
	inTransition    = "status.pace=" + string(v1beta1.PaceFast)
	notInTransition = "status.pace!=" + string(v1beta1.PaceFast)
)

// rarely is how many minutes lie between two sweeps of what hardly ever needs one.
const rarely = 10

// kindOf finds a kind by its name; false: it is none of ours.
func kindOf(name string) (kind, bool) {
	for _, k := range kinds {
		if k.name == name {
			return k, true
		}
	}
	return kind{}, false
}

// held is a kind that is not run yet.
func held(name string, resource schema.GroupVersionResource) kind {
	return kind{
		name: name, resource: resource, page: 500, counts: func(*fleet, *unstructured.Unstructured) {},
		finds: func(_ *fleet, rare bool) []find {
			query := kube.Query{Fields: inTransition}
			if rare {
				query.Fields = ""
			}
			return []find{{query: query, only: unsupported.Held}}
		},
		looks: func(o *Observer, _ context.Context, _ string, _ *unstructured.UnstructuredList) look {
			return func(ctx context.Context, u *unstructured.Unstructured) error {
				return o.request(ctx, name, u, event.ReasonTransition, "")
			}
		},
	}
}
