package gather

import (
	"context"
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

// room is how long the names in one request may be, as they are in its URL; listed is how many objects one answer
// brings.
const (
	room   = 6000
	listed = 500
)

// Chunks are the names, as many at a time as there is room for in one request.
func (c Clusters) Chunks() (all [][]string) {
	left := 0
	for _, name := range c.Names {
		length := len(name) + len("%2C")
		if left < length {
			all, left = append(all, nil), room
		}
		all[len(all)-1], left = append(all[len(all)-1], name), left-length
	}
	return all
}

// each lists the objects of one of Kubernetes' own kinds that belong to the clusters, page by page. see takes the list
// that into has made.
func (c Clusters) each(
	ctx context.Context, reader Reader, gvr schema.GroupVersionResource, into func() kube.BinaryList,
	see func(kube.BinaryList),
) error {
	for _, names := range c.Chunks() {
		labels := render.LabelApp + " in (" + strings.Join(names, ",") + ")," + c.Selector
		query := kube.Query{Resource: gvr, Namespace: c.Namespace, Labels: labels, Limit: listed}
		for more := true; more; more = query.Continue != "" {
			list := into()
			if err := reader.ListBinary(ctx, query, list); err != nil {
				return err
			}
			see(list)
			query.Continue = list.GetContinue()
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
