package scenario

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// reads lets the judge read statuses that a faulty product would store.
func reads(change func(*v1beta1.FlinkDeploymentStatus)) func(*run) {
	return func(r *run) { r.states.eyes = change }
}

// untold is a status of a product that never tells of lost progress.
func untold(status *v1beta1.FlinkDeploymentStatus) {
	status.LostProgress = nil
	status.Conditions = slices.DeleteFunc(slices.Clone(status.Conditions), func(c metav1.Condition) bool {
		return c.Type == summary.StateSafe
	})
}

var startsFrom = regexp.MustCompile(`(execution\.(?:state-recovery|savepoint)\.path'?: *'?)[^'\n]+`)

// startsFromElsewhere is a product that starts each job but the first from this path instead; empty: from nothing.
func startsFromElsewhere(path string) func(*run) {
	return func(r *run) {
		r.w.Storage.Put(job.Snapshot{Path: "s3://s/savepoint-older", Savepoint: true, Progress: 1})
		r.states.named["s3://s/savepoint-older"] = true
		r.w.Storage.Put(job.Snapshot{Path: "s3://s/savepoint-of-another", Savepoint: true, Progress: 1000})
		r.w.Tap.Inject(wire.Fault{Match: wire.On("create", "configmaps"), Effective: true, After: true, Do: func() {
			if r.w.Kube.Peek(kubesim.ConfigMaps, namespace, "flink-config-"+demo) == nil {
				return
			}
			if _, err := r.w.Kube.Update(
				kubesim.ConfigMaps, namespace, "flink-config-"+demo, func(u *unstructured.Unstructured) {
					for name, text := range u.Object["data"].(map[string]any) {
						u.Object["data"].(map[string]any)[name] = startsFrom.ReplaceAllString(text.(string), "${1}"+path)
					}
				},
			); err != nil {
				r.t.Error(err)
			}
		}})
	}
}

