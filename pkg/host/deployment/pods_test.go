package deployment

import (
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

// ranPods is one JobManager pod whose container has run.
func ranPods() plan.Observed[[]corev1.Pod] {
	return plan.Present([]corev1.Pod{{
		ObjectMeta: metav1.ObjectMeta{Name: "demo-1", CreationTimestamp: metav1.NewTime(start)},
		Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{
			Name: "flink-main-container", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
		}}},
	}})
}

func waitingPod(reason, message string, init bool) corev1.Pod {
	waiting := []corev1.ContainerStatus{{
		Name: "c1", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}},
	}}
	pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "demo-1", CreationTimestamp: metav1.NewTime(start)}}
	if init {
		pod.Status.InitContainerStatuses = waiting
	} else {
		pod.Status.ContainerStatuses = waiting
	}
	return pod
}

func TestAJobManagerThatCannotStart(t *testing.T) {
	type podFailure struct {
		breaks          func(w *fixture, d *appsv1.Deployment)
		reason, message string
	}
	rows := map[string]podFailure{
		"no pod may be made": {func(_ *fixture, d *appsv1.Deployment) {
			d.Status.Conditions = []appsv1.DeploymentCondition{
				{
					Type: appsv1.DeploymentReplicaFailure, Status: corev1.ConditionTrue, Reason: "FailedCreate",
					Message: "exceeded quota",
				},
			}
		}, "FailedCreate", "exceeded quota"},
		"its volume cannot be mounted": {func(w *fixture, _ *appsv1.Deployment) {
			w.s.Pods = plan.Present([]corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Name: "demo-1"},
				Status: corev1.PodStatus{Conditions: []corev1.PodCondition{
					{Type: corev1.PodReadyToStartContainers, Status: corev1.ConditionFalse},
					{Type: corev1.PodReady, Status: corev1.ConditionFalse},
				}}}})
			w.s.MountFailures = plan.Present([]string{"configmap not found"})
		}, "FailedMount", "configmap not found"},
		"its container said why": {func(w *fixture, _ *appsv1.Deployment) {
			pod := waitingPod("CrashLoopBackOff", "back-off", false)
			pod.Status.ContainerStatuses[0].LastTerminationState.Terminated = &corev1.ContainerStateTerminated{
				Message: "no such class",
			}
			w.s.Pods = plan.Present([]corev1.Pod{pod})
		}, "CrashLoopBackOff", "[c1] CrashLoop - no such class"},
	}
	for _, reason := range []string{
		"CrashLoopBackOff", "ImagePullBackOff", "ErrImagePull", "RunContainerError", "CreateContainerConfigError",
		"OOMKilled",
	} {
		for _, init := range []bool{false, true} {
			name := "container waits: " + reason
			if init {
				name = "init " + name
			}
			rows[name] = podFailure{func(w *fixture, _ *appsv1.Deployment) {
				w.s.Pods = plan.Present([]corev1.Pod{waitingPod(reason, "the message", init)})
			}, reason, "[c1] the message"}
		}
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, application)
			w.run()
			jm, _ := w.s.JobManager.Get()
			broken := jm.DeepCopy()
			row.breaks(w, broken)
			w.s.JobManager, w.events = plan.Present(broken), nil
			w.run()
			w.run()
			w.want(plan.Broken, v1beta1.LifecycleDeployed, v1beta1.JobManagerError, v1beta1.FlinkJobReconciling)
			if len(w.events) != 1 || !w.events[0].Warning || string(w.events[0].Reason) != row.reason ||
				w.events[0].Message != row.message {
				t.Errorf("told %+v, want one %s: %s", w.events, row.reason, row.message)
			}
			if !strings.Contains(w.status().Error, row.message) {
				t.Errorf("error %q", w.status().Error)
			}
			w.s.JobManager, w.s.Pods, w.s.MountFailures = plan.Present(jm), plan.Present([]corev1.Pod{}),
				plan.Observed[[]string]{}
			w.run()
			w.want(plan.Waiting, v1beta1.LifecycleDeployed, v1beta1.JobManagerDeploying, v1beta1.FlinkJobReconciling)
			w.serveJob(v1beta1.FlinkJobRunning)
			w.run()
			w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
			if r := w.status().ReconciliationStatus; w.status().Error != "" || r.LastStableSpec != r.LastReconciledSpec {
				t.Errorf("what is fixed is forgotten, and stable: %q", w.status().Error)
			}
		})
	}
}

