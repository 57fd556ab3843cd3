package gather

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// Clusters are the clusters of a page of resources, to be looked at in few requests.
type Clusters struct {
	// Names are those of the resources. A name may stand for a cluster in more than one namespace.
	Names []string
	// Namespace is where they are; empty means in any.
	Namespace string
	// Selector narrows the objects down by labels other than the cluster's name.
	Selector string
}

// chunk is how many clusters one request asks for; their names are part of its URL. listed is how many objects one
// answer brings.
const (
	chunk  = 100
	listed = 500
)

// each lists the objects of a kind that belong to the clusters, page by page.
func (c Clusters) each(
	ctx context.Context, reader Reader, gvr schema.GroupVersionResource, see func(*unstructured.Unstructured) error,
) error {
	for names := range slices.Chunk(c.Names, chunk) {
		labels := render.LabelApp + " in (" + strings.Join(names, ",") + ")," + c.Selector
		if err := pages(
			ctx, reader, kube.Query{Resource: gvr, Namespace: c.Namespace, Labels: labels, Limit: listed}, see,
		); err != nil {
			return err
		}
	}
	return nil
}

// pages follows a query to its last page.
func pages(ctx context.Context, reader Reader, query kube.Query, see func(*unstructured.Unstructured) error) error {
	for {
		list, err := reader.List(ctx, query)
		if err != nil {
			return err
		}
		for i := range list.Items {
			if err := see(&list.Items[i]); err != nil {
				return err
			}
		}
		if query.Continue = list.GetContinue(); query.Continue == "" {
			return nil
		}
	}
}
