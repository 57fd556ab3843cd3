package sessionjob_test

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// TestASessionClusterThatTakesNoJobs: it says so by its configuration, so that only a person can help.
func TestASessionClusterThatTakesNoJobs(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateless)
	w.Snapshot.Cluster, w.JarsOff = plan.Present(enginetest.SessionCluster("web.submit.enable", "false")), true
	w.Run()
	stalled := ""
	for _, c := range w.Status().Conditions {
		if c.Type == summary.Stalled {
			stalled = c.Reason + ": " + c.Message
		}
	}
	if !strings.HasPrefix(stalled, "JarsUnavailable: ") || !strings.Contains(stalled, "web.submit.enable: false") {
		t.Errorf("Stalled is %q", stalled)
	}
	if !strings.Contains(w.Status().Error, "web.submit.enable") {
		t.Errorf("status.error is %q", w.Status().Error)
	}
	w.Snapshot.Cluster, w.JarsOff = plan.Present(enginetest.SessionCluster()), false
	w.UntilSteady()
	if w.Status().Error != "" {
		t.Errorf("status.error is still %q", w.Status().Error)
	}
}
