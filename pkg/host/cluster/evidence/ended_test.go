package evidence

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestEnded(t *testing.T) {
	runs, waits, ended := corev1.ContainerState{
		Running: &corev1.ContainerStateRunning{},
	}, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{}},
		corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}
	rows := map[string]struct {
		phase      corev1.PodPhase
		init       []corev1.ContainerState
		containers []corev1.ContainerState
		want       bool
		reason     string
	}{
		"it runs": {
			corev1.PodRunning, nil, []corev1.ContainerState{runs, runs}, false, "of course",
		},
		"one of two has ended": {
			corev1.PodRunning, nil, []corev1.ContainerState{ended, runs}, false, "the other may be the job's",
		},
		"both have ended, for now": {
			corev1.PodRunning, nil, []corev1.ContainerState{ended, ended}, false, "they may be started again",
		},
		"both have ended for good": {
			corev1.PodFailed, nil, []corev1.ContainerState{ended, ended}, true, "nothing runs, nothing will",
		},
		"both have ended as they should": {
			corev1.PodSucceeded, nil, []corev1.ContainerState{ended, ended}, true, "nothing runs, nothing will",
		},
		"failed, its node is lost": {
			corev1.PodFailed, nil, []corev1.ContainerState{runs, runs}, false, "not the kubelet said that it failed",
		},
		"failed, one never began": {
			corev1.PodFailed, nil, []corev1.ContainerState{ended, waits}, false, "any doubt is a no",
		},
		"failed, nothing is known of one": {
			corev1.PodFailed, nil, []corev1.ContainerState{ended}, false, "any doubt is a no",
		},
		"failed, nothing is known": {corev1.PodFailed, nil, nil, false, "any doubt is a no"},
		"a sidecar goes on": {
			corev1.PodFailed, []corev1.ContainerState{runs}, []corev1.ContainerState{ended, ended}, false,
			"its processes share the pod's volumes",
		},
		"init containers have ended, as well": {
			corev1.PodFailed, []corev1.ContainerState{ended}, []corev1.ContainerState{ended, ended}, true,
			"nothing runs, nothing will",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			p := corev1.Pod{
				Spec: corev1.PodSpec{
					Containers: make([]corev1.Container, 2),
				},
				Status: corev1.PodStatus{Phase: row.phase},
			}
			p.Status.InitContainerStatuses, p.Status.ContainerStatuses = statuses(row.init), statuses(row.containers)
			if got := Ended(p); got != row.want {
				t.Errorf("got %t, want %t: %s", got, row.want, row.reason)
			}
		})
	}
}

func statuses(states []corev1.ContainerState) (all []corev1.ContainerStatus) {
	for _, s := range states {
		all = append(all, corev1.ContainerStatus{State: s})
	}
	return all
}
