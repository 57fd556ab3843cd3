package deployment

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/world"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/znode"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// outOfSight keeps its data in a ZooKeeper where only Flink can look, and may start empty.
var outOfSight = strings.Replace(strings.Replace(onZooKeeper, `"high-availability.type"`,
	`"high-availability.zookeeper.client.acl":"creator","high-availability.type"`, 1), `"last-state"`, `"stateless"`, 1)

// graphRemoval is how long after the end of a job its graph may be there.
const graphRemoval = 10 * time.Second

func giveUpState(w *fixture) {
	w.s.Resource.Annotations = map[string]string{v1beta1.AnnotationIgnoreState: "true"}
	w.bump()
}

// Flink runs every job graph that it finds: a stateless start waits until the job before it has ended, and its graph
// with it.
func TestAnUnreadableGraphWaitsForTheJobsEnd(t *testing.T) {
	w := stable(t, outOfSight)
	w.edit(upgradeImage)
	if p := w.run(); !strings.Contains(p.String(), "cancel job") || strings.Contains(p.String(), "delete cluster") {
		t.Fatalf("got %q", p)
	}
	ended := func(ago time.Duration) {
		w.serveJob(v1beta1.FlinkJobCanceled)
		jobs, _ := w.s.Flink.Jobs.Get()
		jobs[0].EndTime = w.s.Now.Add(-ago)
	}
	w.serveJob(v1beta1.FlinkJobCancelling)
	if p := w.run(); touches(p) {
		t.Errorf("while it is being cancelled: %q", p)
	}
	ended(time.Second)
	if p := w.run(); touches(p) {
		t.Errorf("Flink may be about to remove the graph: %q", p)
	}
	ended(time.Minute)
	if p := w.run(); touches(p) {
		t.Errorf("its clock is ahead of Flink's: %q", p)
	}
	w.s.Now = w.s.Now.Add(graphRemoval)
	if p := w.run(); !strings.HasSuffix(p.String(), "record end, retire demo (jm-1)") {
		t.Errorf("after its end: %q", p)
	}
	w.terminate()
	w.run()
	if w.told("Submit") != 2 || w.status().Situation != string(plan.Waiting) {
		t.Errorf("rounds %q", w.log)
	}
}

// A JobManager that does not answer is waited for until the clean-up timeout; then a person has to look.
func TestHowLongAGraphIsWaitedFor(t *testing.T) {
	w := stable(t, outOfSight)
	w.edit(upgradeImage)
	w.run()
	began := w.status().Intent.StoredAt
	w.s.Flink, w.s.Now = unansweredFlink(), began.Add(5*time.Minute)
	w.run()
	if c := w.condition(summary.Stalled); c.Reason == "JobGraphUnreadable" {
		t.Errorf("at the clean-up timeout: %+v", c)
	}
	w.s.Now = w.s.Now.Add(time.Second)
	w.run()
	if c := w.condition(summary.Stalled); c.Reason != "JobGraphUnreadable" {
		t.Errorf("after the clean-up timeout: %+v, rounds %q", c, w.log)
	}
}

// The end of a job whose state is given up is recorded once, with its time.
func TestTheEndOfAJobThatGoesWithItsGraphIsRecorded(t *testing.T) {
	w := stable(t, outOfSight)
	w.edit(upgradeImage)
	w.run()
	w.serveJob(v1beta1.FlinkJobCanceled)
	w.run()
	if intent := w.status().Intent; intent == nil || intent.Ended {
		t.Fatalf("before its graph is gone: %+v", intent)
	}
	w.s.Now = w.s.Now.Add(graphRemoval)
	w.run()
	if intent := w.status().Intent; intent == nil || !intent.Ended || intent.EndedAt == nil ||
		!intent.EndedAt.Time.Equal(w.s.Now.Truncate(time.Second)) {
		t.Errorf("after it: %+v, at %s", intent, w.s.Now)
	}
}

