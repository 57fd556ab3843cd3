package scenario

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// disposes is a product that disposes of something, by this run's state, after each status that it stores.
func disposes(of func(r *run) string) func(*run) {
	return func(r *run) {
		r.w.Tap.Inject(wire.Fault{
			Match: func(q wire.Request) bool { return q.Subresource == "status" }, Effective: true, After: true,
			Do: func() {
				if path := of(r); path != "" {
					r.w.Storage.Dispose(path)
				}
			},
		})
	}
}

// goesBackTo is what the running job would be restored from.
func goesBackTo(r *run) string {
	j := r.w.Flink.Job(namespace, demo, "")
	if j == nil || j.State != job.Running || j.ReturnsTo() == nil {
		return ""
	}
	return j.ReturnsTo().Path
}

// says is a status in which a condition is so.
func says(kind, reason string) func(*v1beta1.FlinkDeploymentStatus) {
	return func(status *v1beta1.FlinkDeploymentStatus) {
		status.Conditions = append(slices.DeleteFunc(slices.Clone(status.Conditions), func(c metav1.Condition) bool {
			return c.Type == kind
		}), metav1.Condition{Type: kind, Status: metav1.ConditionTrue, Reason: reason, Message: "planted"})
	}
}

// restartsAtEase is a product that takes the JobManager of a job away that nothing happened to.
func restartsAtEase(r *run) {
	var done atomic.Bool
	r.w.Tap.Inject(wire.Fault{Match: wire.ByAgent("observe"), Do: func() {
		if r.calm.settled != (settledSpec{}) && !done.Swap(true) {
			r.w.Nodes.Crash(namespace, r.jobManagerPod(demo), "a product that restarts it")
		}
	}})
}

// What the judge holds of files, and of a run in which nothing goes wrong for a while: TestTheJudgeFindsPlantedFaults
// holds the same of the state that a job begins with.
func TestTheJudgeFindsPlantedFaultsOfFilesAndWaits(t *testing.T) {
	rows := map[string]struct {
		script string
		fault  func(*run)
		want   string
	}{
		"a change starts from the state of another job": {
			"apply 1, wait-long 0, parallelism 3, wait-more 10", startsFromElsewhere("s3://s/savepoint-of-another"),
			"began from a state that no job of the resource made and nobody named",
		},
		"a change starts from what is not there": {
			"apply 1, wait-long 0, parallelism 3, wait-more 10", startsFromElsewhere("s3://s/savepoint-nowhere"),
			"was to start from s3://s/savepoint-nowhere, which is not there",
		},
		"a change starts from what stands for high-availability data that there is none of": {
			"apply 1, wait-long 0, fail-over 0, parallelism 3, wait-more 10",
			startsFromElsewhere(v1beta1.LastStatePlaceholder),
			"was to start from " + v1beta1.LastStatePlaceholder,
		},
		"what the running job goes back to is disposed of": {
			"apply 1, wait-long 0, redeploy 12, wait-more 10", disposes(goesBackTo), "was disposed of",
		},
		"what a suspended job is resumed from is disposed of": {
			"apply 1, wait-long 0, suspend 0, wait-more 10",
			disposes(func(r *run) string {
				if s := r.status(demo); s.Situation == "Suspended" {
					return s.JobStatus.UpgradeSavepointPath
				}
				return ""
			}), "the next start is from",
		},
		"what high-availability data names is disposed of": {
			"apply 4, wait-long 0, suspend 0, wait-more 10",
			disposes(func(r *run) string {
				return r.w.Flink.InData(namespace, demo, r.status(demo).JobStatus.JobID)
			}), "was disposed of",
		},
		"a wait never ends, and calls for nobody": {
			"apply 1, wait-long 0, wait-hour 0", reads(says(summary.Reconciling, "Waits")), "and calls for nobody",
		},
		"status does not show that the job runs": {
			"apply 1, wait-long 0, wait-hour 0",
			reads(func(status *v1beta1.FlinkDeploymentStatus) { status.JobStatus.State = v1beta1.FlinkJobCreated }),
			"status says CREATED",
		},
		"a stateless job does its work twice": {
			"apply 0, wait-hour 0, wait-more 0", restartsAtEase, "began again, and nobody asked for that",
		},
		"a highly available job is restarted for nothing": {
			"apply 4, wait-hour 0, wait-more 0", restartsAtEase, "began again, and nobody asked for that",
		},
	}
	for _, name := range names(rows) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := strings.Split(rows[name].script, ", ")
			if failure, _ := attempt(t, script); failure != "" {
				t.Errorf("without the fault: %s", failure)
			}
			if failure, _ := attemptWith(t, script, rows[name].fault); !strings.Contains(failure, rows[name].want) {
				t.Errorf("with the fault: %q, want %q", failure, rows[name].want)
			}
		})
	}
}
