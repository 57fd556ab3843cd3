package sessionjob

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// TestASessionClusterThatTakesNoJobs: it says so by its configuration, so that only a person can help.
func TestASessionClusterThatTakesNoJobs(t *testing.T) {
	w := newWorld(t, stateless)
	w.s.Cluster, w.jarsOff = plan.Present(sessionCluster("web.submit.enable", "false")), true
	w.run()
	stalled := ""
	for _, c := range w.status().Conditions {
		if c.Type == summary.Stalled {
			stalled = c.Reason + ": " + c.Message
		}
	}
	if !strings.HasPrefix(stalled, "JarsUnavailable: ") || !strings.Contains(stalled, "web.submit.enable: false") {
		t.Errorf("Stalled is %q", stalled)
	}
	if !strings.Contains(w.status().Error, "web.submit.enable") {
		t.Errorf("status.error is %q", w.status().Error)
	}
	w.s.Cluster, w.jarsOff = plan.Present(sessionCluster()), false
	w.untilSteady()
	if w.status().Error != "" {
		t.Errorf("status.error is still %q", w.status().Error)
	}
}
