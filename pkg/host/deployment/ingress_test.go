package deployment

import (
	"strings"
	"testing"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// exposed is a stable application whose Ingress was made as its spec asks.
func exposed(t *testing.T, installation flinkconf.Config) *fixture {
	t.Helper()
	w := stableIn(t, installation, strings.Replace(
		application, `"flinkConfiguration":{`, `"ingress":{"template":"demo.example.com"},"flinkConfiguration":{`, 1,
	))
	w.s.Ingress = plan.Absent[*networkingv1.Ingress]()
	p := w.run()
	for _, a := range p.Finish {
		if made, ok := a.(plan.ApplyIngress); ok {
			w.s.Ingress = plan.Present(made.Ingress)
		}
	}
	w.run()
	return w
}

// The Ingress leads to the port that the cluster was started with.
func TestAnIngressKeepsThePortOfWhatRuns(t *testing.T) {
	w := exposed(t, flinkconf.Config{})
	w.s.Operator = flinkconf.NewOperator(flinkconf.Config{"rest.port": "9091"})
	p := w.run()
	for _, a := range p.Finish {
		if made, ok := a.(plan.ApplyIngress); ok {
			t.Errorf("the Ingress is changed to %+v", made.Ingress.Spec)
		}
	}
	if c := w.condition(summary.IngressReady); c.Status != metav1.ConditionTrue {
		t.Errorf("IngressReady %+v", c)
	}
}

func (w *fixture) changeIngress(change func(i *networkingv1.Ingress)) {
	seen, _ := w.s.Ingress.Get()
	seen = seen.DeepCopy()
	seen.UID = "ingress-1"
	change(seen)
	w.s.Ingress = plan.Present(seen)
}

func TestTheIngressIsComparedAtEachLook(t *testing.T) {
	rows := map[string]struct {
		happens func(w *fixture)
		does    string
		says    string
		reason  string
	}{
		"nothing": {func(*fixture) {}, "", "True Applied", "a quiet world is quiet"},
		"it is gone": {
			func(w *fixture) { w.s.Ingress = plan.Absent[*networkingv1.Ingress]() }, "apply ingress demo", "False Applying",
			"somebody deleted it, or a pass had died",
		},
		"its host is another": {
			func(w *fixture) { w.changeIngress(func(i *networkingv1.Ingress) { i.Spec.Rules[0].Host = "x" }) },
			"apply ingress demo", "False Applying", "somebody edited it",
		},
		"its label is gone": {func(w *fixture) { w.changeIngress(func(i *networkingv1.Ingress) { i.Labels = nil }) },
			"apply ingress demo", "False Applying", "the same"},
		"its label is another": {
			func(w *fixture) {
				w.changeIngress(func(i *networkingv1.Ingress) {
					for name := range i.Labels {
						i.Labels[name] = "x"
					}
				})
			}, "apply ingress demo", "False Applying", "the same",
		},
		"another label": {
			func(w *fixture) { w.changeIngress(func(i *networkingv1.Ingress) { i.Labels["team"] = "a" }) }, "", "True Applied",
			"others may add theirs",
		},
		"the default class": {func(w *fixture) {
			w.changeIngress(func(i *networkingv1.Ingress) { class := "nginx"; i.Spec.IngressClassName = &class })
		}, "", "True Applied", "the API server may fill it in"},
		"somebody else's": {
			func(w *fixture) { w.changeIngress(func(i *networkingv1.Ingress) { i.OwnerReferences = nil }) }, "",
			"False ForeignObject", "it is not taken over",
		},
		"it cannot be read": {func(w *fixture) { w.s.Ingress = plan.Unknown[*networkingv1.Ingress]("forbidden") }, "",
			"Unknown Unobservable", "unknown leads to nothing"},
		"nobody looked": {func(w *fixture) { w.s.Ingress = plan.Observed[*networkingv1.Ingress]{} }, "", "True Applied",
			"what was seen last stands"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := exposed(t, nil)
			row.happens(w)
			p := w.run()
			if got := strings.TrimPrefix(strings.TrimPrefix(p.String(), string(p.Situation)), ": "); got != row.does {
				t.Errorf("does %q, want %q: %s", got, row.does, row.reason)
			}
			if c := w.condition(summary.IngressReady); string(c.Status)+" "+c.Reason != row.says {
				t.Errorf("says %s %s: %s; want %s", c.Status, c.Reason, c.Message, row.says)
			}
			if w.condition(summary.Ready).Status != metav1.ConditionTrue {
				t.Errorf("Ready is %+v, and the cluster is as well as before", w.condition(summary.Ready))
			}
		})
	}
}

