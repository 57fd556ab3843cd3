package purity

import (
	"fmt"
	"reflect"

	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Decide decides twice about the same read of a resource. The error says where the plans differ, or that the resource
// is not as it was.
func Decide[R interface{ DeepCopy() R }](resource R, decide func() plan.Plan) (plan.Plan, error) {
	read, p := resource.DeepCopy(), decide()
	if again := decide(); again.String() != p.String() || !reflect.DeepEqual(again.Status, p.Status) {
		return p, fmt.Errorf("equal snapshots gave %q and %q, %+v and %+v", p, again, p.Status, again.Status)
	}
	if !reflect.DeepEqual(resource, read) {
		return p, fmt.Errorf("the decision changed what was read to %+v", resource)
	}
	return p, nil
}
