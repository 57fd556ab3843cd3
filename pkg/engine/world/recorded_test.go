package world_test

import (
	"testing"

	"knative.dev/pkg/apis"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
)

// All questions and decisions about one read of a resource judge its spec once; another read is judged anew.
func TestASpecIsJudgedOnceInALook(t *testing.T) {
	judged := 0
	validate := func() *apis.FieldError {
		judged++
		return apis.ErrMissingField("image")
	}
	look := func(r *v1beta1.FlinkDeployment) {
		s := world.Seen{Resource: r}
		s.Recorded = world.ReadRecorded(r)
		for range 3 {
			again := s // each decision has a copy of what was seen
			if found := again.Judge(validate); found == nil {
				t.Error("the finding is lost")
			}
		}
	}
	look(&v1beta1.FlinkDeployment{})
	look(&v1beta1.FlinkDeployment{})
	if judged != 2 {
		t.Errorf("judged %d times in two looks, want 2", judged)
	}
}
