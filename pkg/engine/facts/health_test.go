package facts

import (
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/guesttest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/exceptions"
	"github.com/kn-flink/kn-flink/pkg/plan/health"
)

const checksHealth = `"kubernetes.operator.cluster.health-check.enabled":"true"`

// What is wrong with a job is what status says of it, while Flink says something of a job that has not ended.
func TestWhichJobIsUnhealthy(t *testing.T) {
	why := "64 restarts in 2 minutes"
	seen := plan.Present(health.Seen{})
	rows := map[string]struct {
		options string
		seen    plan.Observed[health.Seen]
		job     *world.Job
		stored  bool
		want    string
	}{
		"it restarts too often": {
			options: checksHealth, seen: seen, job: &world.Job{State: v1beta1.FlinkJobRestarting}, stored: true, want: why,
		},
		"nothing is stored": {options: checksHealth, seen: seen, job: &world.Job{State: v1beta1.FlinkJobRunning}},
		"it has ended": {
			options: checksHealth, seen: seen, job: &world.Job{State: v1beta1.FlinkJobFailed}, stored: true,
		},
		"Flink does not list it":      {options: checksHealth, seen: seen, stored: true},
		"Flink says nothing of it":    {options: checksHealth, job: &world.Job{}, stored: true},
		"its health is not looked at": {seen: seen, job: &world.Job{}, stored: true},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				guesttest.Optioned(t, s, row.options, row.options)
				s.Flink.Health = row.seen
				if row.stored {
					s.Resource.Status.ClusterInfo = map[string]string{health.Key: health.Record{
						TimeStamp: 1, HealthResult: health.Result{Error: &why},
					}.Text()}
				}
			})
			v.Job = row.job
			if got := Unhealthy(v); got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
			if got := KnownUnhealthy(v); got != row.stored {
				t.Errorf("known since an earlier look: %t, want %t", got, row.stored)
			}
		})
	}
}

// How long a job may complete no checkpoint follows from what Flink says of its pace, else from its configuration; zero
// where checkpoints do not count.
func TestHowLongAJobMayMakeNoProgress(t *testing.T) {
	const pace = `"execution.checkpointing.interval":"10 min","execution.checkpointing.timeout":"20 min"`
	rows := map[string]struct {
		options string
		own     *health.Pace
		counts  bool
		longer  bool // than by its configuration
	}{
		"by its configuration": {options: checksHealth + "," + pace, counts: true},
		"by what Flink says": {
			options: checksHealth + "," + pace, counts: true, longer: true,
			own: &health.Pace{Interval: time.Hour, Timeout: time.Hour},
		},
		"it is not configured to make any": {options: checksHealth},
		"its health is not looked at":      {options: pace},
		"its checkpoints are not looked at": {
			options: checksHealth + "," + pace +
				`,"kubernetes.operator.cluster.health-check.checkpoint-progress.enabled":"false"`,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) { guesttest.Optioned(t, s, row.options, row.options) })
			window := ProgressWindow(v)
			if counts := window > 0; counts != row.counts {
				t.Errorf("a window of %s, want that it counts: %t", window, row.counts)
			}
			if own := HealthBounds(v, row.own).ProgressWindow; row.own != nil && own <= window != !row.longer {
				t.Errorf("by what Flink says a window of %s, by the configuration %s", own, window)
			}
		})
	}
}

// A job's history is asked for while it may tell of a failure that was not read yet, as far as the options allow.
func TestHowMuchOfAHistoryIsAskedFor(t *testing.T) {
	changed := guesttest.Noon.Add(-time.Hour)
	read := exceptions.Record{JobID: "a", Modified: changed.UnixMilli()}.Text()
	job := world.Job{ID: "a", State: v1beta1.FlinkJobRunning, Modified: changed}
	rows := map[string]struct {
		job    world.Job
		stored string
		limit  string // of the installation
		then   func(s *world.Seen)
		want   int
	}{
		"nothing was read yet": {job: job, want: 10},
		"it was read since":    {job: job, stored: read},
		"the job has just ended": {
			job: world.Job{ID: "a", State: v1beta1.FlinkJobFailed, EndTime: guesttest.Noon}, stored: read, want: 10,
		},
		"it is another job": {job: world.Job{ID: "b"}, stored: read, want: 10},
		"as many as the options say": {
			job: job, limit: "3", want: 3,
		},
		"the options ask for nothing": {
			job: job, limit: "-1",
		},
		"it was never deployed": {job: job, then: guesttest.NeverDeployed},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := guesttest.NewLife(t, func(s *world.Seen) {
				if row.limit != "" {
					s.Operator = flinkconf.NewOperator(flinkconf.Config{
						"kubernetes.operator.events.exceptions.limit-per-reconciliation": row.limit,
					})
				}
				s.Resource.Status.JobStatus.State = row.job.State
				if row.stored != "" {
					s.Resource.Status.ClusterInfo = map[string]string{exceptions.Key: row.stored}
				}
				if row.then != nil {
					row.then(s)
				}
			})
			if got := ExceptionsDue(v, row.job); got != row.want {
				t.Errorf("%d entries, want %d", got, row.want)
			}
		})
	}
}
