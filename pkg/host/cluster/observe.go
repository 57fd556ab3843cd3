package cluster

import (
	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/observe"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/evidence"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/podfailure"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/clusterinfo"
)

// Observe brings the status up to what was seen of the JobManager and its job. It decides nothing. First match wins:
//
//	#  Deployment     Flink answers  pods          jobManagerDeploymentStatus
//	1  Unknown        -              -             as it was
//	2  Absent         -              -             MISSING
//	3  being deleted  -              -             MISSING
//	4  no replicas    -              -             MISSING
//	5  Present        yes            -             READY
//	6  available      no             -             DEPLOYED_NOT_READY
//	7  not available  no             cannot start  ERROR
//	8  not available  no             otherwise     DEPLOYING
func Observe(v *Cluster) {
	before := v.Look.Want.JobManagerDeploymentStatus
	jm, present := v.Seen.JobManager.Get()
	switch {
	case v.Seen.JobManager.IsUnknown():
		return
	case !present || jm.DeletionTimestamp != nil || evidence.Replicas(jm) == 0:
		v.Look.Want.JobManagerDeploymentStatus = v1beta1.JobManagerMissing
	case v.Seen.Flink.Jobs.IsPresent():
		v.Look.Want.JobManagerDeploymentStatus = v1beta1.JobManagerReady
	case jm.Status.AvailableReplicas > 0:
		v.Look.Want.JobManagerDeploymentStatus = v1beta1.JobManagerDeployedNotReady
	default:
		v.Look.Want.JobManagerDeploymentStatus = v1beta1.JobManagerDeploying
		if v.Failure = findPodFailure(v, jm); v.Failure != nil && v.Failure.Fatal {
			v.Look.Want.JobManagerDeploymentStatus = v1beta1.JobManagerError
		}
	}
	if v.Look.Want.JobManagerDeploymentStatus == v1beta1.JobManagerMissing && before != v1beta1.JobManagerMissing &&
		before != "" {
		v.Look.Tell(plan.Event{
			Warning: true, Reason: plan.ReasonMissing, Component: plan.ComponentJobManager, Message: missingJobManager,
		})
	}
	observeInfo(v)
	observe.Job(v.Look)
	ObserveJobGraph(v)
}

// findPodFailure says why a JobManager is not available, in the words of status where it tells the same problem.
func findPodFailure(v *Cluster, jm *appsv1.Deployment) *podfailure.Failure {
	seen := podfailure.Seen{Deployment: jm}
	seen.Pods, _ = v.Seen.Pods.Get()
	seen.MountFailures, _ = v.Seen.MountFailures.Get()
	seen.CrashCause, _ = v.Seen.CrashCause.Get()
	b, told := podfailure.Find(seen), v.Look.Resource().Status
	if b == nil {
		return nil
	}
	for _, c := range told.Conditions {
		if c.Type == summary.ClusterAvailable {
			return b.Kept(c.Reason, c.Message)
		}
	}
	return b
}

const missingJobManager = "Missing JobManager deployment"

// observeInfo keeps the cluster's figures.
func observeInfo(v *Cluster) {
	facts, ok := v.Seen.Flink.Facts.Get()
	if !ok {
		return
	}
	v.Look.Want.ClusterInfo = clusterinfo.With(v.Look.Want.ClusterInfo, facts, v.Look.Config())
}
