package scenario

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

func init() {
	for name, s := range ingressScenarios {
		scenarios[name] = s
	}
}

func ingress(template string) change {
	return field("ingress", map[string]any{"template": template, "annotations": map[string]any{"who": "me"}})
}

func withoutIngress(spec map[string]any) { delete(spec, "ingress") }

// ingressHost is the host of the Ingress of a name; "-" when there is none.
func (h *harness) ingressHost(name string) string {
	u := h.w.Kube.Get(kubesim.Ingresses, namespace, name)
	if u == nil {
		return "-"
	}
	rules, _, _ := unstructured.NestedSlice(u.Object, "spec", "rules")
	if len(rules) == 0 {
		return "no rule"
	}
	host, _, _ := unstructured.NestedString(rules[0].(map[string]any), "host")
	return host
}

func (h *harness) untilIngress(host string) {
	h.t.Helper()
	h.until("the Ingress leads from "+host, func() bool {
		told := h.condition("demo", "IngressReady")
		return h.ingressHost("demo") == host && (host == "-" && told == "-" || strings.HasPrefix(told, "True Applied"))
	})
}

// ingressScenarios make, change and remove an Ingress, whatever becomes of the pass that was to do it.
var ingressScenarios = map[string]scenario{
	"an Ingress is made, changed and removed": {func(h *harness) {
		h.apply("demo", application(ingress("{{name}}.example.com")))
		h.untilStable("demo")
		h.untilIngress("demo.example.com")
		h.edit("demo", ingress("other.example.com"))
		h.untilIngress("other.example.com")
		h.untilStable("demo")
		h.edit("demo", withoutIngress)
		h.untilIngress("-")
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, nothing, nothing")
	}, "it follows the spec that runs"},

	"an Ingress is deleted behind our back": {func(h *harness) {
		h.apply("demo", sessionCluster(ingress("demo.example.com")))
		h.untilStable("demo")
		h.untilIngress("demo.example.com")
		if err := h.w.Kube.Delete(kubesim.Ingresses, namespace, "demo", kubesim.DeleteOptions{}); err != nil {
			h.t.Fatal(err)
		}
		h.untilIngress("demo.example.com")
	}, "it is compared in every pass"},
}

func TestARefusedIngressIsMadeLater(t *testing.T) {
	refusals := map[string]wire.Fault{
		"a right is missing":        {Status: 403},
		"its webhook is away":       {Status: 500},
		"its webhook does not like": {Status: 422},
	}
	for name, fault := range refusals {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			fault.Match = func(r wire.Request) bool { return r.Resource == "ingresses" && r.IsWrite() }
			fix := h.w.Tap.Inject(fault)
			h.apply("demo", application(ingress("demo.example.com")))
			h.untilStable("demo")
			h.until("it is told", func() bool {
				return strings.Contains(
					h.condition("demo", "IngressReady"), "the Ingress could not be made, changed or removed: ",
				)
			})
			expect(t, "IngressReady", strings.Fields(h.condition("demo", "IngressReady"))[0], "False")
			h.says("demo", "Ready", "True")
			expect(t, "Stalled", h.condition("demo", "Stalled"), "-")
			if !strings.Contains(h.reasons("demo"), "IngressFailed") {
				t.Errorf("no event tells it: %s", h.reasons("demo"))
			}
			h.w.Tap.Forget()
			h.pass(10 * time.Minute)
			if n := h.w.Tap.Count(fault.Match); n > 12 || n < 5 {
				t.Errorf("%d attempts in 10 minutes, want about one a minute", n)
			}
			fix()
			h.untilIngress("demo.example.com")
			h.rest()
			h.quiet()
		})
	}
}

func TestAnIngressOfSomebodyElseIsLeftAlone(t *testing.T) {
	h := newHarness(t)
	theirs := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "networking.k8s.io/v1", "kind": "Ingress",
		"metadata": map[string]any{"namespace": namespace, "name": "demo"},
		"spec":     map[string]any{"rules": []any{map[string]any{"host": "theirs.example.com"}}},
	}}
	if _, err := h.w.Kube.Create(kubesim.Ingresses, theirs); err != nil {
		t.Fatal(err)
	}
	h.apply("demo", application(ingress("demo.example.com")))
	h.untilStable("demo")
	h.says("demo", "IngressReady", "there is an Ingress demo that is not ours")
	h.edit("demo", withoutIngress)
	h.untilStable("demo")
	expect(t, "their Ingress", h.ingressHost("demo"), "theirs.example.com")
}

// The administrator may allow fewer hosts than before: the Ingress is left as it is, the condition says why, the job
// goes on.
func TestAnIngressThatIsNotAllowedAnyMore(t *testing.T) {
	h := newHarness(t)
	h.apply("demo", application(ingress("{{name}}.example.com")))
	h.untilStable("demo")
	h.untilIngress("demo.example.com")
	starts := h.starts("demo")
	h.installed.Operator = flinkconf.NewOperator(flinkconf.Config{
		"kubernetes.operator.ingress.allowed-hosts": "*.{{namespace}}.example.com",
	})
	h.restart()
	h.until("it is told", func() bool {
		return strings.Contains(h.condition("demo", "IngressReady"), "is not allowed: the administrator allows others")
	})
	expect(t, "IngressReady", strings.Fields(h.condition("demo", "IngressReady"))[0], "False")
	expect(t, "the host of the Ingress", h.ingressHost("demo"), "demo.example.com")
	expect(t, "the starts", h.starts("demo"), starts)
	h.edit("demo", ingress("{{name}}.{{namespace}}.example.com"))
	h.untilIngress("demo.flink.example.com")
	h.untilStable("demo")
}
