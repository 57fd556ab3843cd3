package sweep

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan/quarantined"
)

// Look looks at one FlinkDeployment whose JobManager Deployment changed or is gone, and asks for a pass if one is worth
// it.
//
//	the resource                                  then
//	in a batch, and the Deployment only changed   nothing: the next tick looks at the whole batch in a few requests
//	gone, or another installation's               nothing
//	on its way up or down, as asked               nothing: most changes tell nothing
//	being deleted, its Deployment gone as asked   nothing: the pass that deletes it sees that, too, or the next tick
//	otherwise                                     a look
func (o *Observer) Look(ctx context.Context, namespace, name string, gone bool) error {
	if !o.Watches(namespace) || (!gone && o.inBatch(namespace, name)) {
		return nil
	}
	u, found, err := o.Gather.Kube.Get(
		ctx, kube.Object{Resource: v1beta1.FlinkDeploymentGVR, Namespace: namespace, Name: name},
	)
	if err != nil || !found || (gone && leaving(u)) || (o.Selects != nil && !o.Selects(u.GetLabels())) {
		return err
	}
	key := event.Key{Kind: v1beta1.KindFlinkDeployment, Namespace: namespace, Name: name}
	return o.visited(ctx, item{
		key, func(ctx context.Context) error { return o.lookAtWorkload(ctx, u) }, u.GetGeneration(),
		quarantined.Is(u),
	})
}

func (o *Observer) lookAtWorkload(ctx context.Context, u *unstructured.Unstructured) error {
	namespace, name := u.GetNamespace(), u.GetName()
	// in this order: see gather.Deployment
	read := gather.Read{Resource: u, JobManager: o.Gather.JobManager(ctx, namespace, name)}
	if jm, present := read.JobManager.Get(); present && (comingUp(u, jm) || goingDown(u, jm)) {
		return nil
	}
	inquiry, err := o.Gather.DeploymentOf(ctx, read)
	if err != nil {
		return err
	}
	return o.judge(ctx, inquiry, event.ReasonWorkload)
}

// comingUp reports whether a JobManager that was not ready is still not, and nothing says that it will not be. What its
// pods suffer from the clock finds out.
func comingUp(u *unstructured.Unstructured, jm *appsv1.Deployment) bool {
	status, _, _ := unstructured.NestedString(u.Object, "status", "jobManagerDeploymentStatus")
	for _, c := range jm.Status.Conditions {
		if (c.Type == appsv1.DeploymentReplicaFailure && c.Status == corev1.ConditionTrue) ||
			(c.Type == appsv1.DeploymentProgressing && c.Status == corev1.ConditionFalse) {
			return false
		}
	}
	return jm.DeletionTimestamp == nil && jm.Status.AvailableReplicas == 0 && status != string(v1beta1.JobManagerReady)
}

// goingDown reports whether a JobManager is being deleted because we deleted it. That it is gone is a change of its
// own.
func goingDown(u *unstructured.Unstructured, jm *appsv1.Deployment) bool {
	return jm.DeletionTimestamp != nil && stopping(u)
}

// leaving reports whether a resource is being deleted, and its cluster stopped for that.
func leaving(u *unstructured.Unstructured) bool {
	return u.GetDeletionTimestamp() != nil && stopping(u)
}

func stopping(u *unstructured.Unstructured) bool {
	step, _, _ := unstructured.NestedString(u.Object, "status", "intent", "step")
	return step == string(v1beta1.StepStopping)
}