// refuses lets the JobManager end again and again, because it does not find what it was to start from.
func (w *fixture) refuses(path string) {
	const said = "FlinkException: JobMaster for job a failed. <- JobInitializationException: Could not start the " +
		"JobMaster. <- FileNotFoundException: Cannot find checkpoint or savepoint file/directory '%s' on file system 'file'."
	pod := waitingPod("CrashLoopBackOff", "back-off", false)
	pod.Status.ContainerStatuses[0].LastTerminationState.Terminated = &corev1.ContainerStateTerminated{
		ExitCode: 239, Message: fmt.Sprintf(said, path),
	}
	jm, _ := w.s.JobManager.Get()
	jm = jm.DeepCopy()
	jm.Status = appsv1.DeploymentStatus{}
	w.s.JobManager, w.s.Flink, w.s.Pods = plan.Present(jm), world.Flink{}, plan.Present([]corev1.Pod{pod})
}

// Real Flink: a job fails for good as its JobManager ends. Its checkpoints are out of the high-availability data, its
// job graph is not, and the start path of its last upgrade keeps the next JobManager from beginning from nothing.
func TestAJobManagerThatFindsNoLastState(t *testing.T) {
	w := stable(t, application)
	w.s.Resource.Status.JobStatus.Checkpoint = &v1beta1.KnownCheckpoint{Path: "s3://c/chk-4"}
	told := func(when, safe, reason string) {
		t.Helper()
		stalled, c := w.condition(summary.Stalled), w.condition(summary.StateSafe)
		if stalled.Reason != reason || string(c.Status) != safe {
			t.Errorf("%s: Stalled is %+v, want %s; StateSafe is %+v, want %s", when, stalled, reason, c, safe)
		}
		if safe != "" && (!strings.Contains(c.Message, "s3://c/chk-4") || !strings.Contains(c.Message, "kubectl patch")) {
			t.Errorf("%s: StateSafe is %+v, want the newest checkpoint and the way out", when, c)
		}
	}
	w.refuses("s3://s/savepoint-1")
	w.run()
	told("another path is not there", "", "CrashLoopBackOff")
	w.refuses(v1beta1.LastStatePlaceholder)
	w.run()
	w.run()
	w.want(plan.Broken, v1beta1.LifecycleDeployed, v1beta1.JobManagerError, v1beta1.FlinkJobReconciling)
	told("its last state is not there", "False", "RestoreFailed")
	if got := w.condition(summary.ClusterAvailable); got.Reason != "CrashLoopBackOff" {
		t.Errorf("ClusterAvailable is %+v", got)
	}
	w.serveJob(v1beta1.FlinkJobInitializing)
	w.run()
	told("it tries again", "False", "RestoreFailed")
	w.serveJob(v1beta1.FlinkJobRunning)
	w.run()
	told("it runs", "", "")
}

// An old status may have the release of a Deployment open that a stop has retired since: it carries no operation.
func TestAReleaseThatIsOpenInAnOldStatus(t *testing.T) {
	w := newWorld(t, application)
	released := func() bool { i := w.status().Intent; return i != nil && i.Step == v1beta1.StepReleased }
	for n := 0; n < 9 && !released(); n++ {
		w.round()
	}
	if !released() {
		t.Fatalf("no release is open: %q", w.log)
	}
	jm, _ := w.s.JobManager.Get()
	jm = jm.DeepCopy()
	none := int32(0)
	jm.Spec.Replicas, jm.Status = &none, appsv1.DeploymentStatus{}
	delete(jm.Annotations, v1beta1.AnnotationOperation)
	w.s.JobManager, w.s.Flink, w.s.Pods = plan.Present(jm), world.Flink{}, plan.Present([]corev1.Pod{})
	if p := w.round(); touches(p) {
		t.Errorf("a release that has no effect: %s", p)
	}
	if c := meta.FindStatusCondition(w.status().Conditions, "Stalled"); c == nil || c.Reason != "ScaledToZero" ||
		!strings.Contains(c.Message, "kubectl scale deployment") {
		t.Errorf("Stalled is %+v, want what there is and the way back", c)
	}
}

