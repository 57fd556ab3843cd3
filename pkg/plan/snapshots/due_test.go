package snapshots

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

func TestWhenTheLastPeriodicSnapshotWas(t *testing.T) {
	at := func(ago time.Duration) time.Time { return start.Add(-ago) }
	recorded := func(ago time.Duration) func(f *Facts) {
		return func(f *Facts) {
			f.Status.SavepointInfo = &v1beta1.SavepointInfo{LastPeriodicSavepointTimestamp: at(ago).UnixMilli()}
			f.Status.CheckpointInfo = &v1beta1.CheckpointInfo{LastPeriodicCheckpointTimestamp: at(ago).UnixMilli()}
		}
	}
	periodic, manual := v1beta1.SnapshotTriggerPeriodic, v1beta1.SnapshotTriggerManual
	rows := map[string]struct {
		change func(f *Facts)
		want   time.Duration
		reason string
	}{
		"nothing":          {func(*Facts) {}, time.Hour, "the resource's creation"},
		"recorded later":   {recorded(30 * time.Minute), 30 * time.Minute, "the record is later"},
		"recorded earlier": {recorded(2 * time.Hour), time.Hour, "the resource was made after it"},
		"one of its own": {func(f *Facts) {
			*f = f.have(
				made(Savepoint, periodic, v1beta1.SnapshotCompleted, 10*time.Minute),
				made(Checkpoint, periodic, v1beta1.SnapshotCompleted, 10*time.Minute),
			)
		}, 10 * time.Minute, "a PERIODIC one"},
		"several": {func(f *Facts) {
			for _, ty := range []Type{Savepoint, Checkpoint} {
				*f = f.have(made(ty, periodic, v1beta1.SnapshotCompleted, 20*time.Minute),
					made(ty, periodic, v1beta1.SnapshotCompleted, 15*time.Minute),
					made(ty, manual, v1beta1.SnapshotCompleted, time.Minute))
			}
		}, 15 * time.Minute, "the latest PERIODIC one; MANUAL ones do not count"},
		"one that failed": {func(f *Facts) {
			for _, ty := range []Type{Savepoint, Checkpoint} {
				*f = f.have(made(ty, periodic, v1beta1.SnapshotFailed, 5*time.Minute))
			}
		}, 5 * time.Minute, "in place of the reference's memory: it was asked for, whatever became of it"},
	}
	for name, row := range rows {
		for _, ty := range []Type{Savepoint, Checkpoint} {
			f := facts()
			row.change(&f)
			if got, known := LastTrigger(f, ty); !known || !got.Equal(at(row.want)) {
				t.Errorf("%s: %s is %s, %t, want %s; %s", name, ty, got, known, at(row.want), row.reason)
			}
		}
	}
	f := facts()
	f.Existing = plan.Unknown[[]v1beta1.FlinkStateSnapshot]("timeout")
	if _, known := LastTrigger(f, Savepoint); known {
		t.Error("what could not be listed may hold a later one")
	}
}

