package status

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan/clusterinfo"
	"github.com/kn-flink/kn-flink/pkg/plan/exceptions"
	"github.com/kn-flink/kn-flink/pkg/plan/health"
)

type stored = v1beta1.FlinkDeploymentStatus

// What moves by itself is worth no write, and all else is.
func TestSameMeaning(t *testing.T) {
	open := func(step v1beta1.IntentStep, room string) func(*stored) {
		return func(s *stored) { s.Intent = &v1beta1.Intent{Step: step, Room: room} }
	}
	info := func(name, value string) func(*stored) {
		return func(s *stored) { s.ClusterInfo = map[string]string{name: value} }
	}
	checkpoint := func(job, path string) func(*stored) {
		return func(s *stored) { s.JobStatus.Checkpoint = &v1beta1.KnownCheckpoint{JobID: job, Path: path} }
	}
	nothing := func(*stored) {}
	told := func(newest int64) string { return exceptions.Record{JobID: "j", Newest: newest, Modified: 9}.Text() }
	restarted := func(n string) string { return `{"jobId":"j","numRestarts":` + n + `,"healthResult":{"healthy":true}}` }
	rows := map[string]struct {
		old, next func(*stored)
		want      bool
	}{
		"nothing":                   {nothing, nothing, true},
		"an error":                  {nothing, func(s *stored) { s.Error = "x" }, false},
		"a released intent closed":  {open(v1beta1.StepReleased, ""), nothing, true},
		"an open intent closed":     {open(v1beta1.StepStarting, ""), nothing, false},
		"an intent opened":          {nothing, open(v1beta1.StepReleased, ""), false},
		"a released intent is next": {open(v1beta1.StepReleased, ""), open(v1beta1.StepStopping, ""), false},
		"the room of an intent":     {open(v1beta1.StepStopping, "a"), open(v1beta1.StepStopping, "b"), true},
		"a first checkpoint":        {nothing, checkpoint("j", "a"), false},
		"a newer checkpoint":        {checkpoint("j", "a"), checkpoint("j", "b"), true},
		"another job's checkpoint":  {checkpoint("i", "a"), checkpoint("j", "a"), false},
		"another size of the state": {info(clusterinfo.KeyStateSize, "1"), info(clusterinfo.KeyStateSize, "2"), true},
		"another version":           {info(clusterinfo.KeyVersion, "1"), info(clusterinfo.KeyVersion, "2"), false},
		"a failure told":            {info(exceptions.Key, told(1)), info(exceptions.Key, told(2)), false},
		"restarts":                  {info(health.Key, restarted("1")), info(health.Key, restarted("2")), false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			var old, next stored
			row.old(&old)
			row.next(&next)
			if got := SameMeaning(old, next); got != row.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

// A status that only tells more beside an error needs no pass.
func TestOnlyTells(t *testing.T) {
	rows := map[string]struct {
		old  string
		next func(*stored)
		want bool
	}{
		"another error": {"x", func(s *stored) { s.Error = "y" }, true},
		"what people read": {
			"x", func(s *stored) { s.Situation, s.Pace, s.LifecycleState = "Broken", "slow", "FAILED" }, true,
		},
		"an intent":     {"x", func(s *stored) { s.Intent = &v1beta1.Intent{} }, false},
		"a first error": {"", func(s *stored) { s.Error = "y" }, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			next := stored{}
			row.next(&next)
			if got := OnlyTells(stored{Error: row.old}, next); got != row.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

// People are told from which state a job starts, and how old that is.
func TestStarting(t *testing.T) {
	at := metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	rows := map[string]struct {
		from        v1beta1.StartPoint
		application bool
		want        string
	}{
		"a session": {v1beta1.StartPoint{Kind: v1beta1.StartEmpty}, false, "Starting deployment"},
		"a savepoint": {
			v1beta1.StartPoint{Kind: v1beta1.StartSavepoint, Path: "s3://s", Reason: "Why"}, true,
			"Starting deployment from s3://s (Why)",
		},
		"a savepoint of some time": {
			v1beta1.StartPoint{Kind: v1beta1.StartSavepoint, Path: "s3://s", Reason: "Why", Taken: &at}, true,
			"Starting deployment from s3://s of 2026-01-02T03:04:05Z (Why)",
		},
		"the data": {
			v1beta1.StartPoint{Kind: v1beta1.StartLastState, Reason: "Why"}, true,
			"Starting deployment from the high-availability data (Why)",
		},
		"the data of some time": {
			v1beta1.StartPoint{Kind: v1beta1.StartLastState, Reason: "Why", Taken: &at}, true,
			"Starting deployment from the high-availability data of 2026-01-02T03:04:05Z or later (Why)",
		},
		"nothing": {
			v1beta1.StartPoint{Kind: v1beta1.StartEmpty, Reason: "Why"}, true, "Starting deployment without state (Why)",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if got := Starting(row.from, row.application); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}
