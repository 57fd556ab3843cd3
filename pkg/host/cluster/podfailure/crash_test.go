package podfailure

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/plan"
)

var began = time.Unix(1700000000, 0)

func ended(code int32, after time.Duration) *corev1.ContainerStateTerminated {
	return &corev1.ContainerStateTerminated{
		ExitCode: code, Reason: "Error", StartedAt: metav1.NewTime(began), FinishedAt: metav1.NewTime(began.Add(after)),
	}
}

// jobManager is a pod with one container.
func jobManager(c corev1.ContainerStatus) corev1.Pod {
	c.Name = "flink-main-container"
	pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "demo-1", Namespace: "flink"}}
	pod.Status.Phase, pod.Status.ContainerStatuses = corev1.PodRunning, []corev1.ContainerStatus{c}
	return pod
}

func TestCrashed(t *testing.T) {
	const soon = 5 * time.Second
	runs := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	waits := func(reason string) corev1.ContainerState {
		return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}
	}
	now := func(code, restarts int32, after time.Duration) corev1.ContainerStatus {
		return corev1.ContainerStatus{
			State:        corev1.ContainerState{Terminated: ended(code, after)},
			RestartCount: restarts,
		}
	}
	then := func(state corev1.ContainerState, code, restarts int32, after time.Duration) corev1.ContainerStatus {
		return corev1.ContainerStatus{
			State:                state,
			RestartCount:         restarts,
			LastTerminationState: corev1.ContainerState{Terminated: ended(code, after)},
		}
	}
	ready := then(runs, 1, 3, soon)
	ready.Ready = true
	evicted, dying := jobManager(now(1, 3, soon)), jobManager(now(1, 3, soon))
	evicted.Status.Phase = corev1.PodFailed
	dying.DeletionTimestamp = &metav1.Time{Time: began}
	inInit := jobManager(corev1.ContainerStatus{State: waits("PodInitializing")})
	inInit.Status.InitContainerStatuses = []corev1.ContainerStatus{now(2, 0, soon)}
	rows := map[string]struct {
		pod                    corev1.Pod
		crashed, loops, before bool
		reason                 string
	}{
		"it starts": {
			jobManager(
				corev1.ContainerStatus{State: waits("ContainerCreating")},
			),
			false,
			false,
			false,
			"for the first time",
		},
		"it runs": {
			jobManager(corev1.ContainerStatus{State: runs}), false, false, false, "for the first time",
		},
		"it has just ended": {
			jobManager(now(1, 0, soon)), true, false, false, "it is started again at once",
		},
		"it runs again": {
			jobManager(then(runs, 1, 1, soon)), true, false, true, "and was not ready since",
		},
		"it waits to run again": {
			jobManager(then(waits("PodInitializing"), 1, 0, soon)), true, false, true, "once",
		},
		"it has ended again":         {jobManager(now(1, 1, soon)), true, true, false, "twice in a row"},
		"it runs for the third time": {jobManager(then(runs, 1, 2, soon)), true, true, true, "twice in a row"},
		"it backs off": {
			jobManager(then(waits(ReasonCrashLoop), 1, 1, soon)), true, true, true, "the kubelet says so",
		},
		"it backs off after an end that is ok": {
			jobManager(then(waits(ReasonCrashLoop), 0, 1, soon)), true, true, true, "a JobManager does not end",
		},
		"it has ended well": {
			jobManager(now(0, 0, soon)), false, false, false, "nothing is wrong with that",
		},
		"it ran for long": {
			jobManager(now(1, 7, 11*time.Minute)), true, false, false, "the kubelet begins anew",
		},
		"it is ready again":                {jobManager(ready), false, false, false, "what crashed is fixed"},
		"its pod is another's predecessor": {evicted, false, false, false, "it is not started again"},
		"its pod is being deleted":         {dying, false, false, false, "it is not started again"},
		"an init container has ended":      {inInit, true, false, false, "nothing starts before it ends well"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			crash, crashed := Crashed([]corev1.Pod{row.pod})
			if crashed != row.crashed || crash.Loops != row.loops || crash.Previous != row.before {
				t.Errorf(
					"crashed %t, loops %t, previous %t, want %t, %t, %t: %s",
					crashed,
					crash.Loops,
					crash.Previous,
					row.crashed,
					row.loops,
					row.before,
					row.reason,
				)
			}
		})
	}
}

func TestWhatIsSaidOfACrash(t *testing.T) {
	status := func(restarts int32, edit func(*corev1.ContainerStateTerminated)) corev1.ContainerStatus {
		e := ended(1, time.Second)
		if edit != nil {
			edit(e)
		}
		return corev1.ContainerStatus{State: corev1.ContainerState{Terminated: e}, RestartCount: restarts}
	}
	wrote := func(e *corev1.ContainerStateTerminated) { e.Message = "no space left" }
	killed := func(e *corev1.ContainerStateTerminated) { e.ExitCode, e.Reason = 137, "OOMKilled" }
	rows := map[string]struct {
		status corev1.ContainerStatus
		logged string
		want   Failure
	}{
		"its log says why": {
			status(0, nil),
			"JobException: no",
			Failure{
				ReasonCrashed,
				"[flink-main-container] ended with exit code 1: JobException: no",
				"JobException: no",
				false,
			},
		},
		"again and again": {
			status(1, nil), "JobException: no",
			Failure{ReasonCrashLoop, "[flink-main-container] CrashLoop - JobException: no", "JobException: no", true},
		},
		"it wrote why": {
			status(1, wrote), "JobException: no",
			Failure{ReasonCrashLoop, "[flink-main-container] CrashLoop - no space left", "no space left", true},
		},
		"nothing is heard": {
			status(0, nil), "",
			Failure{
				ReasonCrashed,
				"[flink-main-container] ended with exit code 1; its log may say why: kubectl logs demo-1 -n flink -c " +
					"flink-main-container --previous",
				"", false,
			},
		},
		"out of memory": {
			status(0, killed),
			"",
			Failure{
				ReasonCrashed,
				"[flink-main-container] ended with exit code 137, its memory was used up (OOMKilled); its log may say why: " +
					"kubectl logs demo-1 -n flink -c flink-main-container --previous",
				"",
				false,
			},
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			got := Find(Seen{
				Deployment: &appsv1.Deployment{}, Pods: []corev1.Pod{jobManager(row.status)}, CrashCause: row.logged,
			})
			if diff := cmp.Diff(&row.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// The same problem keeps its words, so that it is told once; what the JobManager said itself replaces a guess.
func TestKept(t *testing.T) {
	rows := map[string]struct {
		toldReason, told string
		reason           plan.Reason
		cause, want      string
	}{
		"tries to pull, and backs off": {"ErrImagePull", "not found", "ImagePullBackOff", "", "not found"},
		"another problem":              {"ErrImagePull", "not found", ReasonCrashLoop, "", "new"},
		"a look without the log":       {ReasonCrashLoop, "CrashLoop - boom", ReasonCrashLoop, "", "CrashLoop - boom"},
		"the log was read":             {ReasonCrashLoop, "its log may say why", ReasonCrashLoop, "boom", "new"},
		"it is a loop now":             {string(ReasonCrashed), "ended", ReasonCrashLoop, "", "new"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if got := (Failure{
				Reason: row.reason, Message: "new", Cause: row.cause,
			}).Kept(row.toldReason, row.told); got.Message != row.want {
				t.Errorf("%q, want %q", got.Message, row.want)
			}
		})
	}
}
