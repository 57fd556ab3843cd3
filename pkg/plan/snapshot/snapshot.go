package snapshot

import (
	"time"

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
	// Resource is the FlinkStateSnapshot with its status, as just read. Never nil.
	Resource *v1beta1.FlinkStateSnapshot
	// SpecProblem says why spec could not be decoded; empty when it could.
	SpecProblem string
	// Deployment is the FlinkDeployment that spec.jobReference names, or the cluster of the FlinkSessionJob that it
	// names.
	Deployment plan.Observed[*v1beta1.FlinkDeployment]
	// SessionJob is the FlinkSessionJob that spec.jobReference names.
	SessionJob plan.Observed[*v1beta1.FlinkSessionJob]
	// Readers are the paths that other resources of the namespace may still read.
	Readers plan.Observed[snapshots.Readers]
	// Flink is what the JobManager answered.
	Flink Flink
}

// Flink is what the JobManager answered over REST.
type Flink struct {
	// Job is the job as GET /jobs/overview lists it; Absent when the JobManager answers and does not list it.
	Job plan.Observed[Job]
	// Operation is what it says of the request in flight.
	Operation plan.Observed[snapshots.Operation]
	// Checkpoint is the checkpoint that a completed request made; Absent when it has left the history.
	Checkpoint plan.Observed[Checkpoint]
}

// Job is the job as Flink lists it.
type Job struct {
	// State is the job's state.
	State v1beta1.FlinkJobState
	// StartTime is epoch milliseconds as decimal text.
	StartTime string
}

// Checkpoint is one checkpoint (GET /jobs/:jobid/checkpoints/details/:id).
type Checkpoint struct {
	// Done is false while it is in progress.
	Done bool
	// Path is where a completed one lies; empty when it failed, or lies in the JobManager's memory.
	Path string
	// Failure says why it failed; empty when it did not.
	Failure string
}

// The situations of a FlinkStateSnapshot, beside those that package plan has for every kind.
const (
	// Triggering: a request is stored and being made.
	Triggering plan.Situation = "Triggering"
	// Taking: Flink is at it.
	Taking plan.Situation = "Taking"
	// AwaitingJob: the job is expected to run again.
	AwaitingJob plan.Situation = "AwaitingJob"
	// BackingOff: an attempt failed and the next one is not due yet.
	BackingOff plan.Situation = "BackingOff"
	// Completed: the snapshot exists.
	Completed plan.Situation = "Completed"
	// Failed: no attempt is left.
	Failed plan.Situation = "Failed"
	// Abandoned: its job is gone, or has ended.
	Abandoned plan.Situation = "Abandoned"
)

// componentSnapshot is the source of a snapshot's own events.
const componentSnapshot = "Snapshot"

// Types of status.error, as users of the Java operator know them.
const typeReconciliation = "org.apache.flink.kubernetes.operator.exception.ReconciliationException"
