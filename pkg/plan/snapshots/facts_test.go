package snapshots

import (
	"fmt"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

var start = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

const (
	savepointInterval  = "kubernetes.operator.periodic.savepoint.interval"
	checkpointInterval = "kubernetes.operator.periodic.checkpoint.interval"
	maxCount           = "kubernetes.operator.savepoint.history.max.count"
	maxAge             = "kubernetes.operator.savepoint.history.max.age"
	cleanupEnabled     = "kubernetes.operator.savepoint.cleanup.enabled"
)

// facts are those of a running job of Flink 1.20, created an hour ago, with pairs of options.
func facts(options ...string) Facts {
	config := flinkconf.Config{"state.savepoints.dir": "s3://dir"}
	for i := 0; i+1 < len(options); i += 2 {
		config[options[i]] = options[i+1]
	}
	return Facts{
		Now: start, Kind: v1beta1.JobKindFlinkDeployment, Namespace: "default", Name: "demo", UID: "uid-of-demo",
		Generation: 3,
		Created:    start.Add(-time.Hour), Running: true, FlinkVersion: v1beta1.FlinkV1_20, Wanted: &v1beta1.JobSpec{},
		Reconciled: &v1beta1.JobSpec{},
		Status:     v1beta1.JobStatus{JobID: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", State: v1beta1.FlinkJobRunning},
		Config:     config, Defaults: flinkconf.Config{}, Existing: plan.Present([]v1beta1.FlinkStateSnapshot{}),
		Readers: plan.Present(Readers{}),
	}
}

// have adds FlinkStateSnapshots to the facts.
func (f Facts) have(list ...v1beta1.FlinkStateSnapshot) Facts {
	old, _ := f.Existing.Get()
	f.Existing = plan.Present(append(append([]v1beta1.FlinkStateSnapshot{}, old...), list...))
	return f
}

// made is a FlinkStateSnapshot of the job that was created some time ago.
func made(
	t Type, cause v1beta1.SnapshotTriggerType, state v1beta1.SnapshotState, ago time.Duration,
) v1beta1.FlinkStateSnapshot {
	f := facts()
	s := f.blank(t, cause, fmt.Sprint(int64(ago/time.Millisecond)))
	s.UID = types.UID("uid-of-" + s.Name)
	s.CreationTimestamp = metav1.NewTime(start.Add(-ago))
	s.Status.State = state
	if t == Checkpoint {
		s.Spec.Checkpoint = &v1beta1.CheckpointSpec{}
	} else {
		s.Spec.Savepoint = f.savepoint("s3://dir", false)
		path := "s3://dir/" + s.Name
		s.Status.Path = &path
	}
	return *s
}

func nonce(n int64) *int64 { return &n }

// causes are the types and causes of what is due, on one line.
func causes(due []Trigger) string {
	text := ""
	for _, t := range due {
		text += fmt.Sprintf("%s %s;", t.Type, t.Cause)
	}
	return text
}

func TestOnlyTheJobsOwnSnapshotsCount(t *testing.T) {
	f := facts()
	mine := made(Savepoint, v1beta1.SnapshotTriggerPeriodic, v1beta1.SnapshotCompleted, time.Hour)
	rows := map[string]struct {
		change func(s *v1beta1.FlinkStateSnapshot)
		mine   bool
		reason string
	}{
		"as made": {func(*v1beta1.FlinkStateSnapshot) {}, true, "its annotation names the job"},
		"of the reference": {
			func(s *v1beta1.FlinkStateSnapshot) { s.Annotations = nil }, true, "no UID is recorded: the name has to do",
		},
		"of another job": {
			func(s *v1beta1.FlinkStateSnapshot) { s.Annotations[v1beta1.AnnotationJobUID] = "x" }, false,
			"B12: the job was made again",
		},
		"first seen with": {
			func(s *v1beta1.FlinkStateSnapshot) { s.Status.JobUID = "x" }, false, "status counts before the annotation",
		},
		"of another kind": {
			func(s *v1beta1.FlinkStateSnapshot) { s.Spec.JobReference.Kind = v1beta1.JobKindFlinkSessionJob }, false,
			"B12: names are per kind",
		},
		"of another name": {
			func(s *v1beta1.FlinkStateSnapshot) { s.Spec.JobReference.Name = "other" }, false, "it is another's",
		},
		"of nobody": {
			func(s *v1beta1.FlinkStateSnapshot) { s.Spec.JobReference = nil }, false, "it stands for itself",
		},
		"another namespace": {
			func(s *v1beta1.FlinkStateSnapshot) { s.Namespace = "other" }, false, "references stay in their namespace",
		},
	}
	for name, row := range rows {
		s := mine.DeepCopy()
		row.change(s)
		if got := Of(f, s); got != row.mine {
			t.Errorf("%s: %t; %s", name, got, row.reason)
		}
	}
}

func TestWaitingAreThoseThatAChangeCarriesOn(t *testing.T) {
	pending := made(Savepoint, v1beta1.SnapshotTriggerManual, v1beta1.SnapshotTriggerPending, 3*time.Second)
	flying := made(Checkpoint, v1beta1.SnapshotTriggerManual, v1beta1.SnapshotInProgress, 2*time.Second)
	done := made(Savepoint, v1beta1.SnapshotTriggerManual, v1beta1.SnapshotCompleted, time.Second)
	going := made(Savepoint, v1beta1.SnapshotTriggerManual, v1beta1.SnapshotCompleted, 4*time.Second)
	now := metav1.NewTime(start)
	going.DeletionTimestamp = &now
	got := Waiting(facts().have(pending, flying, done, going))
	want := []string{flying.Name, going.Name, pending.Name}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%v, want the pending, the flying and the going one", got)
	}
}

func TestTheLastKnownPath(t *testing.T) {
	rows := map[string]struct {
		status v1beta1.JobStatus
		path   string
		known  bool
	}{
		"nothing":    {v1beta1.JobStatus{}, "", true},
		"a path":     {v1beta1.JobStatus{UpgradeSavepointPath: "s3://a"}, "s3://a", true},
		"the marker": {v1beta1.JobStatus{UpgradeSavepointPath: v1beta1.LastStatePlaceholder}, "", false},
		"the record alone": {
			v1beta1.JobStatus{SavepointInfo: &v1beta1.SavepointInfo{LastSavepoint: &v1beta1.Savepoint{Location: "s3://b"}}},
			"s3://b", true,
		},
		"a path over the record": {
			v1beta1.JobStatus{
				UpgradeSavepointPath: "s3://a",
				SavepointInfo:        &v1beta1.SavepointInfo{LastSavepoint: &v1beta1.Savepoint{Location: "s3://b"}},
			},
			"s3://a", true,
		},
	}
	for name, row := range rows {
		if path, known := LastKnown(row.status); path != row.path || known != row.known {
			t.Errorf("%s: %q, %t; want %q, %t", name, path, known, row.path, row.known)
		}
	}
}