func TestAJobManagerScaledToZeroByHand(t *testing.T) {
	w := stable(t, application)
	jm, _ := w.s.JobManager.Get()
	jm = jm.DeepCopy()
	none := int32(0)
	jm.Spec.Replicas, jm.Status = &none, appsv1.DeploymentStatus{}
	w.s.JobManager, w.s.Flink, w.s.Pods = plan.Present(jm), world.Flink{}, plan.Present([]corev1.Pod{})
	w.run()
	w.want(plan.Waiting, v1beta1.LifecycleDeployed, v1beta1.JobManagerMissing, v1beta1.FlinkJobReconciling)
	if c := meta.FindStatusCondition(w.status().Conditions, "Ready"); c == nil || c.Reason != "ScaledToZero" ||
		!strings.Contains(c.Message, "kubectl scale deployment") {
		t.Errorf("Ready is %+v, want what happened and the way back", c)
	}
	if c := meta.FindStatusCondition(w.status().Conditions, "Stalled"); c == nil || c.Reason != "ScaledToZero" {
		t.Errorf("Stalled is %+v: only a person starts it again", c)
	}
	one := int32(1)
	jm = jm.DeepCopy()
	jm.Spec.Replicas = &one
	w.s.JobManager = plan.Present(jm)
	w.serveJob(v1beta1.FlinkJobRunning)
	w.run()
	w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
}

// serve sets how many JobManager pods are available and what Flink answers.
func (w *fixture) serve(available int32, jobs plan.Observed[[]world.Job]) {
	jm, _ := w.s.JobManager.Get()
	jm = jm.DeepCopy()
	jm.Status.Replicas, jm.Status.AvailableReplicas = 1, available
	w.s.JobManager, w.s.Flink = plan.Present(jm), world.Flink{Jobs: jobs, Facts: w.s.Flink.Facts}
}

func TestTheWayOfAJobManager(t *testing.T) {
	refused := plan.Unknown[[]world.Job]("connection refused")
	for name, spec := range map[string]string{"application": application, "session": session} {
		t.Run(name, func(t *testing.T) {
			running := v1beta1.FlinkJobRunning
			reconciling := v1beta1.FlinkJobReconciling
			if spec == session {
				running, reconciling = "", ""
			}
			w := newWorld(t, spec)
			w.run()
			w.serve(0, plan.Observed[[]world.Job]{})
			w.run()
			w.want(plan.Waiting, v1beta1.LifecycleDeployed, v1beta1.JobManagerDeploying, reconciling)
			w.serve(1, refused)
			w.run()
			w.want(plan.Waiting, v1beta1.LifecycleDeployed, v1beta1.JobManagerDeployedNotReady, reconciling)
			if len(w.status().ClusterInfo) != 0 || w.status().ReconciliationStatus.LastStableSpec != "" {
				t.Errorf("nothing is known of it yet: %v", w.status().ClusterInfo)
			}
			w.serveJob(v1beta1.FlinkJobRunning)
			w.run()
			w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, running)
			if info := w.status().ClusterInfo; info["total-cpu"] != "1.0" || info["total-memory"] != "2147483648" ||
				info["state-size"] != "" {
				t.Errorf("one JobManager and one TaskManager are %v", info)
			}
			if w.status().ClusterInfo["flink-version"] != "1.20.5" || w.status().ReconciliationStatus.LastStableSpec == "" {
				t.Errorf("cluster information %v", w.status().ClusterInfo)
			}
			w.run()
			if n := w.told("JobStatusChanged"); spec == application && (n != 1 || w.status().JobStatus.JobName != "demo") {
				t.Errorf("JobStatusChanged was told %d times", n)
			}
			w.serve(0, plan.Observed[[]world.Job]{})
			w.run()
			w.want(plan.Waiting, w.status().LifecycleState, v1beta1.JobManagerDeploying, reconciling)
			w.serve(1, refused)
			w.run()
			w.want(plan.Waiting, w.status().LifecycleState, v1beta1.JobManagerDeployedNotReady, reconciling)
			w.serveJob(v1beta1.FlinkJobRunning)
			w.run()
			w.want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, running)
			if w.told("CheckpointError") != 0 {
				t.Error("a job without checkpoints is no error")
			}
		})
	}
	t.Run("a JobManager that lists no job", func(t *testing.T) {
		w := newWorld(t, application)
		w.run()
		w.serve(1, plan.Present([]world.Job{}))
		w.run()
		w.want(plan.Waiting, v1beta1.LifecycleDeployed, v1beta1.JobManagerReady, v1beta1.FlinkJobReconciling)
		if w.status().ReconciliationStatus.LastStableSpec != "" {
			t.Error("a spec whose job is not listed is not stable")
		}
	})
}

