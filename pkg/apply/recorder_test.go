package apply

import (
	"context"
	"maps"
	"strings"
	"sync"
	"testing"

	cloudevents "github.com/cloudevents/sdk-go/v2"
	"go.uber.org/zap"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// listener takes what users' Triggers would get.
type listener struct {
	mu  sync.Mutex
	got []cloudevents.Event
}

// Publish keeps the event.
func (l *listener) Publish(_ context.Context, e cloudevents.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.got = append(l.got, e)
	return nil
}

// tells has a cluster whose carrier tells what happens.
func tells(t *testing.T) (*carrier, *listener) {
	t.Helper()
	s, l := newCluster(t), &listener{}
	s.c.Events = &EventRecorder{
		Kube: s.client, Listeners: l, Source: "/test", Now: s.kube.Clock.Now, Log: zap.NewNop().Sugar(),
	}
	return s, l
}

func (s *carrier) tell(p plan.Plan) {
	s.t.Helper()
	resource, _, err := s.client.Get(s.t.Context(), s.object)
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.c.Execute(s.t.Context(), s.object, resource, p); err != nil {
		s.t.Fatal(err)
	}
}

func (s *carrier) events() []*unstructured.Unstructured {
	return s.kube.List(kubesim.Events, "flink", nil)
}

// Equal content is one object, which counts
func TestEventsCountUp(t *testing.T) {
	rows := map[string]struct {
		first, second plan.Event
		objects       int
		count         int64
		message       string
		reason        string
	}{
		"the same twice": {
			plan.Event{Reason: "Missing", Component: "Job", Message: "a"},
			plan.Event{Reason: "Missing", Component: "Job", Message: "a"}, 1, 2, "a", "one problem is one object",
		},
		"no message": {
			plan.Event{Reason: "Missing", Component: "Job"}, plan.Event{Reason: "Missing", Component: "Job"}, 1, 2, "",
			"the same",
		},
		"another message": {
			plan.Event{Reason: "Missing", Component: "Job", Message: "a"},
			plan.Event{Reason: "Missing", Component: "Job", Message: "b"}, 2, 1, "", "another problem",
		},
		"the same key": {
			plan.Event{Reason: "Missing", Component: "Job", Message: "a", Key: "k"},
			plan.Event{Reason: "Missing", Component: "Job", Message: "b", Key: "k"}, 1, 2, "b", "the newest words count",
		},
		"once": {
			plan.Event{Reason: "SpecChanged", Component: "Job", Message: "a", Key: "k", Once: true},
			plan.Event{Reason: "SpecChanged", Component: "Job", Message: "b", Key: "k", Once: true}, 1, 1, "a",
			"a change is told once",
		},
		"a warning, then a fact": {
			plan.Event{Warning: true, Reason: "Error", Component: "Job", Message: "a"},
			plan.Event{Reason: "Error", Component: "Job", Message: "a"}, 2, 1, "", "they are not the same",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			s, l := tells(t)
			s.tell(plan.Plan{Events: []plan.Event{row.first}})
			s.tell(plan.Plan{Events: []plan.Event{row.second}})
			all := s.events()
			if len(all) != row.objects {
				t.Fatalf("%d objects, want %d: %s", len(all), row.objects, row.reason)
			}
			count, _, _ := unstructured.NestedInt64(all[0].Object, "count")
			message, _, _ := unstructured.NestedString(all[0].Object, "message")
			if count != row.count || row.objects == 1 && message != row.message {
				t.Errorf("count %d, message %q, want %d, %q: %s", count, message, row.count, row.message, row.reason)
			}
			if len(l.got) != 2 || l.got[0].Type() != event.TypeEvent {
				t.Errorf("listeners got %d events", len(l.got))
			}
		})
	}
}

func TestAnnotationsOfAnEvent(t *testing.T) {
	s, _ := tells(t)
	told := plan.Event{
		Warning: true, Reason: "JobException", Component: "Job", Message: "a", Key: "k",
		Annotations: map[string]string{"endpoint": "x:1", "tm-id": "1"},
	}
	s.tell(plan.Plan{Events: []plan.Event{told}})
	if got := s.events()[0].GetAnnotations(); !maps.Equal(got, told.Annotations) {
		t.Errorf("annotations %v, want %v", got, told.Annotations)
	}
	told.Annotations = map[string]string{"endpoint": "y:1", "task-name": "map"}
	s.tell(plan.Plan{Events: []plan.Event{told}})
	all := s.events()
	if count, _, _ := unstructured.NestedInt64(all[0].Object, "count"); len(all) != 1 || count != 2 ||
		!maps.Equal(all[0].GetAnnotations(), told.Annotations) {
		t.Errorf(
			"%d events, count %d, annotations %v, want %v: those of the newest", len(all), count, all[0].GetAnnotations(),
			told.Annotations,
		)
	}
	told.Annotations = nil
	s.tell(plan.Plan{Events: []plan.Event{told}})
	if got := s.events()[0].GetAnnotations(); len(got) != 2 {
		t.Errorf("annotations %v: an event without any leaves them", got)
	}
}

