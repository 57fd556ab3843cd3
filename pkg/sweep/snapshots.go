package sweep

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshot"
)

// Selectors of snapshots by how far they are, by the label that each pass keeps. unfinished ones may be carried on, and
// one without a label is new; of the finished ones only those that are being deleted are ever fast.
const (
	finalStates = "(" + string(v1beta1.SnapshotCompleted) + "," + string(v1beta1.SnapshotAbandoned) + "," +
		string(v1beta1.SnapshotFailed) + ")"
	unfinished = v1beta1.LabelSnapshotState + " notin " + finalStates
	finished   = v1beta1.LabelSnapshotState + " in " + finalStates
)

// snapshotFinds are those that are not finished, and the finished ones that are being deleted: those whose deletion a
// pass has begun, rarely all.
func snapshotFinds(rare bool) []find {
	deleted := find{query: kube.Query{Labels: finished, Fields: inTransition}}
	if rare {
		deleted = find{kube.Query{Labels: finished}, func(u *unstructured.Unstructured) bool {
			return u.GetDeletionTimestamp() != nil
		}}
	}
	return []find{{query: kube.Query{Labels: unfinished}}, deleted}
}

// lookAtSnapshots looks at FlinkStateSnapshots that a list brought.
func (o *Observer) lookAtSnapshots(ctx context.Context, _ string, _ *unstructured.UnstructuredList) look {
	return func(u *unstructured.Unstructured) error { return o.lookAtSnapshot(ctx, u) }
}

// lookAtSnapshot asks for a pass where one would do or record something.
func (o *Observer) lookAtSnapshot(ctx context.Context, u *unstructured.Unstructured) error {
	s, err := o.Gather.StateSnapshotOf(ctx, u)
	if err != nil {
		return err
	}
	p := snapshot.Make(s)
	if p.IsQuiet() && p.Status == nil {
		return nil
	}
	return o.request(ctx, v1beta1.KindFlinkStateSnapshot, s.Resource, event.ReasonTransition)
}
