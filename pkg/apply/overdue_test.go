package apply

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// frozen is the context of a pass in a process that wakes up before its timers do.
type frozen struct {
	context.Context
	deadline time.Time
}

func (f frozen) Deadline() (time.Time, bool) { return f.deadline, true }

// A pass that was frozen for longer than its time asks Flink for nothing: the stop that it was to ask for may have been
// given up.
func TestAPassWhoseTimeIsOverDoesNothing(t *testing.T) {
	rows := map[string]struct {
		left  time.Duration
		wants int
	}{
		"in time":      {time.Minute, 2},
		"its time was": {-time.Second, 0},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			asked := 0
			flink := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				asked++
				w.WriteHeader(http.StatusAccepted)
				_, _ = w.Write([]byte(`{"request-id":"aa"}`))
			}))
			defer flink.Close()
			s := newCluster(t)
			s.c.Flink = func(plan.Endpoint) (*flinkrest.Client, error) {
				return flinkrest.New(flinkrest.Options{BaseURL: flink.URL, Transport: http.DefaultTransport.(*http.Transport)})
			}
			ctx := frozen{t.Context(), time.Now().Add(row.left)}
			for _, action := range []plan.Action{
				plan.StopWithSavepoint{JobID: "ab", TriggerID: "aa"}, plan.CancelJob{JobID: "ab", Counts: true},
			} {
				err := s.c.do(ctx, nil, action)
				if late := row.left < 0; late != errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%s: %v", action, err)
				}
			}
			if asked != row.wants {
				t.Errorf("Flink was asked %d times, want %d", asked, row.wants)
			}
		})
	}
}
