package bluegreen

import (
	"time"

	networkingv1 "k8s.io/api/networking/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// Snapshot is everything that one decision sees. Parts nobody asked for are Unknown.
type Snapshot struct {
	// Now is the time of the look.
	Now time.Time
	// Operator is the installation's base configuration.
	Operator flinkconf.Operator
	// Resource is the FlinkBlueGreenDeployment with its status, as just read. Never nil.
	Resource *v1beta1.FlinkBlueGreenDeployment
	// SpecProblem says why spec could not be decoded; empty when it could.
	SpecProblem string
	// Blue and Green are the sides: the FlinkDeployment of the name, which has the job of the FlinkSessionJob of the name
	// where it is a session cluster, see Join.
	Blue, Green plan.Observed[*v1beta1.FlinkDeployment]
	// Parts are the two resources of each side that is a session cluster.
	Parts map[v1beta1.BlueGreenType]Parts
	// Moving is what Flink says for a handover.
	Moving Moving
	// Left is what there is of an earlier cluster of the target's name.
	Left plan.Observed[Left]
	// Savepoint is what Flink says of the savepoint that the transition asked for.
	Savepoint plan.Observed[snapshots.Operation]
	// Gates is what was found for the gates of the target.
	Gates Gates
	// Ingress is the one of the resource's name.
	Ingress plan.Observed[*networkingv1.Ingress]
}

// Left is what is left of a cluster whose FlinkDeployment is gone.
type Left struct {
	// JobManager is true while its Deployment is there.
	JobManager bool
	// HAData are the ConfigMaps of its high-availability data, sorted by name.
	HAData []plan.ObjectVersion
}

// Gates is what one look found for the gates of a target. What no gate needs is Unknown.
type Gates struct {
	// Checkpoints is how many its job has completed since it started.
	Checkpoints plan.Observed[int64]
	// Restarts is how often its job restarted since it started.
	Restarts plan.Observed[int64]
	// Lag is how many records are pending at its sources; Absent where no source tells it.
	Lag plan.Observed[int64]
	// Sent is what its sinks did; Absent where no sink tells it.
	Sent plan.Observed[Sent]
	// Query is what Prometheus answered, one value a sample.
	Query plan.Observed[[]float64]
	// Services is what each service said, by its name: why it refuses, empty where it allows.
	Services map[string]plan.Observed[string]
	// ByPass is true where only a pass asks what is missing.
	ByPass bool
}

// Sent are records that sinks sent.
type Sent struct {
	// Records is how many were sent, Errors how many of them failed.
	Records, Errors int64
}

// Side is the FlinkDeployment of a colour.
func (s Snapshot) Side(colour v1beta1.BlueGreenType) plan.Observed[*v1beta1.FlinkDeployment] {
	switch colour {
	case v1beta1.Blue:
		return s.Blue
	case v1beta1.Green:
		return s.Green
	}
	return plan.Absent[*v1beta1.FlinkDeployment]()
}

// isCanary reports whether the resource only tests an operator. One that was deployed has jobs to look after, whatever
// its labels say.
func (s Snapshot) isCanary() bool {
	return v1beta1.OnlyCanaryPair(s.Resource.Labels, s.Resource.Status)
}

// The situations of a FlinkBlueGreenDeployment, beside those that package plan has for every kind.
const (
	// Savepointing: a savepoint of the side that serves is being taken.
	Savepointing plan.Situation = "Savepointing"
	// Clearing: what is left of an earlier side of the target's name goes.
	Clearing plan.Situation = "Clearing"
	// Transitioning: a new side is to become ready.
	Transitioning plan.Situation = "Transitioning"
	// HandingOver: the job moves from one side to the other.
	HandingOver plan.Situation = "HandingOver"
	// Gated: the new side is ready and waits for its gates.
	Gated plan.Situation = "Gated"
	// Retiring: the new side serves and the old one goes.
	Retiring plan.Situation = "Retiring"
	// Aborting: the new side is given up and suspended.
	Aborting plan.Situation = "Aborting"
	// Withdrawing: the new side is not wanted any more and is deleted.
	Withdrawing plan.Situation = "Withdrawing"
	// Changing: the side that serves is changed in place.
	Changing plan.Situation = "Changing"
	// Held: a change cannot begin, or was given up.
	Held plan.Situation = "Held"
)

// Parts are the resources of a side that can be handed over to: a session cluster, and the job on it.
type Parts struct {
	// Cluster is the FlinkDeployment. Never nil.
	Cluster *v1beta1.FlinkDeployment
	// Job is the FlinkSessionJob of the same name.
	Job plan.Observed[*v1beta1.FlinkSessionJob]
}
