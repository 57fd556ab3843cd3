package deployment_test

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// outOfSight keeps its data in a ZooKeeper where only Flink can look, and may start empty.
var outOfSight = strings.Replace(strings.Replace(onZooKeeper, `"high-availability.type"`,
	`"high-availability.zookeeper.client.acl":"creator","high-availability.type"`, 1), `"last-state"`, `"stateless"`, 1)

// graphRemoval is how long after the end of a job its graph may be there.
const graphRemoval = 10 * time.Second

func giveUpState(w *enginetest.Deployment) {
	w.Snapshot.Resource.Annotations = map[string]string{v1beta1.AnnotationIgnoreState: "true"}
	w.Bump()
}

// Flink runs every job graph that it finds: a stateless start waits until the job before it has ended, and its graph
// with it.
func TestAnUnreadableGraphWaitsForTheJobsEnd(t *testing.T) {
	w := enginetest.Stable(t, outOfSight)
	w.Edit(enginetest.UpgradeImage)
	if p := w.Run(); !strings.Contains(p.String(), "cancel job") || strings.Contains(p.String(), "delete cluster") {
		t.Fatalf("got %q", p)
	}
	ended := func(ago time.Duration) {
		w.ServeJob(v1beta1.FlinkJobCanceled)
		jobs, _ := w.Snapshot.Flink.Jobs.Get()
		jobs[0].EndTime = w.Snapshot.Now.Add(-ago)
	}
	w.ServeJob(v1beta1.FlinkJobCancelling)
	if p := w.Run(); enginetest.Touches(p) {
		t.Errorf("while it is being cancelled: %q", p)
	}
	ended(time.Second)
	if p := w.Run(); enginetest.Touches(p) {
		t.Errorf("Flink may be about to remove the graph: %q", p)
	}
	ended(time.Minute)
	if p := w.Run(); enginetest.Touches(p) {
		t.Errorf("its clock is ahead of Flink's: %q", p)
	}
	w.Snapshot.Now = w.Snapshot.Now.Add(graphRemoval)
	if p := w.Run(); !strings.HasSuffix(p.String(), "record end, retire demo (jm-1)") {
		t.Errorf("after its end: %q", p)
	}
	w.Terminate()
	w.Run()
	if w.Told("Submit") != 2 || w.Status().Situation != string(plan.Waiting) {
		t.Errorf("rounds %q", w.Log)
	}
}

// A JobManager that does not answer is waited for until the clean-up timeout; then a person has to look.
func TestHowLongAGraphIsWaitedFor(t *testing.T) {
	w := enginetest.Stable(t, outOfSight)
	w.Edit(enginetest.UpgradeImage)
	w.Run()
	began := w.Status().Intent.StoredAt
	w.Snapshot.Flink, w.Snapshot.Now = enginetest.UnansweredFlink(), began.Add(5*time.Minute)
	w.Run()
	if c := w.Condition(summary.Stalled); c.Reason == "JobGraphUnreadable" {
		t.Errorf("at the clean-up timeout: %+v", c)
	}
	w.Snapshot.Now = w.Snapshot.Now.Add(time.Second)
	w.Run()
	if c := w.Condition(summary.Stalled); c.Reason != "JobGraphUnreadable" {
		t.Errorf("after the clean-up timeout: %+v, rounds %q", c, w.Log)
	}
}

// The end of a job whose state is given up is recorded once, with its time.
func TestTheEndOfAJobThatGoesWithItsGraphIsRecorded(t *testing.T) {
	w := enginetest.Stable(t, outOfSight)
	w.Edit(enginetest.UpgradeImage)
	w.Run()
	w.ServeJob(v1beta1.FlinkJobCanceled)
	w.Run()
	if intent := w.Status().Intent; intent == nil || intent.Ended {
		t.Fatalf("before its graph is gone: %+v", intent)
	}
	w.Snapshot.Now = w.Snapshot.Now.Add(graphRemoval)
	w.Run()
	if intent := w.Status().Intent; intent == nil || !intent.Ended || intent.EndedAt == nil ||
		!intent.EndedAt.Time.Equal(w.Snapshot.Now.Truncate(time.Second)) {
		t.Errorf("after it: %+v, at %s", intent, w.Snapshot.Now)
	}
}

