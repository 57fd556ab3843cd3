package deployment_test

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/host/cluster"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/plan/hadata"
)

func TestAJobManagerThatCannotStart(t *testing.T) {
	type podFailure struct {
		breaks          func(w *enginetest.Deployment, d *appsv1.Deployment)
		reason, message string
	}
	rows := map[string]podFailure{
		"no pod may be made": {func(_ *enginetest.Deployment, d *appsv1.Deployment) {
			d.Status.Conditions = []appsv1.DeploymentCondition{
				{
					Type: appsv1.DeploymentReplicaFailure, Status: corev1.ConditionTrue, Reason: "FailedCreate",
					Message: "exceeded quota",
				},
			}
		}, "FailedCreate", "exceeded quota"},
		"its volume cannot be mounted": {func(w *enginetest.Deployment, _ *appsv1.Deployment) {
			w.Snapshot.Pods = plan.Present([]corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Name: "demo-1"},
				Status: corev1.PodStatus{Conditions: []corev1.PodCondition{
					{Type: corev1.PodReadyToStartContainers, Status: corev1.ConditionFalse},
					{Type: corev1.PodReady, Status: corev1.ConditionFalse},
				}}}})
			w.Snapshot.MountFailures = plan.Present([]string{"configmap not found"})
		}, "FailedMount", "configmap not found"},
		"its container said why": {func(w *enginetest.Deployment, _ *appsv1.Deployment) {
			pod := enginetest.WaitingPod("CrashLoopBackOff", "back-off", false)
			pod.Status.ContainerStatuses[0].LastTerminationState.Terminated = &corev1.ContainerStateTerminated{
				Message: "no such class",
			}
			w.Snapshot.Pods = plan.Present([]corev1.Pod{pod})
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
			rows[name] = podFailure{func(w *enginetest.Deployment, _ *appsv1.Deployment) {
				w.Snapshot.Pods = plan.Present([]corev1.Pod{enginetest.WaitingPod(reason, "the message", init)})
			}, reason, "[c1] the message"}
		}
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewDeployment(t, enginetest.Application)
			w.Run()
			jm, _ := w.Snapshot.JobManager.Get()
			broken := jm.DeepCopy()
			row.breaks(w, broken)
			w.Snapshot.JobManager, w.Events = plan.Present(broken), nil
			w.Run()
			w.Run()
			w.Want(plan.Broken, v1beta1.LifecycleDeployed, v1beta1.JobManagerError, v1beta1.FlinkJobReconciling)
			if len(w.Events) != 1 || !w.Events[0].Warning || string(w.Events[0].Reason) != row.reason ||
				w.Events[0].Message != row.message {
				t.Errorf("told %+v, want one %s: %s", w.Events, row.reason, row.message)
			}
			if !strings.Contains(w.Status().Error, row.message) {
				t.Errorf("error %q", w.Status().Error)
			}
			w.Snapshot.JobManager, w.Snapshot.Pods, w.Snapshot.MountFailures = plan.Present(jm), plan.Present([]corev1.Pod{}),
				plan.Observed[[]string]{}
			w.Run()
			w.Want(plan.Waiting, v1beta1.LifecycleDeployed, v1beta1.JobManagerDeploying, v1beta1.FlinkJobReconciling)
			w.ServeJob(v1beta1.FlinkJobRunning)
			w.Run()
			w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
			if r := w.Status().ReconciliationStatus; w.Status().Error != "" || r.LastStableSpec != r.LastReconciledSpec {
				t.Errorf("what is fixed is forgotten, and stable: %q", w.Status().Error)
			}
		})
	}
}

