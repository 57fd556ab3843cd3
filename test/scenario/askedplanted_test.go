package scenario

import (
	"slices"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/engine/ask"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
)

// unasked is a product that does not ask some of the first questions about a FlinkDeployment.
func unasked(drop func(*deployment.Questions)) gather.Revise {
	return gather.Revise{Deployment: func(q *deployment.Questions, _ *deployment.Inquiry) { drop(q) }}
}

// unaskedOfFlink is a product that does not ask some of the questions to Flink.
func unaskedOfFlink(drop func(*ask.More)) gather.Revise {
	return gather.Revise{Flink: func(m *ask.More, _ world.Seen) { drop(m) }}
}

// Each row takes one question away: then the judge tells that it is missing, and without that it tells nothing.
func TestTheJudgeFindsWhatIsNotAskedFor(t *testing.T) {
	rows := map[string]struct {
		script string
		revise gather.Revise
		want   string
	}{
		"the data of a job whose cluster is lost": {
			"apply 4, wait-long 0, jobmanagers-end-slowly 8, lose-deployment 0",
			unasked(func(q *deployment.Questions) { q.HAData = false }), "HAData",
		},
		"the data in ZooKeeper": {
			"apply 6, wait-long 0, lose-deployment 0", unasked(func(q *deployment.Questions) { q.HANodes = nil }), "HANodes",
		},
		"the pods of a JobManager that does not start": {
			"apply 1, wait-long 0, break-image 0, wait-more 0",
			unasked(func(q *deployment.Questions) { q.Pods = false }), "Pods",
		},
		"the snapshots": {
			"apply 11, wait-long 0, wait-long 0", unasked(func(q *deployment.Questions) { q.Snapshots = false }), "Snapshots",
		},
		"the first checkpoint of a job that fails over": {
			"apply 2, wait-more 4, fail-over 11", unaskedOfFlink(func(m *ask.More) { m.Checkpoints = false }),
			"Flink.Checkpoints",
		},
		"the cause of a failure": {
			"apply 1, wait-long 0, fail-job 0", unaskedOfFlink(func(m *ask.More) { m.Failure = false }),
			"Flink.Failure",
		},
		"the failures that a job survived": {
			"apply 1, wait-long 0, fail-over 0, wait 0", unaskedOfFlink(func(m *ask.More) { m.Exceptions = 0 }),
			"Flink.Exceptions",
		},
	}
	for _, name := range names(rows) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row := rows[name]
			script := strings.Split(row.script, ", ")
			if failure, _ := attempt(t, script); failure != "" {
				t.Errorf("without the fault: %s", failure)
			}
			failure, _ := attemptWith(t, script, func(r *run) { r.judge.gather.Revise = row.revise })
			if !strings.Contains(failure, row.want+" is not asked for") {
				t.Errorf("with the fault: %q, want that %s is not asked for", failure, row.want)
			}
		})
	}
}

// The same of session jobs.
func TestTheSessionJudgeFindsWhatIsNotAsked(t *testing.T) {
	rows := map[string]struct {
		script string
		revise gather.Revise
		want   string
	}{
		"the failures that a job survived": {
			"apply 2, wait-long 0, fail-over 0, wait 0", unaskedOfFlink(func(m *ask.More) { m.Exceptions = 0 }),
			"Flink.Exceptions",
		},
	}
	for _, name := range names(rows) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row := rows[name]
			script := strings.Split(row.script, ", ")
			if failure := attemptSession(t, script); failure != "" {
				t.Errorf("without the fault: %s", failure)
			}
			failure := attemptSessionWith(t, script, func(r *sessionRun) { r.judge.gather.Revise = row.revise })
			if !strings.Contains(failure, row.want+" is not asked for") {
				t.Errorf("with the fault: %q, want that %s is not asked for", failure, row.want)
			}
		})
	}
}

// A question that no decision needs is found: here, for the Ingress of a resource that has none.
func TestTheJudgeFindsWhatNobodyNeeds(t *testing.T) {
	for _, row := range []struct {
		revise gather.Revise
		want   string
	}{
		{gather.Revise{}, ""},
		{unasked(func(q *deployment.Questions) { q.Ingress = true }), "Ingress"},
	} {
		var own needs
		script := append([]string{"apply 1"}, slices.Repeat([]string{"wait 0"}, 60)...)
		if failure, _ := attemptWith(t, script, func(r *run) {
			r.judge.gather.Revise, r.judge.needs = row.revise, &own
		}); failure != "" {
			t.Error(failure)
		}
		if parts, _ := own.needless(3); strings.Join(parts, ", ") != row.want {
			t.Errorf("nobody needs %q, want %q", parts, row.want)
		}
	}
}
