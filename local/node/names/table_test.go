package names

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func service(change func(*corev1.Service)) *corev1.Service {
	s := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "jobs", Name: "basic-rest"},
		Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": "basic"}},
	}
	if change != nil {
		change(s)
	}
	return s
}

func pod(address string, change func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "jobs", Labels: map[string]string{"app": "basic", "component": "jobmanager"},
		},
		Status: corev1.PodStatus{
			Phase: corev1.PodRunning, PodIP: address,
			Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
		},
	}
	if change != nil {
		change(p)
	}
	return p
}

func TestWhichPodsAnswerToAName(t *testing.T) {
	for name, row := range map[string]struct {
		service func(*corev1.Service)
		pod     func(*corev1.Pod)
		found   bool
		reason  string
	}{
		"ready": {nil, nil, true, "It is what the Service selects."},
		"other namespace": {
			nil, func(p *corev1.Pod) { p.Namespace = "other" }, false, "A selector is for its own namespace.",
		},
		"other labels": {nil, func(p *corev1.Pod) { p.Labels = nil }, false, "It is not selected."},
		"no address":   {nil, func(p *corev1.Pod) { p.Status.PodIP = "" }, false, "It has not started."},
		"ended": {
			nil, func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }, false, "Nobody listens there.",
		},
		"succeeded": {
			nil, func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }, false, "Nobody listens there.",
		},
		"not ready": {nil, func(p *corev1.Pod) { p.Status.Conditions = nil }, false, "Its probe has not passed."},
		"being deleted": {
			nil, func(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{Time: time.Unix(0, 0)} }, false,
			"It is on its way out.",
		},
		"not ready, wanted": {
			func(s *corev1.Service) { s.Spec.PublishNotReadyAddresses = true },
			func(p *corev1.Pod) { p.Status.Conditions = nil }, true, "The Service wants those, too.",
		},
		"no selector": {
			func(s *corev1.Service) { s.Spec.Selector = nil }, nil, false, "Its endpoints are somebody else's to say.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			table := Make([]*corev1.Service{service(row.service)}, []*corev1.Pod{pod("127.1.1.1", row.pod)})
			if got := table.Lookup("basic-rest.jobs"); (got != nil) != row.found {
				t.Errorf("%v: %s", got, row.reason)
			}
		})
	}
}

func TestANameHasTheFormsOfClusterDNS(t *testing.T) {
	pods := []*corev1.Pod{pod("127.1.1.2", nil), pod("127.1.1.1", nil), pod("127.1.1.1", nil)}
	table := Make([]*corev1.Service{service(nil)}, pods)
	both := []string{"127.1.1.1", "127.1.1.2"}
	for _, form := range []string{
		"basic-rest.jobs", "basic-rest.jobs.svc", "basic-rest.jobs.svc.cluster.local", "Basic-Rest.jobs.svc.cluster.local.",
	} {
		if diff := cmp.Diff(both, table.Lookup(form)); diff != "" {
			t.Errorf("%s, -want +got:\n%s", form, diff)
		}
	}
	if got := table.Lookup("basic-rest"); got != nil {
		t.Errorf("a name without its namespace leads to %v", got)
	}
}

func TestLinesAreInOrder(t *testing.T) {
	table := Table{"b": {"2", "3"}, "a": {"1"}}
	if got, want := table.Lines(), "1 a\n2 b\n3 b\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