func TestANewResourceHasEventsOfItsOwn(t *testing.T) {
	told := plan.Event{Reason: "Missing", Component: "Job", Message: "a"}
	u := &unstructured.Unstructured{
		Object: map[string]any{"kind": "FlinkDeployment", "metadata": map[string]any{"name": "demo", "uid": "1"}},
	}
	first := eventName(u, told)
	u.SetUID("2")
	if second := eventName(u, told); first == second || !strings.HasPrefix(second, "Job.") ||
		strings.Contains(second, "-") {
		t.Errorf("%s and %s", first, second)
	}
}

func TestAnEventThatMayNotBeMadeIsSkipped(t *testing.T) {
	s, _ := tells(t)
	s.tap.Inject(wire.Fault{Match: wire.On("create", "events"), Status: 403})
	s.tell(plan.Plan{
		Events: []plan.Event{{Reason: "Missing", Component: "Job", Message: "a"}},
		Status: &v1beta1.FlinkDeploymentStatus{Error: "e"},
	})
	if text, _, _ := unstructured.NestedString(
		s.kube.Get(kubesim.FlinkDeployments, "flink", "demo").Object, "status", "error",
	); text != "e" || len(s.events()) != 0 {
		t.Errorf("error %q, %d events: the pass goes on", text, len(s.events()))
	}
}

func TestListenersHearOfEachChangeOfStatus(t *testing.T) {
	s, l := tells(t)
	change := func(state v1beta1.LifecycleState, job v1beta1.FlinkJobState) event.Change {
		t.Helper()
		l.got = nil
		s.tell(plan.Plan{
			Status: &v1beta1.FlinkDeploymentStatus{LifecycleState: state, JobStatus: v1beta1.JobStatus{State: job}},
		})
		if len(l.got) == 0 {
			return event.Change{}
		}
		var c event.Change
		if err := l.got[0].DataAs(&c); err != nil || len(l.got) != 1 || l.got[0].Type() != event.TypeStatus ||
			l.got[0].Time() != s.kube.Clock.Now() {
			t.Errorf("got %v, %v", l.got, err)
		}
		return c
	}
	if c := change(v1beta1.LifecycleDeployed, v1beta1.FlinkJobReconciling); c.OldLifecycleState != "" ||
		c.LifecycleState != "DEPLOYED" {
		t.Errorf("first %+v", c)
	}
	if c := change(v1beta1.LifecycleStable, v1beta1.FlinkJobRunning); c.OldLifecycleState != "DEPLOYED" ||
		c.LifecycleState != "STABLE" || c.OldJobState != "RECONCILING" || c.JobState != "RUNNING" {
		t.Errorf("second %+v", c)
	}
	if c := change(v1beta1.LifecycleStable, v1beta1.FlinkJobRunning); c != (event.Change{}) {
		t.Errorf("nothing changed, and listeners heard of %+v", c)
	}
	l.got = nil
	s.tell(plan.Plan{Gone: true, Status: &v1beta1.FlinkDeploymentStatus{LifecycleState: v1beta1.LifecycleDeleted}})
	var c event.Change
	if len(l.got) != 1 || l.got[0].DataAs(&c) != nil || c.OldLifecycleState != "STABLE" || c.LifecycleState != "DELETED" {
		t.Errorf("when it goes %+v: it is told, and not stored", c)
	}
}

// A function that dies between an action and its event would leave it untold for ever.
func TestWhatOnlyThisPassCanTellIsToldBeforeItIsDone(t *testing.T) {
	s, l := tells(t)
	s.tap.Inject(wire.Fault{Match: wire.On("create", "deployments"), Do: func() {
		if len(s.events()) != 1 || len(l.got) != 1 {
			t.Errorf("before the action: %d Events, %d CloudEvents, want 1 and 1", len(s.events()), len(l.got))
		}
	}})
	s.tell(plan.Plan{
		TellFirst: true, Actions: []plan.Action{start()},
		Events: []plan.Event{{Reason: "PodDeleted", Component: "Job", Message: "a"}},
	})
}
