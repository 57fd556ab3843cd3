//go:build e2e && nightly

package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/test/life"
	"github.com/kn-flink/kn-flink/test/watch"
)

// quiet is how long a steady job is watched, after the two minutes in which everything may calm down.
const (
	calm  = 2 * time.Minute
	quiet = 3 * time.Minute
)

// A steady job costs no pod of reconcile or admit, no write, and little of observe.
func TestSteadyJobIsQuiet(t *testing.T) {
	const name = "steady"
	kube.create(t, example(t, "basic.yaml", name, nil))
	resource := kube.resource(t, name, life.Limit+calm+quiet)
	resource.Until("is STABLE", life.State("STABLE"))

	until(t, time.Now().Add(calm))
	for _, function := range []string{"reconcile", "admit"} {
		list, err := kube.list(t.Context(), pods, system, "serving.knative.dev/service="+function)
		if err != nil {
			t.Fatal(err)
		}
		figures.count("pods of "+function+", two minutes into a steady job", float64(len(list)), 0, "")
	}
	adapters, err := kube.list(t.Context(), pods, system, "eventing.knative.dev/source=apiserver-source-controller")
	if err != nil || len(adapters) == 0 {
		t.Errorf("no adapter pod of the source: %v", err)
	}
	figures.count("always-on pods of ours", float64(len(adapters)), 1, "")

	before, err := kube.list(t.Context(), life.Resources, space, "")
	if err != nil || len(before) != 1 {
		t.Fatalf("%d FlinkDeployments are there, want one: %v", len(before), err)
	}
	started := time.Now()
	alive, serving := observePods(t, started.Add(quiet))
	figures.count(
		"observe pod-seconds per hour with one steady job: serving", serving.Seconds()*float64(time.Hour/quiet), -1, "s",
	)
	figures.count(
		"observe pod-seconds per hour with one steady job: with draining", alive.Seconds()*float64(time.Hour/quiet), -1,
		"s",
	)
	after, err := kube.list(t.Context(), life.Resources, space, "")
	if err != nil || len(after) != 1 {
		t.Fatalf("%d FlinkDeployments are there, want one: %v", len(after), err)
	}
	if after[0].GetResourceVersion() != before[0].GetResourceVersion() {
		t.Errorf(
			"a stable resource was written while nothing happened: %s became %s", before[0].GetResourceVersion(),
			after[0].GetResourceVersion(),
		)
	}
	clock, err := kube.list(t.Context(), pingSources, system, "app.kubernetes.io/component=clock")
	if err != nil || len(clock) != 1 {
		t.Fatalf("%d clocks are there, want one: %v", len(clock), err)
	}
	if schedule := watch.Text(&clock[0], "spec", "schedule"); strings.HasPrefix(schedule, "*/2 ") {
		t.Errorf("the clock still ticks at the pace of transition (%s)", schedule)
	}
	reportRequests(t, started, started.Add(quiet))
}

// until waits for a time: what is measured is that nothing happens before it.
func until(t *testing.T, at time.Time) {
	t.Helper()
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.Context().Done():
		t.Fatal("the test was stopped")
	}
}

// observePods adds up how long pods of observe existed before end, and how long of that they were not on their way out.
func observePods(t *testing.T, end time.Time) (alive, serving time.Duration) {
	t.Helper()
	ctx, cancel := context.WithDeadline(t.Context(), end)
	defer cancel()
	w := functionPods(ctx, t, "observe")
	last := time.Now()
	for {
		// What was seen up to now held since the event before.
		there, leaving := len(w.Seen), 0
		for _, pod := range w.Seen {
			if pod.GetDeletionTimestamp() != nil {
				leaving++
			}
		}
		_, open := w.Next()
		now := time.Now()
		alive += now.Sub(last) * time.Duration(there)
		serving += now.Sub(last) * time.Duration(there-leaving)
		last = now
		if !open {
			return alive, serving
		}
	}
}