func TestAJobGraphThatMayBeLeftIsAPersons(t *testing.T) {
	silent := func(w *enginetest.Deployment) {
		w.Edit(enginetest.UpgradeImage)
		w.Run()
		w.Snapshot.Flink, w.Snapshot.Now = enginetest.UnansweredFlink(), w.Snapshot.Now.Add(time.Hour)
	}
	rows := map[string]struct {
		spec   string
		what   func(w *enginetest.Deployment)
		blocks bool
		reason string
	}{
		"the JobManager does not answer": {outOfSight, silent, true, "nobody sees the end of its job"},
		"its Deployment is lost":         {outOfSight, (*enginetest.Deployment).Lose, true, "the graph is left"},
		"it is lost in the middle": {
			outOfSight, func(w *enginetest.Deployment) { w.Edit(enginetest.UpgradeImage); w.Run(); w.Lose() }, true,
			"the same",
		},
		"it is lost in the middle, and nobody had seen its start": {
			outOfSight, func(w *enginetest.Deployment) {
				w.Edit(enginetest.UpgradeImage)
				w.Run()
				w.Snapshot.Resource.Status.JobStatus.StartTime = ""
				w.Lose()
			}, true, "it ran all the same",
		},
		"nobody had seen its start, and it does not answer": {outOfSight, func(w *enginetest.Deployment) {
			silent(w)
			w.Snapshot.Resource.Status.JobStatus.StartTime, w.Snapshot.Pods = "", enginetest.RanPods()
		}, true, "it may have run"},
		"it never ran, and does not answer": {outOfSight, func(w *enginetest.Deployment) {
			neverRan(w, outOfSight)
			silent(w)
		}, false, "it left none"},
		"it never ran, and did before its Deployment was lost": {
			outOfSight, func(w *enginetest.Deployment) { beginsTooLate(w, outOfSight, false, nil) }, true,
			"it may have left one",
		},
		"it never ran, and its kubelet writes an end that it makes up": {
			outOfSight, func(w *enginetest.Deployment) { beginsTooLate(w, outOfSight, true, nil) }, false,
			"a container that never began",
		},
		"it never ran, and its pod came to a node as its Deployment was lost": {
			outOfSight, func(w *enginetest.Deployment) { comesTooLate(w, "node-1") }, true,
			"it may have begun before its status says so",
		},
		"it never ran, and its pod came to no node": {
			outOfSight, func(w *enginetest.Deployment) { comesTooLate(w, "") }, false, "nobody can have begun it",
		},
		"it never ran, and did before its Deployment was lost and a redeploy overtook the stop": {
			outOfSight, func(w *enginetest.Deployment) {
				beginsTooLate(w, outOfSight, false, enginetest.Redeploy("file:///given", 2))
			}, true,
			"the same",
		},
		"it never ran, did as a redeploy overtook the stop, and its Deployment was lost in that": {
			outOfSight, func(w *enginetest.Deployment) {
				neverRan(w, outOfSight)
				w.Edit(enginetest.UpgradeImage)
				w.Round()
				w.Edit(enginetest.Redeploy("file:///given", 2))
				w.Snapshot.Pods = enginetest.RanPods()
				w.Round()
				w.Lose()
			}, true, "the same",
		},
		"it never ran, did before a suspension took its Deployment, and is resumed": {
			outOfSight, func(w *enginetest.Deployment) {
				state := func(to v1beta1.JobState) func(*v1beta1.FlinkDeploymentSpec) {
					return func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = to }
				}
				neverRan(w, outOfSight)
				w.Edit(state(v1beta1.JobStateSuspended))
				w.Round()
				w.Snapshot.Pods = enginetest.RanPods()
				w.Run()
				w.Lose()
				w.Edit(state(v1beta1.JobStateRunning))
			}, true, "the same",
		},
		"the same, and its state is kept": {
			outOfSight, func(w *enginetest.Deployment) {
				beginsTooLate(w, strings.Replace(outOfSight, `"stateless"`, `"savepoint"`, 1), false, nil)
			},
			true, "the same",
		},
		"a person gave it up": {
			outOfSight, func(w *enginetest.Deployment) { w.Lose(); giveUpState(w) }, false,
			"as the message says",
		},
		"lost, and we can look": {
			strings.Replace(onZooKeeper, `"last-state"`, `"stateless"`, 1), (*enginetest.Deployment).Lose, false,
			"the start drops it",
		},
		"lost, without high availability": {
			enginetest.Application,
			(*enginetest.Deployment).Lose,
			false,
			"there is no graph",
		},
		"lost after its job ended": {outOfSight, func(w *enginetest.Deployment) {
			w.ServeJob(v1beta1.FlinkJobFinished)
			w.Run()
			w.Snapshot.Now = w.Snapshot.Now.Add(graphRemoval)
			w.Run()
			w.Lose()
			w.Edit(enginetest.UpgradeImage)
		}, false, "the graph went with it"},
		"lost after another JobManager found nothing to begin with": {
			outOfSight, func(w *enginetest.Deployment) { replacedAfterEnd(w, graphRemoval) }, false,
			"it begins with what it finds",
		},
		"lost before another JobManager had looked": {
			outOfSight, func(w *enginetest.Deployment) { replacedAfterEnd(w, graphRemoval-time.Second) }, true,
			"it may find the graph yet",
		},
		"lost as its job ended": {outOfSight, func(w *enginetest.Deployment) {
			w.ServeJob(v1beta1.FlinkJobFinished)
			w.Run()
			w.Lose()
			w.Edit(enginetest.UpgradeImage)
		}, true, "the graph may be left"},
		"lost as its job ended, and suspended": {outOfSight, func(w *enginetest.Deployment) {
			w.ServeJob(v1beta1.FlinkJobFinished)
			w.Run()
			w.Lose()
			w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended })
		}, true, "a resumption would run it"},
		"it is to keep its data elsewhere": {
			outOfSight, func(w *enginetest.Deployment) { w.Edit(elsewhere); w.Run(); w.Lose() }, false,
			"it does not look there",
		},
		"a first start that is not released": {outOfSight, func(w *enginetest.Deployment) {
			w.Snapshot = enginetest.NewDeployment(w.T, outOfSight).Snapshot
			w.Round()
			w.Round()
			w.Edit(enginetest.UpgradeImage)
		}, false, "no job began"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, row.spec)
			row.what(w)
			w.Run()
			c := w.Condition(summary.Stalled)
			if blocks := c.Reason == "JobGraphUnreadable"; blocks != row.blocks {
				t.Fatalf("blocks %t, want %t: %s; %+v, rounds %q", blocks, row.blocks, row.reason, c, w.Log)
			}
			if row.blocks && !strings.Contains(
				c.Message, "zkCli.sh -server zk-0:2181 deleteall /flink/demo; then: kubectl annotate flinkdeployment demo",
			) {
				t.Errorf("nobody is told what to do: %q", c.Message)
			}
		})
	}
}

