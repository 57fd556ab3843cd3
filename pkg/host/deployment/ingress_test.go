package deployment_test

import (
	"strings"
	"testing"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/summary"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/host/deployment"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// exposed is a stable application whose Ingress was made as its spec asks.
func exposed(t *testing.T, installation flinkconf.Config) *enginetest.Deployment {
	t.Helper()
	w := enginetest.StableIn(t, installation, strings.Replace(
		enginetest.Application,
		`"flinkConfiguration":{`,
		`"ingress":{"template":"demo.example.com"},"flinkConfiguration":{`,
		1,
	))
	w.Snapshot.Ingress = plan.Absent[*networkingv1.Ingress]()
	p := w.Run()
	for _, a := range p.Finish {
		if made, ok := a.(plan.ApplyIngress); ok {
			w.Snapshot.Ingress = plan.Present(made.Ingress)
		}
	}
	w.Run()
	return w
}

// The Ingress leads to the port that the cluster was started with.
func TestAnIngressKeepsThePortOfWhatRuns(t *testing.T) {
	w := exposed(t, flinkconf.Config{})
	w.Snapshot.Operator = flinkconf.NewOperator(flinkconf.Config{"rest.port": "9091"})
	p := w.Run()
	for _, a := range p.Finish {
		if made, ok := a.(plan.ApplyIngress); ok {
			t.Errorf("the Ingress is changed to %+v", made.Ingress.Spec)
		}
	}
	if c := w.Condition(summary.IngressReady); c.Status != metav1.ConditionTrue {
		t.Errorf("IngressReady %+v", c)
	}
}

func changeIngress(w *enginetest.Deployment, change func(i *networkingv1.Ingress)) {
	seen, _ := w.Snapshot.Ingress.Get()
	seen = seen.DeepCopy()
	seen.UID = "ingress-1"
	change(seen)
	w.Snapshot.Ingress = plan.Present(seen)
}

func TestTheIngressIsComparedAtEachLook(t *testing.T) {
	rows := map[string]struct {
		happens func(w *enginetest.Deployment)
		does    string
		says    string
		reason  string
	}{
		"nothing": {func(*enginetest.Deployment) {}, "", "True Applied", "a quiet world is quiet"},
		"it is gone": {
			func(w *enginetest.Deployment) { w.Snapshot.Ingress = plan.Absent[*networkingv1.Ingress]() },
			"apply ingress demo", "False Applying",
			"somebody deleted it, or a pass had died",
		},
		"its host is another": {
			func(w *enginetest.Deployment) {
				changeIngress(w, func(i *networkingv1.Ingress) { i.Spec.Rules[0].Host = "x" })
			},
			"apply ingress demo", "False Applying", "somebody edited it",
		},
		"its label is gone": {
			func(w *enginetest.Deployment) { changeIngress(w, func(i *networkingv1.Ingress) { i.Labels = nil }) },
			"apply ingress demo",
			"False Applying",
			"the same",
		},
		"its label is another": {
			func(w *enginetest.Deployment) {
				changeIngress(w, func(i *networkingv1.Ingress) {
					for name := range i.Labels {
						i.Labels[name] = "x"
					}
				})
			}, "apply ingress demo", "False Applying", "the same",
		},
		"another label": {
			func(w *enginetest.Deployment) {
				changeIngress(w, func(i *networkingv1.Ingress) { i.Labels["team"] = "a" })
			}, "", "True Applied",
			"others may add theirs",
		},
		"the default class": {func(w *enginetest.Deployment) {
			changeIngress(w, func(i *networkingv1.Ingress) { class := "nginx"; i.Spec.IngressClassName = &class })
		}, "", "True Applied", "the API server may fill it in"},
		"somebody else's": {
			func(w *enginetest.Deployment) {
				changeIngress(w, func(i *networkingv1.Ingress) { i.OwnerReferences = nil })
			}, "",
			"False ForeignObject", "it is not taken over",
		},
		"it cannot be read": {
			func(w *enginetest.Deployment) { w.Snapshot.Ingress = plan.Unknown[*networkingv1.Ingress]("forbidden") },
			"",
			"Unknown Unobservable",
			"unknown leads to nothing",
		},
		"nobody looked": {
			func(w *enginetest.Deployment) { w.Snapshot.Ingress = plan.Observed[*networkingv1.Ingress]{} },
			"",
			"True Applied",
			"what was seen last stands",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := exposed(t, nil)
			row.happens(w)
			p := w.Run()
			if got := strings.TrimPrefix(strings.TrimPrefix(p.String(), string(p.Situation)), ": "); got != row.does {
				t.Errorf("does %q, want %q: %s", got, row.does, row.reason)
			}
			if c := w.Condition(summary.IngressReady); string(c.Status)+" "+c.Reason != row.says {
				t.Errorf("says %s %s: %s; want %s", c.Status, c.Reason, c.Message, row.says)
			}
			if w.Condition(summary.Ready).Status != metav1.ConditionTrue {
				t.Errorf("Ready is %+v, and the cluster is as well as before", w.Condition(summary.Ready))
			}
		})
	}
}