func TestAJobGraphThatMayBeLeftIsAPersons(t *testing.T) {
	silent := func(w *fixture) {
		w.edit(upgradeImage)
		w.run()
		w.s.Flink, w.s.Now = unansweredFlink(), w.s.Now.Add(time.Hour)
	}
	rows := map[string]struct {
		spec   string
		what   func(w *fixture)
		blocks bool
		reason string
	}{
		"the JobManager does not answer": {outOfSight, silent, true, "nobody sees the end of its job"},
		"its Deployment is lost":         {outOfSight, (*fixture).lose, true, "the graph is left"},
		"it is lost in the middle": {
			outOfSight, func(w *fixture) { w.edit(upgradeImage); w.run(); w.lose() }, true,
			"the same",
		},
		"it is lost in the middle, and nobody had seen its start": {
			outOfSight, func(w *fixture) {
				w.edit(upgradeImage)
				w.run()
				w.s.Resource.Status.JobStatus.StartTime = ""
				w.lose()
			}, true, "it ran all the same",
		},
		"nobody had seen its start, and it does not answer": {outOfSight, func(w *fixture) {
			silent(w)
			w.s.Resource.Status.JobStatus.StartTime, w.s.Pods = "", ranPods()
		}, true, "it may have run"},
		"it never ran, and does not answer": {outOfSight, func(w *fixture) {
			w.neverRan(outOfSight)
			silent(w)
		}, false, "it left none"},
		"it never ran, and did before its Deployment was lost": {
			outOfSight, func(w *fixture) { w.beginsTooLate(outOfSight, false, nil) }, true, "it may have left one",
		},
		"it never ran, and its kubelet writes an end that it makes up": {
			outOfSight, func(w *fixture) { w.beginsTooLate(outOfSight, true, nil) }, false, "a container that never began",
		},
		"it never ran, and its pod came to a node as its Deployment was lost": {
			outOfSight, func(w *fixture) { w.comesTooLate("node-1") }, true, "it may have begun before its status says so",
		},
		"it never ran, and its pod came to no node": {
			outOfSight, func(w *fixture) { w.comesTooLate("") }, false, "nobody can have begun it",
		},
		"it never ran, and did before its Deployment was lost and a redeploy overtook the stop": {
			outOfSight, func(w *fixture) { w.beginsTooLate(outOfSight, false, redeploy("file:///given", 2)) }, true,
			"the same",
		},
		"it never ran, did as a redeploy overtook the stop, and its Deployment was lost in that": {
			outOfSight, func(w *fixture) {
				w.neverRan(outOfSight)
				w.edit(upgradeImage)
				w.round()
				w.edit(redeploy("file:///given", 2))
				w.s.Pods = ranPods()
				w.round()
				w.lose()
			}, true, "the same",
		},
		"it never ran, did before a suspension took its Deployment, and is resumed": {
			outOfSight, func(w *fixture) {
				state := func(to v1beta1.JobState) func(*v1beta1.FlinkDeploymentSpec) {
					return func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = to }
				}
				w.neverRan(outOfSight)
				w.edit(state(v1beta1.JobStateSuspended))
				w.round()
				w.s.Pods = ranPods()
				w.run()
				w.lose()
				w.edit(state(v1beta1.JobStateRunning))
			}, true, "the same",
		},
		"the same, and its state is kept": {
			outOfSight, func(w *fixture) {
				w.beginsTooLate(strings.Replace(outOfSight, `"stateless"`, `"savepoint"`, 1), false, nil)
			},
			true, "the same",
		},
		"a person gave it up": {
			outOfSight, func(w *fixture) { w.lose(); giveUpState(w) }, false,
			"as the message says",
		},
		"lost, and we can look": {
			strings.Replace(onZooKeeper, `"last-state"`, `"stateless"`, 1), (*fixture).lose, false,
			"the start drops it",
		},
		"lost, without high availability": {application, (*fixture).lose, false, "there is no graph"},
		"lost after its job ended": {outOfSight, func(w *fixture) {
			w.serveJob(v1beta1.FlinkJobFinished)
			w.run()
			w.s.Now = w.s.Now.Add(graphRemoval)
			w.run()
			w.lose()
			w.edit(upgradeImage)
		}, false, "the graph went with it"},
		"lost after another JobManager found nothing to begin with": {
			outOfSight, func(w *fixture) { w.replacedAfterEnd(graphRemoval) }, false, "it begins with what it finds",
		},
		"lost before another JobManager had looked": {
			outOfSight, func(w *fixture) { w.replacedAfterEnd(graphRemoval - time.Second) }, true, "it may find the graph yet",
		},
		"lost as its job ended": {outOfSight, func(w *fixture) {
			w.serveJob(v1beta1.FlinkJobFinished)
			w.run()
			w.lose()
			w.edit(upgradeImage)
		}, true, "the graph may be left"},
		"lost as its job ended, and suspended": {outOfSight, func(w *fixture) {
			w.serveJob(v1beta1.FlinkJobFinished)
			w.run()
			w.lose()
			w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Job.State = v1beta1.JobStateSuspended })
		}, true, "a resumption would run it"},
		"it is to keep its data elsewhere": {
			outOfSight, func(w *fixture) { w.edit(elsewhere); w.run(); w.lose() }, false,
			"it does not look there",
		},
		"a first start that is not released": {outOfSight, func(w *fixture) {
			w.s = newWorld(w.t, outOfSight).s
			w.round()
			w.round()
			w.edit(upgradeImage)
		}, false, "no job began"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, row.spec)
			row.what(w)
			w.run()
			c := w.condition(summary.Stalled)
			if blocks := c.Reason == "JobGraphUnreadable"; blocks != row.blocks {
				t.Fatalf("blocks %t, want %t: %s; %+v, rounds %q", blocks, row.blocks, row.reason, c, w.log)
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
func (w *fixture) beginsTooLate(spec string, guessed bool, overtakes func(*v1beta1.FlinkDeploymentSpec)) {
	w.neverRan(spec)
	w.edit(upgradeImage)
	w.run()
	w.lose()
	w.s.Pods = ranPods()
	if guessed {
		pods, _ := w.s.Pods.Get()
		pods[0].Status.ContainerStatuses[0].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			Reason: "ContainerStatusUnknown", ExitCode: 137,
		}}
	}
	if overtakes != nil {
		w.edit(overtakes)
	}
	w.run()
	w.lose()
}

