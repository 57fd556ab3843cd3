package ask

import (
	"maps"
	"slices"
	"time"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan/cluster/evidence"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
	"github.com/kn-flink/kn-flink/pkg/plan/snapshots"
	"github.com/kn-flink/kn-flink/pkg/plan/specdiff"
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
	// Companions asks for the objects of a prepared start; Expected names them.
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

// Autoscaled reports whether to look at what the Java operator's autoscaler stored. It is asked before all else: what
// it says is part of the spec.
func Autoscaled(s cluster.Snapshot) bool { return cluster.New(s).Autoscaled() }

// First says what to look at next, given the resource and its Deployment.
//
//	what        when
//	Flink       a JobManager pod is available and the Deployment is not being deleted
//	Pods        the Deployment has no available pod, is gone though it should run, or is being stopped
//	TaskManagers the Deployment is gone, or is being deleted, and Pods
//	TaskManagerDeployment  the same, of a standalone cluster
//	Companions  a start is being prepared and its Deployment exists
//	Owned       the Deployment is about to be deleted
//	HAData      high availability on Kubernetes or, HANodes, in ZooKeeper, and: a first start, a change or recovery that
//	            may need it, a job that is not healthy or is missed, a rollback, a start from it, a stop of a job that
//	            never began, a stop that ends with the data removed, a deletion, or a cluster that does not end
//	            without it: a deletion whose Deployment is gone, for what an earlier configuration left
//	Stop        a stop-with-savepoint is on its way
//	Ingress     what runs, or is being prepared, asks for one, or it may be there to be removed, and the cluster is not
//	            being stopped
//	Snapshots   the spec or the options ask for snapshots, or the status has a history of savepoints; not of a job that
//	            has ended
//	SessionJobs a session cluster is being deleted
func First(s cluster.Snapshot) Questions {
	v := cluster.New(s)
	q := Questions{}
	intent := v.Intent()
	deleting := v.Resource().DeletionTimestamp != nil
	stopping := intent != nil && intent.Step == v1beta1.StepStopping
	jm, present := s.JobManager.Get()
	available := present && jm.DeletionTimestamp == nil && jm.Status.AvailableReplicas > 0
	if available {
		endpoint := v.Endpoint()
		q.Flink = &endpoint
	}
	lost, changing := isLost(v), asksToStop(v)
	q.Pods = asksPods(v)
	q.Ingress = !deleting && !stopping && mayHaveIngress(v)
	if intent != nil && intent.Step == v1beta1.StepStarting {
		if present && cluster.OwnOperation(jm) == intent.OperationID {
			q.Companions = true
		}
	}
	first := v.Last == nil || (intent != nil && intent.Step == v1beta1.StepStarting)
	q.Stop = available && stopping && intent.Stop == v1beta1.StopSavepoint && !intent.Ended
	fromHA := intent != nil && intent.From != nil && intent.From.Kind == v1beta1.StartLastState
	heals := atRest(v) && v.KnownUnhealthy() && v.ChecksHealth()
	q.TaskManagers = asksTaskManagers(v)
	q.TaskManagerDeployment = q.TaskManagers && v.IsStandalone()
	late := (q.TaskManagers || retiring(v)) && v.Overdue()
	// whether a job that never began has begun meanwhile
	begins := stopping && intent.Stop == v1beta1.StopNone
	missed := atRest(v) && v.MissesItsJob()
	stops := stopping && s.JobManager.IsAbsent()
	changes := intent == nil && (lost || changing)
	needed := first || deleting || fromHA || heals || rollsBack(v) || missed || late || begins || stops || changes
	if ha := v.HAToRemove().Store; ha.Readable() && needed {
		if q.HAData = !ha.InZooKeeper(); ha.InZooKeeper() {
			q.HANodes = &ha.Nodes
		}
	}
	q.Owned = present && jm.DeletionTimestamp == nil && (deleting || stopping || changing || heals || rollsBack(v))
	ended := s.Resource.Status.JobStatus.State.IsTerminal()
	q.Snapshots = available && intent == nil && !deleting && !ended && (v.TakesSnapshots() || v.HasHistory())
	q.SessionJobs = deleting && v.IsSession()
	return q
}

// isLost reports whether the Deployment of a cluster that should run is gone.
func isLost(v *cluster.Cluster) bool {
	rests := v.Last != nil && !v.LastRunning() && !v.WantsRunning()
	return v.Seen.JobManager.IsAbsent() && v.Last != nil && !rests
}

// asksPods reports whether the pods of the JobManager are asked for.
func asksPods(v *cluster.Cluster) bool {
	intent := v.Intent()
	jm, present := v.Seen.JobManager.Get()
	available := present && jm.DeletionTimestamp == nil && jm.Status.AvailableReplicas > 0
	starting := intent != nil && intent.Step == v1beta1.StepStarting
	stopping := intent != nil && intent.Step == v1beta1.StepStopping
	deleting := v.Resource().DeletionTimestamp != nil && !v.Seen.JobManager.IsUnknown()
	return (present && !available && !starting) || isLost(v) || stopping || deleting
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
	intent, running := v.Intent(), v.Running()
	dropped := intent != nil && intent.Step == v1beta1.StepStarting && intent.Purpose != v1beta1.PurposeDeploy
	return v.IngressShown() || v.Spec.Ingress != nil || (running != nil && running.Ingress != nil) || dropped
}

// atRest reports whether no operation is under way.
func atRest(v *cluster.Cluster) bool {
	released := v.Intent() == nil || v.Intent().Step == v1beta1.StepReleased
	return released && v.Resource().DeletionTimestamp == nil
}

// retiring reports whether the open stop takes the JobManager away first, and has begun to.
func retiring(v *cluster.Cluster) bool {
	jm, present := v.Seen.JobManager.Get()
	return v.Intent() != nil && v.Intent().Step == v1beta1.StepStopping && present && cluster.Retired(jm)
}

// rollsBack reports whether a rollback is due.
func rollsBack(v *cluster.Cluster) bool { return atRest(v) && v.RollbackDue() }

// asksToStop reports whether the spec differs from what was acted on, so that the cluster may be stopped in this round.
func asksToStop(v *cluster.Cluster) bool {
	return v.Last != nil && v.Seen.SpecProblem == "" &&
		specdiff.Classify(&v.Last.Spec, &v.Spec, v.Spec.DesiredMode()).Kind.Effective()
}

// Nodes are the names of the nodes to ask for, once the pods are known: those of pods that should have ended by now,
// and of pods that never ran, where it counts that they never did.
func Nodes(s cluster.Snapshot) []string {
	v := cluster.New(s)
	left := v.PodsLeft()
	if len(left) == 0 {
		return nil
	}
	wanted, late := map[string]bool{}, (asksTaskManagers(v) || retiring(v)) && v.Overdue()
	counts := asksToStop(v) || rollsBack(v) || (v.Intent() != nil && v.Intent().Step == v1beta1.StepStopping)
	for _, pod := range left {
		ended := pod.DeletionTimestamp != nil && s.Now.After(pod.DeletionTimestamp.Time)
		if pod.Spec.NodeName != "" && (late || ended || (counts && !evidence.HasRun(pod))) {
			wanted[pod.Spec.NodeName] = true
		}
	}
	return slices.Sorted(maps.Keys(wanted))
}

// More is what to ask Flink once its jobs are known.
type More struct {
	// Facts asks for the cluster's figures.
	Facts bool
	// Failure asks for the cause of a failure.
	Failure bool
	// Checkpoints asks for the job's checkpoint statistics.
	Checkpoints bool
	// Retention asks which of its checkpoints outlive it.
	Retention bool
	// Graph asks whether Flink has an execution graph of the job, and what its clock is.
	Graph bool
	// Health asks for what the job's health is judged by, Progress for its checkpoints, too.
	Health, Progress bool
	// LateStops asks what became of stops that were given up.
	LateStops bool
	// Requests asks for the snapshots in flight that the job's status records.
	Requests bool
	// Exceptions is how many entries of the job's exception history to ask for, the newest; 0 asks for none.
	Exceptions int
}

// recentEnd is how long after its end was recorded a job's statistics are still read: the first answers may be old
// ones.
const recentEnd = time.Minute

// Then says what else to ask Flink, given the jobs. Of another run of a job that had ended, or was being stopped,
// nothing is asked.
//
//	what         when
//	Facts        until the spec is stable, when the JobManager became ready, when the job's state moved; not of a job
//	             that is being stopped
//	Failure      the job FAILED and its cause is not recorded
//	Checkpoints  the job has ended and that, or its last state, is not recorded, or a change or rollback starts from it,
//	             or its end is being
//	             waited for and, with a savepoint, overdue; or the age of its checkpoints counts; or the job runs and
//	             is not known to have completed one, or is to be changed; or it began again
//	Retention    a change may cancel the job, or chooses a state that may go with it, or its last state is read
//	Graph        the job has ended and Checkpoints are asked for, or a change may cancel it while it does not run
//	Health       the option is on, the job has not ended, and nothing is under way
//	LateStops    the job has FINISHED, maybe by a stop that was given up
//	Requests     the status records a snapshot in flight
//	Exceptions   the job or a task of it changed since they were asked for, or it has just ended
func Then(s cluster.Snapshot) More {
	status := s.Resource.Status
	jobs, ok := s.Flink.Jobs.Get()
	if !ok {
		return More{}
	}
	j, found := job.FindJob(jobs, status.JobStatus.JobID)
	v := cluster.New(s)
	awaited := v.Intent() != nil && v.Intent().Step == v1beta1.StepStopping && !v.Intent().Ended
	if found && (job.AnotherRun(status.JobStatus, j) || (awaited && job.BeganAnew(v.Intent().Stops, j))) {
		return More{}
	}
	changing := asksToStop(v)
	moved := found && j.State != status.JobStatus.State
	recorded := status.ReconciliationStatus
	settling := !j.State.IsTerminal() && recorded.LastStableSpec != recorded.LastReconciledSpec
	becameReady := status.JobManagerDeploymentStatus != v1beta1.JobManagerReady
	judged := found && !j.State.IsTerminal() && atRest(v) && v.ChecksHealth()
	worth := v.LooksForCheckpoint() || (changing && !v.MayStartEmpty())
	looks := j.State == v1beta1.FlinkJobRunning && atRest(v) && worth
	began := found && (v.SuspectsLostProgress() || v.BeganAgain(j.StartTime, status.JobStatus))
	needed := !v.MayStartEmpty() || v.Last != nil && !job.Stateless(&v.Last.Spec)
	wanted := moved || awaited || (status.JobStatus.LastStateUnread && needed) || changing || rollsBack(v) ||
		v.MayBeStoppedLate(j.State)
	ended := found && j.State.IsTerminal() && (wanted || v.Since(v.EndedAt()) < recentEnd)
	changes := found && !j.State.IsTerminal() && changing
	keeps := v.ChoosesState() || !v.MayStartEmpty()
	history := 0
	if found {
		history = v.ExceptionsDue(j)
	}
	return More{
		Exceptions: history,
		Health:     judged, Progress: judged && v.ChecksProgress(),
		Facts:   !awaited && (settling || becameReady || moved),
		Failure: found && j.State == v1beta1.FlinkJobFailed && (moved || status.Error == ""),
		Checkpoints: ended || looks || began || (found && v.StopOverdue()) ||
			(found && changing && v.MaxCheckpointAge() > 0),
		Retention: (ended && j.State != v1beta1.FlinkJobFinished) || (changes && keeps),
		Graph:     ended || (changes && j.State == v1beta1.FlinkJobCreated && !v.MayStartEmpty()),
		LateStops: found && v.MayBeStoppedLate(j.State),
		Requests:  len(snapshots.Pending(status.JobStatus)) > 0,
	}
}

// Expected lists what the open start of a snapshot consists of, besides its Deployment; nil when it cannot be rendered,
// which the start itself will report.
func Expected(s cluster.Snapshot) []cluster.Companion {
	v := cluster.New(s)
	made, _, err := v.RenderStart(v.Intent())
	if err != nil {
		return nil
	}
	return cluster.Companions(made)
}
