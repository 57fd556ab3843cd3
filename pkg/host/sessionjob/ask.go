package sessionjob

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
	"github.com/kn-flink/kn-flink/pkg/host/session"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Questions are the parts of the world that a decision needs, beyond the resource and its session cluster.
type Questions struct {
	// Flink is where to ask for the jobs; nil means not to ask.
	Flink *plan.Endpoint
	// HAData asks for the high-availability ConfigMaps of the session cluster.
	HAData bool
	// HANodes asks for its high-availability data in ZooKeeper, there; nil means not to ask.
	HANodes *znode.Location
	// Jars asks for the uploaded jars.
	Jars bool
	// Stop asks for the state of the stop-with-savepoint of the open intent.
	Stop bool
	// Snapshots asks for the FlinkStateSnapshots of the job.
	Snapshots bool
	// Others asks for the other session jobs of the namespace.
	Others bool
}

// First says what to look at, given the session cluster.
//
//	what       when
//	Flink      a JobManager pod is available and its Deployment is not being deleted
//	HAData     the resource is being deleted, and its session cluster keeps high-availability data on Kubernetes
//	HANodes    the same, in ZooKeeper
//	Jars       a start is open; in a deletion one that Flink was asked to run
//	Stop       a stop-with-savepoint is on its way
//	Snapshots  the spec or the options ask for snapshots, or the status has a history of savepoints; not of a job that
//	           has ended
//	Others     the resource was made after its job began, and its status does not say whose it is
func (i *Inquiry) First() Questions {
	v := i.accepted()
	s := v.Seen
	q := Questions{Others: asksOthers(s.Resource)}
	deleting := s.Resource.DeletionTimestamp != nil
	if deleting {
		q.HAData, q.HANodes = whereHA(v)
	}
	if !v.CanBeAsked() {
		return q
	}
	endpoint, intent := v.Endpoint(), v.Look.Intent()
	q.Flink = &endpoint
	starts := intent != nil && (intent.Step == v1beta1.StepStarting || intent.Step == v1beta1.StepReleased)
	stops := intent != nil && intent.Step == v1beta1.StepStopping
	ended := s.Resource.Status.JobStatus.State.IsTerminal()
	q.Jars = starts
	q.Stop = stops && intent.Stop == v1beta1.StopSavepoint && !intent.Ended && intent.Stops != nil
	snapshots := v.Look
	q.Snapshots = intent == nil && !deleting && !ended &&
		(facts.SnapshotsWanted(snapshots) || facts.HasSnapshotHistory(snapshots))
	return q
}

// All are the questions that can be asked, given the session cluster. Tests hold that a decision which got all answers
// is the one that First leads to.
func (i *Inquiry) All() Questions {
	v, q := i.accepted(), Questions{Others: true}
	q.HAData, q.HANodes = whereHA(v)
	if v.CanBeAsked() {
		endpoint, intent := v.Endpoint(), v.Look.Intent()
		q.Flink, q.Jars, q.Snapshots, q.Stop = &endpoint, true, true, intent != nil && intent.Stops != nil
	}
	return q
}

// whereHA is where to look for the high-availability data of the session cluster.
func whereHA(v *session.Job) (inConfigMaps bool, nodes *znode.Location) {
	if v.Cluster == nil {
		return false, nil
	}
	store := v.Cluster.HA().Store
	if store.InZooKeeper() {
		return false, &store.Nodes
	}
	return store.Readable(), nil
}
