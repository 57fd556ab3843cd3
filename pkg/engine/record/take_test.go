package record

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// A nonce is recorded in what was deployed; none leaves it as it was.
func TestANonceIsRecorded(t *testing.T) {
	one, two := int64(1), int64(2)
	rows := map[string]struct {
		nonce *int64
		never bool
		want  *int64
	}{
		"another":        {&two, false, &two},
		"none":           {nil, false, &one},
		"never deployed": {&two, true, nil},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				if row.never {
					guesttest.NeverDeployed(s)
				}
			})
			if v.Last != nil {
				v.Last.Spec.Job.SavepointTriggerNonce = &one
			}
			SnapshotHandled(v, snapshots.Savepoint, row.nonce)
			switch got := v.Last; {
			case row.want == nil && got == nil:
			case got == nil || *got.Spec.Job.SavepointTriggerNonce != *row.want:
				t.Errorf("%+v, want %d", got, *row.want)
			}
		})
	}
}
