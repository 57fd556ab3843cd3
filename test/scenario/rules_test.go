package scenario

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// The rules for passes that run at the same time, each with what would break it. What breaks every story, TestScenarios
// does.

// jobModes are the jobs that the rules are tried with.
var jobModes = map[string][]change{
	"stateless":                    nil,
	"savepoint":                    {stateful("savepoint"), retained},
	"last-state, highly available": {stateful("last-state"), highlyAvailable},
}

// meanwhile lets another pod work and the world go on, while a request of ours is on its way.
func (h *harness) meanwhile(rounds int) {
	other := h.newReconcile("reconcile-late")
	for range rounds {
		h.w.Tick(2e9)
		h.passBy(other, demo)
	}
}

func TestAStalePassWakesUpAcrossAChange(t *testing.T) {
	for _, kind := range names(jobModes) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			begin := func(t *testing.T) *harness {
				h := newHarness(t)
				h.apply(demo, application(jobModes[kind]...))
				h.untilStable(demo)
				if kind != "stateless" {
					h.checkpoints(demo)
				}
				h.w.Tap.Forget()
				h.edit(demo, parallelism(4))
				return h
			}
			plain := begin(t)
			plain.untilStable(demo)
			requests := plain.w.Tap.Count(wire.Writes("reconcile"))
			for _, n := range sample(requests, len(kind)) {
				t.Run(fmt.Sprintf("before write %d of %d", n, requests), func(t *testing.T) {
					h := begin(t)
					woken := false
					h.w.Tap.Inject(wire.Fault{Match: wire.Writes("reconcile"), Nth: n, Do: func() {
						if woken {
							return
						}
						woken = true
						h.edit(demo, parallelism(6))
						h.meanwhile(40)
					}})
					h.until("the newest spec is STABLE", func() bool {
						j := h.w.Flink.Job(namespace, demo, "")
						return h.settled(demo, v1beta1.LifecycleStable)() && j != nil && j.Parallelism == 6
					})
					if !woken {
						t.Fatal("the pass was never late")
					}
					h.rest()
					h.quiet()
					expect(t, "columns", h.columns(demo), stable)
					for _, start := range h.w.Flink.Starts(namespace, demo)[1:] {
						if kind != "stateless" && start.From == "" {
							t.Errorf("%s", start)
						}
					}
				})
			}
		})
	}
}

func TestThreePassesAtOnce(t *testing.T) {
	for _, kind := range names(jobModes) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			third := h.newReconcile("reconcile-3")
			second := h.secondPass()
			h.w.Tap.Inject(wire.Fault{Match: wire.ByAgent("reconcile"), Do: second})
			h.w.Tap.Inject(wire.Fault{Match: wire.Writes("reconcile-2"), Do: func() { h.passBy(third, demo) }})
			h.apply(demo, application(jobModes[kind]...))
			h.untilStable(demo)
			h.edit(demo, parallelism(4))
			h.until("the change is STABLE", func() bool {
				j := h.w.Flink.Job(namespace, demo, "")
				return h.settled(demo, v1beta1.LifecycleStable)() && j != nil && j.Parallelism == 4
			})
			expect(t, "starts", len(h.w.Flink.Starts(namespace, demo)), 2)
			h.remove(demo)
			h.untilGone(demo)
		})
	}
}

func TestAStatusThatIsWiped(t *testing.T) {
	h := newHarness(t)
	h.apply(demo, application(stateful("last-state"), highlyAvailable))
	h.untilStable(demo)
	h.checkpoints(demo)
	id := h.w.Flink.Job(namespace, demo, "").ID
	if _, err := h.w.Kube.UpdateStatus(kubesim.FlinkDeployments, namespace, demo, map[string]any{}); err != nil {
		t.Fatal(err)
	}
	h.watch.jobs, h.watch.operations = seen{}, seen{}
	h.untilSituation(demo, "Unaccounted")
	h.says(demo, "Stalled", v1beta1.AnnotationAdopt)
	h.edit(demo, parallelism(4))
	h.rest()
	expect(t, "the starts", h.starts(demo), "nothing")
	h.edit(demo, parallelism(2))
	if _, err := h.w.Kube.Update(kubesim.FlinkDeployments, namespace, demo, func(u *unstructured.Unstructured) {
		u.SetAnnotations(map[string]string{v1beta1.AnnotationAdopt: "true"})
	}); err != nil {
		t.Fatal(err)
	}
	h.untilStable(demo)
	expect(t, "the job", h.w.Flink.Job(namespace, demo, "").ID, id)
	h.sees(demo, stable, "nothing")
}

