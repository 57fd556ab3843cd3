package act

import (
	"context"
	"errors"
	"fmt"
	"maps"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/look"
	"github.com/kn-flink/kn-flink/pkg/view/edit"
)

// ErrNamed is the error for a snapshot whose name another one has.
var ErrNamed = errors.New("already")

// At is where a resource of ours is.
func At(u *unstructured.Unstructured) kube.Object {
	kind, _ := kinds.Of(u.GetKind())
	return kube.Object{Resource: kind.Resource, Namespace: u.GetNamespace(), Name: u.GetName()}
}

// Begin makes a snapshot, unless it has no name of a user and one that was asked for before has not ended: open is true
// then. One that has the name is it if it was made so. It is nil where the cluster has no such kind.
func Begin(
	ctx context.Context, r *look.Reader, wanted *unstructured.Unstructured, named bool,
) (there *unstructured.Unstructured, open bool, err error) {
	if !named {
		found := r.Optional(ctx, kube.Query{Resource: v1beta1.FlinkStateSnapshotGVR, Namespace: wanted.GetNamespace()},
			func(u *unstructured.Unstructured) bool { return edit.Continues(u, wanted) })
		if len(found) > 0 {
			return found[0], true, nil
		}
	}
	made, err := r.Create(ctx, At(wanted), wanted)
	switch {
	case apierrors.IsAlreadyExists(err):
		there, found, err := r.Get(ctx, At(wanted))
		if err == nil && (!found || !edit.Continues(there, wanted)) {
			err = fmt.Errorf("there is a FlinkStateSnapshot %s %w", wanted.GetName(), ErrNamed)
		}
		return there, false, err
	case apierrors.IsNotFound(err):
		return nil, false, nil
	}
	return made, false, err
}

// Change makes an edit of a resource if it is still of the version that the edit was planned for; else it is a Conflict
// error of the API server, and nothing is changed.
func Change(
	ctx context.Context, r *look.Reader, object *unstructured.Unstructured, e edit.Edit, dry bool,
) (*unstructured.Unstructured, error) {
	patch := maps.Clone(e.Patch)
	metadata, _ := patch["metadata"].(map[string]any)
	metadata = maps.Clone(metadata)
	if metadata == nil {
		metadata = map[string]any{}
	}
	metadata["resourceVersion"] = object.GetResourceVersion()
	patch["metadata"] = metadata
	return r.Edit(ctx, At(object), patch, dry)
}
