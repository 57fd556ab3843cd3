package plan

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

func TestPace(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 500, time.UTC)
	ago := func(d time.Duration) *metav1.Time {
		at := metav1.NewTime(now.Truncate(time.Second).Add(-d))
		return &at
	}
	fast, slow := v1beta1.PaceFast, v1beta1.PaceSlow
	rows := map[string]struct {
		m     Movement
		pace  v1beta1.Pace
		since *metav1.Time
	}{
		"at rest":                      {Movement{}, slow, nil},
		"at rest again":                {Movement{Since: ago(time.Minute)}, slow, nil},
		"begins to move":               {Movement{Moves: true}, fast, ago(0)},
		"moves":                        {Movement{Moves: true, Since: ago(time.Minute)}, fast, ago(time.Minute)},
		"moves for long":               {Movement{Moves: true, Since: ago(fastFor)}, slow, ago(fastFor)},
		"an operation begins":          {Movement{Moves: true, Since: ago(fastFor), Begins: true}, fast, ago(0)},
		"the next attempt is soon":     {Movement{Moves: true, Attempt: now.Add(farAway)}, fast, ago(0)},
		"the next attempt is far away": {Movement{Moves: true, Attempt: now.Add(farAway + 1), Since: ago(1)}, slow, nil},
		"the next attempt was due":     {Movement{Moves: true, Attempt: now.Add(-time.Hour)}, fast, ago(0)},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			row.m.Now = now
			pace, since := row.m.Pace()
			if pace != row.pace || !since.Equal(row.since) {
				t.Errorf("got %s since %v, want %s since %v", pace, since, row.pace, row.since)
			}
		})
	}
}

func TestSoon(t *testing.T) {
	for requeue, want := range map[Requeue]bool{"": false, RequeueNow: false, RequeueSoon: true, RequeueOnPods: true} {
		if requeue.Soon() != want {
			t.Errorf("%q: %t", requeue, !want)
		}
	}
}
