package observe_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// snaps makes rounds until a plan asks for no other, and keeps the FlinkStateSnapshots that they make and delete. It
// answers the names of the deleted ones.
func snaps(w *enginetest.SessionJob) (deleted []string) {
	w.T.Helper()
	for range 20 {
		p := w.Round()
		have, _ := w.Snapshot.Snapshots.Get()
		have = slices.Clone(have)
		for _, a := range p.Actions {
			switch a := a.(type) {
			case plan.CreateSnapshot:
				s := *a.Object.DeepCopy()
				s.UID, s.CreationTimestamp = types.UID("uid-of-"+s.Name), metav1.NewTime(w.Snapshot.Now)
				have = append(have, s)
			case plan.DeleteSnapshot:
				deleted = append(deleted, a.Name)
				have = slices.DeleteFunc(have, func(s v1beta1.FlinkStateSnapshot) bool { return s.UID == a.UID })
			}
		}
		w.Snapshot.Snapshots = plan.Present(have)
		if p.Requeue != plan.RequeueNow {
			break
		}
	}
	return deleted
}

// snapped are the FlinkStateSnapshots that there are of a kind of job.
func snapped(w *enginetest.SessionJob, kind v1beta1.JobKind) []v1beta1.FlinkStateSnapshot {
	have, _ := w.Snapshot.Snapshots.Get()
	return slices.DeleteFunc(slices.Clone(have), func(s v1beta1.FlinkStateSnapshot) bool {
		return s.Spec.JobReference.Kind != kind
	})
}

// completes has Flink complete what was asked for.
func completes(w *enginetest.SessionJob) {
	have, _ := w.Snapshot.Snapshots.Get()
	for i := range have {
		path := "file:///s/" + have[i].Name
		have[i].Status.State, have[i].Status.Path = v1beta1.SnapshotCompleted, &path
	}
	w.Snapshot.Snapshots = plan.Present(have)
}

// snapshotOf is a completed periodic savepoint of another job of the same name.
func snapshotOf(kind v1beta1.JobKind, name string, at time.Time) v1beta1.FlinkStateSnapshot {
	s := v1beta1.FlinkStateSnapshot{}
	s.Namespace, s.Name, s.UID, s.CreationTimestamp = "default", name, types.UID("uid-of-"+name), metav1.NewTime(at)
	s.Labels = map[string]string{v1beta1.LabelSnapshotTriggerType: string(v1beta1.SnapshotTriggerPeriodic)}
	s.Spec.JobReference = &v1beta1.JobReference{Kind: kind, Name: "etl"}
	s.Spec.Savepoint = &v1beta1.SavepointSpec{}
	s.Status.State = v1beta1.SnapshotCompleted
	return s
}

