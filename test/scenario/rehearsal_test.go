package scenario

import (
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

func init() {
	for name, s := range rehearsalScenarios {
		scenarios[name] = s
	}
}

const (
	// refusedImage is what the policies of these stories refuse.
	refusedImage = "flink:refused"
	// refusedText is what they say.
	refusedText = "that image is not signed"
	// untouched is what kubectl shows of a job whose change Kubernetes refuses.
	untouched = "RUNNING STABLE False Refused"
)

// refusesImage has the API server refuse objects of one resource, pods or Deployments, with refusedImage.
func (h *harness) refusesImage(gvr schema.GroupVersionResource) {
	h.w.Kube.Admit = func(u, _ *unstructured.Unstructured) error {
		if strings.ToLower(u.GetKind())+"s" != gvr.Resource || !strings.Contains(fmt.Sprint(u.Object["spec"]), refusedImage) {
			return nil
		}
		return apierrors.NewForbidden(gvr.GroupResource(), u.GetName(), fmt.Errorf("%s", refusedText))
	}
}

// untilRefused waits until the change is refused, and then some.
func (h *harness) untilRefused(columns string) {
	h.t.Helper()
	h.until("the change is refused", func() bool { return h.status("demo").Situation == "Refused" })
	h.steps(20)
	expect(h.t, "kubectl get -o wide demo", h.columns("demo"), columns)
	h.says("demo", "Stalled", "True RefusedByKubernetes: Kubernetes refuses what the spec asks for")
	h.says("demo", "Stalled", refusedText)
	h.says("demo", "SpecAccepted", "False RefusedByKubernetes")
}

// rehearsalScenarios are changes that Kubernetes refuses: what runs is left alone.
var rehearsalScenarios = map[string]scenario{
	"an upgrade whose pods Kubernetes refuses": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint")))
		h.untilStable("demo")
		h.refusesImage(kubesim.Pods)
		h.edit("demo", field("image", refusedImage))
		h.untilRefused(untouched)
		h.sees("demo", untouched, "nothing")
		h.w.Kube.Admit = nil
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "the Deployment would be taken, and the job would be down; it goes on by itself once the policy is gone"},

	"an upgrade that Kubernetes refuses, taken back": {func(h *harness) {
		h.apply("demo", application(stateful("last-state"), highlyAvailable))
		h.untilStable("demo")
		h.refusesImage(kubesim.Deployments)
		h.edit("demo", field("image", refusedImage))
		h.untilRefused(untouched)
		h.edit("demo", field("image", "flink:1.20"))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing")
		h.says("demo", "SpecAccepted", "True Accepted")
		expect(h.t, "status.error", h.status("demo").Error, "")
	}, "nothing was stopped, so nothing starts"},

	"a session cluster that Kubernetes refuses": {func(h *harness) {
		h.apply("demo", sessionCluster())
		h.untilStable("demo")
		h.refusesImage(kubesim.Pods)
		h.edit("demo", field("image", refusedImage))
		h.untilRefused("- STABLE False Refused")
		h.edit("demo", field("image", "flink:1.20"), option("taskmanager.numberOfTaskSlots", "4"))
		h.untilStable("demo")
		h.sees("demo", "- STABLE True Steady", "")
	}, "its jobs go on meanwhile"},

	"a resumption that Kubernetes refuses": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint")))
		h.untilStable("demo")
		h.edit("demo", jobState("suspended"))
		h.untilSuspended("demo")
		h.refusesImage(kubesim.Pods)
		h.edit("demo", jobState("running"), field("image", refusedImage))
		h.until("the change is refused", func() bool { return h.status("demo").Situation == "Refused" })
		h.says("demo", "Stalled", refusedText)
		h.edit("demo", field("image", "flink:1.20"))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "the suspended job keeps its savepoint"},

	"a webhook that is away when an upgrade is to begin": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint")))
		h.untilStable("demo")
		h.w.Kube.Policy = func(w kubesim.Write) error {
			if w.Dry && w.Resource == kubesim.Pods {
				return kubesim.WebhookAway()
			}
			return nil
		}
		h.edit("demo", parallelism(4))
		h.until("it waits", func() bool {
			return strings.Contains(h.condition("demo", "Reconciling"), "NotRehearsed")
		})
		h.steps(20)
		h.sees("demo", "RUNNING STABLE False Waiting", "nothing")
		h.w.Kube.Policy = nil
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
	}, "what is not known is no refusal, and no permission"},

	"an edit that Kubernetes refuses, in the middle of an upgrade": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint")))
		h.untilStable("demo")
		h.edit("demo", parallelism(4))
		h.until("the upgrade has begun", func() bool { return h.status("demo").Intent != nil })
		h.refusesImage(kubesim.Pods)
		h.edit("demo", field("image", refusedImage))
		h.until("the first edit runs", func() bool {
			j := h.job("demo")
			return j != nil && j.Parallelism == 4 && h.status("demo").Situation == "Refused"
		})
		h.w.Kube.Admit = nil
		h.untilStable("demo")
	}, "the job is down already: it comes up with the spec that can be started"},

	"objects that are refused when they are created, after all": {func(h *harness) {
		h.apply("demo", application(stateful("savepoint"), highlyAvailable, rolledBack))
		h.untilStable("demo")
		dry := false // of the write that Admit sees next
		h.w.Kube.Policy = func(w kubesim.Write) error {
			dry = w.Dry
			return nil
		}
		h.w.Kube.Admit = func(u, _ *unstructured.Unstructured) error {
			upgrade := strings.Contains(fmt.Sprint(u.Object["data"]), "parallelism.default: 4")
			if dry || u.GetKind() != "ConfigMap" || !upgrade {
				return nil
			}
			return kubesim.DeniedByWebhook()
		}
		h.edit("demo", parallelism(4))
		h.until("it is rolled back", h.settled("demo", v1beta1.LifecycleRolledBack))
		h.until("it runs", func() bool { return h.status("demo").Situation == "Steady" })
		h.sees("demo", "RUNNING ROLLED_BACK True Steady", "nothing, path(savepoint)")
		h.w.Kube.Admit = nil
		h.edit("demo", parallelism(3))
		h.untilStable("demo")
	}, "the spec that ran is started again from the savepoint"},
}