// comesTooLate is the same of a pod that comes to a node, and whose status says nothing before it is gone.
func (w *fixture) comesTooLate(node string) {
	w.neverRan(outOfSight)
	w.edit(upgradeImage)
	w.run()
	w.lose()
	pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(w.s.Now)}}
	pod.Spec.NodeName = node
	w.s.Pods = plan.Present([]corev1.Pod{pod})
	w.run()
	w.lose()
}

// neverRan starts an application whose image nobody can pull.
func (w *fixture) neverRan(spec string) {
	w.s = newWorld(w.t, spec).s
	w.run()
	pod := waitingPod("ImagePullBackOff", "no such image", false)
	pod.CreationTimestamp = w.deployment().CreationTimestamp
	w.s.Pods = plan.Present([]corev1.Pod{pod})
	w.s.Flink, w.s.Now = unansweredFlink(), w.s.Now.Add(time.Hour)
}

// replacedAfterEnd ends the job, replaces the JobManager as that is seen, and loses the new one when it was ready for
// some time. It lists no job. Then the spec changes.
func (w *fixture) replacedAfterEnd(ready time.Duration) {
	w.serveJob(v1beta1.FlinkJobFinished)
	w.run()
	w.s.Now = w.s.Now.Add(time.Second)
	jm, _ := w.s.JobManager.Get()
	jm = jm.DeepCopy()
	jm.Status.Conditions = []appsv1.DeploymentCondition{{
		Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(w.s.Now),
	}}
	w.s.JobManager, w.s.Flink.Jobs = plan.Present(jm), plan.Present([]world.Job{})
	w.s.Now = w.s.Now.Add(ready)
	w.run()
	w.lose()
	w.edit(upgradeImage)
}

func elsewhere(s *v1beta1.FlinkDeploymentSpec) {
	s.FlinkConfiguration = v1beta1.FlinkConfiguration(strings.Replace(
		string(s.FlinkConfiguration), "zk-0:2181", "zk-9:2181", 1,
	))
}

func TestADeletionTellsWhatItLeaves(t *testing.T) {
	w := stable(t, outOfSight)
	w.delete()
	w.run()
	w.terminate()
	w.run()
	if !w.gone || w.told("HighAvailabilityDataLeft") != 1 {
		t.Errorf("gone %t, told %d times, rounds %q", w.gone, w.told("HighAvailabilityDataLeft"), w.log)
	}
}

// TestUnreadableDataIsNotTakenDown: what goes with the job could not be removed, and the job would be down.
func TestUnreadableDataIsNotTakenDown(t *testing.T) {
	seen := strings.Replace(onZooKeeper, `"last-state"`, `"stateless"`, 1)
	away := plan.Unknown[znode.Tree]("NoAuth")
	rows := map[string]struct {
		spec  string
		data  plan.Observed[znode.Tree]
		what  func(w *fixture)
		waits bool
	}{
		"a stateless upgrade": {seen, away, func(w *fixture) { w.edit(upgradeImage) }, true},
		"to another place":    {seen, away, func(w *fixture) { w.edit(elsewhere) }, true},
		"it can be read":      {seen, znodes(), func(w *fixture) { w.edit(upgradeImage) }, false},
		"nobody of ours may":  {outOfSight, away, func(w *fixture) { w.edit(upgradeImage) }, false},
		"a deletion":          {seen, away, (*fixture).delete, false},
		"its job has ended": {seen, away, func(w *fixture) {
			w.serveJob(v1beta1.FlinkJobFailed)
			w.run()
			w.edit(upgradeImage)
		}, false},
		"the job keeps a state": {onZooKeeper, away, func(w *fixture) { w.edit(upgradeImage) }, true},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(t, row.spec)
			w.s.HANodes = row.data
			row.what(w)
			w.run()
			c := w.condition(summary.Reconciling)
			if waits := c.Reason == "HighAvailabilityUnknown"; waits != row.waits {
				t.Errorf("waits %t, want %t: %+v, rounds %q", waits, row.waits, c, w.log)
			}
			if row.waits && (w.status().Intent != nil && w.status().Intent.Step == v1beta1.StepStopping ||
				strings.Contains(w.did(), "cancel job") || strings.Contains(w.did(), "delete cluster")) {
				t.Errorf("intent %+v, rounds %q", w.status().Intent, w.log)
			}
		})
	}
}
