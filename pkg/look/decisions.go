package look

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/autoscaler"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/redact"
)

// Decisions are the decisions of the autoscaler that are kept of a job, the oldest first, and what of them cannot be
// read. Both are empty where none is kept.
func (r *Reader) Decisions(
	ctx context.Context, namespace, name string,
) (all []autoscaler.Explanation, unreadable []string) {
	at := kube.Object{Resource: kube.ConfigMaps, Namespace: namespace, Name: "autoscaler-" + name + "-decisions"}
	kept, there, err := r.Get(ctx, at)
	switch {
	case apierrors.IsForbidden(err):
		return nil, []string{r.Missing("get", kube.Query{Resource: kube.ConfigMaps, Namespace: namespace})}
	case err != nil:
		return nil, []string{redact.Text(err.Error())}
	case !there:
		return nil, nil
	}
	data, _, err := unstructured.NestedStringMap(kept.Object, "data")
	if err != nil {
		return nil, []string{fmt.Sprintf("ConfigMap %s: %v", at.Name, err)}
	}
	for _, key := range slices.Sorted(maps.Keys(data)) {
		var e autoscaler.Explanation
		if err := json.Unmarshal([]byte(data[key]), &e); err != nil {
			unreadable = append(unreadable, fmt.Sprintf("the decision %s of ConfigMap %s: %v", key, at.Name, err))
			continue
		}
		all = append(all, e)
	}
	return all, unreadable
}
