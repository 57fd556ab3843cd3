package look

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/history"
	"github.com/kn-flink/kn-flink/pkg/kube"
)

// Revisions belong to a resource, the newest first. The error of a missing right names it.
func (r *Reader) Revisions(ctx context.Context, object *unstructured.Unstructured) ([]history.Revision, error) {
	var all []history.Revision
	q := kube.Query{
		Resource: kube.Revisions, Namespace: object.GetNamespace(), Labels: history.Selector(object.GetUID()),
	}
	err := r.Each(ctx, q, func(content map[string]any) error {
		one, err := history.Read(&unstructured.Unstructured{Object: content})
		if err == nil {
			all = append(all, one)
		}
		return err
	})
	switch {
	case apierrors.IsForbidden(err):
		return nil, errors.New(r.Missing("list", q))
	case err != nil:
		return nil, err
	}
	history.NewestFirst(all)
	return all, nil
}
