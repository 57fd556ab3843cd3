package report

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
)

// What stalls a resource is told when it is news.
func TestWhatStallsIsToldAlready(t *testing.T) {
	rows := map[string]struct {
		kind, told string
		want       bool
	}{
		"it is":                {summary.Stalled, "no space", true},
		"something else is":    {summary.Stalled, "no network", false},
		"it is told elsewhere": {summary.Ready, "no space", false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				s.Resource.Status.Conditions = []metav1.Condition{{Type: row.kind, Message: row.told}}
			})
			if got := StalledAlready(v, "no space"); got != row.want {
				t.Errorf("%t, want %t", got, row.want)
			}
		})
	}
}
