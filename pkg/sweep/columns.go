package sweep

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/kube"
)

// Names of columns in the CustomResourceDefinitions of both kinds that spread.
const (
	columnLifecycle = "Lifecycle State"
	columnSituation = "Situation"
)

// columns are what a resource of a spread page counts by, and where that is in a whole one.
var columns = kube.Columns{
	columnLifecycle: statusField("lifecycleState"), columnSituation: statusField("situation"),
}

func statusField(name string) func(object map[string]any) any {
	return func(object map[string]any) any {
		text, _, _ := unstructured.NestedString(object, "status", name)
		return text
	}
}

// addRows adds resources by their columns, and reports whether there is one that no pass has seen. More of them count
// as running than of whole ones: all that are not suspended.
func (f *fleet) addRows(k kind, namespace string, rows []kube.Row) (unseen bool) {
	for _, row := range rows {
		f.count++
		f.census.addRow(k, namespace, row)
		lifecycle := row.Text(columnLifecycle)
		f.running = f.running || (lifecycle != "" && lifecycle != string(v1beta1.LifecycleSuspended))
		unseen = unseen || row.Text(columnSituation) == ""
	}
	return unseen
}

// addMoving adds one of those that columns do not tell of: in transition, and, if there are any, not seen by a pass.
func (o *Observer) addMoving(ctx context.Context, k kind, query kube.Query, unseen bool, all *fleet) error {
	query.Continue, query.Limit = "", 1
	labels := query.Labels
	which := []string{inTransition}
	if unseen {
		which = append(which, "status.pace=")
	}
	for _, query.Fields = range which {
		if all.moving {
			return nil
		}
		list, err := o.Gather.Kube.List(ctx, query)
		if err != nil {
			return err
		}
		counted, census := all.count, all.census
		all.census = nil
		all.add(k, list, o.Watches)
		all.count, all.census = counted, census // its row is counted
		query.Labels = both(labels, v1beta1.LabelCanary+"!=true")
	}
	return nil
}
