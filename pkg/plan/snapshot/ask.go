package snapshot

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
)

// AskJob is the job whose resource the decision needs; nil when it needs none.
func AskJob(s Snapshot) *v1beta1.JobReference {
	v := newView(s)
	reference := s.Resource.Spec.JobReference
	switch {
	case reference == nil || reference.Name == "" || v.isCanary():
		return nil
	case s.Resource.DeletionTimestamp != nil:
		if v.lacksFinalizer() || !disposal(v).wanted() {
			return nil
		}
		return reference
	case v.isFinal():
		return nil
	}
	return reference
}

// Query is what to ask Flink.
type Query struct {
	// Endpoint is where the JobManager answers.
	Endpoint plan.Endpoint
	// JobID is the job to find among those it lists.
	JobID string
	// Request is the request in flight; nil when there is none to ask about.
	Request *snapshots.Request
}

// Ask says what to ask Flink, once the job's resource was looked at; nil when nothing is.
func Ask(s Snapshot) *Query {
	v := newView(s)
	if v.job.endpoint == nil || AskJob(s) == nil {
		return nil
	}
	q := &Query{Endpoint: *v.job.endpoint, JobID: v.job.status.JobID}
	deleting := s.Resource.DeletionTimestamp != nil
	switch {
	case v.want.State == v1beta1.SnapshotInProgress:
		if v.want.TriggerID != "" {
			q.Request = &snapshots.Request{Type: v.kind, JobID: attempt(v).requestedJob(), TriggerID: v.want.TriggerID}
		}
	case deleting:
		if v.want.State != v1beta1.SnapshotCompleted {
			return nil
		}
	case s.Resource.Spec.Savepoint.Exists(), v.problem != "", attempt(v).backsOff():
		return nil
	}
	return q
}

// AskCheckpoint is the ID of the checkpoint whose details are needed, once the request was asked about; false when none
// are.
func AskCheckpoint(s Snapshot) (int64, bool) {
	operation, _ := s.Flink.Operation.Get()
	done := operation.State == snapshots.OperationCompleted && snapshots.TypeOf(s.Resource.Spec) == snapshots.Checkpoint
	return operation.CheckpointID, done
}
