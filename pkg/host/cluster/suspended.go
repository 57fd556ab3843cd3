package cluster

import (
	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/engine/facts"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// Leaves reports whether the cluster goes because its job has ended or is suspended: A3, A4 and A6.
func Leaves(v *Cluster) bool {
	jm, present := v.Seen.JobManager.Get()
	if v.Look.Last == nil || v.Look.IsSession() || !present {
		return false
	}
	return RestsSuspended(v) || RestsEnded(v, jm) || Outlived(v)
}

// RestsSuspended reports whether the cluster of a suspended job is not kept: A3.
func RestsSuspended(v *Cluster) bool { return !v.Look.LastRunning() && len(Rest(v)) > 0 }

// RestsEnded reports whether a standalone cluster whose job has ended has no replicas: A4.
func RestsEnded(v *Cluster, jm *appsv1.Deployment) bool {
	return v.IsStandalone() && v.Seen.Resource.Status.JobStatus.State.IsTerminal() && Retired(jm)
}

// Outlived reports whether an ended job had its cluster for kubernetes.operator.jm-deployment.shutdown-ttl: A6.
func Outlived(v *Cluster) bool {
	ended := v.Seen.Resource.Status.JobStatus.State.IsTerminal()
	return ended && !facts.LastStateAwaited(v.Look) && v.Look.Since(v.Look.EndedAt()) > v.Look.Options.ShutdownTTL()
}

// Rest is what becomes of the JobManager of a job that is suspended. First match wins:
//
//	cluster                                      the Deployment  because
//	native, with high availability,              stays           until kubernetes.operator.jm-deployment.shutdown-ttl:
//	kubernetes.operator.jm-deployment            ...             its page and its logs can be read, as with the Java
//	.keep-suspended.enabled                      ...             operator
//	any other                                    no replicas     then it is deleted, see After: a suspended job has no
//	                                             ...             pods
func Rest(v *Cluster) []plan.Action {
	jm, present := v.Seen.JobManager.Get()
	if !present || !v.IsStandalone() && v.Look.Options.KeepsSuspended() && facts.HAUsable(v.Look) {
		return nil
	}
	return []plan.Action{Retire(jm)}
}

// Retire makes the Deployment ask for no pods.
func Retire(jm *appsv1.Deployment) plan.Retire {
	return plan.Retire{Namespace: jm.Namespace, Name: jm.Name, UID: jm.UID}
}