func TestWhatAsksForASnapshot(t *testing.T) {
	rows := map[string]struct {
		options []string
		change  func(f *Facts)
		want    string
		reason  string
	}{
		"no option": {nil, func(*Facts) {}, "", "nobody asks"},
		"interval passed": {
			[]string{savepointInterval, "10m", checkpointInterval, "10m"}, func(*Facts) {},
			"SAVEPOINT PERIODIC;CHECKPOINT PERIODIC;", "an hour is longer",
		},
		"zero and a nonce": {
			[]string{savepointInterval, "0"}, func(f *Facts) { f.Wanted.SavepointTriggerNonce = nonce(1) },
			"SAVEPOINT MANUAL;", "the nonce is new",
		},
		"nonce over interval": {
			[]string{savepointInterval, "10m"}, func(f *Facts) { f.Wanted.SavepointTriggerNonce = nonce(1) },
			"SAVEPOINT MANUAL;", "MANUAL wins",
		},
		"handled nonce": {nil, func(f *Facts) {
			f.Wanted.SavepointTriggerNonce = nonce(1)
			f.Reconciled.SavepointTriggerNonce = nonce(1)
		}, "", "it was seen"},
		"nonce gone": {
			nil, func(f *Facts) { f.Reconciled.SavepointTriggerNonce = nonce(1) }, "", "nothing is asked for",
		},
		"cron": {
			[]string{savepointInterval, "0 */10 * * * ?"}, func(*Facts) {}, "SAVEPOINT PERIODIC;",
			"five times missed are one",
		},
		"checkpoint before 1.17": {
			[]string{checkpointInterval, "10m"},
			func(f *Facts) { f.FlinkVersion = v1beta1.FlinkV1_16; f.Wanted.CheckpointTriggerNonce = nonce(1) }, "",
			"Flink cannot",
		},
		"savepoint of Flink 1.16": {
			[]string{savepointInterval, "10m"}, func(f *Facts) { f.FlinkVersion = v1beta1.FlinkV1_16 },
			"SAVEPOINT PERIODIC;", "Flink can",
		},
		"checkpoint by its nonce before 1.17": {
			nil, func(f *Facts) { f.FlinkVersion = v1beta1.FlinkV1_16; f.Wanted.CheckpointTriggerNonce = nonce(1) }, "",
			"Flink cannot",
		},
		"checkpoint by its interval before 1.17": {
			[]string{checkpointInterval, "10m"}, func(f *Facts) { f.FlinkVersion = v1beta1.FlinkV1_16 }, "",
			"Flink cannot",
		},
		"no checkpoint, Flink of 1.16": {nil, func(f *Facts) { f.FlinkVersion = v1beta1.FlinkV1_16 }, "", "nobody asks"},
		"not running": {
			[]string{savepointInterval, "10m"}, func(f *Facts) { f.Running = false }, "", "there is nothing to snapshot",
		},
		"being stopped": {
			[]string{savepointInterval, "10m"}, func(f *Facts) { f.Intent = &v1beta1.Intent{Step: v1beta1.StepStopping} }, "",
			"a stop is under way",
		},
		"just released": {
			[]string{savepointInterval, "10m"}, func(f *Facts) { f.Intent = &v1beta1.Intent{Step: v1beta1.StepReleased} },
			"SAVEPOINT PERIODIC;", "it is a running job",
		},
		"one in flight": {[]string{savepointInterval, "10m"}, func(f *Facts) {
			f.Status.SavepointInfo = &v1beta1.SavepointInfo{TriggerID: new(string)}
			*f.Status.SavepointInfo.TriggerID = "x"
		}, "", "one at a time"},
		"a session cluster": {[]string{savepointInterval, "10m"}, func(f *Facts) { f.Wanted = nil }, "", "it has no job"},
	}
	for name, row := range rows {
		f := facts(row.options...)
		row.change(&f)
		due, notes := Due(f)
		if got := causes(due); got != row.want {
			t.Errorf("%s: %q, want %q; %s", name, got, row.want, row.reason)
		}
		if strings.Contains(name, "before 1.17") != (len(notes) > 0) {
			t.Errorf("%s: notes %q", name, notes)
		}
	}
}

func TestIntervalsAndCronExpressions(t *testing.T) {
	at := time.Date(2026, 11, 21, 11, 5, 0, 0, time.UTC)
	rows := map[string]struct {
		schedule string
		ago      time.Duration
		due, bad bool
	}{
		"empty":                {"", time.Hour, false, false},
		"blank":                {"  ", time.Hour, false, false},
		"invalid":              {"soon", time.Hour, false, true},
		"zero":                 {"0", time.Hour, false, false},
		"minus one":            {"-1", time.Hour, false, true},
		"5 of 10 minutes":      {"10m", 5 * time.Minute, false, false},
		"11 of 10 minutes":     {"10m", 11 * time.Minute, true, false},
		"cron 10 minutes ago":  {"0 */10 * * * ?", 10 * time.Minute, true, false},
		"cron 4 minutes ago":   {"0 */10 * * * ?", 4 * time.Minute, false, false},
		"impossible date":      {"0 0 0 30 2 ?", time.Hour, false, false},
		"a number without one": {"1", time.Second, true, false},
	}
	for name, row := range rows {
		f := facts(savepointInterval, row.schedule)
		f.Now, f.Created = at, at.Add(-row.ago)
		due, notes := Due(f)
		if (len(due) > 0) != row.due || (len(notes) > 0) != row.bad {
			t.Errorf("%s: due %v, notes %q", name, due, notes)
		}
	}
	if next := NextDue(facts(
		savepointInterval, "90 min", checkpointInterval, "2 h",
	)); !next.Equal(start.Add(30 * time.Minute)) {
		t.Errorf("next is %s", next)
	}
	if next := NextDue(facts()); !next.IsZero() {
		t.Errorf("next is %s, want never", next)
	}
}