func TestAnUnwantedIngressGoes(t *testing.T) {
	w := exposed(t, nil)
	changeIngress(w, func(*networkingv1.Ingress) {})
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Ingress = nil })
	w.Run()
	w.Terminate()
	p := w.Run()
	if !strings.Contains(p.String(), "delete ingress demo") || w.Condition(summary.IngressReady).Reason != "Removing" {
		t.Fatalf("got %s, %+v", p, w.Condition(summary.IngressReady))
	}
	if p := w.Round(); !strings.Contains(p.String(), "delete ingress demo") {
		t.Errorf("the pass had died before it did so, and the next does %s", p)
	}
	w.Snapshot.Ingress = plan.Absent[*networkingv1.Ingress]()
	w.Run()
	if c := w.Condition(summary.IngressReady); c.Reason != "" {
		t.Errorf("IngressReady is still there: %+v", c)
	}
}

func TestAnUnmanagedIngressIsLeftAlone(t *testing.T) {
	unmanaged := flinkconf.Config{"kubernetes.operator.ingress.manage": "false"}
	w := exposed(t, unmanaged)
	if w.Snapshot.Ingress.IsPresent() || w.Condition(summary.IngressReady).Reason != "" ||
		w.Told("IngressManagement") != 1 {
		t.Errorf(
			"Ingress %+v, condition %+v, told %d times; want none, and to be told once", w.Snapshot.Ingress,
			w.Condition(summary.IngressReady), w.Told("IngressManagement"),
		)
	}
	if w := exposed(t, nil); w.Told("IngressManagement") > 0 {
		t.Error("it is managed, and told that it is not")
	}
	w = enginetest.StableIn(t, unmanaged, enginetest.Application)
	if w.Told("IngressManagement") > 0 {
		t.Error("nobody asked for one, and it is told that none is made")
	}
}

func TestAFailedIngressIsToldOnce(t *testing.T) {
	w := exposed(t, nil)
	w.Snapshot.Ingress = plan.Absent[*networkingv1.Ingress]()
	for range 3 {
		p := enginetest.Denied(w.Snapshot, plan.ApplyIngress{}, "ingresses is forbidden")
		w.Events = append(w.Events, p.Events...)
		if status, changes := p.Status.(*v1beta1.FlinkDeploymentStatus); changes {
			w.Store(status)
		}
		if p := w.Round(); !strings.Contains(p.String(), "apply ingress demo") || p.Status != nil {
			t.Errorf("the sweep tries again and writes nothing, got %s, %+v", p, p.Status)
		}
	}
	if c := w.Condition(summary.IngressReady); w.Told("IngressFailed") != 1 || c.Reason != "Forbidden" ||
		!strings.Contains(c.Message, "ingresses is forbidden") {
		t.Errorf("told %d times, %+v", w.Told("IngressFailed"), c)
	}
	p := w.Round()
	for _, a := range p.Finish {
		if made, ok := a.(plan.ApplyIngress); ok {
			w.Snapshot.Ingress = plan.Present(made.Ingress)
		}
	}
	w.Run()
	if c := w.Condition(summary.IngressReady); c.Status != metav1.ConditionTrue {
		t.Errorf("it was made at last, and IngressReady is %+v", c)
	}
}

// One that no spec asks for shows as long as it cannot be removed, and is looked for until it is gone.
func TestAnIngressThatCannotBeRemovedShows(t *testing.T) {
	w := exposed(t, nil)
	changeIngress(w, func(*networkingv1.Ingress) {})
	w.Edit(func(s *v1beta1.FlinkDeploymentSpec) { s.Ingress = nil })
	w.Run()
	w.Terminate()
	w.Run()
	w.ServeJob(v1beta1.FlinkJobRunning)
	w.Run()
	if !deployment.Open(w.Snapshot).First().Ingress {
		t.Error("it is there still, and not looked for")
	}
	failed, _ := enginetest.Denied(w.Snapshot, plan.DeleteIngress{}, "no").Status.(*v1beta1.FlinkDeploymentStatus)
	w.Store(failed)
	w.Run()
	if c := w.Condition(summary.IngressReady); c.Reason != "Forbidden" {
		t.Errorf("the next look forgot why: %+v", c)
	}
	w.Snapshot.Ingress = plan.Absent[*networkingv1.Ingress]()
	w.Run()
	if deployment.Open(w.Snapshot).First().Ingress {
		t.Error("it is gone, and looked for")
	}
}

// Of a cluster that asks for none, too, what could not be looked at is not known.
func TestAnIngressThatNobodyAskedForIsNotKnown(t *testing.T) {
	for why, want := range map[string]string{"": "", "forbidden": "Unobservable"} {
		w := enginetest.Stable(t, enginetest.Application)
		w.Snapshot.Ingress = plan.Unknown[*networkingv1.Ingress](why)
		w.Run()
		if c := w.Condition(summary.IngressReady); c.Reason != want {
			t.Errorf("it cannot be read because %q: %+v, want %q", why, c, want)
		}
	}
}
