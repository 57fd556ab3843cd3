package scenario

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

func init() {
	for name, s := range takeoverScenarios {
		scenarios[name] = s
	}
}

// leftByAnother takes what is ours alone from a status and from its Deployment, as if the Java operator had made them,
// and edits the rest.
func (h *harness) leftByAnother(name string, edit func(status map[string]any)) {
	h.t.Helper()
	status, _, _ := unstructured.NestedMap(h.resource(name).Object, "status")
	for _, field := range []string{
		"situation", "pace", "paceSince", "nextLook", "intent", "retry", "conditions", "deployedGeneration",
		"deployed", "writtenFor",
	} {
		delete(status, field)
	}
	for _, field := range []string{"startedFrom", "stateTaken"} {
		unstructured.RemoveNestedField(status, "jobStatus", field)
	}
	if h.hosted[name] != "" {
		delete(status, "clusterInfo")
	}
	edit(status)
	if _, err := h.w.Kube.UpdateStatus(h.kindOf(name), namespace, name, status); err != nil {
		h.t.Fatal(err)
	}
	if h.hosted[name] != "" || h.w.Kube.Get(kubesim.Deployments, namespace, name) == nil {
		return
	}
	_, err := h.w.Kube.Update(kubesim.Deployments, namespace, name, func(u *unstructured.Unstructured) {
		annotations := u.GetAnnotations()
		delete(annotations, v1beta1.AnnotationOperation)
		u.SetAnnotations(annotations)
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// autoscalerStored makes the ConfigMap in which the Java operator's autoscaler keeps its decisions.
func (h *harness) autoscalerStored(name, overrides string) {
	h.t.Helper()
	owner := h.resource(name)
	u := &unstructured.Unstructured{
		Object: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"parallelismOverrides": overrides},
		},
	}
	u.SetNamespace(namespace)
	u.SetName("autoscaler-" + name)
	u.SetLabels(map[string]string{"component": "autoscaler", "app": name})
	u.SetOwnerReferences([]metav1.OwnerReference{
		{APIVersion: v1beta1.APIVersion, Kind: kindName(h.kindOf(name)), Name: name, UID: owner.GetUID()},
	})
	_ = h.w.Kube.Delete(kubesim.ConfigMaps, namespace, u.GetName(), kubesim.DeleteOptions{}) // what we made meanwhile
	if _, err := h.w.Kube.Create(kubesim.ConfigMaps, u); err != nil {
		h.t.Fatal(err)
	}
}

// sessionJobLeft makes a FlinkSessionJob as the Java operator left it: submitted, running, and held by its finalizer.
func (h *harness) sessionJobLeft(name, cluster, id string) {
	h.t.Helper()
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": v1beta1.APIVersion,
		"kind": v1beta1.KindFlinkSessionJob,
		"spec": map[string]any{
			"deploymentName": cluster,
			"job":            map[string]any{"jarURI": "https://example.com/mine.jar", "parallelism": int64(1)},
		}}}
	u.SetNamespace(namespace)
	u.SetName(name)
	u.SetFinalizers([]string{v1beta1.FinalizerFlinkSessionJob})
	if _, err := h.w.Kube.Create(kubesim.FlinkSessionJobs, u); err != nil {
		h.t.Fatal(err)
	}
	status := map[string]any{"jobStatus": map[string]any{"jobId": id, "state": "RUNNING"}}
	if _, err := h.w.Kube.UpdateStatus(kubesim.FlinkSessionJobs, namespace, name, status); err != nil {
		h.t.Fatal(err)
	}
}

