package snapshots

import (
	"fmt"
	"maps"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// MakeResource is the FlinkStateSnapshot that asks for what is due. Its name follows from what is stored, so that two
// passes make one object: a PERIODIC one is named by the millisecond it was due, a MANUAL one by the resource's UID and
// generation. Only a savepoint without a directory fails.
//
//	resource         name
//	FlinkDeployment  <resource>-<savepoint|checkpoint>-<manual|periodic>-<number>
//	FlinkSessionJob  <resource>.job-<savepoint|checkpoint>-<manual|periodic>-<number>
func MakeResource(f Facts, t Trigger) (*v1beta1.FlinkStateSnapshot, error) {
	number := plan.DeriveID(f.UID, fmt.Sprintf("generation %d", f.Generation), plan.PurposeTrigger)[:13]
	if t.Cause == v1beta1.SnapshotTriggerPeriodic {
		number = millis(t.At)
	}
	s := f.blank(t.Type, t.Cause, number)
	if t.Type == Checkpoint {
		s.Spec.Checkpoint = &v1beta1.CheckpointSpec{}
		return s, nil
	}
	directory := f.Config.Get(key.SavepointDir)
	if directory == "" {
		return nil, fmt.Errorf("no savepoint path: set %s in flinkConfiguration", key.SavepointDir.Key)
	}
	s.Spec.Savepoint = f.savepoint(directory, false)
	return s, nil
}

// MakeUpgradeResource is the FlinkStateSnapshot that stands for the savepoint that a job was stopped with. at is when
// its intent was stored.
func MakeUpgradeResource(
	f Facts, path string, format v1beta1.SavepointFormatType, at time.Time,
) *v1beta1.FlinkStateSnapshot {
	s := f.blank(Savepoint, v1beta1.SnapshotTriggerUpgrade, millis(at))
	s.Spec.Savepoint = f.savepoint(path, true)
	if format != "" {
		s.Spec.Savepoint.FormatType = format
	}
	return s
}

func millis(t time.Time) string { return fmt.Sprint(t.UnixMilli()) }

// blank has no owner reference: savepoints outlive their job unless they are cleaned up. It is tried once, as those of
// the Java operator.
func (f Facts) blank(t Type, cause v1beta1.SnapshotTriggerType, number string) *v1beta1.FlinkStateSnapshot {
	once := int32(0)
	s := &v1beta1.FlinkStateSnapshot{
		TypeMeta: metav1.TypeMeta{APIVersion: v1beta1.APIVersion, Kind: v1beta1.KindFlinkStateSnapshot},
		ObjectMeta: metav1.ObjectMeta{
			Namespace:   f.Namespace,
			Name:        f.nameOf(t, cause, number),
			Annotations: map[string]string{v1beta1.AnnotationJobUID: string(f.UID)},
		},
		Spec: v1beta1.FlinkStateSnapshotSpec{
			BackoffLimit: &once, JobReference: &v1beta1.JobReference{Kind: f.Kind, Name: f.Name},
		},
	}
	labels := Labels(f.Labels, t, "", s.Spec.JobReference)
	labels[v1beta1.LabelSnapshotTriggerType] = string(cause)
	s.Labels = labels
	return s
}

// maxName is the longest name of an object.
const maxName = 253

// nameOf is that of a FlinkStateSnapshot. Names of FlinkDeployments have no dots, so that the snapshots of a
// FlinkSessionJob, which may have the same name, have other ones. A name that would be too long is cut, and says by the
// resource's UID whose it is.
func (f Facts) nameOf(t Type, cause v1beta1.SnapshotTriggerType, number string) string {
	name, end := f.Name, strings.ToLower(fmt.Sprintf("-%s-%s-%s", t, cause, number))
	if f.Kind == v1beta1.JobKindFlinkSessionJob {
		end = ".job" + end
	}
	if len(name)+len(end) > maxName {
		end = "-" + plan.DeriveID(f.UID, name, plan.PurposeTrigger)[:13] + end
		name = strings.TrimRight(name[:maxName-len(end)], "-.")
	}
	return name + end
}

func (f Facts) savepoint(path string, exists bool) *v1beta1.SavepointSpec {
	dispose := read(f.Config.Bool, key.SavepointDisposeOnDelete, false)
	return &v1beta1.SavepointSpec{Path: path, AlreadyExists: &exists, DisposeOnDelete: &dispose, FormatType: FormatOf(f)}
}

// maxLabel is the longest value of a label.
const maxLabel = 63

// Labels are the labels that a FlinkStateSnapshot has to have, laid over the ones it has. job is the reference to a job
// that was found; nil leaves its labels as they are.
//
//	snapshot.type          SAVEPOINT or CHECKPOINT
//	snapshot.trigger-type  as it is; MANUAL when there is none
//	snapshot.state         the state; as it is while there is none
//	job-reference.kind     while the job is found
//	job-reference.name     while the job is found, and its name is short enough for a label
func Labels(have map[string]string, t Type, state v1beta1.SnapshotState, job *v1beta1.JobReference) map[string]string {
	labels := maps.Clone(have)
	if labels == nil {
		labels = map[string]string{}
	}
	labels[v1beta1.LabelSnapshotType] = string(t)
	if labels[v1beta1.LabelSnapshotTriggerType] == "" {
		labels[v1beta1.LabelSnapshotTriggerType] = string(v1beta1.SnapshotTriggerManual)
	}
	if state != "" {
		labels[v1beta1.LabelSnapshotState] = string(state)
	}
	if job != nil {
		labels[v1beta1.LabelJobReferenceKind] = string(job.Kind)
		if len(job.Name) <= maxLabel {
			labels[v1beta1.LabelJobReferenceName] = job.Name
		}
	}
	return labels
}
