package session

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/exceptions"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

// Listed is the job of this resource as Flink lists it.
func (v *Job) Listed() (world.Job, bool) {
	jobs, _ := v.Seen.Flink.Jobs.Get()
	return world.FindJob(jobs, v.Look.Want.JobStatus.JobID)
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
func (v *Job) Standing() (world.Standing, string) {
	if v.Seen.Flink.Jobs.IsPresent() {
		if v.Present() || (v.comesBack() && !v.NeverRan()) {
			return world.There, ""
		}
		return world.Gone, ""
	}
	if v.Seen.JobManager.IsAbsent() && (v.Seen.Cluster.IsAbsent() || (v.Cluster != nil && !v.BringsBack())) {
		return world.Gone, ""
	}
	why, _ := v.ClusterReady()
	return world.StandingUnknown, why.Message
}

// comesBack reports whether the session cluster may restore a job that Flink does not list: it keeps high-availability
// data, the job had not ended, and its JobManager had no time to restore it yet.
func (v *Job) comesBack() bool {
	status := v.Look.Want.JobStatus
	if !v.BringsBack() || status.JobID == "" || status.State.IsTerminal() {
		return false
	}
	since := v.Look.EndedAt().Time
	if ready := v.AvailableAt().Time; ready.After(since) {
		since = ready
	}
	if intent := v.Look.Intent(); intent != nil && intent.StoredAt.After(since) {
		since = intent.StoredAt.Time
	}
	return v.Look.Seen.Now.Sub(since) <= v.Look.CheckpointTimeout()
}

// Present reports whether Flink lists the job.
func (v *Job) Present() bool {
	_, listed := v.Listed()
	return listed
}

// CanBeAsked reports whether the JobManager of the session cluster is there to be asked.
func (v *Job) CanBeAsked() bool { return v.Cluster != nil && v.Cluster.CanBeAsked() }

// AvailableAt is when its pod became ready.
func (v *Job) AvailableAt() metav1.Time {
	if v.Cluster == nil {
		return metav1.Time{}
	}
	return v.Cluster.AvailableAt()
}

// ReleasedAt is the zero time: a start has its chance from when its release was recorded.
func (v *Job) ReleasedAt() time.Time { return time.Time{} }

// Unsettled says why nobody knows whether the job runs.
func (v *Job) Unsettled() (why string, unknown bool) {
	return v.Seen.Flink.Jobs.Why(), v.Seen.Flink.Jobs.IsUnknown()
}

// PodFailure is nil: the session cluster's status tells of its pods.
func (v *Job) PodFailure() *plan.Cause { return nil }

// TaskManagerFailure is nil for the same reason.
func (v *Job) TaskManagerFailure() (why *plan.Cause, fatal bool) { return nil, false }

// BringsBack reports whether the session cluster restores the jobs of a JobManager that is gone.
func (v *Job) BringsBack() bool {
	return v.Cluster == nil || v.Cluster.HA().Store.Mode != flinkconf.HANone
}

// NeverRan reports whether Flink refused to run the newest start, or has not listed its job when its main method would
// have ended. Should that main submit the job later, the job is cancelled as a former one, see cameBack.
func (v *Job) NeverRan() bool {
	_, listed := v.Listed()
	return !listed && v.Seen.Flink.Jobs.IsPresent() && (v.RunRefused() || v.RunUnlisted())
}

// RunRefused reports whether the open start was released and Flink refused to run its jar; nobody asked it again since.
func (v *Job) RunRefused() bool {
	intent := v.Look.Intent()
	return intent != nil && intent.Step == v1beta1.StepReleased && intent.Release.RunAt == nil &&
		v.Look.Want.Retry != nil && v.Look.Want.Retry.Generation == intent.Generation
}

// RunUnlisted reports whether Flink was asked to run the jar of the open start longer ago than its main may take, and
// nothing came of it: the process that was asked still holds the jar, and had no time to forget a job that has ended.
func (v *Job) RunUnlisted() bool {
	intent := v.Look.Intent()
	if intent == nil || intent.Step != v1beta1.StepReleased || intent.Release.RunAt == nil {
		return false
	}
	at, main := *intent.Release.RunAt, v.Look.Options.SubmissionTimeout()
	uploaded := v
	_, same := UploadedJar(uploaded)
	return same && !ReplacedSince(uploaded, at) && v.Look.Since(at) >= main && v.Look.Since(at) < 2*main
}

// SilentNode is empty: nobody but Flink knows of a job.
func (v *Job) SilentNode() string { return "" }

// HA is that of the session cluster: where it is kept. A start of ours never begins from it, so there is none to see.
func (v *Job) HA() hadata.Data {
	if v.Cluster == nil {
		return hadata.Data{}
	}
	return hadata.Data{
		Store: v.Cluster.HA().Store, Namespace: v.Seen.Resource.Namespace,
		ConfigMaps: plan.Absent[[]hadata.ConfigMap](), Tree: plan.Absent[znode.Tree](),
	}
}

// Incarnation is the UID of the session cluster's Deployment.
func (v *Job) Incarnation() types.UID {
	if v.Cluster == nil {
		return ""
	}
	return v.Cluster.Incarnation()
}

// Endpoint is where the session cluster's JobManager answers.
func (v *Job) Endpoint() plan.Endpoint {
	if v.Cluster == nil {
		return plan.Endpoint{}
	}
	return v.Cluster.Endpoint()
}

// What names what Standing looks at.
func (v *Job) What() string { return "the job on the session cluster" }

// Finalizer is the one that holds the resource while its job may run.
func (v *Job) Finalizer() string { return v1beta1.FinalizerFlinkSessionJob }

// Trim leaves out what only a FlinkDeployment's status has. What was told of the job's failures stays.
func (v *Job) Trim(next *v1beta1.FlinkDeploymentStatus) {
	next.JobManagerDeploymentStatus = v.Look.Resource().Status.JobManagerDeploymentStatus
	told := next.ClusterInfo[exceptions.Key]
	next.TaskManager, next.ClusterInfo = nil, nil
	if told != "" {
		next.ClusterInfo = map[string]string{exceptions.Key: told}
	}
}

// JobManager is how the JobManager of the session cluster is doing.
func (v *Job) JobManager() v1beta1.JobManagerDeploymentStatus {
	switch {
	case v.Seen.Flink.Jobs.IsPresent():
		return v1beta1.JobManagerReady
	case v.Cluster == nil || v.Seen.JobManager.IsAbsent():
		return v1beta1.JobManagerMissing
	case v.Cluster.CanBeAsked():
		return v1beta1.JobManagerDeployedNotReady
	}
	return v1beta1.JobManagerDeploying
}
