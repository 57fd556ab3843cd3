package cli_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// becomes changes the status of a resource before the nth look at it.
func (w *world) becomes(nth int, kind, name string, change map[string]any) {
	gvr := resourceOf(kind)
	w.Tap.Inject(wire.Fault{Match: wire.On("get", gvr.Resource), Nth: nth, Do: func() {
		u := w.Get(gvr, "flink", name)
		status, _ := u.Object["status"].(map[string]any)
		maps.Copy(status, change)
		status["observedGeneration"] = u.GetGeneration()
		if _, err := w.UpdateStatus(gvr, "flink", name, status); err != nil {
			w.t.Error(err)
		}
	}})
}

// late lets more time pass than a command waits for, before the second look at a resource of a kind that is followed.
func (w *world) late(kind string, nth int) {
	w.Tap.Inject(wire.Fault{Match: wire.On("get", resourceOf(kind).Resource), Nth: nth, Do: func() {
		w.Clock.Advance(time.Hour)
	}})
}

// readyNow is the condition of a resource that is as its spec wants it.
func readyNow(reason string) []any {
	return []any{map[string]any{"type": "Ready", "status": "True", "reason": reason, "message": "it is"}}
}

func TestWait(t *testing.T) {
	var text strings.Builder
	for _, row := range []struct {
		args   []string
		change map[string]any
	}{
		{[]string{"wait", "payments"}, map[string]any{
			"lifecycleState": "STABLE", "jobStatus": map[string]any{"state": "RUNNING"}, "conditions": readyNow("Ready"),
		}},
		{[]string{"wait", "payments", "--for=stable"}, map[string]any{"lifecycleState": "ROLLED_BACK"}},
		{[]string{"wait", "payments", "--for=running", "--timeout=30m"}, nil},
		{[]string{"wait", "payments", "--for=green"}, nil},
		{[]string{"wait", "sessions-daily"}, nil},
		{[]string{"wait", "old-report"}, nil},
		{[]string{"wait", "nightly"}, nil},
	} {
		w := newWorld(t, "team.yaml")
		if row.change != nil {
			w.becomes(3, "FlinkDeployment", "payments", row.change)
		}
		if strings.Contains(row.args[len(row.args)-1], "timeout") {
			w.late("FlinkDeployment", 4)
		}
		text.WriteString(w.transcript(row.args...))
	}
	held(t, "wait.txt", text.String())
}

func TestEvents(t *testing.T) {
	w := newWorld(t, "team.yaml")
	held(t, "events.txt", w.transcript("events", "payments")+w.transcript("events", "payments", "-o", "json")+
		w.transcript("events", "orders"))
}

func TestLogs(t *testing.T) {
	w := newWorld(t, "team.yaml")
	w.logs = map[string]string{
		"payments-5f6c7d8b9-abcde": "2026-01-01T12:58:00.000000001Z starts with plantedInSpec\n" +
			"2026-01-01T12:58:02.000000000Z runs\n",
		"payments-taskmanager-1-3": "2026-01-01T12:58:01.000000000Z password=plantedElsewhere\n",
	}
	w.logs["reconcile-00001-deployment-x"] = "2026-01-01T12:58:01.000000000Z " +
		`{"key":"flink/FlinkDeployment/payments"}` +
		"\n" + `2026-01-01T12:58:02.000000000Z {"key":"flink/FlinkDeployment/orders"}` + "\n"
	held(t, "logs.txt", w.transcript("logs", "payments", "--component=operator")+
		w.transcript("logs", "payments")+w.transcript("logs", "payments", "--component=taskmanager")+
		w.transcript("logs", "payments", "-f", "--component=jobmanager")+w.transcript("logs", "orders")+
		w.transcript("logs", "payments", "--component=other")+w.transcript("logs", "etl")+
		w.transcript("logs", "sessions-daily", "--component=taskmanager"))
}

// A list that is watched says each change, and ends with the user.
func TestWatch(t *testing.T) {
	w := newWorld(t, "team.yaml")
	w.Tap.Inject(wire.Fault{Match: wire.On("list", "flinkdeployments"), Nth: 3, Do: func() {
		if err := w.Delete(resourceOf("FlinkSessionJob"), "flink", "etl", kubesim.DeleteOptions{}); err != nil {
			t.Error(err)
		}
		status := map[string]any{
			"observedGeneration": int64(1), "lifecycleState": "STABLE", "conditions": readyNow("Ready"),
		}
		if _, err := w.UpdateStatus(resourceOf("FlinkDeployment"), "flink", "payments", status); err != nil {
			t.Error(err)
		}
	}})
	w.Tap.Inject(wire.Fault{Match: wire.On("list", "flinkdeployments"), Nth: 5, Status: 503})
	w.Tap.Inject(wire.Fault{Match: wire.On("list", "flinkdeployments"), Nth: 8, Do: func() { w.cancel() }})
	held(t, "watch.txt", w.transcript("list", "-w")+w.transcript("list", "-w", "-o", "json"))
}