// request is what the audit log tells of one API request.
type request struct {
	Verb string `json:"verb"`
	User struct {
		Username string `json:"username"`
	} `json:"user"`
	Object struct {
		Resource    string `json:"resource"`
		Subresource string `json:"subresource"`
	} `json:"objectRef"`
	At time.Time `json:"requestReceivedTimestamp"`
}

// reportRequests counts what the functions asked the API server in a span of time. Only a cluster with an audit log can
// tell (AUDIT_LOG; test/cluster has one).
func reportRequests(t *testing.T, from, to time.Time) {
	t.Helper()
	file, err := os.Open(os.Getenv("AUDIT_LOG"))
	if err != nil {
		figures.add(figure{name: "API requests of quiet looks", value: "unknown: this cluster has no audit log"})
		return
	}
	defer file.Close()
	kinds, writes, total := map[string]int{}, 0, 0
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r request
		if json.Unmarshal(lines.Bytes(), &r) != nil || r.At.Before(from) || r.At.After(to) {
			continue
		}
		function := r.User.Username[strings.LastIndex(r.User.Username, ":")+1:]
		if function != "observe" && function != "reconcile" {
			continue
		}
		total++
		kinds[function+" "+r.Verb+" "+r.Object.Resource]++
		if !slices.Contains([]string{"get", "list", "watch"}, r.Verb) {
			writes++
			t.Logf("a write in quiet times: %+v", r)
		}
	}
	figures.count(
		"API requests of quiet looks, each minute, the tick's lists among them", float64(total)/to.Sub(from).Minutes(), -1,
		"",
	)
	for _, kind := range slices.Sorted(keys(kinds)) {
		figures.count("  "+kind, float64(kinds[kind])/to.Sub(from).Minutes(), -1, "a minute")
	}
	figures.count("API writes in quiet times", float64(writes), 0, "")
	if writes > 0 {
		t.Errorf("the functions wrote %d times while nothing happened", writes)
	}
}

func keys(m map[string]int) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// memory follows how much the pods of the functions take while something else is measured.
type memory struct {
	mu   sync.Mutex
	most map[string]float64
	done chan struct{}
	stop context.CancelFunc
}

// sampleMemory asks the kubelets each second for the resident memory of the functions' own containers.
func sampleMemory(ctx context.Context, t *testing.T) *memory {
	t.Helper()
	ctx, stop := context.WithCancel(ctx)
	m := &memory{most: map[string]float64{}, done: make(chan struct{}), stop: stop}
	list, err := kube.list(ctx, nodes, "", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	go func() {
		defer close(m.done)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			for _, node := range list {
				m.sample(ctx, node)
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
	return m
}

func (m *memory) sample(ctx context.Context, node unstructured.Unstructured) {
	var answer struct {
		Pods []struct {
			Pod        struct{ Name, Namespace string } `json:"podRef"`
			Containers []struct {
				Name   string
				Memory struct {
					RSS float64 `json:"rssBytes"`
				}
			}
		}
	}
	body, err := kube.raw(ctx, "/api/v1/nodes/"+node.GetName()+"/proxy/stats/summary")
	if err != nil || json.Unmarshal(body, &answer) != nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, pod := range answer.Pods {
		function, _, _ := strings.Cut(pod.Pod.Name, "-")
		for _, container := range pod.Containers {
			if pod.Pod.Namespace == system && container.Name == "user-container" {
				m.most[function] = max(m.most[function], container.Memory.RSS)
			}
		}
	}
}

// report ends the sampling and adds the largest value of each function.
func (m *memory) report() {
	m.stop()
	<-m.done
	for _, function := range []string{"admit", "observe", "reconcile"} {
		if most := m.most[function]; most > 0 {
			figures.count("RSS of "+function+" during 100 at once, largest pod", most/(1<<20), -1, "MiB")
		}
	}
}