func TestANonceMakesOneResource(t *testing.T) {
	f := facts("kubernetes.operator.savepoint.dispose-on-delete", "true")
	f.Wanted.SavepointTriggerNonce, f.Wanted.CheckpointTriggerNonce = nonce(1), nonce(2)
	due, _ := Due(f)
	if causes(due) != "SAVEPOINT MANUAL;CHECKPOINT MANUAL;" {
		t.Fatalf("due %v", due)
	}
	for _, trigger := range due {
		s, err := MakeResource(f, trigger)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := MakeResource(f, trigger)
		r := s.Spec.JobReference
		if s.Namespace != "default" || !strings.HasPrefix(
			s.Name, "demo-"+strings.ToLower(string(trigger.Type))+"-manual-",
		) || s.Name != again.Name ||
			r.Kind != f.Kind || r.Name != "demo" || *s.Spec.BackoffLimit != 0 || len(s.OwnerReferences) != 0 ||
			JobUID(s) != f.UID {
			t.Errorf("%s: %+v", trigger.Type, s)
		}
		if trigger.Type == Savepoint {
			if p := s.Spec.Savepoint; p.Exists() || !p.DisposedOnDelete() || p.Path != "s3://dir" ||
				p.FormatType != v1beta1.SavepointFormatCanonical {
				t.Errorf("savepoint %+v", p)
			}
		} else if s.Spec.Savepoint != nil || s.Spec.Checkpoint == nil {
			t.Errorf("checkpoint %+v", s.Spec)
		}
		RecordNonce(f.Reconciled, trigger.Type, trigger.Nonce)
	}
	if due, _ := Due(f); len(due) != 0 || f.Status.SavepointInfo != nil {
		t.Errorf("after recording %v is due, record %+v", due, f.Status.SavepointInfo)
	}
	delete(f.Config, "state.savepoints.dir")
	if _, err := MakeResource(f, Trigger{Type: Savepoint, Cause: v1beta1.SnapshotTriggerManual}); err == nil ||
		!strings.Contains(err.Error(), "savepoint path") {
		t.Errorf("without a directory: %v", err)
	}
}

func TestNamesFollowFromWhatIsStored(t *testing.T) {
	f := facts(savepointInterval, "10m")
	due, _ := Due(f)
	later := f
	later.Now = f.Now.Add(time.Minute)
	again, _ := Due(later)
	one, _ := MakeResource(f, due[0])
	two, _ := MakeResource(later, again[0])
	if one.Name != two.Name || one.Name != "demo-savepoint-periodic-1795259400000" {
		t.Errorf("names %s and %s", one.Name, two.Name)
	}
	other := f
	other.Generation++
	manual := Trigger{Type: Savepoint, Cause: v1beta1.SnapshotTriggerManual}
	one, _ = MakeResource(f, manual)
	two, _ = MakeResource(other, manual)
	if one.Name == two.Name {
		t.Errorf("a nonce that comes back after another one made no new name: %s", one.Name)
	}
	up := MakeUpgradeResource(f, "s3://dir/sp", v1beta1.SavepointFormatNative, start)
	if up.Name != "demo-savepoint-upgrade-1795262400000" || !up.Spec.Savepoint.Exists() ||
		up.Spec.Savepoint.Path != "s3://dir/sp" ||
		up.Spec.Savepoint.FormatType != v1beta1.SavepointFormatNative || up.Spec.Savepoint.DisposedOnDelete() ||
		up.Labels["snapshot.trigger-type"] != "UPGRADE" {
		t.Errorf("%s: %+v, labels %v", up.Name, up.Spec.Savepoint, up.Labels)
	}
}

