package snapshots

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

const (
	periodic  = v1beta1.SnapshotTriggerPeriodic
	upgrade   = v1beta1.SnapshotTriggerUpgrade
	manual    = v1beta1.SnapshotTriggerManual
	completed = v1beta1.SnapshotCompleted
	failed    = v1beta1.SnapshotFailed
	flying    = v1beta1.SnapshotInProgress
)

// ages are the ages, in minutes, of what goes.
func ages(gone []plan.ObjectVersion) string {
	var list []string
	for _, o := range gone {
		parts := strings.Split(o.Name, "-")
		var ago int64
		fmt.Sscan(parts[len(parts)-1], &ago)
		list = append(list, fmt.Sprint(ago/60000))
	}
	return strings.Join(list, " ")
}

func TestWhichSnapshotsAreCleanedUp(t *testing.T) {
	min := time.Minute
	many := func(
		ty Type, cause v1beta1.SnapshotTriggerType, states ...v1beta1.SnapshotState,
	) []v1beta1.FlinkStateSnapshot {
		var list []v1beta1.FlinkStateSnapshot
		for i, state := range states { // the first one is the oldest
			list = append(list, made(ty, cause, state, time.Duration(len(states)-i)*min))
		}
		return list
	}
	six := many(Savepoint, periodic, completed, completed, completed, completed, completed, completed)
	rows := map[string]struct {
		facts  Facts
		want   string
		reason string
	}{
		"count 1 keeps the newest of each type": {facts(maxCount, "1").have(many(
			Savepoint, periodic, completed, completed,
		)...).
			have(many(Checkpoint, periodic, completed, completed, completed)...), "2 3 2",
			"savepoints and checkpoints are counted apart"},
		"the only completed one": {
			facts(maxCount, "1").have(many(Savepoint, periodic, completed, failed, failed)...), "2 1",
			"kept though it is the oldest",
		},
		"the newest is being taken": {
			facts(maxCount, "1").have(many(Savepoint, periodic, completed, flying)...), "", "it would be asked for again",
		},
		"none completed": {
			facts(maxCount, "1").have(many(Savepoint, periodic, flying, flying, flying)...), "3 2", "the newest stays",
		},
		"one alone": {
			facts(maxCount, "1", maxAge, "1 s").have(many(Savepoint, periodic, failed)...), "", "one is always kept",
		},
		"too old": {
			facts(maxAge, "5 ms").have(many(Savepoint, periodic, completed, failed)...).have(many(
				Savepoint, upgrade, completed,
			)...).have(many(Savepoint, manual, completed)...),
			"2 1", "PERIODIC and UPGRADE of any state; MANUAL and the newest completed stay",
		},
		"just as old": {
			facts(maxAge, "2 min").have(many(Savepoint, periodic, completed, completed, completed)...), "3",
			"one of the age may stay",
		},
		"checkpoints do not age": {
			facts(maxAge, "5 ms", "state.checkpoints.num-retained", "5").have(many(
				Checkpoint, periodic, completed, completed,
			)...),
			"", "Flink retains as many",
		},
		"count 2 of 6": {facts(maxCount, "2").have(six...), "6 5 4 3", "the four oldest"},
		"threshold under the count": {
			threshold(facts(maxCount, "10000"), "count", "2").have(six...), "6 5 4 3", "the operator's bound counts",
		},
		"threshold under the age": {
			threshold(facts(), "age", "5 ms").have(six...), "6 5 4 3 2", "the operator's bound counts",
		},
		"disabled": {facts(maxCount, "1", cleanupEnabled, "false").have(six...), "", "nothing is cleaned up"},
		"unknown": {func() Facts {
			f := facts(maxCount, "1")
			f.Existing = plan.Unknown[[]v1beta1.FlinkStateSnapshot]("timeout")
			return f
		}(),
			"", "what could not be listed is not cleaned up"},
		"needed by the next start": {func() Facts {
			f := facts(maxCount, "1").have(six...)
			f.Status = v1beta1.JobStatus{UpgradeSavepointPath: *six[1].Status.Path, State: v1beta1.FlinkJobFinished}
			return f
		}(), "6 4 3 2", "the job is suspended with the second oldest"},
		"going already": {func() Facts {
			list := many(Savepoint, periodic, completed, completed, completed)
			now := metav1.NewTime(start)
			list[0].DeletionTimestamp = &now
			return facts(maxCount, "1").have(list...)
		}(), "2", "it does not count"},
		"of another job": {func() Facts {
			list := many(Savepoint, periodic, completed, completed, completed)
			list[0].Status.JobUID = "another"
			return facts(maxCount, "1").have(list...)
		}(), "2", "B12"},
	}
	for name, row := range rows {
		if got := ages(Cleanup(row.facts)); got != row.want {
			t.Errorf("%s: minutes %q, want %q; %s", name, got, row.want, row.reason)
		}
	}
}

// Of several that were made in one second the names decide, so that each pass takes the same one.
func TestCleanupOfOneSecond(t *testing.T) {
	f := facts(maxCount, "1")
	for _, name := range []string{"b", "c", "a"} {
		s := made(Savepoint, periodic, failed, time.Minute)
		s.Name = name
		f = f.have(s)
	}
	gone := Cleanup(f)
	if len(gone) != 2 || gone[0].Name != "a" || gone[1].Name != "b" {
		t.Errorf("%v go, want a and b", gone)
	}
}

// threshold sets one of the operator's bounds.
func threshold(f Facts, what, value string) Facts {
	f.Defaults = flinkconf.Config{"kubernetes.operator.savepoint.history.max." + what + ".threshold": value}
	return f
}

