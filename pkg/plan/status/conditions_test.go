package status

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// shown are conditions by their types, as "False Reason: message".
func shown(conditions []metav1.Condition) map[string]string {
	all := map[string]string{}
	for _, c := range conditions {
		all[c.Type] = string(c.Status) + " " + c.Reason + ": " + c.Message
	}
	return all
}

// well are the facts of a job that runs.
func well() Facts {
	return Facts{
		Now: time.Unix(0, 0), Generation: 3, JobManager: v1beta1.JobManagerReady, Job: v1beta1.FlinkJobRunning,
		Hide: func(text string) string { return strings.ReplaceAll(text, "secret", "***") },
	}
}

func TestConditions(t *testing.T) {
	cause := plan.Cause{Reason: "Cause", Message: "with a secret"}
	needs := plan.Cause{Reason: plan.ReasonRestoreFailed, Message: "no data"}
	crashed := plan.Cause{Reason: plan.ReasonJobManagerCrashed, Message: "oom"}
	lost := metav1.Condition{Type: summary.StateSafe, Status: metav1.ConditionFalse, Reason: "Lost", Message: "again"}
	none := "-"
	rows := map[string]struct {
		facts   func(f *Facts)
		verdict Verdict
		want    map[string]string
	}{
		"it runs": {nil, Verdict{Situation: plan.Steady}, map[string]string{
			summary.SpecAccepted: "True Accepted: the spec is valid", summary.JobRunning: "True Running: the job is RUNNING",
			summary.ClusterAvailable: "True JobManagerReady: the JobManager can be reached", summary.Stalled: none,
			summary.Reconciling: none, summary.StateSafe: none,
		}},
		"invalid": {func(f *Facts) {
			f.Problem, f.ProblemReason = "no secret", plan.ReasonValidationFailed
		}, Verdict{Situation: plan.Steady}, map[string]string{
			summary.SpecAccepted: "False ValidationFailed: no ***",
		}},
		"a session cluster": {func(f *Facts) { f.Session = true }, Verdict{Situation: plan.Steady}, map[string]string{
			summary.JobRunning: none,
		}},
		"stalled": {nil, Verdict{Situation: plan.Waiting, Stall: &cause, Wait: needs}, map[string]string{
			summary.Stalled: "True Cause: with a ***", summary.Reconciling: none, summary.StateSafe: none,
		}},
		"stalled, and needs a person": {nil, Verdict{Situation: plan.Waiting, Stall: &needs}, map[string]string{
			summary.Stalled: "True RestoreFailed: no data", summary.StateSafe: "False RestoreFailed: no data",
		}},
		"under way": {nil, Verdict{Situation: plan.Starting}, map[string]string{
			summary.Reconciling: "True Starting: the new cluster is being prepared", summary.Stalled: none,
		}},
		"waits": {nil, Verdict{Situation: plan.Waiting, Wait: cause}, map[string]string{
			summary.Reconciling: "True Cause: with a ***", summary.StateSafe: none,
		}},
		"waits for a person": {nil, Verdict{Situation: plan.Waiting, Wait: needs}, map[string]string{
			summary.StateSafe: "False RestoreFailed: no data",
		}},
		"of nobody": {nil, Verdict{Situation: plan.Unaccounted, Stall: &cause}, map[string]string{
			summary.StateSafe: "False Cause: with a ***",
		}},
		"its state is lost": {nil, Verdict{Situation: plan.StateLost, Stall: &cause}, map[string]string{
			summary.StateSafe: "False Cause: with a ***",
		}},
		"it began again": {func(f *Facts) { f.StateSafe = &lost }, Verdict{Situation: plan.Steady}, map[string]string{
			summary.StateSafe: "False Lost: again",
		}},
		"it began again, and its state is lost": {
			func(f *Facts) { f.StateSafe = &lost }, Verdict{Situation: plan.StateLost, Stall: &cause},
			map[string]string{summary.StateSafe: "False Cause: with a ***"},
		},
		"more": {
			func(f *Facts) { f.More = []metav1.Condition{Condition("More", true, "Because", "of that")} },
			Verdict{Situation: plan.Steady}, map[string]string{"More": "True Because: of that"},
		},
		"a pod does not start": {
			func(f *Facts) { f.JobManager = v1beta1.JobManagerError },
			Verdict{Situation: plan.Broken, PodFailure: &crashed},
			map[string]string{summary.ClusterAvailable: "False JobManagerCrashed: oom"},
		},
		"suspended": {
			func(f *Facts) {
				f.JobManager, f.Suspended, f.Job = v1beta1.JobManagerMissing, true, v1beta1.FlinkJobFinished
			},
			Verdict{Situation: plan.Suspended}, map[string]string{
				summary.ClusterAvailable: "False Suspended: the job is suspended, as specified",
				summary.JobRunning:       "False Suspended: the job is suspended, as specified",
			},
		},
		"never started": {
			func(f *Facts) { f.JobManager, f.Job = "", "" }, Verdict{Situation: plan.NeverStarted}, map[string]string{
				summary.ClusterAvailable: "False Suspended: the job is suspended, as specified",
				summary.JobRunning:       "False NotSubmitted: there is no job yet",
			},
		},
		"finished": {
			func(f *Facts) { f.JobManager, f.Job = v1beta1.JobManagerMissing, v1beta1.FlinkJobFinished },
			Verdict{Situation: plan.Ended}, map[string]string{
				summary.ClusterAvailable: "False Finished: the job has finished",
				summary.JobRunning:       "False Finished: the job has finished",
			},
		},
		"finished, and starts again": {
			func(f *Facts) { f.JobManager, f.Job = v1beta1.JobManagerMissing, v1beta1.FlinkJobFinished },
			Verdict{Situation: plan.Starting},
			map[string]string{summary.ClusterAvailable: "False JobManagerMissing: there is no JobManager"},
		},
		"failed": {
			func(f *Facts) { f.JobManager, f.Job = v1beta1.JobManagerMissing, v1beta1.FlinkJobFailed },
			Verdict{Situation: plan.Ended}, map[string]string{
				summary.ClusterAvailable: "False JobManagerMissing: there is no JobManager",
				summary.JobRunning:       "False NotRunning: the job is FAILED",
			},
		},
		"nothing was made": {
			func(f *Facts) { f.JobManager = "" }, Verdict{Situation: plan.FirstStart},
			map[string]string{summary.ClusterAvailable: "False JobManagerMissing: there is no JobManager"},
		},
		"it deploys": {
			func(f *Facts) { f.JobManager, f.Job = v1beta1.JobManagerDeploying, v1beta1.FlinkJobCreated },
			Verdict{Situation: plan.Waiting}, map[string]string{
				summary.ClusterAvailable: "False JobManagerNotReady: the JobManager is DEPLOYING",
				summary.JobRunning:       "False TasksNotRunning: the job waits for its tasks to run",
			},
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			f := well()
			if row.facts != nil {
				row.facts(&f)
			}
			got := shown(Conditions(f, row.verdict))
			for condition, want := range row.want {
				if text, is := got[condition]; (is || want != none) && text != want {
					t.Errorf("%s is %q, want %q", condition, text, want)
				}
			}
		})
	}
}

// One condition is replaced, and the others stay.
func TestWith(t *testing.T) {
	old := []metav1.Condition{Condition(summary.JobRunning, true, "Was", "a"), Condition("B", true, "Was", "b")}
	got := shown(With(old, Condition("B", false, "Is", "new"), summary.At{Now: time.Unix(0, 0)}))
	if got[summary.JobRunning] != "True Was: a" || got["B"] != "False Is: new" {
		t.Errorf("got %q", got)
	}
}