func TestTheCauseOfAFailureIsToldOnce(t *testing.T) {
	w := stable(t, application)
	w.events = nil
	w.serveJob(v1beta1.FlinkJobFailed)
	w.s.Flink.Failure = plan.Present("job err -> root")
	w.run()
	w.want(plan.Ended, v1beta1.LifecycleFailed, v1beta1.JobManagerReady, v1beta1.FlinkJobFailed)
	if !strings.Contains(w.status().Error, "job err -> root") || w.told("Error") != 1 || w.told("JobStatusChanged") != 1 {
		t.Errorf("error %q, events %+v", w.status().Error, w.events)
	}
	if w.run(); w.told("Error") != 1 || w.told("JobStatusChanged") != 1 {
		t.Errorf("told again: %+v", w.events)
	}
}

// TestAJobThatEndedBadlyIsStalled: Flux and "kubectl wait" read Stalled as the end of their wait.
func TestAJobThatEndedBadlyIsStalled(t *testing.T) {
	rows := map[string]struct {
		resource string
		job      v1beta1.FlinkJobState
		stalled  string
		ready    metav1.ConditionStatus
		reason   string
	}{
		"stateless, failed":        {application, v1beta1.FlinkJobFailed, "JobFailed", "False", "it keeps none"},
		"stateful, state is known": {stateful, v1beta1.FlinkJobFailed, "JobFailed", "False", "it can start"},
		"finished":                 {stateful, v1beta1.FlinkJobFinished, "", "True", "as a batch job does"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, row.resource)
			w.serveJob(row.job)
			w.s.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "s3://bucket/chk-7"})
			w.s.Flink.Failure = plan.Present("job err -> root")
			w.run()
			w.run()
			stalled, ready := w.condition(summary.Stalled), w.condition(summary.Ready)
			if ready.Status != row.ready || stalled.Reason != row.stalled {
				t.Fatalf("Ready %+v, Stalled %+v: %s", ready, stalled, row.reason)
			}
			if row.stalled != "" && (!strings.Contains(stalled.Message, "restartNonce") ||
				!strings.Contains(stalled.Message, "job err -> root")) {
				t.Errorf("Stalled %s: %s", stalled.Reason, stalled.Message)
			}
			if w.status().Pace != v1beta1.PaceSlow {
				t.Errorf("pace %s, and nothing moves", w.status().Pace)
			}
			if err := summary.CheckEnds(w.status().Conditions); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAFailureThatNobodyExplainsIsTold(t *testing.T) {
	w := stable(t, application)
	w.serveJob(v1beta1.FlinkJobFailed)
	w.s.Flink.Failure = plan.Absent[string]()
	w.run()
	if w.status().Error != "" {
		t.Fatalf("error %q, while Flink may still tell", w.status().Error)
	}
	w.lose()
	w.run()
	w.want(plan.Ended, v1beta1.LifecycleFailed, v1beta1.JobManagerMissing, v1beta1.FlinkJobFailed)
	if told := w.told("Error"); !strings.Contains(w.status().Error, "see its logs") || told != 1 {
		t.Errorf("error %q, told %d times", w.status().Error, told)
	}
}

func TestTheNumberOfTaskManagers(t *testing.T) {
	for parallelism, want := range map[int32]int32{1: 1, 2: 1, 3: 2, 4: 2, 5: 3} {
		w := newWorld(t, application)
		w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = parallelism })
		w.run()
		if got := w.status().TaskManager; got == nil || got.Replicas != want {
			t.Errorf("parallelism %d with 2 slots each: %+v, want %d", parallelism, got, want)
		}
	}
}

