package plan

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/drawing"
)

func TestPace(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 500, time.UTC)
	ago := func(d time.Duration) *metav1.Time {
		at := metav1.NewTime(now.Truncate(time.Second).Add(-d))
		return &at
	}
	rows := map[string]struct {
		// row is the one that draws it, see package drawing.
		row   string
		m     Movement
		since *metav1.Time
	}{
		"at rest":                      {"P4", Movement{}, nil},
		"at rest again":                {"P4", Movement{Since: ago(time.Minute)}, nil},
		"begins to move":               {"P2", Movement{Moves: true}, ago(0)},
		"moves":                        {"P2", Movement{Moves: true, Since: ago(time.Minute)}, ago(time.Minute)},
		"moves for long":               {"P3", Movement{Moves: true, Since: ago(fastFor)}, ago(fastFor)},
		"an operation begins":          {"P2", Movement{Moves: true, Since: ago(fastFor), Begins: true}, ago(0)},
		"the next attempt is soon":     {"P2", Movement{Moves: true, Attempt: now.Add(farAway)}, ago(0)},
		"the next attempt is far away": {"P1", Movement{Moves: true, Attempt: now.Add(farAway + 1), Since: ago(1)}, nil},
		"the next attempt was due":     {"P2", Movement{Moves: true, Attempt: now.Add(-time.Hour)}, ago(0)},
	}
	paces := map[v1beta1.Pace]string{v1beta1.PaceFast: "fast", v1beta1.PaceSlow: "slow"}
	drawn := drawing.Read(t, "requeue.go", "Pace")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			row.m.Now = now
			pace, since := row.m.Pace()
			if err := drawn.Holds(row.row, drawing.Row{"pace": paces[pace]}); err != nil || !since.Equal(row.since) {
				t.Errorf("since %v, want since %v, %v", since, row.since, err)
			}
		})
	}
	if err := drawn.Shown("Pace", shown...); err != nil {
		t.Error(err)
	}
}

func TestSoon(t *testing.T) {
	for requeue, want := range map[Requeue]bool{"": false, RequeueNow: false, RequeueSoon: true, RequeueOnPods: true} {
		if requeue.Soon() != want {
			t.Errorf("%q: %t", requeue, !want)
		}
	}
}
