package clustertest

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
)

// JobX is the ID of a job.
const JobX = "000000000000000000000000000000aa"

// Now is the time of every look.
var Now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// Application is a cluster of a job, with what a test makes of its snapshot.
func Application(change func(s *cluster.Snapshot)) *cluster.Cluster {
	r := &v1beta1.FlinkDeployment{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "demo", UID: "uid"}}
	r.Spec.Job = &v1beta1.JobSpec{}
	s := cluster.Snapshot{Seen: world.Seen{Now: Now, Operator: flinkconf.NewOperator(nil), Resource: r}}
	change(&s)
	return cluster.New(s)
}

// Owned is a JobManager Deployment of the resource of Application.
func Owned() *appsv1.Deployment {
	jm := &appsv1.Deployment{}
	jm.OwnerReferences = []metav1.OwnerReference{{UID: "uid"}}
	return jm
}

// Pod is a pod of that name on that node.
func Pod(name, node string) corev1.Pod {
	p := corev1.Pod{}
	p.Namespace, p.Name, p.UID, p.Spec.NodeName = "default", name, "uid-of-x", node
	return p
}