func TestAStartThatNeverRan(t *testing.T) {
	w := newWorld(t, application)
	w.run()
	first := func(change func(*corev1.Pod)) []corev1.Pod {
		pod := waitingPod("ImagePullBackOff", "no such image", false)
		pod.CreationTimestamp = w.deployment().CreationTimestamp
		change(&pod)
		return []corev1.Pod{pod}
	}
	same := func(*corev1.Pod) {}
	rows := map[string]struct {
		pods   plan.Observed[[]corev1.Pod]
		want   bool
		reason string
	}{
		"its only pod waits": {plan.Present(first(same)), true, "nothing ran in it"},
		"nobody could look":  {plan.Unknown[[]corev1.Pod]("time-out"), false, "any doubt is a no"},
		"no pod":             {plan.Present([]corev1.Pod{}), false, "there may have been one"},
		"a second pod":       {plan.Present(append(first(same), first(same)...)), false, "the other may have run"},
		"a later pod": {
			plan.Present(first(func(p *corev1.Pod) { p.CreationTimestamp.Time = start.Add(time.Minute) })), false,
			"it is not the first",
		},
		"a container that restarted": {
			plan.Present(first(func(p *corev1.Pod) { p.Status.ContainerStatuses[0].RestartCount = 1 })), false,
			"it ran before",
		},
		"a container that runs": {ranPods(), false, "it runs"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			s := w.s
			s.Pods = row.pods
			if got := cluster.New(s).NeverRan(); got != row.want {
				t.Errorf("never ran %t, want %t: %s", got, row.want, row.reason)
			}
		})
	}
}

// With high availability on Kubernetes, data that nobody wrote says that no JobManager led. One that begins all the
// same leaves data from which its successor goes on, but for another Flink: so of that one its pods have to say it.
func TestAJobManagerThatMayLeadAtAnyMoment(t *testing.T) {
	rows := map[string]struct {
		version v1beta1.FlinkVersion
		waiting string
		after   time.Duration
		want    bool
	}{
		"the same Flink":                            {"v1_20", "ContainerCreating", time.Second, true},
		"another Flink":                             {"v2_0", "ContainerCreating", time.Second, false},
		"another Flink, later":                      {"v2_0", "ContainerCreating", time.Minute, true},
		"another Flink, and there is no such image": {"v2_0", "ImagePullBackOff", time.Second, true},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, with(highlyAvailable, "v2_2", "v1_20"))
			w.run()
			pod := waitingPod(row.waiting, "", false)
			pod.CreationTimestamp, pod.Spec.NodeName = w.deployment().CreationTimestamp, "node"
			w.s.Pods = plan.Present([]corev1.Pod{pod})
			w.s.Nodes = map[string]plan.Observed[bool]{"node": plan.Present(true)}
			w.s.HAData = plan.Present([]hadata.ConfigMap{})
			w.edit(func(r *v1beta1.FlinkDeploymentSpec) { r.FlinkVersion = row.version })
			w.s.Now = pod.CreationTimestamp.Add(row.after)
			if got := cluster.New(w.s).NeverRan(); got != row.want {
				t.Errorf("never ran %t, want %t", got, row.want)
			}
		})
	}
}

// The old cluster has its time to end from when it may go, however long the savepoint before took.
func TestASlowSavepointEndsNoCluster(t *testing.T) {
	w := stable(t, stateful)
	w.edit(upgradeImage)
	w.run()
	w.s.Now = w.s.Now.Add(6 * time.Minute)
	w.stopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/1"})
	w.run()
	w.run()
	if p := w.round(); p.Requeue != plan.RequeueOnPods || w.status().Pace != v1beta1.PaceFast {
		t.Errorf(
			"the pass does not wait for the pods: requeue %s, pace %s, stalled %q", p.Requeue, w.status().Pace,
			w.condition("Stalled").Message,
		)
	}
	w.s.Now = w.s.Now.Add(6 * time.Minute)
	w.run()
	if c := w.condition("Stalled"); c.Reason != "ClusterTerminating" {
		t.Errorf("it has had its time, and stalled is %+v", c)
	}
}
