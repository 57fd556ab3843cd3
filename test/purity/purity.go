package purity

import (
	"reflect"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Decide decides twice about the same read of a resource, and fails the test unless both plans say the same and the
// resource is as it was.
func Decide[R interface{ DeepCopy() R }](t testing.TB, resource R, decide func() plan.Plan) plan.Plan {
	t.Helper()
	read, p := resource.DeepCopy(), decide()
	if again := decide(); again.String() != p.String() || !reflect.DeepEqual(again.Status, p.Status) {
		t.Fatalf("equal snapshots gave %q and %q, %+v and %+v", p, again, p.Status, again.Status)
	}
	if !reflect.DeepEqual(resource, read) {
		t.Fatalf("the decision changed what was read to %+v", resource)
	}
	return p
}