// standaloneLeft makes what the Java operator left of a standalone cluster whose JobManager somebody deleted: its
// status, its finalizer, and the Deployment of its TaskManagers.
func (h *harness) standaloneLeft(name string) {
	h.t.Helper()
	owner, err := h.w.Kube.Update(kubesim.FlinkDeployments, namespace, name, func(u *unstructured.Unstructured) {
		u.SetFinalizers([]string{v1beta1.FinalizerFlinkDeployment})
	})
	if err != nil {
		h.t.Fatal(err)
	}
	d, _, err := v1beta1.DecodeDeployment(owner.Object)
	if err != nil {
		h.t.Fatal(err)
	}
	d.Spec.Job.State = v1beta1.JobStateRunning
	text, err := v1beta1.ReconciledDeployment{
		Spec: d.Spec, Meta: &v1beta1.ReconciledMetadata{APIVersion: v1beta1.APIVersion},
	}.Text()
	if err != nil {
		h.t.Fatal(err)
	}
	status := map[string]any{"jobManagerDeploymentStatus": "READY", "lifecycleState": "STABLE",
		"jobStatus":            map[string]any{"jobId": "0123456789abcdef0123456789abcdef", "state": "RUNNING"},
		"reconciliationStatus": map[string]any{"state": "DEPLOYED", "lastReconciledSpec": text, "lastStableSpec": text}}
	if _, err := h.w.Kube.UpdateStatus(kubesim.FlinkDeployments, namespace, name, status); err != nil {
		h.t.Fatal(err)
	}
	labels := map[string]any{"app": name, "type": "flink-standalone-kubernetes", "component": "taskmanager"}
	tm := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "apps/v1", "kind": "Deployment",
		"spec": map[string]any{
			"replicas": int64(2), "selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{"metadata": map[string]any{"labels": labels},
				"spec": map[string]any{
					"containers": []any{map[string]any{"name": "flink-main-container", "image": "flink:1.20"}},
				}},
		}}}
	tm.SetNamespace(namespace)
	tm.SetName(name + "-taskmanager")
	tm.SetLabels(map[string]string{"app": name, "type": "flink-standalone-kubernetes", "component": "taskmanager"})
	tm.SetOwnerReferences([]metav1.OwnerReference{
		{APIVersion: v1beta1.APIVersion, Kind: v1beta1.KindFlinkDeployment, Name: name, UID: owner.GetUID()},
	})
	if _, err := h.w.Kube.Create(kubesim.Deployments, tm); err != nil {
		h.t.Fatal(err)
	}
}

func (h *harness) taskManagerPods(name string) []*unstructured.Unstructured {
	return h.w.Kube.List(kubesim.Pods, namespace, map[string]string{"app": name, "component": "taskmanager"})
}

// deletes marks a resource for deletion; untilEnded waits for its end.
func (h *harness) deletes(gvr schema.GroupVersionResource, name string) {
	h.t.Helper()
	if err := h.w.Kube.Delete(gvr, namespace, name, kubesim.DeleteOptions{}); err != nil {
		h.t.Fatal(err)
	}
}

func (h *harness) untilEnded(gvr schema.GroupVersionResource, name string) {
	h.t.Helper()
	h.until(name+" is gone", func() bool { return h.w.Kube.Peek(gvr, namespace, name) == nil })
}

// keepsWhatWasScaled has the Java operator leave a job that runs, with an autoscaler that had scaled it: its record and
// the store say so, its spec does not. It is not restarted, and keeps its parallelism until the autoscaler is off.
func (h *harness) keepsWhatWasScaled(name string) {
	h.t.Helper()
	const scaled = "cbc357ccb763df2852fee8c4fc7d55f2:4"
	h.leftByAnother(name, func(status map[string]any) {
		r := status["reconciliationStatus"].(map[string]any)
		text := strings.Replace(r["lastReconciledSpec"].(string), `"flinkConfiguration":{`,
			`"flinkConfiguration":{"pipeline.jobvertex-parallelism-overrides":"`+scaled+`",`, 1)
		r["lastReconciledSpec"], r["lastStableSpec"] = text, text
	})
	h.autoscalerStored(name, scaled)
	h.untilStable(name)
	h.rest()
	h.sees(name, stable, "nothing")
	h.says(name, "Autoscaling", "True AutoscalerCollecting")
	h.edit(name, option("k", "1"))
	h.untilStable(name)
	h.sees(name, stable, "nothing, path(savepoint)")
	expect(
		h.t, "the parallelism is recorded",
		strings.Contains(h.status(name).ReconciliationStatus.LastStableSpec, scaled), true,
	)
	h.edit(name, option("job.autoscaler.enabled", "false"))
	h.startsAgain(name, 3)
	h.untilStable(name)
	expect(
		h.t, "the parallelism is recorded",
		strings.Contains(h.status(name).ReconciliationStatus.LastStableSpec, scaled), false,
	)
}

