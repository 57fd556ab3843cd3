package cluster_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/host/cluster/clustertest"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// pulls is a pod whose image cannot be pulled, in the words of the moment.
func pulls(reason, message string) corev1.Pod {
	waiting := &corev1.ContainerStateWaiting{Reason: reason, Message: message}
	return corev1.Pod{Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{
		{Name: "c", State: corev1.ContainerState{Waiting: waiting}},
	}}}
}

// A container that cannot be pulled alternates between two reasons: status tells the one that it told first.
func TestWhyTaskManagersDoNotStartIsOneProblem(t *testing.T) {
	const told, news = "TaskManagers: [c] back-off", "TaskManagers: [c] no such image"
	rows := map[string]struct {
		kind, message string
		want          string
	}{
		"told":                        {summary.Stalled, told, told},
		"told while it goes on":       {summary.Reconciling, told, told},
		"told elsewhere":              {summary.Ready, told, news},
		"told of something else":      {summary.Stalled, "[c] back-off", news},
		"told of it while it goes on": {summary.Reconciling, "[c] back-off", news},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			v := waitsForTasks(v1beta1.FlinkJobRestarting, 1)
			v.Seen.Resource.Status.Conditions = []metav1.Condition{
				{Type: row.kind, Reason: "ImagePullBackOff", Message: row.message},
			}
			why, fatal := v.TaskManagerFailure()
			if why == nil || why.Message != row.want || !fatal {
				t.Errorf("%+v, fatal %t, want %q", why, fatal, row.want)
			}
		})
	}
}

// The TaskManagers of a job that runs, or whose JobManager is not there to give them work, are not what it waits for.
func TestWhoWaitsForTaskManagers(t *testing.T) {
	rows := map[string]struct {
		state     v1beta1.FlinkJobState
		available int32
		want      bool
	}{
		"its tasks do not run yet":    {v1beta1.FlinkJobCreated, 1, true},
		"its tasks begin again":       {v1beta1.FlinkJobRestarting, 1, true},
		"it runs":                     {v1beta1.FlinkJobRunning, 1, false},
		"its JobManager is not there": {v1beta1.FlinkJobRestarting, 0, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if why, _ := waitsForTasks(row.state, row.available).TaskManagerFailure(); (why != nil) != row.want {
				t.Errorf("%+v, want one: %t", why, row.want)
			}
		})
	}
}

// waitsForTasks is a cluster whose TaskManagers do not start.
func waitsForTasks(state v1beta1.FlinkJobState, available int32) *cluster.Cluster {
	return clustertest.Application(func(s *cluster.Snapshot) {
		s.Resource.Status.JobStatus.State = state
		jm := &appsv1.Deployment{}
		jm.Status.AvailableReplicas = available
		s.JobManager = plan.Present(jm)
		s.TaskManagers = plan.Present([]corev1.Pod{pulls("ErrImagePull", "no such image")})
	})
}