func TestLabelsOfASnapshot(t *testing.T) {
	if got := TriggerTypeOf(nil); got != v1beta1.SnapshotTriggerUnknown {
		t.Errorf("missing: %s", got)
	}
	if got := TriggerTypeOf(map[string]string{
		v1beta1.LabelSnapshotTriggerType: "",
	}); got != v1beta1.SnapshotTriggerUnknown {
		t.Errorf("empty: %s", got)
	}
	fresh := Labels(nil, Savepoint, "", nil)
	if _, has := fresh[v1beta1.LabelSnapshotState]; has || fresh[v1beta1.LabelSnapshotTriggerType] != "MANUAL" {
		t.Errorf("without a status: %v", fresh)
	}
	kept := Labels(map[string]string{v1beta1.LabelSnapshotTriggerType: "PERIODIC"}, Checkpoint, v1beta1.SnapshotCompleted,
		&v1beta1.JobReference{Kind: v1beta1.JobKindFlinkDeployment, Name: strings.Repeat("x", 64)})
	fits := Labels(nil, Savepoint, "", &v1beta1.JobReference{Name: strings.Repeat("x", 63)})
	if fits[v1beta1.LabelJobReferenceName] == "" {
		t.Errorf("%v; a label holds 63 characters", fits)
	}
	if _, has := kept[v1beta1.LabelJobReferenceName]; has || kept[v1beta1.LabelSnapshotTriggerType] != "PERIODIC" ||
		kept[v1beta1.LabelSnapshotState] != "COMPLETED" {
		t.Errorf("%v; the trigger type is kept, and a name that no label can hold is left out", kept)
	}
}

func TestUsesResources(t *testing.T) {
	f := facts()
	if !UsesResources(f) {
		t.Error("it is the default")
	}
	f.Config["kubernetes.operator.snapshot.resource.enabled"] = "false"
	if UsesResources(f) {
		t.Error("the job says no")
	}
	f = facts()
	f.Defaults = flinkconf.Config{"kubernetes.operator.snapshot.resource.enabled": "false"}
	if UsesResources(f) {
		t.Error("the installation says no")
	}
}

// TestOneObjectForOnePeriod looks at a job at random times, as two passes that know nothing of each other would, and
// makes what is due.
func TestOneObjectForOnePeriod(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := facts(savepointInterval, rapid.SampledFrom([]string{"10m", "0 */10 * * * ?"}).Draw(rt, "schedule"))
		names := map[string]bool{}
		for range 40 {
			f.Now = f.Now.Add(time.Duration(rapid.IntRange(1, 400).Draw(rt, "seconds")) * time.Second)
			due, _ := Due(f)
			twice, _ := Due(f)
			for i, trigger := range due {
				s, err := MakeResource(f, trigger)
				other, _ := MakeResource(f, twice[i])
				if err != nil || s.Name != other.Name || names[s.Name] {
					rt.Fatalf("%s, %s, %v, made before: %t", s.Name, other.Name, err, names[s.Name])
				}
				names[s.Name] = true
				s.CreationTimestamp.Time = f.Now
				f = f.have(*s)
			}
			if due, _ := Due(f); len(due) != 0 {
				rt.Fatalf("%v is still due", due)
			}
		}
	})
}

func TestSnapshotsAreSelectedWithTheirJob(t *testing.T) {
	f := facts("state.savepoints.dir", "s3://b/s")
	f.Labels = map[string]string{"team": "a"}
	s, err := MakeResource(f, Trigger{Type: Savepoint, Cause: v1beta1.SnapshotTriggerPeriodic, At: f.Now})
	if err != nil {
		t.Fatal(err)
	}
	if s.Labels["team"] != "a" || s.Labels[v1beta1.LabelSnapshotTriggerType] != "PERIODIC" {
		t.Errorf("labels %v: an installation that selects by the label would not look after it", s.Labels)
	}
	if len(f.Labels) != 1 {
		t.Errorf("the labels of the job are now %v", f.Labels)
	}
}