// takeoverScenarios begin with what the Java operator left.
var takeoverScenarios = map[string]scenario{
	"a running job is taken over": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint"), highlyAvailable))
		h.untilStable("demo")
		h.leftByAnother("demo", func(map[string]any) {})
		h.untilStable("demo")
		h.sees("demo", stable, "nothing")
		h.edit("demo", parallelism(4))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "taking over restarts no job, and the next change carries its state"},

	"an upgrade of a session cluster that broke off is taken over": {func(h *harness) {
		h.apply("demo", sessionCluster())
		h.untilStable("demo")
		h.edit("demo", option("k", "1"))
		h.untilStable("demo")
		h.leftByAnother("demo", func(status map[string]any) {
			status["jobManagerDeploymentStatus"], status["lifecycleState"] = "MISSING", "UPGRADING"
			status["reconciliationStatus"].(map[string]any)["state"] = "UPGRADING"
		})
		h.untilStable("demo")
		expect(
			h.t, "what is recorded", strings.Contains(h.status("demo").ReconciliationStatus.LastStableSpec, `"k":"1"`), true,
		)
		h.edit("demo", option("k", "2"))
		h.untilStable("demo")
		expect(h.t, "most JobManagers", h.w.Flink.MostJobManagers(namespace, "demo"), 1)
	}, "what was deployed is not deployed again, and the next change is an upgrade like any other"},

	"a job that was autoscaled is taken over": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint"), highlyAvailable, option("job.autoscaler.enabled", "true")))
		h.untilStable("demo")
		h.keepsWhatWasScaled("demo")
	}, "it keeps its parallelism until the autoscaler is switched off"},

	"a session job that the Java operator holds is deleted": {func(h *harness) {
		h.apply("demo", sessionCluster())
		h.untilStable("demo")
		h.sessionJobLeft("mine", "demo", h.runJar("demo"))
		h.deletes(kubesim.FlinkDeployments, "demo")
		h.until("the cluster waits for its job", func() bool {
			return strings.Contains(h.condition("demo", "Stalled"), "CleanupBlocked")
		})
		h.deletes(kubesim.FlinkSessionJobs, "mine")
		h.untilEnded(kubesim.FlinkSessionJobs, "mine")
		h.untilEnded(kubesim.FlinkDeployments, "demo")
	}, "its job is cancelled, and neither the cluster nor the namespace waits for it any more"},

	"a session job whose cluster is gone is deleted": {func(h *harness) {
		h.sessionJobLeft("mine", "demo", "0123456789abcdef0123456789abcdef")
		h.deletes(kubesim.FlinkSessionJobs, "mine")
		h.untilEnded(kubesim.FlinkSessionJobs, "mine")
	}, "nobody else takes the finalizer away"},

	"a standalone cluster that the Java operator left is deleted": {func(h *harness) {
		h.apply("demo", application(jobState("suspended"), field("mode", "standalone")))
		h.untilSituation("demo", "NeverStarted")
		h.standaloneLeft("demo")
		h.until("its TaskManagers run", func() bool { return len(h.taskManagerPods("demo")) == 2 })
		h.deletes(kubesim.FlinkDeployments, "demo")
		h.untilGone("demo")
		left := slices.DeleteFunc(h.taskManagerPods("demo"), func(pod *unstructured.Unstructured) bool {
			phase, _, _ := unstructured.NestedString(pod.Object, "status", "phase")
			return phase == "Failed" // its processes have ended
		})
		expect(h.t, "TaskManagers", len(left), 0)
	}, "its TaskManagers are a Deployment of their own, which replaces each pod that ends"},

	"a savepoint in flight is taken over": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint"), recorded))
		h.untilStable("demo")
		h.edit("demo", nonce(1))
		h.untilSavepoints("demo", "1, last MANUAL")
		h.leftByAnother("demo", func(status map[string]any) {
			info := status["jobStatus"].(map[string]any)["savepointInfo"].(map[string]any)
			info["triggerId"], info["triggerTimestamp"], info["triggerType"] = "0123456789abcdef0123456789abcdef",
				h.w.Clock.Now().UnixMilli(), "MANUAL"
		})
		h.edit("demo", nonce(2))
		h.untilSavepoints("demo", "2, last MANUAL")
		expect(h.t, "savepoints", h.stored(), 2)
		h.sees("demo", stable, "nothing")
	}, "one that Flink does not know any more is asked for again, and the record before it is kept"},
}