func TestAStatusThatIsRestoredFromABackup(t *testing.T) {
	for _, kind := range names(jobModes) {
		t.Run(kind, func(t *testing.T) {
			h := newHarness(t)
			h.apply(demo, application(jobModes[kind]...))
			h.untilStable(demo)
			var backup map[string]any
			h.w.Tap.Inject(wire.Fault{
				Match: func(r wire.Request) bool { return r.Subresource == "status" }, Effective: true, After: true,
				Do: func() {
					if i := h.status(demo).Intent; backup == nil && i != nil && i.Step == v1beta1.StepStopping {
						backup, _, _ = unstructured.NestedMap(h.resource(demo).Object, "status")
					}
				},
			})
			h.edit(demo, parallelism(4))
			h.until("the change is STABLE", func() bool {
				return h.settled(demo, v1beta1.LifecycleStable)() &&
					h.status(demo).Situation == "Steady"
			})
			if backup == nil {
				t.Fatal("no intent to stop was ever stored")
			}
			starts, deployment := h.starts(demo), h.w.Kube.Get(kubesim.Deployments, namespace, demo).GetUID()
			if _, err := h.w.Kube.UpdateStatus(kubesim.FlinkDeployments, namespace, demo, backup); err != nil {
				t.Fatal(err)
			}
			h.watch.jobs, h.watch.operations = seen{}, seen{}
			h.rest()
			expect(t, "the starts", h.starts(demo), starts)
			expect(t, "the Deployment", h.w.Kube.Get(kubesim.Deployments, namespace, demo).GetUID(), deployment)
			h.says(demo, "Stalled", "True")
		})
	}
}

func TestAJobManagerReplacedDuringAStop(t *testing.T) {
	h := newHarness(t)
	h.w.Flink.ScriptJob(demo, job.Script{SnapshotSteps: 1000})
	h.apply(demo, application(stateful("savepoint")))
	h.untilStable(demo)
	h.checkpoints(demo)
	h.edit(demo, parallelism(4))
	h.untilSituation(demo, "Stopping")
	h.steps(3)
	deployment := h.w.Kube.Get(kubesim.Deployments, namespace, demo).GetUID()
	h.w.Nodes.Crash(namespace, h.jobManagerPod(demo), "oom")
	h.untilSituation(demo, "StateLost")
	h.says(demo, "StateSafe", "False")
	h.says(demo, "Stalled", "savepointRedeployNonce")
	h.rest()
	if d := h.w.Kube.Get(kubesim.Deployments, namespace, demo); d == nil || d.GetUID() != deployment ||
		d.GetDeletionTimestamp() != nil {
		t.Error("the cluster that may know its state was deleted")
	}
	h.w.Storage.Put(job.Snapshot{Path: "s3://s/found", JobID: "found", Savepoint: true})
	h.edit(demo, jobField("initialSavepointPath", "s3://s/found"), jobField("savepointRedeployNonce", int64(1)))
	h.untilStable(demo) // the way out that the message names
}

func TestANodeThatIsLost(t *testing.T) {
	for _, kind := range names(jobModes) {
		t.Run(kind, func(t *testing.T) {
			h := newHarness(t)
			h.installs("kubernetes.operator.resource.cleanup.timeout", "1 min")
			h.w.Kube.AddNode("node-2")
			h.apply(demo, application(jobModes[kind]...))
			h.untilStable(demo)
			if kind != "stateless" {
				h.checkpoints(demo)
			}
			h.w.Nodes.NodeDown("node-1")
			h.edit(demo, parallelism(4))
			h.pass(4 * 60e9)
			expect(
				t, "JobManagers at a time",
				h.w.Flink.MostJobManagers(namespace, demo) <= 1 || kind == "last-state, highly available", true,
			)
			h.w.Nodes.NodeUp("node-1")
			h.until("the change is STABLE", func() bool {
				j := h.w.Flink.Job(namespace, demo, "")
				return h.settled(demo, v1beta1.LifecycleStable)() && j != nil && j.Parallelism == 4
			})
		})
	}
}

func (h *harness) steps(n int) {
	for range n {
		h.step()
	}
}
