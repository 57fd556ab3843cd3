package sessionjob

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
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

// ClusterOf is the name of the session cluster of a session job: that of the spec acted on last, because its job runs
// there; of one that was never deployed, or whose record cannot be read, that of the spec. Empty when neither says it.
func ClusterOf(r *v1beta1.FlinkSessionJob) string {
	text := r.Status.ReconciliationStatus.LastReconciledSpec
	if text == "" {
		return r.Spec.DeploymentName
	}
	record, err := v1beta1.ParseReconciledSessionJob(text)
	if err != nil || record.Spec.DeploymentName == "" {
		return r.Spec.DeploymentName
	}
	return record.Spec.DeploymentName
}

// AskAutoscaled reports whether to look at what the autoscaler keeps, given the session cluster. What
// it set is part of the spec that the other questions are about.
func AskAutoscaled(s Snapshot) bool { return job.Autoscaled(newView(s).Life) }

// AskValidators reports whether to ask the user's validators about the spec, unless their verdict is stored.
func AskValidators(s Snapshot) bool { return job.AsksValidators(newView(s).Life.Seen) }

// Ask says what to look at, given the session cluster.
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
func Ask(s Snapshot) Questions {
	v := asking(s)
	q := Questions{Others: asksOthers(s.Resource)}
	deleting := s.Resource.DeletionTimestamp != nil
	if deleting {
		q.HAData, q.HANodes = v.whereHA()
	}
	if !v.CanBeAsked() {
		return q
	}
	endpoint, intent := v.Endpoint(), v.Intent()
	q.Flink = &endpoint
	starts := intent != nil && (intent.Step == v1beta1.StepStarting || intent.Step == v1beta1.StepReleased)
	stops := intent != nil && intent.Step == v1beta1.StepStopping
	ended := s.Resource.Status.JobStatus.State.IsTerminal()
	q.Jars = starts
	q.Stop = stops && intent.Stop == v1beta1.StopSavepoint && !intent.Ended && intent.Stops != nil
	snapshots := job.Snapshots(v.Life)
	q.Snapshots = intent == nil && !deleting && !ended && (snapshots.Wanted() || snapshots.HasHistory())
	return q
}

// asking is a snapshot for the questions: with the spec that counts.
func asking(s Snapshot) view {
	v := newView(s)
	if v.NeedsJudging() {
		accept(v)
	}
	return v
}

// AskAll are the questions that can be asked, given the session cluster. Tests hold that a decision which got all
// answers is the one that Ask leads to.
func AskAll(s Snapshot) Questions {
	v, q := asking(s), Questions{Others: true}
	q.HAData, q.HANodes = v.whereHA()
	if v.CanBeAsked() {
		endpoint, intent := v.Endpoint(), v.Intent()
		q.Flink, q.Jars, q.Snapshots, q.Stop = &endpoint, true, true, intent != nil && intent.Stops != nil
	}
	return q
}

// whereHA is where to look for the high-availability data of the session cluster.
func (v view) whereHA() (inConfigMaps bool, nodes *znode.Location) {
	if v.cluster == nil {
		return false, nil
	}
	store := v.cluster.HA().Store
	if store.InZooKeeper() {
		return false, &store.Nodes
	}
	return store.Readable(), nil
}

// AskFlink says what else to ask Flink, given the jobs.
func AskFlink(s Snapshot) job.More { return job.AskMore(asking(s).Life) }

// Seen is what the life of the job sees, for those who ask Flink.
func Seen(s Snapshot) job.Seen { return *newView(s).Seen }
