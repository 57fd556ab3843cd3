package sweep

import (
	"context"
	"errors"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"golang.org/x/sync/errgroup"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshot"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
)

// Selectors of snapshots by how far they are, by the label that each pass keeps. unfinished ones may be carried on, and
// one without a label is new; of the finished ones only those that are being deleted are ever fast.
const (
	finalStates = "(" + string(v1beta1.SnapshotCompleted) + "," + string(v1beta1.SnapshotAbandoned) + "," +
		string(v1beta1.SnapshotFailed) + ")"
	unfinished = v1beta1.LabelSnapshotState + " notin " + finalStates
	finished   = v1beta1.LabelSnapshotState + " in " + finalStates
	fast       = "status.pace=" + string(v1beta1.PaceFast)
)

// fastSnapshots looks at the snapshots in transition: those being taken, and those being deleted.
func (o *Observer) fastSnapshots(ctx context.Context, seen *fleet) error {
	return o.eachSnapshot(ctx, kube.Query{Fields: fast}, func(list *unstructured.UnstructuredList) {
		seen.addSnapshots(list, o.Watches)
	})
}

// rarely is how many minutes lie between two sweeps of the finished snapshots. They are most of all snapshots, and such
// a sweep is only for one that is being deleted without anybody having seen the event of it.
const rarely = 10

// sweepSnapshots looks at every snapshot that is not finished or is being deleted, and tells the fleet whether one is
// in transition.
//
//	snapshots                    looked at
//	not finished                 each sweep
//	finished, fast               each sweep: a pass has begun to delete it
//	finished, marked to go       in the sweeps of each tenth minute
func (o *Observer) sweepSnapshots(ctx context.Context, all *fleet) error {
	add := func(list *unstructured.UnstructuredList) { all.addSnapshots(list, o.Watches) }
	err := o.eachSnapshot(ctx, kube.Query{Labels: unfinished}, add)
	if o.Gather.Now().Minute()%rarely == 0 {
		err = errors.Join(err, o.eachSnapshot(ctx, kube.Query{Labels: finished}, func(list *unstructured.UnstructuredList) {
			list.Items = slices.DeleteFunc(list.Items, func(u unstructured.Unstructured) bool {
				return u.GetDeletionTimestamp() == nil
			})
			add(list)
		}))
	} else {
		err = errors.Join(err, o.eachSnapshot(ctx, kube.Query{Labels: finished, Fields: fast}, add))
	}
	if err != nil {
		all.complete = false
	}
	return err
}

func (f *fleet) addSnapshots(list *unstructured.UnstructuredList, watches func(string) bool) {
	for _, u := range list.Items {
		pace, _, _ := unstructured.NestedString(u.Object, "status", "pace")
		f.moving = f.moving || (watches(u.GetNamespace()) && pace == string(v1beta1.PaceFast))
	}
}

// eachSnapshot looks at the snapshots of a query, page by page, some at a time, as far as seen leaves them in the page.
// One that cannot be looked at does not keep the others from it.
func (o *Observer) eachSnapshot(
	ctx context.Context, query kube.Query, seen func(*unstructured.UnstructuredList),
) error {
	query.Resource, query.Limit = v1beta1.FlinkStateSnapshotGVR, pageSize
	var failures []error
	for _, namespace := range o.namespaces() {
		query.Namespace, query.Continue = namespace, ""
		for {
			list, err := o.Gather.Kube.List(ctx, query)
			if err != nil {
				failures = append(failures, o.skipped(namespace, err))
				break
			}
			seen(list)
			failures = append(failures, o.lookAtSnapshots(ctx, list)...)
			if query.Continue = list.GetContinue(); query.Continue == "" {
				break
			}
		}
	}
	return errors.Join(failures...)
}

func (o *Observer) lookAtSnapshots(ctx context.Context, list *unstructured.UnstructuredList) []error {
	var mu sync.Mutex
	var failures []error
	var group errgroup.Group
	group.SetLimit(lookers)
	for i := range list.Items {
		u := &list.Items[i]
		if !o.Watches(u.GetNamespace()) {
			continue
		}
		group.Go(func() error {
			if err := o.lookAtSnapshot(ctx, u); err != nil {
				o.Log.Infow("a resource could not be observed", telemetry.Key, u.GetNamespace()+"/"+u.GetName(),
					telemetry.Error,
					err.Error())
				mu.Lock()
				failures = append(failures, err)
				mu.Unlock()
			}
			return nil
		})
	}
	_ = group.Wait() // failures are collected above
	return failures
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
