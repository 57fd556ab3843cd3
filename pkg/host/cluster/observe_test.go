package cluster_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/clustertest"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/drawing"
)

func TestObserveIsAsDrawn(t *testing.T) {
	deployment := func(change func(d *appsv1.Deployment)) plan.Observed[*appsv1.Deployment] {
		d := &appsv1.Deployment{}
		change(d)
		return plan.Present(d)
	}
	silent, answers := plan.Unknown[[]world.Job]("refused"), plan.Present([]world.Job{})
	waits := func(reason string) []corev1.Pod {
		container := corev1.ContainerStatus{State: corev1.ContainerState{
			Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: "no such image"},
		}}
		return []corev1.Pod{{Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{container}}}}
	}
	plain := func(*appsv1.Deployment) {}
	available := func(d *appsv1.Deployment) { d.Status.AvailableReplicas = 1 }
	rows := map[string]struct {
		// row is the one that draws it, see package drawing.
		row  string
		jm   plan.Observed[*appsv1.Deployment]
		jobs plan.Observed[[]world.Job]
		pods []corev1.Pod
	}{
		"not read": {"1", plan.Unknown[*appsv1.Deployment]("time-out"), answers, nil},
		"gone":     {"2", plan.Absent[*appsv1.Deployment](), answers, nil},
		"being deleted": {
			"3", deployment(func(d *appsv1.Deployment) { d.DeletionTimestamp = &metav1.Time{} }), answers, nil,
		},
		"scaled to zero": {
			"4", deployment(func(d *appsv1.Deployment) { d.Spec.Replicas = new(int32) }), answers, nil,
		},
		"answers":                        {"5", deployment(available), answers, nil},
		"answers and is not ready":       {"5", deployment(plain), answers, waits("CrashLoopBackOff")},
		"ready, and does not answer":     {"6", deployment(available), silent, nil},
		"ready, and a pod cannot start":  {"6", deployment(available), silent, waits("ImagePullBackOff")},
		"its image cannot be pulled":     {"7", deployment(plain), silent, waits("ImagePullBackOff")},
		"its container is being created": {"8", deployment(plain), silent, waits("ContainerCreating")},
		"it has no pod yet":              {"8", deployment(plain), silent, nil},
	}
	drawn := drawing.Read(t, "observe.go", "Observe")
	var shown []string
	for name, row := range rows {
		shown = append(shown, row.row)
		t.Run(name, func(t *testing.T) {
			const before = v1beta1.JobManagerDeploymentStatus("BEFORE")
			resource := &v1beta1.FlinkDeployment{}
			resource.Status.JobManagerDeploymentStatus = before
			v := cluster.New(cluster.Snapshot{
				Seen: world.Seen{
					Resource: resource, Operator: flinkconf.NewOperator(nil), Flink: world.Flink{Jobs: row.jobs},
				},
				Objects: cluster.Objects{JobManager: row.jm, Pods: plan.Present(row.pods)},
			})
			cluster.Observe(v)
			status := v.Look.Want.JobManagerDeploymentStatus
			if status == before {
				status = "as it was"
			}
			if err := drawn.Holds(row.row, drawing.Row{"jobManagerDeploymentStatus": string(status)}); err != nil {
				t.Error(err)
			}
		})
	}
	if err := drawn.Shown("Observe", shown...); err != nil {
		t.Error(err)
	}
}

// What keeps a JobManager from starting is told in the words of the first look, as long as it is the same.
func TestWhyAJobManagerDoesNotStartIsOneProblem(t *testing.T) {
	const news = "[c] no such image"
	rows := map[string]struct{ kind, reason, want string }{
		"told":                   {summary.ClusterAvailable, "ImagePullBackOff", "[c] back-off"},
		"told of something else": {summary.ClusterAvailable, "CrashLoopBackOff", news},
		"told elsewhere":         {summary.Ready, "ImagePullBackOff", news},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := clustertest.Application(func(s *cluster.Snapshot) {
				s.Resource.Status.Conditions = []metav1.Condition{
					{Type: row.kind, Reason: row.reason, Message: "[c] back-off"},
				}
				s.Pods = plan.Present([]corev1.Pod{pulls("ErrImagePull", "no such image")})
			})
			v.Seen.JobManager = plan.Present(&appsv1.Deployment{})
			cluster.Observe(v)
			if why := v.Failure; why == nil || why.Message != row.want {
				t.Errorf("%+v, want %q", why, row.want)
			}
		})
	}
}
