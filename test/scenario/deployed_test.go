package scenario

import (
	"maps"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/render"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

func init() { maps.Copy(scenarios, deployedScenarios) }

// defaults gives the installation other defaults of clusters, as an edit of its settings does.
func (h *harness) defaults(options flinkconf.Config) {
	h.installed.Operator = flinkconf.NewOperator(options)
	h.restart()
}

// availableByDefault are defaults with Kubernetes high availability.
var availableByDefault = flinkconf.Config{
	"high-availability.type": "kubernetes", "high-availability.storageDir": "s3://ha",
}

// statusNow is the status of a resource, to be put back later.
func (h *harness) statusNow(name string) map[string]any {
	h.t.Helper()
	status, _, err := unstructured.NestedMap(h.resource(name).DeepCopy().Object, "status")
	if err != nil {
		h.t.Fatal(err)
	}
	return status
}

// putBack stores a status, as a restored backup or kubectl replace --subresource=status does.
func (h *harness) putBack(name string, status map[string]any) {
	h.t.Helper()
	for _, s := range []*seen{&h.watch.jobs, &h.watch.operations} {
		s.forget(h.resource(name).GetUID())
	}
	if _, err := h.w.Kube.UpdateStatus(h.kindOf(name), namespace, plain(name), status); err != nil {
		h.t.Fatal(err)
	}
}

// annotate sets an annotation of a resource to true.
func (h *harness) annotate(name, annotation string) {
	h.t.Helper()
	_, err := h.w.Kube.Update(h.kindOf(name), namespace, plain(name), func(u *unstructured.Unstructured) {
		u.SetAnnotations(map[string]string{annotation: "true"})
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// standsAside holds that nothing is done about a job that runs while status is of another time.
func (h *harness) standsAside(name, starts string) {
	h.t.Helper()
	h.untilSituation(name, "Unaccounted")
	h.says(name, "StateSafe", "False Unaccounted")
	h.pass(10 * time.Minute)
	expect(h.t, "the job", h.running(name), "RUNNING")
	expect(h.t, "the starts", h.starts(name), starts)
}

// dataOf counts the ConfigMaps that keep checkpoints of a cluster's jobs.
func (h *harness) dataOf(cluster string) int {
	n := 0
	for _, u := range h.w.Kube.List(kubesim.ConfigMaps, namespace, map[string]string{"app": cluster}) {
		if render.HoldsCheckpoints(u.GetName()) {
			n++
		}
	}
	return n
}

// deployedScenarios are about what status speaks of, and what it was deployed with.
var deployedScenarios = map[string]scenario{
	"the status of a suspension is put back while the job runs": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint")))
		h.untilStable("demo")
		h.edit("demo", jobState("suspended"))
		h.untilSuspended("demo")
		old := h.statusNow("demo")
		h.edit("demo", jobState("running"))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.putBack("demo", old)
		h.standsAside("demo", "nothing, path(savepoint)")
		h.annotate("demo", v1beta1.AnnotationAdopt)
		h.untilStable("demo")
		h.edit("demo", parallelism(4))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint), path(savepoint)")
	}, "what runs is newer than what status records, and a person says which of them counts"},

	"an old status is put back while a highly available job runs": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint"), highlyAvailable))
		h.untilStable("demo")
		h.edit("demo", parallelism(3))
		h.untilStable("demo")
		old := h.statusNow("demo")
		h.edit("demo", parallelism(4))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.putBack("demo", old)
		h.standsAside("demo", "nothing, path(savepoint), path(savepoint)")
	}, "its high-availability data is of a job that status does not name"},

	"a newer status is put back that speaks of the same Deployment": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint")))
		h.untilStable("demo")
		old := h.statusNow("demo")
		h.checkpoints("demo")
		h.putBack("demo", old)
		h.untilStable("demo")
		h.edit("demo", parallelism(4))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "nothing else runs than it says"},

	"a session cluster has an old status": {func(h *harness) {
		h.apply("demo", sessionCluster())
		h.untilStable("demo")
		old := h.statusNow("demo")
		h.edit("demo", option("taskmanager.numberOfTaskSlots", "4"))
		h.untilStable("demo")
		h.putBack("demo", old)
		h.untilSituation("demo", "Unaccounted")
		h.annotate("demo", v1beta1.AnnotationAdopt)
		h.untilStable("demo")
	}, "its jobs would be lost with it"},

	"the status of another resource": {func(h *harness) {
		h.apply("other", application(stateful("savepoint")))
		h.untilStable("other")
		h.edit("other", jobState("suspended"))
		h.untilSuspended("other")
		h.apply("demo", application(stateful("savepoint"), jobState("suspended")))
		h.untilSituation("demo", "NeverStarted")
		h.putBack("demo", h.statusNow("other"))
		h.edit("demo", jobState("running"))
		h.until("somebody is called", func() bool {
			return strings.HasPrefix(h.condition("demo", "Stalled"), "True StatusCopied")
		})
		expect(h.t, "the starts", h.starts("demo"), "")
	}, "it would start from the state of that one's job"},

	"a default port changes under a job": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint")))
		h.untilStable("demo")
		h.defaults(flinkconf.Config{"rest.port": "9091"})
		h.pass(5 * time.Minute)
		h.untilStable("demo")
		h.edit("demo", parallelism(4))
		h.untilStable("demo")
		h.defaults(nil)
		h.edit("demo", parallelism(2))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint), path(savepoint)")
	}, "what runs answers where it was deployed to"},

	"a default port changes under what another operator left": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint")))
		h.untilStable("demo")
		h.leftByAnother("demo", func(map[string]any) {})
		h.defaults(flinkconf.Config{"rest.port": "9091"})
		h.untilStable("demo")
		h.edit("demo", parallelism(4))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "its ConfigMap says how it was deployed"},

	"high availability by default, taken away and given back": {func(h *harness) {
		h.defaults(availableByDefault)
		h.apply("demo", application(stateful("last-state"), retained))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.defaults(nil)
		h.edit("demo", field("restartNonce", int64(1)))
		h.untilStable("demo")
		h.checkpoints("demo")
		expect(h.t, "data of jobs before", h.dataOf("demo"), 0)
		h.defaults(availableByDefault)
		h.edit("demo", parallelism(4))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(checkpoint), path(checkpoint)")
	}, "the data of the first job is nobody's any more"},

	"a deleted session job while high availability is off": {func(h *harness) {
		h.defaults(availableByDefault)
		h.runs("etl", sessionJob("session", stateful("last-state"), retained), sessionCluster())
		h.checkpoints("etl")
		h.defaults(nil)
		h.edit("session", option("taskmanager.numberOfTaskSlots", "4"))
		h.untilStable("session")
		h.untilSituation("etl", "StateLost")
		h.remove("etl")
		h.untilGone("etl")
		h.defaults(availableByDefault)
		h.edit("session", option("taskmanager.numberOfTaskSlots", "2"))
		h.untilStable("session")
		h.pass(5 * time.Minute)
		expect(h.t, "jobs that run", h.live("session"), 0)
	}, "its job does not come back with the data of an earlier time"},

	"a JobManager that is ready and does not respond": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint")))
		h.untilStable("demo")
		hangs := true
		f := wire.Fault{Match: func(r wire.Request) bool { return hangs && r.System == "flink" }, Err: wire.Timeout}
		h.standing = append(h.standing, f)
		h.w.Tap.Inject(f)
		h.edit("demo", parallelism(4))
		h.until("somebody is called", func() bool {
			return strings.HasPrefix(h.condition("demo", "Stalled"), "True JobManagerHung")
		})
		h.says("demo", "Stalled", "kubectl delete pod -n flink -l app=demo,component=jobmanager")
		hangs = false
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "nothing goes on by itself"},
}