func TestAnUnwantedIngressGoes(t *testing.T) {
	w := exposed(t, nil)
	w.changeIngress(func(*networkingv1.Ingress) {})
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Ingress = nil })
	w.run()
	w.terminate()
	p := w.run()
	if !strings.Contains(p.String(), "delete ingress demo") || w.condition(summary.IngressReady).Reason != "Removing" {
		t.Fatalf("got %s, %+v", p, w.condition(summary.IngressReady))
	}
	if p := w.round(); !strings.Contains(p.String(), "delete ingress demo") {
		t.Errorf("the pass had died before it did so, and the next does %s", p)
	}
	w.s.Ingress = plan.Absent[*networkingv1.Ingress]()
	w.run()
	if c := w.condition(summary.IngressReady); c.Reason != "" {
		t.Errorf("IngressReady is still there: %+v", c)
	}
}

func TestAnUnmanagedIngressIsLeftAlone(t *testing.T) {
	unmanaged := flinkconf.Config{"kubernetes.operator.ingress.manage": "false"}
	w := exposed(t, unmanaged)
	if w.s.Ingress.IsPresent() || w.condition(summary.IngressReady).Reason != "" || w.told("IngressManagement") != 1 {
		t.Errorf(
			"Ingress %+v, condition %+v, told %d times; want none, and to be told once", w.s.Ingress,
			w.condition(summary.IngressReady), w.told("IngressManagement"),
		)
	}
	if w := exposed(t, nil); w.told("IngressManagement") > 0 {
		t.Error("it is managed, and told that it is not")
	}
	w = stableIn(t, unmanaged, application)
	if w.told("IngressManagement") > 0 {
		t.Error("nobody asked for one, and it is told that none is made")
	}
}

func TestAFailedIngressIsToldOnce(t *testing.T) {
	w := exposed(t, nil)
	w.s.Ingress = plan.Absent[*networkingv1.Ingress]()
	for range 3 {
		p := denied(w.s, plan.ApplyIngress{}, "ingresses is forbidden")
		w.events = append(w.events, p.Events...)
		if status, changes := p.Status.(*v1beta1.FlinkDeploymentStatus); changes {
			w.store(status)
		}
		if p := w.round(); !strings.Contains(p.String(), "apply ingress demo") || p.Status != nil {
			t.Errorf("the sweep tries again and writes nothing, got %s, %+v", p, p.Status)
		}
	}
	if c := w.condition(summary.IngressReady); w.told("IngressFailed") != 1 || c.Reason != "Forbidden" ||
		!strings.Contains(c.Message, "ingresses is forbidden") {
		t.Errorf("told %d times, %+v", w.told("IngressFailed"), c)
	}
	p := w.round()
	for _, a := range p.Finish {
		if made, ok := a.(plan.ApplyIngress); ok {
			w.s.Ingress = plan.Present(made.Ingress)
		}
	}
	w.run()
	if c := w.condition(summary.IngressReady); c.Status != metav1.ConditionTrue {
		t.Errorf("it was made at last, and IngressReady is %+v", c)
	}
}

// One that no spec asks for shows as long as it cannot be removed, and is looked for until it is gone.
func TestAnIngressThatCannotBeRemovedShows(t *testing.T) {
	w := exposed(t, nil)
	w.changeIngress(func(*networkingv1.Ingress) {})
	w.edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Ingress = nil })
	w.run()
	w.terminate()
	w.run()
	w.serveJob(v1beta1.FlinkJobRunning)
	w.run()
	if !Open(w.s).First().Ingress {
		t.Error("it is there still, and not looked for")
	}
	failed, _ := denied(w.s, plan.DeleteIngress{}, "no").Status.(*v1beta1.FlinkDeploymentStatus)
	w.store(failed)
	w.run()
	if c := w.condition(summary.IngressReady); c.Reason != "Forbidden" {
		t.Errorf("the next look forgot why: %+v", c)
	}
	w.s.Ingress = plan.Absent[*networkingv1.Ingress]()
	w.run()
	if Open(w.s).First().Ingress {
		t.Error("it is gone, and looked for")
	}
}

// Of a cluster that asks for none, too, what could not be looked at is not known.
func TestAnIngressThatNobodyAskedForIsNotKnown(t *testing.T) {
	for why, want := range map[string]string{"": "", "forbidden": "Unobservable"} {
		w := stable(t, application)
		w.s.Ingress = plan.Unknown[*networkingv1.Ingress](why)
		w.run()
		if c := w.condition(summary.IngressReady); c.Reason != want {
			t.Errorf("it cannot be read because %q: %+v, want %q", why, c, want)
		}
	}
}