// beginsTooLate edits the spec before a container has begun. One begins, or its kubelet guesses that it did, and then
// the Deployment and the pods are gone. Between the two another edit, unless it is nil, overtakes.
func beginsTooLate(w *enginetest.Deployment, spec string, guessed bool, overtakes func(*v1beta1.FlinkDeploymentSpec)) {
	neverRan(w, spec)
	w.Edit(enginetest.UpgradeImage)
	w.Run()
	w.Lose()
	w.Snapshot.Pods = enginetest.RanPods()
	if guessed {
		pods, _ := w.Snapshot.Pods.Get()
		pods[0].Status.ContainerStatuses[0].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			Reason: "ContainerStatusUnknown", ExitCode: 137,
		}}
	}
	if overtakes != nil {
		w.Edit(overtakes)
	}
	w.Run()
	w.Lose()
}

// comesTooLate is the same of a pod that comes to a node, and whose status says nothing before it is gone.
func comesTooLate(w *enginetest.Deployment, node string) {
	neverRan(w, outOfSight)
	w.Edit(enginetest.UpgradeImage)
	w.Run()
	w.Lose()
	pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(w.Snapshot.Now)}}
	pod.Spec.NodeName = node
	w.Snapshot.Pods = plan.Present([]corev1.Pod{pod})
	w.Run()
	w.Lose()
}