// Real Flink: a job fails for good as its JobManager ends. Its checkpoints are out of the high-availability data, its
// job graph is not, and the start path of its last upgrade keeps the next JobManager from beginning from nothing.
func TestAJobManagerThatFindsNoLastState(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Application)
	w.Snapshot.Resource.Status.JobStatus.Checkpoint = &v1beta1.KnownCheckpoint{Path: "s3://c/chk-4"}
	told := func(when, safe, reason string) {
		t.Helper()
		stalled, c := w.Condition(summary.Stalled), w.Condition(summary.StateSafe)
		if stalled.Reason != reason || string(c.Status) != safe {
			t.Errorf("%s: Stalled is %+v, want %s; StateSafe is %+v, want %s", when, stalled, reason, c, safe)
		}
		if safe != "" && (!strings.Contains(c.Message, "s3://c/chk-4") || !strings.Contains(c.Message, "kubectl patch")) {
			t.Errorf("%s: StateSafe is %+v, want the newest checkpoint and the way out", when, c)
		}
	}
	w.Refuses("s3://s/savepoint-1")
	w.Run()
	told("another path is not there", "", "CrashLoopBackOff")
	w.Refuses(v1beta1.LastStatePlaceholder)
	w.Run()
	w.Run()
	w.Want(plan.Broken, v1beta1.LifecycleDeployed, v1beta1.JobManagerError, v1beta1.FlinkJobReconciling)
	told("its last state is not there", "False", "RestoreFailed")
	if got := w.Condition(summary.ClusterAvailable); got.Reason != "CrashLoopBackOff" {
		t.Errorf("ClusterAvailable is %+v", got)
	}
	w.ServeJob(v1beta1.FlinkJobInitializing)
	w.Run()
	told("it tries again", "False", "RestoreFailed")
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Run()
	told("it runs", "", "")
}

// An old status may have the release of a Deployment open that a stop has retired since: it carries no operation.
func TestAReleaseThatIsOpenInAnOldStatus(t *testing.T) {
	w := enginetest.NewDeployment(t, enginetest.Application)
	released := func() bool { i := w.Status().Intent; return i != nil && i.Step == v1beta1.StepReleased }
	for n := 0; n < 9 && !released(); n++ {
		w.Round()
	}
	if !released() {
		t.Fatalf("no release is open: %q", w.Log)
	}
	jm, _ := w.Snapshot.JobManager.Get()
	jm = jm.DeepCopy()
	none := int32(0)
	jm.Spec.Replicas, jm.Status = &none, appsv1.DeploymentStatus{}
	delete(jm.Annotations, v1beta1.AnnotationOperation)
	w.Snapshot.JobManager, w.Snapshot.Flink, w.Snapshot.Pods = plan.Present(
		jm,
	), world.Flink{}, plan.Present(
		[]corev1.Pod{},
	)
	if p := w.Round(); enginetest.Touches(p) {
		t.Errorf("a release that has no effect: %s", p)
	}
	if c := meta.FindStatusCondition(w.Status().Conditions, "Stalled"); c == nil || c.Reason != "ScaledToZero" ||
		!strings.Contains(c.Message, "kubectl scale deployment") {
		t.Errorf("Stalled is %+v, want what there is and the way back", c)
	}
}

func TestAJobManagerScaledToZeroByHand(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Application)
	jm, _ := w.Snapshot.JobManager.Get()
	jm = jm.DeepCopy()
	none := int32(0)
	jm.Spec.Replicas, jm.Status = &none, appsv1.DeploymentStatus{}
	w.Snapshot.JobManager, w.Snapshot.Flink, w.Snapshot.Pods = plan.Present(
		jm,
	), world.Flink{}, plan.Present(
		[]corev1.Pod{},
	)
	w.Run()
	w.Want(plan.Waiting, v1beta1.LifecycleDeployed, v1beta1.JobManagerMissing, v1beta1.FlinkJobReconciling)
	if c := meta.FindStatusCondition(w.Status().Conditions, "Ready"); c == nil || c.Reason != "ScaledToZero" ||
		!strings.Contains(c.Message, "kubectl scale deployment") {
		t.Errorf("Ready is %+v, want what happened and the way back", c)
	}
	if c := meta.FindStatusCondition(w.Status().Conditions, "Stalled"); c == nil || c.Reason != "ScaledToZero" {
		t.Errorf("Stalled is %+v: only a person starts it again", c)
	}
	one := int32(1)
	jm = jm.DeepCopy()
	jm.Spec.Replicas = &one
	w.Snapshot.JobManager = plan.Present(jm)
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Run()
	w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, v1beta1.FlinkJobRunning)
}

