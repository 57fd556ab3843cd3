package world

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/capacity"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/history"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/autoscaled"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// Over is what the IDs of this round are derived from.
func (s *Seen) Over() string { return plan.Over(s.Resource.ResourceVersion, s.Now) }

// Seen is what one decision about a job sees of the world, beside its host. Parts nobody asked for are Unknown.
type Seen struct {
	// Now is the time of the look.
	Now time.Time
	// Operator is the installation's base configuration.
	Operator flinkconf.Operator
	// Kind is what the job's resource is; empty means FlinkDeployment.
	Kind v1beta1.JobKind
	// Resource is the FlinkDeployment with its status, as just read, or a session job in the form of one. Never nil.
	Resource *v1beta1.FlinkDeployment
	// ClusterConfig is the configuration that the session cluster of a session job runs with; nil for a FlinkDeployment.
	ClusterConfig flinkconf.Config
	// OtherSpecs are specs whose secrets are hidden, too: those of a session job's cluster, or of the session jobs of a
	// cluster whose JobManager crashed.
	OtherSpecs []*v1beta1.FlinkDeploymentSpec
	// Deployed is the configuration that the JobManager was made with, as its ConfigMap has it; asked for while status
	// does not say it.
	Deployed plan.Observed[flinkconf.Config]
	// Recorded is what the status of Resource records; nil, or that of another object, is decoded by each decision.
	Recorded *Recorded
	// SpecProblem says why spec could not be decoded; empty when it could.
	SpecProblem string
	// Judged is what the user's validators say of the spec.
	Judged Judged
	// Snapshots are the FlinkStateSnapshots that may be the job's.
	Snapshots plan.Observed[[]v1beta1.FlinkStateSnapshot]
	// SnapshotsRefused is why a FlinkStateSnapshot of the round before could not be made or deleted; nil: that was not
	// tried, or went well.
	SnapshotsRefused *SnapshotsRefused
	// Readers are the paths of its savepoint history that other resources of the namespace may still read.
	Readers plan.Observed[snapshots.Readers]
	// Revisions are those of the job's revision history, see tell.AsksRevisions.
	Revisions plan.Observed[[]history.Revision]
	// Autoscaled is what the autoscaler keeps of the job.
	Autoscaled plan.Observed[autoscaled.Store]
	// Room are the nodes that the autoscaler may fill, see AsksRoom. The zero value: it does not look at them.
	Room plan.Observed[capacity.View]
	// Flink is what the JobManager answered.
	Flink Flink
	// Refused is what the round before left of a rehearsal that did not end with yes, and no status has yet; nil: none.
	Refused *v1beta1.Refused
}

// Judged is what the user's validators say of a spec that is not accepted yet. The zero value: nothing is said against
// it.
type Judged struct {
	// Verdict is the stored verdict on this very spec, or a new one; nil when there is none.
	Verdict *v1beta1.Verdict
	// Unanswered says which validator does not answer although it must; empty when none is missing.
	Unanswered string
}

// Objection is why the spec is not accepted; an empty reason means that it is.
func (j Judged) Objection() plan.Cause {
	switch {
	case j.Unanswered != "":
		return plan.Cause{Reason: plan.ReasonValidatorUnavailable, Message: j.Unanswered}
	case j.Verdict != nil && j.Verdict.Refusal != "":
		return plan.Cause{Reason: plan.ReasonRefusedByValidator, Message: j.Verdict.Refusal}
	}
	return plan.Cause{}
}

// JobKind is what the job's resource is.
func (s *Seen) JobKind() v1beta1.JobKind {
	if s.Kind == "" {
		return v1beta1.JobKindFlinkDeployment
	}
	return s.Kind
}

// SnapshotsRefused is why a FlinkStateSnapshot could not be made or deleted.
type SnapshotsRefused struct {
	// Reason is one CamelCase word, Message one line.
	Reason, Message string
	// Stays says that a person has to act; otherwise the next look tries again.
	Stays bool
}