// neverRan starts an application whose image nobody can pull.
func neverRan(w *enginetest.Deployment, spec string) {
	w.Snapshot = enginetest.NewDeployment(w.T, spec).Snapshot
	w.Run()
	pod := enginetest.WaitingPod("ImagePullBackOff", "no such image", false)
	pod.CreationTimestamp = w.Deployment().CreationTimestamp
	w.Snapshot.Pods = plan.Present([]corev1.Pod{pod})
	w.Snapshot.Flink, w.Snapshot.Now = enginetest.UnansweredFlink(), w.Snapshot.Now.Add(time.Hour)
}

// replacedAfterEnd ends the job, replaces the JobManager as that is seen, and loses the new one when it was ready for
// some time. It lists no job. Then the spec changes.
func replacedAfterEnd(w *enginetest.Deployment, ready time.Duration) {
	w.ServeJob(v1beta1.FlinkJobFinished)
	w.Run()
	w.Snapshot.Now = w.Snapshot.Now.Add(time.Second)
	jm, _ := w.Snapshot.JobManager.Get()
	jm = jm.DeepCopy()
	jm.Status.Conditions = []appsv1.DeploymentCondition{{
		Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(w.Snapshot.Now),
	}}
	w.Snapshot.JobManager, w.Snapshot.Flink.Jobs = plan.Present(jm), plan.Present([]world.Job{})
	w.Snapshot.Now = w.Snapshot.Now.Add(ready)
	w.Run()
	w.Lose()
	w.Edit(enginetest.UpgradeImage)
}

func elsewhere(s *v1beta1.FlinkDeploymentSpec) {
	s.FlinkConfiguration = v1beta1.FlinkConfiguration(strings.Replace(
		string(s.FlinkConfiguration), "zk-0:2181", "zk-9:2181", 1,
	))
}

func TestADeletionTellsWhatItLeaves(t *testing.T) {
	w := enginetest.Stable(t, outOfSight)
	w.Delete()
	w.Run()
	w.Terminate()
	w.Run()
	if !w.Gone || w.Told("HighAvailabilityDataLeft") != 1 {
		t.Errorf("gone %t, told %d times, rounds %q", w.Gone, w.Told("HighAvailabilityDataLeft"), w.Log)
	}
}

// TestUnreadableDataIsNotTakenDown: what goes with the job could not be removed, and the job would be down.
func TestUnreadableDataIsNotTakenDown(t *testing.T) {
	seen := strings.Replace(onZooKeeper, `"last-state"`, `"stateless"`, 1)
	away := plan.Unknown[znode.Tree]("NoAuth")
	rows := map[string]struct {
		spec  string
		data  plan.Observed[znode.Tree]
		what  func(w *enginetest.Deployment)
		waits bool
	}{
		"a stateless upgrade": {seen, away, func(w *enginetest.Deployment) { w.Edit(enginetest.UpgradeImage) }, true},
		"to another place":    {seen, away, func(w *enginetest.Deployment) { w.Edit(elsewhere) }, true},
		"it can be read":      {seen, znodes(), func(w *enginetest.Deployment) { w.Edit(enginetest.UpgradeImage) }, false},
		"nobody of ours may": {
			outOfSight,
			away,
			func(w *enginetest.Deployment) { w.Edit(enginetest.UpgradeImage) },
			false,
		},
		"a deletion": {seen, away, (*enginetest.Deployment).Delete, false},
		"its job has ended": {seen, away, func(w *enginetest.Deployment) {
			w.ServeJob(v1beta1.FlinkJobFailed)
			w.Run()
			w.Edit(enginetest.UpgradeImage)
		}, false},
		"the job keeps a state": {
			onZooKeeper,
			away,
			func(w *enginetest.Deployment) { w.Edit(enginetest.UpgradeImage) },
			true,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.Stable(t, row.spec)
			w.Snapshot.HANodes = row.data
			row.what(w)
			w.Run()
			c := w.Condition(summary.Reconciling)
			if waits := c.Reason == "HighAvailabilityUnknown"; waits != row.waits {
				t.Errorf("waits %t, want %t: %+v, rounds %q", waits, row.waits, c, w.Log)
			}
			if row.waits && (w.Status().Intent != nil && w.Status().Intent.Step == v1beta1.StepStopping ||
				strings.Contains(w.Did(), "cancel job") || strings.Contains(w.Did(), "delete cluster")) {
				t.Errorf("intent %+v, rounds %q", w.Status().Intent, w.Log)
			}
		})
	}
}
