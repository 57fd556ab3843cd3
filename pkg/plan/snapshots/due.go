package snapshots

import (
	"fmt"
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/cron"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// Trigger is one snapshot that is due.
type Trigger struct {
	// Type is what to take.
	Type Type
	// Cause is MANUAL or PERIODIC.
	Cause v1beta1.SnapshotTriggerType
	// Nonce is the one that asks for it, to be recorded as handled; nil unless MANUAL.
	Nonce *int64
	// At is when a PERIODIC one was due; zero for MANUAL.
	At time.Time
}

// Due lists what is to be taken now, savepoint first. Notes say why something that was asked for is not taken.
//
//	job is not RUNNING, or being stopped or started  nothing
//	a request of the type is in flight in status     nothing of the type (without resources)
//	one failed less than a minute ago                nothing of the type (without resources)
//	a checkpoint before Flink 1.17                   nothing; the nonce stays pending
//	the nonce differs from the reconciled one        MANUAL
//	the periodic time has passed                     PERIODIC, once however many times were missed
func Due(f Facts) (due []Trigger, notes []string) {
	if !f.Running || f.Wanted == nil || f.Reconciled == nil || f.Intent != nil && f.Intent.Step != v1beta1.StepReleased {
		return nil, nil
	}
	for _, t := range []Type{Savepoint, Checkpoint} {
		trigger, note := dueOf(f, t)
		if trigger != nil {
			due = append(due, *trigger)
		}
		if note != "" {
			notes = append(notes, note)
		}
	}
	return due, notes
}

func dueOf(f Facts, t Type) (*Trigger, string) {
	_, asked := inFlight(f.Status, t)
	if pending(f.Status, t) != nil || f.Now.Sub(asked) < retryPause {
		return nil, ""
	}
	nonce, handled := NonceOf(f.Wanted, t), NonceOf(f.Reconciled, t)
	manual := nonce != nil && (handled == nil || *handled != *nonce)
	next, note := next(f, t)
	periodic := !next.IsZero() && next.Before(f.Now)
	if t == Checkpoint && (manual || periodic) && !flinkconf.BehaviourOf(f.FlinkVersion).CheckpointTrigger {
		return nil, "a checkpoint was requested, which Flink supports since 1.17 only"
	}
	switch {
	case manual:
		return &Trigger{Type: t, Cause: v1beta1.SnapshotTriggerManual, Nonce: nonce}, note
	case periodic:
		return &Trigger{Type: t, Cause: v1beta1.SnapshotTriggerPeriodic, At: next}, note
	}
	return nil, note
}

// retryPause is how long after a request that failed the next one is made: the reconciliation interval of the Java
// operator.
const retryPause = time.Minute

// NextDue is when the next periodic snapshot of the job is due; zero means never.
func NextDue(f Facts) time.Time {
	var soonest time.Time
	for _, t := range []Type{Savepoint, Checkpoint} {
		if at, _ := next(f, t); !at.IsZero() && (soonest.IsZero() || at.Before(soonest)) {
			soonest = at
		}
	}
	return soonest
}

// next is when the next periodic snapshot of a type is due; zero means never.
func next(f Facts, t Type) (at time.Time, note string) {
	option := key.PeriodicSavepointInterval
	if t == Checkpoint {
		option = key.PeriodicCheckpointInterval
	}
	last, known := LastTrigger(f, t)
	if !known {
		return time.Time{}, ""
	}
	at, err := After(f.Config.Get(option), last)
	if err != nil {
		return time.Time{}, fmt.Sprintf("%s: %s", option.Key, err)
	}
	return at, ""
}

// After is the first time after last that a schedule asks for; zero means never. A schedule is a Flink duration, 0 for
// never, or a Quartz cron expression in UTC; blank means never.
func After(schedule string, last time.Time) (time.Time, error) {
	if strings.TrimSpace(schedule) == "" {
		return time.Time{}, nil
	}
	if every, err := flinkconf.ParseDuration(schedule); err == nil {
		if every <= 0 {
			return time.Time{}, nil
		}
		return last.Add(every), nil
	}
	expression, err := cron.Parse(schedule)
	if err != nil {
		return time.Time{}, fmt.Errorf(
			"%q is neither a duration such as 10 min nor a Quartz cron expression: %w", schedule, err,
		)
	}
	at, _ := expression.Next(last)
	return at, nil
}

// LastTrigger is when the last periodic snapshot of a type was asked for, from stored facts alone: the latest of the
// resource's creation, the time recorded in its status, and the creation of its PERIODIC FlinkStateSnapshots, whatever
// became of them. A failed one is not asked for again before its next time. False when the FlinkStateSnapshots could
// not be looked at and are needed.
func LastTrigger(f Facts, t Type) (time.Time, bool) {
	last := f.Created
	if recorded := lastPeriodic(f.Status, t); recorded.After(last) {
		last = recorded
	}
	mine, known := f.own()
	if !known && UsesResources(f) {
		return time.Time{}, false
	}
	for i := range mine {
		if triggerOf(&mine[i]) == v1beta1.SnapshotTriggerPeriodic && TypeOf(mine[i].Spec) == t &&
			mine[i].CreationTimestamp.After(last) {
			last = mine[i].CreationTimestamp.Time
		}
	}
	return last, true
}
