package observe_test

import (
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Statistics are as old as web.refresh-interval of the session cluster lets them be, by Flink's clock. What the job
// says of it has no effect.
func TestTheStatisticsOfAnEndAreWaitedForOfASessionJob(t *testing.T) {
	longer := []string{"web.refresh-interval", "30000"}
	rows := map[string]struct {
		cluster []string
		skew    time.Duration
		after   time.Duration
		read    bool
	}{
		"the default, early": {nil, 0, 3 * time.Second, false},
		"the default":        {nil, 0, 4 * time.Second, true},
		"longer, early":      {longer, 0, 30 * time.Second, false},
		"longer":             {longer, 0, 31 * time.Second, true},
		"by its newer name, early": {
			append(longer, "rest.cache.checkpoint-statistics.timeout", "1 min"), 0, time.Minute, false,
		},
		"Flink's clock is ahead, longer": {longer, time.Minute, 30 * time.Second, false},
		"Flink's clock is far, longer":   {longer, -time.Hour, 31 * time.Second, true},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
			w.Snapshot.Cluster = plan.Present(enginetest.SessionCluster(row.cluster...))
			w.Edit(enginetest.HostedOptions(`{"web.refresh-interval":"1000"}`))
			w.UntilSteady()
			w.Checkpointed("file:///c/chk-7")
			w.Set(w.Status().JobStatus.JobID, v1beta1.FlinkJobFailed)
			w.Jobs[0].EndTime = w.Snapshot.Now.Add(row.skew)
			w.Sleep(row.after)
			w.Snapshot.Flink.Clock = w.Snapshot.Now.Add(row.skew)
			w.Run()
			job := w.Status().JobStatus
			if read := job.UpgradeSavepointPath == "file:///c/chk-7"; read != row.read ||
				job.LastStateUnread == row.read {
				t.Errorf("read %t, want %t; %+v", read, row.read, job)
			}
		})
	}
}
