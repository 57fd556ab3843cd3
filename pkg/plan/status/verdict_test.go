package status

import (
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/plan"
)

// What has a time is told with it, in whole seconds; a time that is not known is none.
func TestWait(t *testing.T) {
	at := time.Date(2026, 1, 1, 12, 0, 0, 7, time.UTC)
	for name, row := range map[string]struct {
		cause plan.Cause
		want  string
	}{
		"a time":         {plan.Cause{Reason: "Why", Until: at, Then: "then"}, "Why 2026-01-01T12:00:00Z then"},
		"without reason": {plan.Cause{Until: at, Then: "then"}, "Waiting 2026-01-01T12:00:00Z then"},
		"no time":        {plan.Cause{Reason: "Why"}, ""},
		"since a time that is not known": {
			plan.Cause{Reason: "Why", Until: time.Time{}.Add(time.Minute), Then: "then"}, "",
		},
	} {
		got := ""
		if w := Wait(row.cause, plan.Waiting); w != nil {
			got = w.For + " " + w.Until.Format(time.RFC3339Nano) + " " + w.Then
		}
		if got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}
