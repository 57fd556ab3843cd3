package plan_test

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

func TestErrorBounds(t *testing.T) {
	none := plan.ErrorBounds(nil)
	if none.StackTrace || none.StackTraceLength != 2048 || none.FieldLength != 2048 || none.CauseCount != 2 ||
		none.Labels != nil {
		t.Errorf("defaults: %+v", none)
	}
	set := plan.ErrorBounds(flinkconf.Config{
		"kubernetes.operator.exception.stacktrace.enabled":       "true",
		"kubernetes.operator.exception.stacktrace.max.length":    "10",
		"kubernetes.operator.exception.field.max.length":         "many",
		"kubernetes.operator.exception.throwable.list.max.count": "1",
		"kubernetes.operator.exception.label.mapper":             "disk.*full:Disk,a(:Broken,'''x:y'':Two'",
	})
	if !set.StackTrace || set.StackTraceLength != 10 || set.FieldLength != 2048 || set.CauseCount != 1 {
		t.Errorf("set: %+v", set)
	}
	if len(set.Labels) != 2 || set.Labels[0].Label != "Disk" || !set.Labels[0].Pattern.MatchString("the disk is full") ||
		set.Labels[1].Pattern.String() != "x:y" {
		t.Errorf("labels: %+v", set.Labels)
	}
}
