package gather

import (
	"context"
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// kubelet answers with one log and remembers what was asked for.
type kubelet struct {
	shelf
	log   string
	err   error
	asked []kube.Log
}

func (k *kubelet) Log(_ context.Context, l kube.Log) (string, error) {
	k.asked = append(k.asked, l)
	return k.log, k.err
}

func TestTheCrashCauseOfAJobManager(t *testing.T) {
	crashed := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 2}}
	runs := corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(time.Unix(1, 0))}}
	const trace = "INFO it starts\na.b.X: cannot start\n\tat a.B(C.java:1)\nCaused by: a.b.Y: no such directory\n\t... " +
		"3 more\n"
	rows := map[string]struct {
		status   corev1.ContainerStatus
		log      string
		err      error
		brief    bool
		want     plan.Observed[string]
		asked    int
		previous bool
		reason   string
	}{
		"it runs": {
			corev1.ContainerStatus{State: runs}, trace, nil, false, plan.Observed[string]{}, 0, false, "nothing happened",
		},
		"it crashed": {
			corev1.ContainerStatus{State: crashed}, trace, nil, false,
			plan.Present("X: cannot start <- Y: no such directory"), 1, false, "the chain of causes",
		},
		"it runs again": {
			corev1.ContainerStatus{State: runs, LastTerminationState: crashed, RestartCount: 1}, trace, nil, false,
			plan.Present("X: cannot start <- Y: no such directory"), 1, true, "the log of the run before",
		},
		"nothing was said": {
			corev1.ContainerStatus{State: crashed}, "killed\n", nil, false, plan.Absent[string](), 1, false,
			"a line of a log is no cause",
		},
		"its log is gone": {
			corev1.ContainerStatus{State: crashed}, "", errors.New("not found"), false, plan.Unknown[string]("not found"), 1,
			false, "the next look asks again",
		},
		"nothing is read now": {
			corev1.ContainerStatus{State: crashed}, trace, nil, true, plan.Observed[string]{}, 0, false,
			"a sweep leaves it to the pass",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			k := &kubelet{log: row.log, err: row.err}
			g := &Gatherer{Kube: k, Brief: row.brief}
			row.status.Name = "flink-main-container"
			pod := corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Namespace: "flink", Name: "demo-1"},
				Status:     corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{row.status}},
			}
			seen := cluster.Snapshot{Objects: cluster.Objects{Pods: plan.Present([]corev1.Pod{pod})}}
			seen.Resource = &v1beta1.FlinkDeployment{Spec: v1beta1.FlinkDeploymentSpec{Job: &v1beta1.JobSpec{}}}
			got, _ := g.crashCause(t.Context(), seen)
			if got != row.want || len(k.asked) != row.asked {
				t.Fatalf("%+v after %d questions, want %+v: %s", got, len(k.asked), row.want, row.reason)
			}
			if want := (kube.Log{
				Namespace: "flink", Pod: "demo-1", Container: "flink-main-container", Previous: row.previous, Lines: logLines,
			}); row.asked > 0 && k.asked[0] != want {
				t.Errorf("asked for %+v, want %+v", k.asked[0], want)
			}
		})
	}
}

// What a session cluster's JobManager wrote may have secrets of its session jobs. While they are not known, it is not
// told.
func TestSecretsInACrashCause(t *testing.T) {
	crash := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 2}}
	pod := corev1.Pod{Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{
		{Name: "flink-main-container", State: crash},
	}}}
	rows := map[string]struct {
		cluster string // the one that the session job names
		broken  bool
		known   bool
		args    int
	}{
		"a session job of it": {"demo", false, true, 1},
		"one of another":      {"other", false, true, 0},
		"nobody knows":        {"demo", true, false, 0},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			k := &kubelet{log: "a.b.X: cannot log in with s3cr3t\n\tat a.B(C.java:1)\n"}
			k.pages = [][]unstructured.Unstructured{{{Object: map[string]any{
				"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkSessionJob", "metadata": map[string]any{"name": "etl"},
				"spec": map[string]any{"deploymentName": row.cluster, "job": map[string]any{"args": []any{"--password", "s3cr3t"}}},
			}}}}
			if row.broken {
				k.pages = nil
			}
			seen := cluster.Snapshot{Objects: cluster.Objects{Pods: plan.Present([]corev1.Pod{pod})}}
			seen.Resource = &v1beta1.FlinkDeployment{ObjectMeta: metav1.ObjectMeta{Name: "demo"}}
			cause, specs := (&Gatherer{Kube: k}).crashCause(t.Context(), seen)
			if _, known := cause.Get(); known != row.known || len(specs) != row.args {
				t.Errorf("known %t and %d specs, want %t and %d", known, len(specs), row.known, row.args)
			}
		})
	}
}
