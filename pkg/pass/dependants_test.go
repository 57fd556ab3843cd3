package pass

import (
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
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

// A change of a session cluster wakes the session jobs that are on it, and no others.
func TestAPassOfAClusterWakesItsJobs(t *testing.T) {
	i := install(t)
	box := &mailbox{}
	i.r.Apply.Events.Control = event.Publisher{URL: "http://broker.invalid/", Client: &http.Client{Transport: box}}
	spec := func(image string) map[string]any {
		return map[string]any{
			"image": image, "flinkVersion": "v1_20", "serviceAccount": "flink",
			"jobManager":  map[string]any{"resource": map[string]any{"memory": "1024m", "cpu": 0.5}},
			"taskManager": map[string]any{"resource": map[string]any{"memory": "1024m", "cpu": 0.5}},
		}
	}
	for name, cluster := range map[string]string{"etl": "session", "report": "session", "another": "demo"} {
		i.create(v1beta1.FlinkSessionJobGVR.Resource, v1beta1.KindFlinkSessionJob, name, map[string]any{
			"deploymentName": cluster,
			"job":            map[string]any{"entryClass": "org.Main", "parallelism": int64(2), "upgradeMode": "stateless"},
		})
	}
	// after is who was woken by what a person did, and by the passes until the cluster is settled.
	after := func(what string, want ...string) {
		t.Helper()
		woken := map[string]bool{}
		for range 10 {
			i.pass(v1beta1.KindFlinkDeployment, "session")
			for line := range strings.Lines(box.read()) {
				woken[strings.TrimSpace(line)] = true
			}
			i.w.Clock.Advance(2 * time.Second)
			i.w.Settle()
		}
		wanted := map[string]bool{}
		for _, name := range want {
			wanted[event.TypePassRequested+" flink/FlinkSessionJob/"+name] = true
		}
		if !maps.Equal(woken, wanted) {
			t.Errorf("%s: woken are %v, want %v", what, woken, wanted)
		}
	}
	i.create(v1beta1.FlinkDeploymentGVR.Resource, v1beta1.KindFlinkDeployment, "session", spec("flink:1.20"))
	after("it comes up", "etl", "report")
	after("nothing happens")
	i.merge("session", map[string]any{"spec": map[string]any{"image": "flink:1.20.1"}})
	after("it is upgraded", "etl", "report")
	remove := func(gvr schema.GroupVersionResource) {
		if err := i.w.Kube.Delete(gvr, "flink", "session", kubesim.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	remove(kubesim.Deployments)
	after("its JobManager is deleted", "etl", "report")
	remove(kubesim.FlinkDeployments)
	after("it is deleted", "etl", "report")
	i.pass(v1beta1.KindFlinkDeployment, "demo")
	if got := box.read(); got != "" {
		t.Errorf("an application wakes no session job, got %q", got)
	}
}
