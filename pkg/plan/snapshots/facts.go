package snapshots

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Type is what is taken.
type Type string

// The types. The values are those of the label snapshot.type.
const (
	Savepoint  Type = "SAVEPOINT"
	Checkpoint Type = "CHECKPOINT"
)

// TypeOf is the type that a FlinkStateSnapshot asks for.
func TypeOf(spec v1beta1.FlinkStateSnapshotSpec) Type {
	if spec.Checkpoint != nil {
		return Checkpoint
	}
	return Savepoint
}

// Facts are what the decisions about one job's snapshots depend on.
type Facts struct {
	// Now is the time of the look.
	Now time.Time
	// Kind is FlinkDeployment or FlinkSessionJob.
	Kind v1beta1.JobKind
	// Namespace and Name are the resource's.
	Namespace, Name string
	// UID is metadata.uid of the resource.
	UID types.UID
	// Generation is metadata.generation of the resource.
	Generation int64
	// Labels are those of the resource by which it is this installation's: its snapshots have them, too.
	Labels map[string]string
	// Created is metadata.creationTimestamp of the resource.
	Created time.Time
	// Running reports whether Flink says that the job is RUNNING.
	Running bool
	// Expected is true for a job that does not run, or cannot be asked, and is expected to run by itself again.
	Expected bool
	// FlinkVersion is that of the running cluster.
	FlinkVersion v1beta1.FlinkVersion
	// Wanted is spec.job; nil means a session cluster, which has no snapshots.
	Wanted *v1beta1.JobSpec
	// Reconciled is the job of lastReconciledSpec; nil before the first deployment.
	Reconciled *v1beta1.JobSpec
	// Status is status.jobStatus.
	Status v1beta1.JobStatus
	// Intent is the open intent; nil means none.
	Intent *v1beta1.Intent
	// Config is the configuration of the running job, as flinkconf.Observe or flinkconf.SessionJob compose it.
	Config flinkconf.Config
	// Defaults are the operator's, as Operator.Default gives them for the namespace and Flink version.
	Defaults flinkconf.Config
	// Existing are the FlinkStateSnapshots of the namespace that may be the job's, in any order.
	Existing plan.Observed[[]v1beta1.FlinkStateSnapshot]
	// Readers are the paths of the history that others may still read.
	Readers plan.Observed[Readers]
}

// UsesResources reports whether snapshots are FlinkStateSnapshot objects
// (kubernetes.operator.snapshot.resource.enabled, which the operator's defaults and the job both have to say). A text
// that cannot be read counts as the default, true: validation reports it.
func UsesResources(f Facts) bool {
	uses, err := flinkconf.UsesSnapshotResources(f.Defaults, f.Config)
	return uses || err != nil
}

// Of reports whether a FlinkStateSnapshot is the job's: its reference names the job, and the UID that it carries, if
// any, is the job's. One that carries none was made by another operator or by hand.
func Of(f Facts, s *v1beta1.FlinkStateSnapshot) bool {
	r := s.Spec.JobReference
	if r == nil || r.Kind != f.Kind || r.Name != f.Name || s.Namespace != f.Namespace {
		return false
	}
	uid := JobUID(s)
	return uid == "" || uid == f.UID
}

// JobUID is the UID of the job that a FlinkStateSnapshot was made for, or was first seen with; empty when neither is
// recorded.
func JobUID(s *v1beta1.FlinkStateSnapshot) types.UID {
	if s.Status.JobUID != "" {
		return s.Status.JobUID
	}
	return types.UID(s.Annotations[v1beta1.AnnotationJobUID])
}

// own are the job's FlinkStateSnapshots, oldest first; false when they are not known.
func (f Facts) own() ([]v1beta1.FlinkStateSnapshot, bool) {
	all, ok := f.Existing.Get()
	if !ok {
		return nil, f.Existing.IsAbsent()
	}
	var mine []v1beta1.FlinkStateSnapshot
	for i := range all {
		if Of(f, &all[i]) {
			mine = append(mine, all[i])
		}
	}
	slices.SortFunc(mine, older)
	return mine, true
}

func older(a, b v1beta1.FlinkStateSnapshot) int {
	if c := a.CreationTimestamp.Compare(b.CreationTimestamp.Time); c != 0 {
		return c
	}
	if a.Name < b.Name {
		return -1
	}
	return 1
}

func triggerOf(s *v1beta1.FlinkStateSnapshot) v1beta1.SnapshotTriggerType {
	return TriggerTypeOf(s.Labels)
}

// TriggerTypeOf reads the label snapshot.trigger-type: UNKNOWN when it is missing or none of the known words.
func TriggerTypeOf(labels map[string]string) v1beta1.SnapshotTriggerType {
	if t := v1beta1.SnapshotTriggerType(labels[v1beta1.LabelSnapshotTriggerType]); t.Known() {
		return t
	}
	return v1beta1.SnapshotTriggerUnknown
}

// Waiting are the names of the job's FlinkStateSnapshots that a change of the job may carry on, sorted: those that are
// neither completed nor given up, and those that are being deleted.
func Waiting(f Facts) []string {
	mine, _ := f.own()
	var names []string
	for _, s := range mine {
		if !IsFinal(s.Status.State) || s.DeletionTimestamp != nil {
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	return names
}

// IsFinal reports whether a state is never left: COMPLETED, ABANDONED, and FAILED, which is stored only when no attempt
// is left.
func IsFinal(s v1beta1.SnapshotState) bool {
	return s == v1beta1.SnapshotCompleted || s == v1beta1.SnapshotAbandoned || s == v1beta1.SnapshotFailed
}

// read is the value of an option, or a fallback when the text cannot be read: validation reports that.
func read[T any](get func(conf.Option) (T, error), option conf.Option, fallback T) T {
	value, err := get(option)
	if err != nil {
		return fallback
	}
	return value
}

// FormatOf is kubernetes.operator.savepoint.format.type.
func FormatOf(f Facts) v1beta1.SavepointFormatType {
	return v1beta1.SavepointFormatType(read(
		f.Config.Enum, key.SavepointFormatType, string(v1beta1.SavepointFormatCanonical),
	))
}

func checkpointFormat(f Facts) v1beta1.CheckpointFormatType {
	return v1beta1.CheckpointFormatType(read(f.Config.Enum, key.CheckpointType, string(v1beta1.CheckpointFormatFull)))
}

// Readers are the paths that other resources of the namespace may still read, with the kind and name of one that does.
type Readers map[string]string
