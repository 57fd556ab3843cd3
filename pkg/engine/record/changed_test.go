package record

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
)

// Until the mark of a rescale is stored, Flink is not asked for one; the start of another job takes it away.
func TestARescaleIsOverWithItsJob(t *testing.T) {
	v := guesttest.NewLife(t, func(s *world.Seen) { s.Resource.Status.Rescaling = true })
	for _, row := range []struct {
		purpose v1beta1.IntentPurpose
		stays   bool
	}{{v1beta1.PurposeRecover, true}, {v1beta1.PurposeUpgrade, false}} {
		v.Want.Rescaling = true
		v.Want.Intent = &v1beta1.Intent{Purpose: row.purpose, From: &v1beta1.StartPoint{Kind: v1beta1.StartEmpty}}
		Starting(v, v.Want.Intent, v.Spec)
		if v.Want.Rescaling != row.stays {
			t.Errorf("after a start for %s the mark stays: %t, want %t", row.purpose, v.Want.Rescaling, row.stays)
		}
	}
}
