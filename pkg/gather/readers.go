package gather

import (
	"context"
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// readersOf say which paths a resource of a kind may read; any path that it mentions, for a kind that is not here.
var readersOf = map[string]func(u *unstructured.Unstructured) (reads func(path string) bool){
	v1beta1.KindFlinkDeployment:    deploymentReads,
	v1beta1.KindFlinkSessionJob:    sessionJobReads,
	v1beta1.KindFlinkStateSnapshot: snapshotReads,
}

// readers are those of the paths that another resource of the namespace may still read. Only the answer is held in
// memory, not the resources. Without a path nobody is asked.
func (g *Gatherer) readers(ctx context.Context, of metav1.Object, paths []string) plan.Observed[snapshots.Readers] {
	if len(paths) == 0 {
		return plan.Observed[snapshots.Readers]{}
	}
	found := snapshots.Readers{}
	for _, k := range kinds.All {
		readerOf, known := readersOf[k.Name]
		if !known {
			readerOf = mentionedIn
		}
		query := kube.Query{Resource: k.Resource, Namespace: of.GetNamespace(), Limit: listed}
		err := pages(ctx, g.Kube, query, func(u *unstructured.Unstructured) error {
			if u.GetUID() == of.GetUID() {
				return nil
			}
			reads := readerOf(u)
			for _, path := range paths {
				if reads(path) {
					found[path] = k.Name + " " + u.GetName()
				}
			}
			return nil
		})
		if err != nil {
			return plan.Unknown[snapshots.Readers](oneLine(err))
		}
	}
	return plan.Present(found)
}

func deploymentReads(u *unstructured.Unstructured) func(path string) bool {
	d, specErr, err := v1beta1.DecodeDeployment(u.Object)
	if specErr != nil || err != nil {
		return mentionedIn(u)
	}
	return snapshots.Reader{Wanted: d.Spec.Job, Status: d.Status.JobStatus, Intent: d.Status.Intent}.Reads
}

func sessionJobReads(u *unstructured.Unstructured) func(path string) bool {
	j, specErr, err := v1beta1.DecodeSessionJob(u.Object)
	if specErr != nil || err != nil {
		return mentionedIn(u)
	}
	return snapshots.Reader{Wanted: j.Spec.Job, Status: j.Status.JobStatus, Intent: j.Status.Intent}.Reads
}

// snapshotReads is for a FlinkStateSnapshot that stands for a savepoint, unless it is being deleted itself.
func snapshotReads(u *unstructured.Unstructured) func(path string) bool {
	s, specErr, err := v1beta1.DecodeStateSnapshot(u.Object)
	if specErr != nil || err != nil {
		return mentionedIn(u)
	}
	return func(path string) bool {
		taken, stands := s.Status.Path, s.Spec.Savepoint.Exists()
		return s.DeletionTimestamp == nil && (taken != nil && snapshots.SameFiles(*taken, path) ||
			stands && snapshots.SameFiles(s.Spec.Savepoint.Path, path))
	}
}

// mentionedIn is for a resource that cannot be read: it may mean any path that it mentions.
func mentionedIn(u *unstructured.Unstructured) func(path string) bool {
	text, err := json.Marshal(u.Object)
	return func(path string) bool { return err != nil || snapshots.Mentions(string(text), path) }
}
