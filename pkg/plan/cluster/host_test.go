package cluster

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/job"
)

// hosting is an application with options, a state of its job, and a JobManager Deployment.
func hosting(t *testing.T, options string, state v1beta1.FlinkJobState, jm *appsv1.Deployment) Cluster {
	t.Helper()
	r := &v1beta1.FlinkDeployment{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "demo", UID: "uid"}}
	r.Spec = v1beta1.FlinkDeploymentSpec{
		Image: "flink:1.20", FlinkVersion: v1beta1.FlinkV1_20, Job: &v1beta1.JobSpec{JarURI: "local:///a.jar"},
		FlinkConfiguration: v1beta1.FlinkConfiguration("{" + options + "}"),
	}
	r.Status.JobStatus.State = state
	s := Snapshot{Seen: job.Seen{Now: now, Operator: flinkconf.NewOperator(nil), Resource: r}}
	s.JobManager = plan.Absent[*appsv1.Deployment]()
	if jm != nil {
		s.JobManager = plan.Present(jm)
	}
	return New(s)
}

func TestHowFarAClusterIsThere(t *testing.T) {
	none, one := int32(0), int32(1)
	going := metav1.ObjectMeta{DeletionTimestamp: &metav1.Time{}}
	for name, row := range map[string]struct {
		jm   *appsv1.Deployment
		want job.Standing
	}{
		"no Deployment":       {nil, job.Gone},
		"one without a size":  {&appsv1.Deployment{}, job.There},
		"one of size 1":       {&appsv1.Deployment{Spec: appsv1.DeploymentSpec{Replicas: &one}}, job.There},
		"one of size 0":       {&appsv1.Deployment{Spec: appsv1.DeploymentSpec{Replicas: &none}}, job.Standby},
		"one that is deleted": {&appsv1.Deployment{ObjectMeta: going}, job.Going},
	} {
		if got, _ := hosting(t, "", "", row.jm).Standing(); got != row.want {
			t.Errorf("%s: %d, want %d", name, got, row.want)
		}
	}
}

func TestSinceWhenAJobManagerIsAvailable(t *testing.T) {
	at := metav1.NewTime(now.Add(-time.Minute))
	for name, row := range map[string]struct {
		kind   appsv1.DeploymentConditionType
		status corev1.ConditionStatus
		want   metav1.Time
	}{
		"it is":             {appsv1.DeploymentAvailable, corev1.ConditionTrue, at},
		"it is not":         {appsv1.DeploymentAvailable, corev1.ConditionFalse, metav1.Time{}},
		"it makes progress": {appsv1.DeploymentProgressing, corev1.ConditionTrue, metav1.Time{}},
	} {
		jm := &appsv1.Deployment{}
		jm.Status.Conditions = []appsv1.DeploymentCondition{{Type: row.kind, Status: row.status, LastTransitionTime: at}}
		if got := hosting(t, "", "", jm).AvailableAt(); !got.Equal(&row.want) {
			t.Errorf("%s: since %s, want %s", name, got, row.want)
		}
	}
}

func TestWhereAJobManagerIsAsked(t *testing.T) {
	for options, want := range map[string]plan.Endpoint{
		"": {URL: "http://demo-rest.default.svc:8081", Timeout: 10 * time.Second},
		`"kubernetes.operator.flink.client.timeout":"20 s"`: {
			URL: "http://demo-rest.default.svc:8081", Timeout: 10 * time.Second,
		},
		`"kubernetes.operator.flink.client.timeout":"3 s","rest.port":"8082","security.ssl.rest.enabled":"true"`: {
			URL: "https://demo-rest.default.svc:8082", Timeout: 3 * time.Second,
		},
	} {
		if got := hosting(t, options, "", nil).Endpoint(); got != want {
			t.Errorf("%s: %+v, want %+v", options, got, want)
		}
	}
}

// available is a JobManager Deployment with so many pods that are ready.
func available(pods int32) *appsv1.Deployment {
	return &appsv1.Deployment{Status: appsv1.DeploymentStatus{AvailableReplicas: pods}}
}

func TestWhenTaskManagersAreLookedAt(t *testing.T) {
	going := available(1)
	going.DeletionTimestamp = &metav1.Time{}
	for name, row := range map[string]struct {
		state v1beta1.FlinkJobState
		jm    *appsv1.Deployment
		want  bool
	}{
		"a job waits for its tasks":     {v1beta1.FlinkJobCreated, available(1), true},
		"it restarts":                   {v1beta1.FlinkJobRestarting, available(1), true},
		"it runs":                       {v1beta1.FlinkJobRunning, available(1), false},
		"its JobManager is not ready":   {v1beta1.FlinkJobCreated, available(0), false},
		"its JobManager is being taken": {v1beta1.FlinkJobCreated, going, false},
		"it has no JobManager":          {v1beta1.FlinkJobCreated, nil, false},
	} {
		if got := AwaitsTasks(hosting(t, "", row.state, row.jm)); got != row.want {
			t.Errorf("%s: %t, want %t", name, got, row.want)
		}
	}
}

// The kubelet tells of one image by two reasons in turn: status goes on with the one that it has told, and with that
// alone.
func TestWhatATaskManagersFailureIsCalled(t *testing.T) {
	pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "demo-taskmanager-1-1"}}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name:  "flink-main-container",
		State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "back-off"}},
	}}
	const told = "TaskManagers: [flink-main-container] no such image"
	for name, row := range map[string]struct {
		condition metav1.Condition
		state     v1beta1.FlinkJobState
		pods      plan.Observed[[]corev1.Pod]
		want      string
	}{
		"told as a wait": {
			metav1.Condition{Type: summary.Reconciling, Reason: "ErrImagePull", Message: told}, v1beta1.FlinkJobCreated,
			plan.Present([]corev1.Pod{pod}), told,
		},
		"told as a stall": {
			metav1.Condition{Type: summary.Stalled, Reason: "ErrImagePull", Message: told}, v1beta1.FlinkJobCreated,
			plan.Present([]corev1.Pod{pod}), told,
		},
		"another condition": {
			metav1.Condition{Type: summary.JobRunning, Reason: "ErrImagePull", Message: told}, v1beta1.FlinkJobCreated,
			plan.Present([]corev1.Pod{pod}), "back-off",
		},
		"the JobManager's": {
			metav1.Condition{Type: summary.Stalled, Reason: "ErrImagePull", Message: "[flink-main-container] no such image"},
			v1beta1.FlinkJobCreated, plan.Present([]corev1.Pod{pod}), "back-off",
		},
		"the job runs":      {metav1.Condition{}, v1beta1.FlinkJobRunning, plan.Present([]corev1.Pod{pod}), ""},
		"nobody has looked": {metav1.Condition{}, v1beta1.FlinkJobCreated, plan.Observed[[]corev1.Pod]{}, ""},
		"no pod fails":      {metav1.Condition{}, v1beta1.FlinkJobCreated, plan.Present([]corev1.Pod{}), ""},
	} {
		v := hosting(t, "", row.state, available(1))
		v.Seen.TaskManagers, v.Seen.Resource.Status.Conditions = row.pods, []metav1.Condition{row.condition}
		why, _ := v.TaskManagerFailure()
		switch {
		case row.want == "" && why != nil, row.want != "" && why == nil:
			t.Errorf("%s: %+v, want %q", name, why, row.want)
		case row.want != "" && !strings.Contains(why.Message, row.want):
			t.Errorf("%s: %q, want it to say %q", name, why.Message, row.want)
		}
	}
}
