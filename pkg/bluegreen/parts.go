package bluegreen

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// AskJob reports whether a side is a session cluster, whose job is a resource to read.
func AskJob(side plan.Observed[*v1beta1.FlinkDeployment]) bool {
	d, there := side.Get()
	return there && d.Spec.Job == nil
}

// Join has a side that is a session cluster count as one FlinkDeployment with a job.
func (s *Snapshot) Join(colour v1beta1.BlueGreenType, job plan.Observed[*v1beta1.FlinkSessionJob]) {
	cluster, there := s.Side(colour).Get()
	if !there {
		return
	}
	if s.Parts == nil {
		s.Parts = map[v1beta1.BlueGreenType]Parts{}
	}
	s.Parts[colour] = Parts{cluster, job}
	whole := joined(cluster, job)
	if colour == v1beta1.Blue {
		s.Blue = whole
	} else {
		s.Green = whole
	}
}

// joined is a session cluster with its job, in the form of an application. Its generation grows with that of either.
//
//	the FlinkSessionJob  the cluster     then
//	cannot be read       -               nor can the side
//	is not there         -               the cluster, without a job
//	is there             is not settled  the cluster's state, with the job's spec
//	is there             is settled      the job's state
func joined(
	cluster *v1beta1.FlinkDeployment, of plan.Observed[*v1beta1.FlinkSessionJob],
) plan.Observed[*v1beta1.FlinkDeployment] {
	job, there := of.Get()
	switch {
	case of.IsUnknown():
		return plan.Unknown[*v1beta1.FlinkDeployment]("its FlinkSessionJob: " + of.Why())
	case !there:
		return plan.Present(cluster.DeepCopy())
	}
	whole := cluster.DeepCopy()
	whole.Spec.Job = job.Spec.Job.DeepCopy()
	whole.Generation += job.Generation
	whole.Status.ObservedGeneration += job.Status.ObservedGeneration
	whole.Status.JobStatus = *job.Status.JobStatus.DeepCopy()
	if whole.DeletionTimestamp == nil {
		whole.DeletionTimestamp = job.DeletionTimestamp
	}
	if hash := v1beta1.AnnotationSideSpec; job.Annotations[hash] != cluster.Annotations[hash] {
		delete(whole.Annotations, hash) // one of them has another spec
	}
	if clusterSettled(cluster) {
		whole.Status.LifecycleState, whole.Status.Error = job.Status.LifecycleState, job.Status.Error
		whole.Status.Conditions, whole.Status.Progress = job.Status.Conditions, job.Status.Progress
	} else if whole.Status.LifecycleState == v1beta1.LifecycleStable {
		whole.Status.LifecycleState = v1beta1.LifecycleDeployed
	}
	return plan.Present(whole)
}

// clusterSettled reports whether a session cluster runs with the spec that it has now.
func clusterSettled(d *v1beta1.FlinkDeployment) bool {
	return d.DeletionTimestamp == nil && d.Status.LifecycleState == v1beta1.LifecycleStable && settled(d)
}

// split reports whether a side is a session cluster.
func (s Snapshot) split(colour v1beta1.BlueGreenType) bool {
	_, is := s.Parts[colour]
	return is
}

// sessionJob is the FlinkSessionJob of a side that this resource owns; nil when there is none.
func (v *view) sessionJob(colour v1beta1.BlueGreenType) *v1beta1.FlinkSessionJob {
	if j, there := v.Parts[colour].Job.Get(); there && v.ownedBy(j.OwnerReferences) {
		return j
	}
	return nil
}
