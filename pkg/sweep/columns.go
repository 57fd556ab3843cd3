package sweep

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/kube"
)

// paths are where the values of columns are in a resource. The names are those in the CustomResourceDefinitions.
var paths = map[string][]string{
	"Situation":   {"status", "situation"},
	"Pace":        {"status", "pace"},
	"Job Manager": {"status", "jobManagerDeploymentStatus"},
	"Job Status":  {"status", "jobStatus", "state"},
	"Canary":      {"metadata", "labels", v1beta1.LabelCanary},
}

// columnReconciling is the status of that condition.
const columnReconciling = "Reconciling"

// columnsOf are what the clock counts a kind by: the column that says whether it runs, and those of all.
func columnsOf(runs string) kube.Columns {
	columns := kube.Columns{columnReconciling: func(object map[string]any) any { return reconcilingOf(object) }}
	for _, name := range []string{"Situation", "Pace", "Canary", runs} {
		columns[name] = func(object map[string]any) any {
			text, _, _ := unstructured.NestedString(object, paths[name]...)
			return text
		}
	}
	return columns
}

func reconcilingOf(object map[string]any) string {
	conditions, _, _ := unstructured.NestedSlice(object, "status", "conditions")
	i := slices.IndexFunc(conditions, func(c any) bool {
		condition, _ := c.(map[string]any)
		return condition["type"] == columnReconciling
	})
	if i < 0 {
		return ""
	}
	status, _ := conditions[i].(map[string]any)["status"].(string)
	return status
}

// object is a resource with no more in it than the columns tell.
func (k kind) object(row kube.Row) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	for name, path := range paths {
		if text := row.Text(name); text != "" {
			_ = unstructured.SetNestedField(u.Object, text, path...) // every part of the path is made here
		}
	}
	if status := row.Text(columnReconciling); status != "" {
		_ = unstructured.SetNestedSlice(u.Object, []any{
			map[string]any{"type": columnReconciling, "status": status},
		}, "status", "conditions")
	}
	return u
}