func TestCleanupKeepsWhatMatters(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := facts(
			maxCount, fmt.Sprint(rapid.IntRange(-1, 4).Draw(rt, "count")), maxAge,
			rapid.SampledFrom([]string{"1 s", "5 min", "1 d"}).Draw(rt, "age"),
		)
		for i := range rapid.IntRange(0, 9).Draw(rt, "snapshots") {
			f = f.have(made(rapid.SampledFrom([]Type{Savepoint, Checkpoint}).Draw(rt, "type"),
				rapid.SampledFrom([]v1beta1.SnapshotTriggerType{periodic, upgrade, manual}).Draw(rt, "cause"),
				rapid.SampledFrom([]v1beta1.SnapshotState{completed, failed, flying}).Draw(rt, "state"),
				time.Duration(i+1)*time.Minute))
		}
		gone := Cleanup(f)
		all, _ := f.Existing.Get()
		for _, ty := range []Type{Savepoint, Checkpoint} {
			var before, after int
			var newest string
			for _, s := range all { // newest first
				if TypeOf(s.Spec) != ty || triggerOf(&s) == manual {
					continue
				}
				before++
				if newest == "" && s.Status.State == completed {
					newest = s.Name
				}
				if !slices.ContainsFunc(gone, func(o plan.ObjectVersion) bool { return o.Name == s.Name }) {
					after++
				} else if s.Name == newest {
					rt.Fatalf("the newest completed %s goes", ty)
				}
			}
			if before > 0 && after == 0 {
				rt.Fatalf("no %s is left", ty)
			}
		}
		for _, s := range all {
			if triggerOf(&s) == manual && slices.ContainsFunc(gone, func(o plan.ObjectVersion) bool {
				return o.Name == s.Name
			}) {
				rt.Fatal("a MANUAL one goes")
			}
		}
	})
}

// history is a record of savepoints, one a minute, the first the oldest.
func history(n int) *v1beta1.SavepointInfo {
	info := &v1beta1.SavepointInfo{}
	for i := range n {
		info.SavepointHistory = append(info.SavepointHistory, v1beta1.Savepoint{
			TimeStamp: start.Add(-time.Duration(n-i) * time.Minute).UnixMilli(), Location: fmt.Sprintf("s%d", i+1),
			TriggerType: periodic,
		})
	}
	return info
}

func TestWhichEntriesOfTheRecordAreCleanedUp(t *testing.T) {
	one, two := made(Savepoint, manual, completed, time.Hour), made(Savepoint, manual, completed, 2*time.Hour)
	rows := map[string]struct {
		facts          Facts
		entries        int
		kept, disposed string
		reason         string
	}{
		"count 2 of 5": {facts(maxCount, "2"), 5, "s4 s5", "s1 s2 s3", "the oldest go"},
		"one resource in progress": {
			facts(maxCount, "2").have(made(Savepoint, manual, flying, time.Hour)), 5, "s4 s5", "s1 s2 s3",
			"it holds nothing yet",
		},
		"one completed resource":  {facts(maxCount, "2").have(one), 5, "s5", "s1 s2 s3 s4", "it is one of the two"},
		"two completed resources": {facts(maxCount, "2").have(one, two), 5, "", "s1 s2 s3 s4 s5", "they are the two"},
		"a completed checkpoint": {
			facts(maxCount, "2").have(made(Checkpoint, manual, completed, time.Hour)), 5, "s4 s5", "s1 s2 s3",
			"it is no savepoint",
		},
		"too old":                  {facts(maxAge, "5 ms"), 5, "s5", "s1 s2 s3 s4", "the newest is exempt"},
		"too old, with a resource": {facts(maxAge, "5 ms").have(one), 5, "", "s1 s2 s3 s4 s5", "the resource is newer"},
		"just as old":              {facts(maxAge, "2 min"), 3, "s2 s3", "s1", "one of the age may stay"},
		"no age":                   {facts(maxAge, "0"), 3, "s1 s2 s3", "", "none is too old"},
		"age threshold":            {threshold(facts(), "age", "5 ms"), 2, "s2", "s1", "the operator's bound counts"},
		"disabled, large limits":   {facts(cleanupEnabled, "false"), 2, "s1 s2", "", "nothing is due"},
		"disabled": {
			facts(cleanupEnabled, "false", maxCount, "1"), 2, "s2", "", "dropped, and its files left",
		},
		"one entry":                  {facts(maxAge, "5 ms"), 1, "s1", "", "it may be all there is"},
		"one entry, and none wanted": {facts(maxCount, "0"), 1, "s1", "", "it may be all there is"},
		"one entry, with a resource": {facts(maxAge, "5 ms").have(one), 1, "", "s1", "it is not all there is"},
		"empty":                      {facts(maxAge, "5 ms"), 0, "", "", "there is nothing"},
		"needed": {func() Facts {
			f := facts(maxCount, "1")
			f.Status = v1beta1.JobStatus{UpgradeSavepointPath: "s1"}
			return f
		}(),
			3, "s1 s3", "s2", "the job is suspended with the oldest; it does not count for the newest"},
	}
	for name, row := range rows {
		f := row.facts
		f.Status.SavepointInfo = history(row.entries)
		next, disposed := Prune(f)
		var kept []string
		for _, s := range next.SavepointInfo.SavepointHistory {
			kept = append(kept, s.Location)
		}
		if strings.Join(kept, " ") != row.kept || strings.Join(disposed, " ") != row.disposed {
			t.Errorf("%s: kept %q, disposed of %q; want %q, %q: %s", name, kept, disposed, row.kept, row.disposed, row.reason)
		}
		if len(f.Status.SavepointInfo.SavepointHistory) != row.entries {
			t.Errorf("%s: the facts were changed; a disposal that fails must leave the entries for the next time", name)
		}
	}
	if next, _ := Prune(facts()); next.SavepointInfo != nil {
		t.Error("a record came from nowhere")
	}
}
