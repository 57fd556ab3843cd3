package deployment

import (
	"maps"
	"slices"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/ask"
	"github.com/kn-flink/kn-flink/pkg/engine/decide"
	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/engine/loss"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/evidence"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Questions are the parts of the world that a decision needs, beyond the resource and its Deployment.
type Questions struct {
	// Flink is where to ask for the jobs; nil means not to ask.
	Flink *plan.Endpoint
	// Pods asks for the JobManager's pods, and for FailedMount events when one cannot mount.
	Pods bool
	// TaskManagers asks for the TaskManagers' pods.
	TaskManagers bool
	// TaskManagerDeployment asks for the Deployment of a standalone cluster's TaskManagers.
	TaskManagerDeployment bool
	// ReplicaSets asks for those of the cluster.
	ReplicaSets bool
	// Companions asks for the objects of a prepared start; ExpectedCompanions names them.
	Companions bool
	// Stop asks for the state of the stop-with-savepoint of the open intent.
	Stop bool
	// Owned asks for what goes with the Deployment.
	Owned bool
	// HAData asks for the high-availability ConfigMaps.
	HAData bool
	// HANodes asks for the high-availability data in ZooKeeper, there; nil means not to ask.
	HANodes *znode.Location
	// Ingress asks for the Ingress of the resource's name.
	Ingress bool
	// Snapshots asks for the FlinkStateSnapshots of the job.
	Snapshots bool
	// SessionJobs asks for the FlinkSessionJobs of this session cluster.
	SessionJobs bool
}

// All are the questions that can be asked, given the resource and its Deployment: each of them has an answer, if
// maybe of no interest. A JobManager that is not available, or is going, has none. Tests hold that a decision which got
// all answers is the one that First leads to.
func (i *Inquiry) All() Questions {
	v := i.accepted().Cluster
	jm, present := v.Seen.JobManager.Get()
	intent, ha := v.Look.Intent(), v.HAToRemove().Store
	q := Questions{
		Pods: true, TaskManagers: true, TaskManagerDeployment: true, Ingress: true, Snapshots: true, SessionJobs: true,
		Companions: present && intent != nil, Owned: present && jm.DeletionTimestamp == nil, HAData: true,
	}
	if v.CanBeAsked() {
		endpoint := v.Endpoint()
		q.Flink, q.Stop = &endpoint, intent != nil && intent.Stops != nil
	}
	if ha.Readable() && ha.InZooKeeper() {
		q.HANodes = &ha.Nodes
	}
	return q
}

// First says what to look at next, given the resource and its Deployment.
//
//	what                   when
//	Flink                  a JobManager pod is available and the Deployment is not being deleted
//	Pods                   the Deployment has no available pod, is gone though it should run, is not there yet, or is
//	                       being stopped; or the job waits for its tasks to run; or a start that has a predecessor is
//	                       prepared
//	TaskManagers           the Deployment is gone, or is being deleted, and Pods; or it is retired, for longer than that
//	                       takes; or the job waits for its tasks to run; or such a start is prepared
//	ReplicaSets            such a start is prepared, a retired Deployment may be about to be deleted, or one is gone and
//	                       something may follow
//	TaskManagerDeployment  a standalone cluster, in reactive mode or whose job's tasks are not known to run, or that is
//	                       being changed
//	Companions             a start is being prepared and its Deployment exists
//	Owned                  the Deployment may be about to be deleted: for its resource, or when it has no replicas
//	HAData                 high availability on Kubernetes, and: a first start, a change or recovery that may need it, a
//	                       job of which it is not recorded or compared yet, a job that is not healthy or is missed, a
//	                       rollback, a start from it, a stop of a job that never began, a stop that ends with the data
//	                       removed, a deletion, or a cluster that does not end without it: a deletion whose Deployment
//	                       is gone, for what an earlier configuration left
//	HANodes                the same, with high availability on ZooKeeper
//	Stop                   a stop-with-savepoint is on its way
//	Ingress                what runs, or is being prepared, asks for one, or it may be there to be removed, and the
//	                       cluster is not being stopped
//	Snapshots              the spec or the options ask for snapshots, or the status has a history of savepoints; not of
//	                       a job that has ended
//	SessionJobs            a session cluster is being stopped or deleted, or started where an earlier configuration kept
//	                       its high-availability data
func (i *Inquiry) First() Questions {
	v := i.accepted().Cluster
	s := v.Seen
	q := Questions{}
	intent := v.Look.Intent()
	deleting := v.Look.Resource().DeletionTimestamp != nil
	stopping := intent != nil && intent.Step == v1beta1.StepStopping
	jm, present := s.JobManager.Get()
	available := present && jm.DeletionTimestamp == nil && jm.Status.AvailableReplicas > 0
	if available {
		endpoint := v.Endpoint()
		q.Flink = &endpoint
	}
	lost, changing := isLost(v), ask.AsksToStop(v.Look)
	q.Pods = asksPods(v)
	q.Ingress = !deleting && !stopping && mayHaveIngress(v)
	if intent != nil && intent.Step == v1beta1.StepStarting {
		if present && cluster.OwnOperation(jm) == intent.OperationID {
			q.Companions = true
		}
	}
	follows, goes := q.Companions && cluster.HasPredecessor(v), mayGo(v)
	q.ReplicaSets = follows || goes && cluster.Retired(jm) || mayBeMade(v)
	first := v.Look.Last == nil || (intent != nil && intent.Step == v1beta1.StepStarting)
	q.Stop = available && stopping && intent.Stop == v1beta1.StopSavepoint && !intent.Ended
	fromHA := intent != nil && intent.From != nil && intent.From.Kind == v1beta1.StartLastState
	heals := v.Look.AtRest() && facts.KnownUnhealthy(v.Look) && facts.HealthChecked(v.Look)
	q.TaskManagers = asksTaskManagers(v) || (retiring(v) && cluster.Overdue(v))
	q.TaskManagerDeployment = cluster.AsksTaskManagerDeployment(v)
	if follows || cluster.AwaitsTasks(v) {
		q.Pods, q.TaskManagers = true, true
	}
	late := q.TaskManagers && cluster.LooksAtLeases(v)
	// whether a job that never began has begun meanwhile
	begins := stopping && intent.Stop == v1beta1.StopNone
	missed := v.Look.AtRest() && facts.MissesItsJob(v.Look)
	stops := stopping && s.JobManager.IsAbsent()
	changes := changing || (v.Look.AtRest() && lost)
	rollsBack := ask.RollsBack(v.Look)
	needed := first || deleting || fromHA || heals || rollsBack || missed || late || begins || stops || changes ||
		loss.DataWanted(v.Look)
	ha := v.HAToRemove().Store
	forgets := !deleting && intent != nil && intent.Step == v1beta1.StepStarting && intent.ForgetsJobs
	if forgets {
		ha = cluster.HAStoreOfStart(v)
	}
	if ha.Readable() && needed {
		if q.HAData = !ha.InZooKeeper(); ha.InZooKeeper() {
			q.HANodes = &ha.Nodes
		}
	}
	prepared := q.Companions && intent.Generation == v.Look.Generation
	q.Owned = present && jm.DeletionTimestamp == nil && (deleting || goes && !prepared)
	ended := s.Resource.Status.JobStatus.State.IsTerminal()
	snapshots := v.Look
	q.Snapshots = available && intent == nil && !deleting && !ended &&
		(facts.SnapshotsWanted(snapshots) || facts.HasSnapshotHistory(snapshots))
	q.SessionJobs = (deleting || stopping || forgets) && v.Look.IsSession()
	return q
}

// mayGo reports whether the Deployment may be deleted in this round, for a stop or a change: it asks for no pods, and
// its controller has acted on that. A deletion that begins does not look at what was retired before.
func mayGo(v *cluster.Cluster) bool {
	intent := v.Look.Intent()
	jm, present := v.Seen.JobManager.Get()
	stopping := intent != nil && intent.Step == v1beta1.StepStopping
	deleting := v.Look.Resource().DeletionTimestamp != nil
	return present && jm.DeletionTimestamp == nil && evidence.Replicas(jm) == 0 && !cluster.PodsMayCome(jm) &&
		(stopping || !deleting && (ask.AsksToStop(v.Look) || v.Look.AtRest() && cluster.Leaves(v)))
}

// isLost reports whether the Deployment of a cluster that should run is gone.
func isLost(v *cluster.Cluster) bool {
	rests := v.Look.Last != nil && !v.Look.LastRunning() && !v.Look.WantsRunning()
	return v.Seen.JobManager.IsAbsent() && v.Look.Last != nil && !rests
}

// asksPods reports whether the pods of the JobManager are asked for.
func asksPods(v *cluster.Cluster) bool {
	intent := v.Look.Intent()
	jm, present := v.Seen.JobManager.Get()
	available := present && jm.DeletionTimestamp == nil && jm.Status.AvailableReplicas > 0
	starting := intent != nil && intent.Step == v1beta1.StepStarting
	stopping := intent != nil && intent.Step == v1beta1.StepStopping
	deleting := v.Look.Resource().DeletionTimestamp != nil && !v.Seen.JobManager.IsUnknown()
	return (present && !available && !starting) || isLost(v) || stopping || deleting || mayFollow(v)
}

// mayFollow reports whether a first start is made in this round, which may find what an earlier resource of its name
// has left: one that was deleted without its finalizer, or whose pods a controller that is behind made late.
func mayFollow(v *cluster.Cluster) bool {
	_, unheld := decide.MissingFinalizer(v.Look)
	starts := v.Look.Intent() != nil || v.Look.WantsRunning() && v.Look.Problem == "" && !unheld
	return starts && v.Look.Last == nil && v.Seen.JobManager.IsAbsent() && v.Look.Resource().DeletionTimestamp == nil
}

// mayBeMade reports whether pods of a cluster may still be made although its Deployment is gone, and something may
// follow.
func mayBeMade(v *cluster.Cluster) bool {
	return v.Seen.JobManager.IsAbsent() && v.Look.Last != nil && v.Look.Resource().DeletionTimestamp == nil && asksPods(v)
}

// asksTaskManagers reports whether those of the TaskManagers are.
func asksTaskManagers(v *cluster.Cluster) bool {
	jm, present := v.Seen.JobManager.Get()
	going := v.Seen.JobManager.IsAbsent() || (present && jm.DeletionTimestamp != nil)
	return going && asksPods(v)
}

// mayHaveIngress reports whether there is, or should be, an Ingress. One that another operator made shows in no
// condition of ours: it is looked for when a start no longer asks for one.
func mayHaveIngress(v *cluster.Cluster) bool {
	intent, running := v.Look.Intent(), v.Look.Running()
	dropped := intent != nil && intent.Step == v1beta1.StepStarting && intent.Purpose != v1beta1.PurposeDeploy
	return cluster.IngressShown(v) || v.Look.Spec.Ingress != nil || (running != nil && running.Ingress != nil) || dropped
}

// retiring reports whether the open stop takes the JobManager away first, and has begun to.
func retiring(v *cluster.Cluster) bool {
	jm, present := v.Seen.JobManager.Get()
	return v.Look.Intent() != nil && v.Look.Intent().Step == v1beta1.StepStopping && present && cluster.Retired(jm)
}

// Nodes are the names of the nodes to ask for, once the pods are known: those of pods that should have ended by now,
// and of pods that never ran, where it counts that they never did, or did not when that was decided.
func (i *Inquiry) Nodes() []string {
	v := i.accepted().Cluster
	left := cluster.PodsLeft(v)
	if len(left) == 0 {
		return nil
	}
	wanted, late := map[string]bool{}, (asksTaskManagers(v) || retiring(v)) && cluster.LooksAtLeases(v)
	stopping := v.Look.Intent() != nil && v.Look.Intent().Step == v1beta1.StepStopping
	counts := ask.AsksToStop(v.Look) || ask.RollsBack(v.Look) || stopping
	began := stopping && v.Look.Intent().Stop == v1beta1.StopNone ||
		v.Look.Intent() != nil && v.Look.Intent().Reopens // unseen, since
	for _, pod := range left {
		ended := pod.DeletionTimestamp != nil && v.Seen.Now.After(pod.DeletionTimestamp.Time)
		if pod.Spec.NodeName != "" && (late || ended || began || (counts && !evidence.HasRun(pod))) {
			wanted[pod.Spec.NodeName] = true
		}
	}
	return slices.Sorted(maps.Keys(wanted))
}
