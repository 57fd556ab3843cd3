package pass

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
)

// mailbox is a Broker that remembers what it took.
type mailbox struct {
	mu    sync.Mutex
	taken []string
	down  bool
}

// RoundTrip takes an event, or is not there.
func (m *mailbox) RoundTrip(r *http.Request) (*http.Response, error) {
	e, err := cehttp.NewEventFromHTTPRequest(r)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.taken = append(m.taken, e.Type()+" "+e.Subject())
	code := http.StatusAccepted
	if m.down {
		code = http.StatusServiceUnavailable
	}
	return &http.Response{StatusCode: code, Body: http.NoBody, Request: r}, nil
}

func (m *mailbox) read() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	text := strings.Join(m.taken, "\n")
	m.taken = nil
	return text
}

func TestAPassWakesWhatDependsOnItsJob(t *testing.T) {
	const wakes = event.TypePassRequested + " flink/FlinkStateSnapshot/snap"
	i := install(t)
	box := &mailbox{}
	i.r.Apply.Events.Control = event.Publisher{URL: "http://broker.invalid/", Client: &http.Client{Transport: box}}
	deployment := func() { i.pass(v1beta1.KindFlinkDeployment, "demo") }
	restart := func() {
		i.w.Flink.Do("flink", "demo", i.w.Flink.Job("flink", "demo", "").ID, func(j *job.Job) {
			j.Restart("Exception", "lost", i.w.Clock.Now())
		})
	}
	i.w.Flink.ScriptJob("demo", job.Script{SnapshotSteps: 1000})
	i.create(v1beta1.FlinkStateSnapshotGVR.Resource, v1beta1.KindFlinkStateSnapshot, "snap", map[string]any{
		"jobReference": map[string]any{"kind": "FlinkDeployment", "name": "demo"}, "savepoint": map[string]any{},
	})
	i.pass(v1beta1.KindFlinkStateSnapshot, "snap")
	deployment()
	if got := box.read(); got != "" {
		t.Errorf("a job that goes on wakes nobody, got %q", got)
	}
	restart()
	deployment()
	if got := box.read(); got != wakes {
		t.Errorf("a job that restarts wakes its snapshot, got %q", got)
	}
	i.w.Clock.Advance(2 * time.Second)
	i.w.Settle()
	box.down = true
	if err := i.r.Run(
		t.Context(), event.Key{Kind: v1beta1.KindFlinkDeployment, Namespace: "flink", Name: "demo"}, true,
	); err != nil {
		t.Errorf("a Broker that is down fails no pass: %v", err)
	}
	if got := box.read(); got != wakes {
		t.Errorf("a job that runs again wakes its snapshot, got %q", got)
	}
}