func TestTheWayOfAJobManager(t *testing.T) {
	refused := plan.Unknown[[]world.Job]("connection refused")
	for name, spec := range map[string]string{"application": enginetest.Application, "session": enginetest.Session} {
		t.Run(name, func(t *testing.T) {
			running := v1beta1.FlinkJobRunning
			reconciling := v1beta1.FlinkJobReconciling
			if spec == enginetest.Session {
				running, reconciling = "", ""
			}
			w := enginetest.NewDeployment(t, spec)
			w.Run()
			w.Serve(0, plan.Observed[[]world.Job]{})
			w.Run()
			w.Want(plan.Waiting, v1beta1.LifecycleDeployed, v1beta1.JobManagerDeploying, reconciling)
			w.Serve(1, refused)
			w.Run()
			w.Want(plan.Waiting, v1beta1.LifecycleDeployed, v1beta1.JobManagerDeployedNotReady, reconciling)
			if len(w.Status().ClusterInfo) != 0 || w.Status().ReconciliationStatus.LastStableSpec != "" {
				t.Errorf("nothing is known of it yet: %v", w.Status().ClusterInfo)
			}
			w.ServeJob(v1beta1.FlinkJobRunning)
			w.Run()
			w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, running)
			if info := w.Status().ClusterInfo; info["total-cpu"] != "1.0" || info["total-memory"] != "2147483648" ||
				info["state-size"] != "" {
				t.Errorf("one JobManager and one TaskManager are %v", info)
			}
			if w.Status().ClusterInfo["flink-version"] != "1.20.5" || w.Status().ReconciliationStatus.LastStableSpec == "" {
				t.Errorf("cluster information %v", w.Status().ClusterInfo)
			}
			w.Run()
			if n := w.Told("JobStatusChanged"); spec == enginetest.Application &&
				(n != 1 || w.Status().JobStatus.JobName != "demo") {
				t.Errorf("JobStatusChanged was told %d times", n)
			}
			w.Serve(0, plan.Observed[[]world.Job]{})
			w.Run()
			w.Want(plan.Waiting, w.Status().LifecycleState, v1beta1.JobManagerDeploying, reconciling)
			w.Serve(1, refused)
			w.Run()
			w.Want(plan.Waiting, w.Status().LifecycleState, v1beta1.JobManagerDeployedNotReady, reconciling)
			w.ServeJob(v1beta1.FlinkJobRunning)
			w.Run()
			w.Want(plan.Steady, v1beta1.LifecycleStable, v1beta1.JobManagerReady, running)
			if w.Told("CheckpointError") != 0 {
				t.Error("a job without checkpoints is no error")
			}
		})
	}
	t.Run("a JobManager that lists no job", func(t *testing.T) {
		w := enginetest.NewDeployment(t, enginetest.Application)
		w.Run()
		w.Serve(1, plan.Present([]world.Job{}))
		w.Run()
		w.Want(plan.Waiting, v1beta1.LifecycleDeployed, v1beta1.JobManagerReady, v1beta1.FlinkJobReconciling)
		if w.Status().ReconciliationStatus.LastStableSpec != "" {
			t.Error("a spec whose job is not listed is not stable")
		}
	})
}

func TestTheCauseOfAFailureIsToldOnce(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Application)
	w.Events = nil
	w.ServeJob(v1beta1.FlinkJobFailed)
	w.Snapshot.Flink.Failure = plan.Present("job err -> root")
	w.Run()
	w.Want(plan.Ended, v1beta1.LifecycleFailed, v1beta1.JobManagerReady, v1beta1.FlinkJobFailed)
	if !strings.Contains(w.Status().Error, "job err -> root") || w.Told("Error") != 1 || w.Told("JobStatusChanged") != 1 {
		t.Errorf("error %q, events %+v", w.Status().Error, w.Events)
	}
	if w.Run(); w.Told("Error") != 1 || w.Told("JobStatusChanged") != 1 {
		t.Errorf("told again: %+v", w.Events)
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
		"stateless, failed":        {enginetest.Application, v1beta1.FlinkJobFailed, "JobFailed", "False", "it keeps none"},
		"stateful, state is known": {enginetest.Stateful, v1beta1.FlinkJobFailed, "JobFailed", "False", "it can start"},
		"finished":                 {enginetest.Stateful, v1beta1.FlinkJobFinished, "", "True", "as a batch job does"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, row.resource)
			w.ServeJob(row.job)
			w.Snapshot.Flink.Checkpoints = plan.Present(world.Checkpoints{Path: "s3://bucket/chk-7"})
			w.Snapshot.Flink.Failure = plan.Present("job err -> root")
			w.Run()
			w.Run()
			stalled, ready := w.Condition(summary.Stalled), w.Condition(summary.Ready)
			if ready.Status != row.ready || stalled.Reason != row.stalled {
				t.Fatalf("Ready %+v, Stalled %+v: %s", ready, stalled, row.reason)
			}
			if row.stalled != "" && (!strings.Contains(stalled.Message, "restartNonce") ||
				!strings.Contains(stalled.Message, "job err -> root")) {
				t.Errorf("Stalled %s: %s", stalled.Reason, stalled.Message)
			}
			if w.Status().Pace != v1beta1.PaceSlow {
				t.Errorf("pace %s, and nothing moves", w.Status().Pace)
			}
			if err := summary.CheckEnds(w.Status().Conditions); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAFailureThatNobodyExplainsIsTold(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Application)
	w.ServeJob(v1beta1.FlinkJobFailed)
	w.Snapshot.Flink.Failure = plan.Absent[string]()
	w.Run()
	if w.Status().Error != "" {
		t.Fatalf("error %q, while Flink may still tell", w.Status().Error)
	}
	w.Lose()
	w.Run()
	w.Want(plan.Ended, v1beta1.LifecycleFailed, v1beta1.JobManagerMissing, v1beta1.FlinkJobFailed)
	if told := w.Told("Error"); !strings.Contains(w.Status().Error, "see its logs") || told != 1 {
		t.Errorf("error %q, told %d times", w.Status().Error, told)
	}
}

