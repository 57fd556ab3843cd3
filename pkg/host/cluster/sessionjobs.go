package cluster

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/options"
)

// SessionJob is one FlinkSessionJob of a session cluster.
type SessionJob struct {
	// Name is metadata.name.
	Name string
	// CallUntil is until when a request of it may be on its way to the JobManager, or a stop of it may have to be
	// recorded; the zero time: nothing is waited for.
	CallUntil time.Time
	// JobID is that of its newest job; empty when it has none, or its resource cannot be read.
	JobID string
	// Ended reports whether the end of that job is recorded, as that of one that is suspended.
	Ended bool
	// StateUnknown reports whether its newest state is needed, and status does not say what that is.
	StateUnknown bool
	// Unreadable reports whether its resource cannot be read, so that nobody knows its job.
	Unreadable bool
}

// HostedJob is a FlinkSessionJob as its session cluster, with this configuration, sees it.
func HostedJob(j *v1beta1.FlinkSessionJob, cluster flinkconf.Config) SessionJob {
	status := j.Status.JobStatus
	ended := status.State.IsTerminal()
	keeps := j.Spec.Job == nil || j.Spec.Job.DesiredUpgradeMode() != v1beta1.UpgradeModeStateless
	unread := status.LastStateUnread || status.UpgradeSavepointPath == v1beta1.LastStatePlaceholder
	return SessionJob{
		Name: j.Name, CallUntil: busyUntil(j, cluster), JobID: status.JobID, Ended: ended,
		StateUnknown: ended && keeps && unread,
	}
}

// callTakes is how long a request of a pass may be on its way: the budget of a pass, and room.
const callTakes = 30 * time.Second

// CallUntil is until when a request may be on its way to Flink that the open intent of a session job accounts for; the
// zero time: none is.
//
//	the intent                                   the request
//	is released, and Flink is asked to run it    the run
//	is released, not long ago                    the same, which may follow
//	stops the job with a savepoint               the stop
//	cancels it, to go on from its checkpoint     the cancellation, after which only the JobManager tells which that is
func CallUntil(intent *v1beta1.Intent) time.Time {
	switch {
	case intent == nil || intent.Ended:
	case intent.Step == v1beta1.StepReleased && intent.Release != nil && intent.Release.RunAt != nil:
		return intent.Release.RunAt.Add(callTakes)
	case intent.Step == v1beta1.StepReleased && intent.Release != nil && intent.Release.At != nil:
		return intent.Release.At.Add(callTakes)
	case intent.Step == v1beta1.StepStopping &&
		(intent.Stop == v1beta1.StopSavepoint || intent.Stop == v1beta1.StopCancel):
		return intent.StoredAt.Add(callTakes)
	}
	return time.Time{}
}

// busyUntil is the same, with a stop that keeps what the job ends with: until that is recorded, only the JobManager
// knows it. It has as long as a checkpoint may take. What is lost already is not waited for.
func busyUntil(j *v1beta1.FlinkSessionJob, cluster flinkconf.Config) time.Time {
	intent := j.Status.Intent
	until := CallUntil(intent)
	lost := j.Status.Situation == string(plan.StateLost)
	if until.IsZero() || intent.Step != v1beta1.StepStopping || lost {
		return until
	}
	spec := j.Spec
	record, err := v1beta1.ParseReconciledSessionJob(j.Status.ReconciliationStatus.LastReconciledSpec)
	if err == nil {
		spec = record.Spec
	}
	return until.Add(j.Status.JobStatus.CheckpointTimeoutOr(options.Of(func() flinkconf.Config {
		if own, err := flinkconf.SessionJob(cluster, j.Name, &spec); err == nil {
			return own
		}
		return cluster
	}).CheckpointTimeout()))
}
