package pass

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

func TestEcho(t *testing.T) {
	created := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	at := func(second int) time.Time { return created.Add(time.Duration(second) * time.Second) }
	type writes map[string]int // the second of each manager's last write
	rows := map[string]struct {
		writes   writes
		marked   int
		observed int64
		manager  string
		want     bool
		reason   string
	}{
		"ours is the newest": {writes{"kubectl": 3, agent: 5}, 0, 1, agent, true, "nobody wrote since"},
		"ours, in the second of creation": {
			writes{"kubectl": 0, agent: 0}, 0, 1, agent, true, "a start takes less than a second",
		},
		"that, of another generation": {writes{"kubectl": 0, agent: 0}, 0, 0, agent, false, "the spec changed since"},
		"in the second of an edit": {
			writes{"kubectl": 5, agent: 5}, 0, 1, agent, false, "either may have been the last",
		},
		"an edit after ours":        {writes{"kubectl": 6, agent: 5}, 0, 1, agent, false, "as an annotation"},
		"never written by us":       {writes{"kubectl": 6}, 0, 0, agent, false, "a new resource"},
		"marked for deletion since": {writes{"kubectl": 0, agent: 5}, 7, 1, agent, false, "the mark leaves no entry"},
		"marked in the second of ours": {
			writes{"kubectl": 0, agent: 5}, 5, 1, agent, false, "either may have been the last",
		},
		"marked before ours": {writes{"kubectl": 0, agent: 5}, 4, 1, agent, true, "we saw the mark"},
		"nobody asks":        {writes{"kubectl": 0, agent: 5}, 0, 1, "", false, "without a name none is ours"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			u := &unstructured.Unstructured{
				Object: map[string]any{"status": map[string]any{"observedGeneration": row.observed}},
			}
			u.SetGeneration(1)
			u.SetCreationTimestamp(metav1.NewTime(created))
			if row.marked > 0 {
				mark := metav1.NewTime(at(row.marked))
				u.SetDeletionTimestamp(&mark)
			}
			var fields []metav1.ManagedFieldsEntry
			for manager, second := range row.writes {
				time := metav1.NewTime(at(second))
				fields = append(
					fields,
					metav1.ManagedFieldsEntry{Manager: manager, Time: &time, Operation: metav1.ManagedFieldsOperationUpdate},
				)
			}
			u.SetManagedFields(fields)
			if got := ownWrite(u, row.manager); got != row.want {
				t.Errorf("own write %t, want %t: %s", got, row.want, row.reason)
			}
		})
	}
}

// TestAnEchoCostsOneRequest: the events of our own writes are most of all events.
func TestAnEchoCostsOneRequest(t *testing.T) {
	i := install(t)
	i.r.Manager = agent
	requests := func(firm bool) int {
		i.w.Tap.Forget()
		i.run("FlinkDeployment", "demo", firm)
		return i.w.Tap.Count(func(wire.Request) bool { return true })
	}
	if n := requests(false); n != 1 {
		t.Errorf("the event of our own write cost %d requests, want 1", n)
	}
	if n := requests(true); n < 2 {
		t.Errorf("a pass that was asked for cost %d requests: it must look", n)
	}
}

// A user who asks for an attempt is heard, however the times of the writes stand.
func TestARequestIsNoWriteOfOurOwn(t *testing.T) {
	for name, row := range map[string]struct {
		kind, asked, answered string
		want                  bool
	}{
		"asked":                         {"FlinkDeployment", "2", "1", false},
		"asked, of a session job":       {"FlinkSessionJob", "2", "", false},
		"answered":                      {"FlinkDeployment", "2", "2", true},
		"answered, and taken out since": {"FlinkDeployment", "", "2", true},
		"of a kind that has no pause":   {"FlinkStateSnapshot", "2", "", true},
	} {
		now := metav1.NewTime(time.Date(2026, 11, 21, 12, 0, 5, 0, time.UTC))
		u := &unstructured.Unstructured{Object: map[string]any{
			"kind": row.kind, "status": map[string]any{"observedGeneration": int64(1), "reconcileRequested": row.answered},
		}}
		u.SetGeneration(1)
		u.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: agent, Time: &now, Operation: "Update"}})
		u.SetAnnotations(map[string]string{"flink.apache.org/reconcile-requested-at": row.asked})
		if got := ownWrite(u, agent); got != row.want {
			t.Errorf("%s: own %t", name, got)
		}
	}
}