func TestTheNumberOfTaskManagers(t *testing.T) {
	for parallelism, want := range map[int32]int32{1: 1, 2: 1, 3: 2, 4: 2, 5: 3} {
		w := enginetest.NewDeployment(t, enginetest.Application)
		w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.Parallelism = parallelism })
		w.Run()
		if got := w.Status().TaskManager; got == nil || got.Replicas != want {
			t.Errorf("parallelism %d with 2 slots each: %+v, want %d", parallelism, got, want)
		}
	}
}

func TestAStartThatNeverRan(t *testing.T) {
	w := enginetest.NewDeployment(t, enginetest.Application)
	w.Run()
	first := func(change func(*corev1.Pod)) []corev1.Pod {
		pod := enginetest.WaitingPod("ImagePullBackOff", "no such image", false)
		pod.CreationTimestamp = w.Deployment().CreationTimestamp
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
			plan.Present(first(func(p *corev1.Pod) { p.CreationTimestamp.Time = enginetest.Start.Add(time.Minute) })), false,
			"it is not the first",
		},
		"a container that restarted": {
			plan.Present(first(func(p *corev1.Pod) { p.Status.ContainerStatuses[0].RestartCount = 1 })), false,
			"it ran before",
		},
		"a container that runs": {enginetest.RanPods(), false, "it runs"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			s := w.Snapshot
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
			w := enginetest.NewDeployment(t, enginetest.With(enginetest.HighlyAvailable, "v2_2", "v1_20"))
			w.Run()
			pod := enginetest.WaitingPod(row.waiting, "", false)
			pod.CreationTimestamp, pod.Spec.NodeName = w.Deployment().CreationTimestamp, "node"
			w.Snapshot.Pods = plan.Present([]corev1.Pod{pod})
			w.Snapshot.Nodes = map[string]plan.Observed[bool]{"node": plan.Present(true)}
			w.Snapshot.HAData = plan.Present([]hadata.ConfigMap{})
			w.Edit(func(r *v1beta1.FlinkDeploymentSpec) { r.FlinkVersion = row.version })
			w.Snapshot.Now = pod.CreationTimestamp.Add(row.after)
			if got := cluster.New(w.Snapshot).NeverRan(); got != row.want {
				t.Errorf("never ran %t, want %t", got, row.want)
			}
		})
	}
}

// The old cluster has its time to end from when it may go, however long the savepoint before took.
func TestASlowSavepointEndsNoCluster(t *testing.T) {
	w := enginetest.Stable(t, enginetest.Stateful)
	w.Edit(enginetest.UpgradeImage)
	w.Run()
	w.Snapshot.Now = w.Snapshot.Now.Add(6 * time.Minute)
	w.StopWith(world.StopProgress{State: world.StopCompleted, Path: "file:///s/1"})
	w.Run()
	w.Run()
	if p := w.Round(); p.Requeue != plan.RequeueOnPods || w.Status().Pace != v1beta1.PaceFast {
		t.Errorf(
			"the pass does not wait for the pods: requeue %s, pace %s, stalled %q", p.Requeue, w.Status().Pace,
			w.Condition("Stalled").Message,
		)
	}
	w.Snapshot.Now = w.Snapshot.Now.Add(6 * time.Minute)
	w.Run()
	if c := w.Condition("Stalled"); c.Reason != "ClusterTerminating" {
		t.Errorf("it has had its time, and stalled is %+v", c)
	}
}
