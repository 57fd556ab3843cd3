package sessionjob

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/exceptions"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// listed is the job of this resource as Flink lists it.
func (v *round) listed() (job.Job, bool) {
	jobs, _ := v.seen.Flink.Jobs.Get()
	return job.FindJob(jobs, v.Want.JobStatus.JobID)
}

// Standing is how far the job is there. First match wins:
//
//	 #  Flink     lists the job  the session cluster                            the job is
//	Y1  answers   yes            -                                              There
//	Y2  answers   no             may bring it back, see comesBack, and once     There
//	                             took it
//	Y3  answers   no             otherwise                                      Gone
//	Y4  does not  -              is not there, nor its JobManager               Gone
//	Y5  does not  -              keeps no data of it, and its JobManager is     Gone
//	                             gone
//	Y6  does not  -              otherwise                                      Unknown
func (v *round) Standing() (job.Standing, string) {
	if v.seen.Flink.Jobs.IsPresent() {
		if v.Present() || (v.comesBack() && !v.NeverRan()) {
			return job.There, ""
		}
		return job.Gone, ""
	}
	if v.seen.JobManager.IsAbsent() && (v.seen.Cluster.IsAbsent() || (v.cluster != nil && !v.BringsBack())) {
		return job.Gone, ""
	}
	why, _ := v.clusterReady()
	return job.StandingUnknown, why.Message
}

// comesBack reports whether the session cluster may restore a job that Flink does not list: it keeps high-availability
// data, the job had not ended, and its JobManager had no time to restore it yet.
func (v *round) comesBack() bool {
	status := v.Want.JobStatus
	if !v.BringsBack() || status.JobID == "" || status.State.IsTerminal() {
		return false
	}
	since := v.EndedAt().Time
	if ready := v.AvailableAt().Time; ready.After(since) {
		since = ready
	}
	if intent := v.Intent(); intent != nil && intent.StoredAt.After(since) {
		since = intent.StoredAt.Time
	}
	return v.Seen.Now.Sub(since) <= v.CheckpointTimeout()
}

// Present reports whether Flink lists the job.
func (v *round) Present() bool {
	_, listed := v.listed()
	return listed
}

// CanBeAsked reports whether the JobManager of the session cluster is there to be asked.
func (v *round) CanBeAsked() bool { return v.cluster != nil && v.cluster.CanBeAsked() }

// AvailableAt is when its pod became ready.
func (v *round) AvailableAt() metav1.Time {
	if v.cluster == nil {
		return metav1.Time{}
	}
	return v.cluster.AvailableAt()
}

// ReleasedAt is the zero time: a start has its chance from when its release was recorded.
func (v *round) ReleasedAt() time.Time { return time.Time{} }

// Unsettled says why nobody knows whether the job runs.
func (v *round) Unsettled() (why string, unknown bool) {
	return v.seen.Flink.Jobs.Why(), v.seen.Flink.Jobs.IsUnknown()
}

// PodFailure is nil: the session cluster's status tells of its pods.
func (v *round) PodFailure() *plan.Cause { return nil }

// TaskManagerFailure is nil for the same reason.
func (v *round) TaskManagerFailure() (why *plan.Cause, fatal bool) { return nil, false }

// BringsBack reports whether the session cluster restores the jobs of a JobManager that is gone.
func (v *round) BringsBack() bool {
	return v.cluster == nil || v.cluster.HA().Store.Mode != flinkconf.HANone
}

// NeverRan reports whether Flink refused to run the newest start, or has not listed its job when its main method would
// have ended. Should that main submit the job later, the job is cancelled as a former one, see cameBack.
func (v *round) NeverRan() bool {
	_, listed := v.listed()
	return !listed && v.seen.Flink.Jobs.IsPresent() && (v.runRefused() || v.runUnlisted())
}

// runRefused reports whether the open start was released and Flink refused to run its jar; nobody asked it again since.
func (v *round) runRefused() bool {
	intent := v.Intent()
	return intent != nil && intent.Step == v1beta1.StepReleased && intent.Release.RunAt == nil &&
		v.Want.Retry != nil && v.Want.Retry.Generation == intent.Generation
}

// runUnlisted reports whether Flink was asked to run the jar of the open start longer ago than its main may take, and
// nothing came of it: the process that was asked still holds the jar, and had no time to forget a job that has ended.
func (v *round) runUnlisted() bool {
	intent := v.Intent()
	if intent == nil || intent.Step != v1beta1.StepReleased || intent.Release.RunAt == nil {
		return false
	}
	at, main := *intent.Release.RunAt, v.SubmissionTimeout()
	uploaded := upload(view{v})
	_, same := uploaded.jar()
	return same && !uploaded.replacedSince(at) && v.Since(at) >= main && v.Since(at) < 2*main
}

// SilentNode is empty: nobody but Flink knows of a job.
func (v *round) SilentNode() string { return "" }

// HA is that of the session cluster: where it is kept. A start of ours never begins from it, so there is none to see.
func (v *round) HA() hadata.Data {
	if v.cluster == nil {
		return hadata.Data{}
	}
	return hadata.Data{
		Store: v.cluster.HA().Store, Namespace: v.seen.Resource.Namespace,
		ConfigMaps: plan.Absent[[]hadata.ConfigMap](), Tree: plan.Absent[znode.Tree](),
	}
}

// Incarnation is the UID of the session cluster's Deployment.
func (v *round) Incarnation() types.UID {
	if v.cluster == nil {
		return ""
	}
	return v.cluster.Incarnation()
}

// Endpoint is where the session cluster's JobManager answers.
func (v *round) Endpoint() plan.Endpoint {
	if v.cluster == nil {
		return plan.Endpoint{}
	}
	return v.cluster.Endpoint()
}

// What names what Standing looks at.
func (v *round) What() string { return "the job on the session cluster" }

// Finalizer is the one that holds the resource while its job may run.
func (v *round) Finalizer() string { return v1beta1.FinalizerFlinkSessionJob }

// Trim leaves out what only a FlinkDeployment's status has. What was told of the job's failures stays.
func (v *round) Trim(next *v1beta1.FlinkDeploymentStatus) {
	next.JobManagerDeploymentStatus = v.Resource().Status.JobManagerDeploymentStatus
	told := next.ClusterInfo[exceptions.Key]
	next.TaskManager, next.ClusterInfo = nil, nil
	if told != "" {
		next.ClusterInfo = map[string]string{exceptions.Key: told}
	}
}

// jobManager is how the JobManager of the session cluster is doing.
func (v *round) jobManager() v1beta1.JobManagerDeploymentStatus {
	switch {
	case v.seen.Flink.Jobs.IsPresent():
		return v1beta1.JobManagerReady
	case v.cluster == nil || v.seen.JobManager.IsAbsent():
		return v1beta1.JobManagerMissing
	case v.cluster.CanBeAsked():
		return v1beta1.JobManagerDeployedNotReady
	}
	return v1beta1.JobManagerDeploying
}