func TestSnapshotsOfASessionJob(t *testing.T) {
	rows := map[string]struct {
		options string
		edit    func(s *v1beta1.JobSpec, nonce *int64)
		passes  time.Duration
		prefix  string
		kind    string
		cause   v1beta1.SnapshotTriggerType
	}{
		"a savepoint by its nonce": {
			"{}", func(s *v1beta1.JobSpec, nonce *int64) { s.SavepointTriggerNonce = nonce }, 0,
			"etl.job-savepoint-manual-", "SAVEPOINT", v1beta1.SnapshotTriggerManual,
		},
		"a checkpoint by its nonce": {
			"{}", func(s *v1beta1.JobSpec, nonce *int64) { s.CheckpointTriggerNonce = nonce }, 0,
			"etl.job-checkpoint-manual-", "CHECKPOINT", v1beta1.SnapshotTriggerManual,
		},
		"a savepoint by its period": {
			`{"kubernetes.operator.periodic.savepoint.interval":"10 min"}`, nil, 11 * time.Minute,
			"etl.job-savepoint-periodic-", "SAVEPOINT", v1beta1.SnapshotTriggerPeriodic,
		},
		"a checkpoint by its period": {
			`{"kubernetes.operator.periodic.checkpoint.interval":"10 min"}`, nil, 11 * time.Minute,
			"etl.job-checkpoint-periodic-", "CHECKPOINT", v1beta1.SnapshotTriggerPeriodic,
		},
		"the savepoint of an upgrade": {
			"{}", func(s *v1beta1.JobSpec, _ *int64) { s.Parallelism = 4 }, 0,
			"etl.job-savepoint-upgrade-", "SAVEPOINT", v1beta1.SnapshotTriggerUpgrade,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
			w.Snapshot.Resource.CreationTimestamp = metav1.NewTime(w.Snapshot.Now)
			w.Snapshot.Snapshots = plan.Present([]v1beta1.FlinkStateSnapshot{})
			w.Edit(enginetest.HostedOptions(row.options))
			w.UntilSteady()
			snaps(w)
			if made := snapped(w, v1beta1.JobKindFlinkSessionJob); len(made) != 0 {
				t.Fatalf("nothing is due yet, made %+v", made)
			}
			if row.edit != nil {
				nonce := int64(7)
				w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { row.edit(s.Job, &nonce) })
			}
			w.Sleep(row.passes)
			for range 3 {
				snaps(w)
				w.Sleep(2 * time.Second)
			}
			made := snapped(w, v1beta1.JobKindFlinkSessionJob)
			if len(made) != 1 {
				t.Fatalf("made %+v\n%q", made, w.Log)
			}
			s := made[0]
			for label, want := range map[string]string{
				v1beta1.LabelSnapshotType:        row.kind,
				v1beta1.LabelSnapshotTriggerType: string(row.cause),
				v1beta1.LabelJobReferenceKind:    v1beta1.KindFlinkSessionJob,
				v1beta1.LabelJobReferenceName:    "etl",
			} {
				if s.Labels[label] != want {
					t.Errorf("label %s is %q, want %q", label, s.Labels[label], want)
				}
			}
			if s.Namespace != "default" || !strings.HasPrefix(s.Name, row.prefix) || len(s.OwnerReferences) != 0 ||
				*s.Spec.JobReference != (v1beta1.JobReference{Kind: v1beta1.JobKindFlinkSessionJob, Name: "etl"}) ||
				s.Annotations[v1beta1.AnnotationJobUID] != string(w.Snapshot.Resource.UID) {
				t.Errorf("made %+v", s)
			}
			if saves := row.kind == "SAVEPOINT"; (s.Spec.Savepoint != nil) != saves ||
				(s.Spec.Checkpoint != nil) == saves {
				t.Errorf("it asks for %+v", s.Spec)
			}
			if info := w.Status().JobStatus.SavepointInfo; info != nil && len(info.SavepointHistory) > 0 {
				t.Errorf("the record in status has it, too: %+v", info)
			}
		})
	}
}

// The history counts the snapshots of the session job alone: an application of its name has its own.
func TestTheHistoryOfASessionJobsSnapshots(t *testing.T) {
	w := enginetest.NewSessionJob(t, enginetest.HostedStateful("savepoint"))
	w.Snapshot.Resource.CreationTimestamp = metav1.NewTime(w.Snapshot.Now)
	w.Edit(enginetest.HostedOptions(`{"kubernetes.operator.periodic.savepoint.interval":"10 min",` +
		`"kubernetes.operator.savepoint.history.max.count":"2"}`))
	var others []v1beta1.FlinkStateSnapshot
	for i := range 3 {
		others = append(others, snapshotOf(v1beta1.JobKindFlinkDeployment, fmt.Sprintf("others-%d", i),
			w.Snapshot.Now.Add(time.Duration(i)*time.Minute)))
	}
	w.Snapshot.Snapshots = plan.Present(others)
	w.UntilSteady()
	var made, deleted []string
	for range 5 {
		w.Sleep(11 * time.Minute)
		deleted = append(deleted, snaps(w)...)
		mine := snapped(w, v1beta1.JobKindFlinkSessionJob)
		if len(mine) == 0 {
			t.Fatalf("nothing was made\n%q", w.Log)
		}
		made = append(made, mine[len(mine)-1].Name)
		completes(w)
		deleted = append(deleted, snaps(w)...)
		if n := len(snapped(w, v1beta1.JobKindFlinkSessionJob)); n > 2 {
			t.Errorf("%d are kept, want 2 at most", n)
		}
	}
	if !slices.Equal(deleted, made[:3]) {
		t.Errorf("made %q, deleted %q, want the oldest three of them", made, deleted)
	}
	if n := len(snapped(w, v1beta1.JobKindFlinkDeployment)); n != 3 {
		t.Errorf("%d snapshots of the application are left, want 3", n)
	}
}
