package sweep

import (
	"context"
	"errors"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan/quarantined"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshot"
)

// Selectors of snapshots by how far they are, by the label that each pass keeps. unfinished ones may be carried on, and
// one without a label is new; of the finished ones only those that are being deleted are ever fast.
const (
	finalStates = "(" + string(v1beta1.SnapshotCompleted) + "," + string(v1beta1.SnapshotAbandoned) + "," +
		string(v1beta1.SnapshotFailed) + ")"
	unfinished = v1beta1.LabelSnapshotState + " notin " + finalStates
	finished   = v1beta1.LabelSnapshotState + " in " + finalStates
	// ofApplications are those of jobs of FlinkDeployments, by the label that each has since its first pass.
	ofApplications = v1beta1.LabelJobReferenceKind + "=" + string(v1beta1.JobKindFlinkDeployment)
	ofOthers       = v1beta1.LabelJobReferenceKind + "!=" + string(v1beta1.JobKindFlinkDeployment)
)

// snapshotFinds are those that are not finished, and those whose deletion a pass has begun; rarely all that are marked
// to go. Where FlinkDeployments are spread, those of their jobs are looked at with them: see snapshotsBeside. Rarely
// all are looked for, as the job of one may be gone.
func snapshotFinds(seen *fleet, rare bool) []find {
	unfinishedOnes := []find{{query: kube.Query{Labels: unfinished}}}
	if seen.spread && !rare {
		unfinishedOnes = []find{
			{query: kube.Query{Labels: unfinished + "," + ofOthers}},
			{query: kube.Query{Labels: unfinished + "," + ofApplications, Fields: inTransition}},
		}
	}
	if rare {
		return append(unfinishedOnes, toGo)
	}
	return append(unfinishedOnes, find{query: kube.Query{Labels: finished, Fields: inTransition}})
}

// toGo are the finished ones that are marked to go, or have another spec than the one that was judged. All finished
// ones are listed for that: where they are many, somebody else does it, and nothing waits for it.
var toGo = find{query: kube.Query{Labels: finished}, apart: true, only: func(u *unstructured.Unstructured) bool {
	judged, known, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
	return u.GetDeletionTimestamp() != nil || (known && judged != u.GetGeneration())
}}

// snapshotsBeside are the snapshots that are being taken of the jobs of a page.
func (o *Observer) snapshotsBeside(
	ctx context.Context, of gather.Clusters, page map[types.NamespacedName]*v1beta1.FlinkDeployment,
) ([]item, error) {
	var items []item
	labels := unfinished + "," + ofApplications + "," + v1beta1.LabelJobReferenceName + " in "
	for _, names := range of.Chunks() {
		query := o.narrowed(kube.Query{
			Resource: v1beta1.FlinkStateSnapshotGVR, Namespace: of.Namespace, Fields: notInTransition,
			Labels: labels + "(" + strings.Join(names, ",") + ")",
		})
		list, err := o.Gather.Kube.List(ctx, query)
		if err != nil {
			return items, err
		}
		for i := range list.Items {
			u := &list.Items[i]
			job := types.NamespacedName{
				Namespace: u.GetNamespace(), Name: u.GetLabels()[v1beta1.LabelJobReferenceName],
			}
			resource, there := page[job]
			if !there { // one of that name in another namespace is on another page
				continue
			}
			items = append(items, item{
				event.Key{Kind: v1beta1.KindFlinkStateSnapshot, Namespace: u.GetNamespace(), Name: u.GetName()},
				func(ctx context.Context) error { return o.lookAtSnapshot(ctx, u, resource) }, u.GetGeneration(),
				quarantined.Is(u),
			})
		}
	}
	return items, nil
}

// lookAtFinished looks at the finished ones that are marked to go.
func (o *Observer) lookAtFinished(ctx context.Context, k kind, namespace string) error {
	var failures []error
	err := o.pages(ctx, k, toGo.query, namespace, func(_ kube.Query, list *unstructured.UnstructuredList) {
		failures = append(failures, o.lookAtAll(ctx, k, toGo, namespace, list))
	})
	return errors.Join(append(failures, err)...)
}

// lookAtSnapshots looks at FlinkStateSnapshots that a list brought.
func (o *Observer) lookAtSnapshots(_ context.Context, _ string, _ *unstructured.UnstructuredList) look {
	return func(ctx context.Context, u *unstructured.Unstructured) error { return o.lookAtSnapshot(ctx, u, nil) }
}

// lookAtSnapshot asks for a pass where one would do or record something. The FlinkDeployment of its job may be known.
func (o *Observer) lookAtSnapshot(
	ctx context.Context, u *unstructured.Unstructured, job *v1beta1.FlinkDeployment,
) error {
	s, err := o.Gather.StateSnapshotBeside(ctx, u, job)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	p := snapshot.Make(s)
	if p.IsQuiet() && p.Status == nil {
		return nil
	}
	return o.request(ctx, v1beta1.KindFlinkStateSnapshot, s.Resource, event.ReasonTransition, p.String())
}