// The judge of random runs finds what it is there for. Each row plants one fault of the product: with it the run fails,
// without it the run passes. An exception that is added to the judge, and hides a loss of these, fails here.
func TestTheJudgeFindsPlantedFaults(t *testing.T) {
	const told, less = "called steady with less than it had", "began with less than it had"
	rows := map[string]struct {
		script string
		fault  func(*run)
		want   string
	}{
		"a loss is not told": {
			"apply 1, wait-long 0, crash-jobmanager 0, wait-more 10", reads(untold), told,
		},
		"a loss of a job that had failed over is not told": {
			"apply 1, wait-long 0, fail-over 0, wait-more 10, crash-jobmanager 0, wait-more 10", reads(untold), told,
		},
		"a loss is not told, and the job fails over since": {
			"apply 1, wait-long 0, crash-jobmanager 0, wait 0, fail-over 0, wait-long 0", reads(untold), told,
		},
		"a loss of a run whose begin could not be stored is not told": {
			"apply 2, webhook-away 5, wait 4, wait 11, cleaned-up-slowly 7, wait 11, fail-as-it-ends 11, wait 5, wait 12, " +
				"wait-long 0", reads(untold), told,
		},
		"a loss with high availability is not told": {
			"apply 4, wait-long 0, fail-as-it-ends 0, wait-long 0", reads(untold), told,
		},
		"a job that had finished runs again, and nobody is told": {
			"apply 1, wait-long 0, finish-job 0, crash-jobmanager 0, wait-long 0", reads(untold), told,
		},
		"a highly available job that had finished runs again, and nobody is told": {
			"cleaned-up-slowly 2, apply 4, wait-long 0, finish-job 0, crash-jobmanager 0, wait-long 0", reads(untold), told,
		},
		"no status ever knows a checkpoint": {
			"apply 4, wait-long 0, wait-long 0, fail-as-it-ends 0, wait-long 0",
			reads(func(status *v1beta1.FlinkDeploymentStatus) { untold(status); status.JobStatus.Checkpoint = nil }), told,
		},
		"a loss in the middle of a stop is not told, and the change goes on": {
			"savepoints-slow 12, apply 2, cleaned-up-slowly 2, wait-long 0, wait-long 0, parallelism 3, wait 1, " +
				"fail-as-it-ends 0, savepoints-right 0, wait-long 0", reads(untold), told,
		},
		"a first checkpoint that no status knew yet is lost, and that is not told": {
			"apply 4, wait-long 0, fail-as-it-ends 0, wait-long 0",
			reads(func(status *v1beta1.FlinkDeploymentStatus) { untold(status); status.JobStatus.Checkpoint = nil }), told,
		},
		"no status ever shows another run": {
			"apply 1, wait-long 0, wait-long 0, crash-jobmanager 0, wait-long 0, wait-long 0",
			reads(func(status *v1beta1.FlinkDeploymentStatus) { untold(status); status.JobStatus.StartTime = "1" }), told,
		},
		"a loss is told that is none": {
			"apply 4, wait-long 0",
			reads(func(status *v1beta1.FlinkDeploymentStatus) {
				status.LostProgress = &v1beta1.LostProgress{Seen: &metav1.Time{Time: time.Unix(1, 0)}}
			}), "and it had lost nothing",
		},
		"a restore that nobody saw is told, and there was none": {
			"apply 4, wait-long 0",
			reads(func(status *v1beta1.FlinkDeploymentStatus) {
				status.LostProgress = &v1beta1.LostProgress{Unknown: &metav1.Time{Time: time.Unix(1, 0)}}
			}), "and the job has not begun again",
		},
		"a restore that nobody saw is not told": {
			"retention-in-code 7, apply 8, wait-more 12, fail-as-it-ends 0, wait-more 7, lose-deployment 5, wait-long 0",
			reads(untold), told,
		},
		"a change goes on from what Flink ran again, and that is not told": {
			"apply 7, wait 2, wait 9, wait 11, savepoint-nonce 6, wait 2, finish-job 2, second-pass 0, restart 5, " +
				"crash-jobmanager 2, wait-long 0, wait-long 0",
			reads(untold), told,
		},
		"a change starts from nothing": {
			"apply 1, wait-long 0, parallelism 3, wait-more 10", startsFromElsewhere(""), less,
		},
		"a change starts from an older savepoint": {
			"apply 1, wait-long 0, parallelism 3, wait-more 10", startsFromElsewhere("s3://s/savepoint-older"), less,
		},
		"a change after a crash before the first checkpoint is from nothing": {
			"apply 1, wait 6, crash-jobmanager 0, wait-long 0, parallelism 3, wait-more 10", startsFromElsewhere(""), less,
		},
		"a change after an end without state, and a crash, is from nothing": {
			"apply 11, wait 6, webhook-away 0, parallelism 0, wait 9, crash-jobmanager 0, wait-long 0, wait-long 0, " +
				"parallelism 3, wait-more 10",
			startsFromElsewhere(""), less,
		},
		"a resumption of a job that keeps its state is from nothing": {
			"apply 1, wait-long 0, suspend 0, wait-more 10, resume 0, wait-more 10", startsFromElsewhere(""), less,
		},
		"a start after a recorded failure is from nothing": {
			"apply 3, wait-long 0, fail-job 0, wait-more 10, parallelism 3, wait-more 10", startsFromElsewhere(""), less,
		},
		"a start after a recorded failure, and a crash, is from nothing": {
			"apply 3, wait-long 0, fail-job 0, wait-more 10, crash-jobmanager 0, wait-more 10, parallelism 3, wait-more 10",
			startsFromElsewhere(""), less,
		},
		"a start after a failure that was not cleared up after, and a crash, is from nothing": {
			"cleaned-up-slowly 2, apply 4, wait-long 0, fail-job 0, wait 6, crash-jobmanager 0, wait-more 10, parallelism 3, " +
				"wait-more 10",
			startsFromElsewhere(""), less,
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
