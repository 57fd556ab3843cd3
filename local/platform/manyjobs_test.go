package platform

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/test/watch"
)

// traced has Flink write a line for each request that it is asked.
const traced = `rootLogger.level = WARN
rootLogger.appenderRef.console.ref = Console
appender.console.type = Console
appender.console.name = Console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %m%n
logger.rest.name = org.apache.flink.runtime.rest.handler
logger.rest.level = TRACE
logger.web.name = org.apache.flink.runtime.webmonitor.handlers
logger.web.level = TRACE
`

// howMany is how many session jobs are applied at once; KNFLINK_SESSION_JOBS says another number.
func howMany(t *testing.T) int {
	t.Helper()
	text := os.Getenv("KNFLINK_SESSION_JOBS")
	if text == "" {
		return 3
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("KNFLINK_SESSION_JOBS=%q: want a number from 1 on", text)
	}
	return n
}

// TestManySessionJobs: session jobs that are applied at once all run, and while they run nothing is written, and Flink
// is asked no more for many than for one. It prints how long that took and what was asked for.
func TestManySessionJobs(t *testing.T) {
	const name = "many"
	n := howMany(t)
	jar := exampleJars(t, "2.2") + "/TopSpeedWindowing.jar"
	createMany(t, name, n)
	t.Cleanup(func() {
		if !t.Failed() { // the logs of its pods go with it
			ns.Remove(t, name)
		}
	})
	ns.Eventually(t, "the session cluster is STABLE", func(ctx context.Context) (bool, error) {
		return ns.Seen(ctx, name).Lifecycle == "STABLE", nil
	})

	ctx := watch.Deadline(t, time.Duration(n)*2*time.Second+10*time.Minute)
	jobs := watch.Start(ctx, t, watch.Query{Client: objects, Resource: sessionJobs, Namespace: namespace})
	before, began := counted(t, name), time.Now()
	run := manyRun(ctx, name, n)
	for i := range n {
		if _, err := objects.Resource(sessionJobs).Namespace(namespace).Create(
			t.Context(), oneOfMany(name, jar, i), metav1.CreateOptions{},
		); err != nil {
			t.Fatal(err)
		}
	}
	accepted := time.Since(began)
	told := jobs.All("all RUNNING in status", n, func(o watch.Object) bool {
		return watch.Text(o.Unstructured, "status", "jobStatus", "state") == "RUNNING"
	})
	inFlink, ok := <-run
	if !ok {
		t.Fatal("status says RUNNING of all, and Flink does not")
	}
	started := counted(t, name).since(before)
	t.Logf("%d session jobs at once: accepted after %.1f s, all run in Flink after %.1f s, in status %.1f s later", n,
		accepted.Seconds(), inFlink.Sub(began).Seconds(), told.Sub(inFlink).Seconds())
	t.Logf("for each: %.1f requests to Flink, %.1f writes: %v", started.flink/float64(n), started.all()/float64(n),
		started.writes)

	awaitSteady(t)
	exceptions := float64(n) // one tick may ask for those of each
	if n >= 10 {
		pass(ctx, t, time.Until(told.Add(historyAskedFor)))
		exceptions = 0
	}
	before = counted(t, name)
	pass(ctx, t, howLong(n))
	idle := counted(t, name).since(before)
	t.Logf("%s of %d that run: %.0f requests to Flink, %.0f of them for exceptions, writes %v", howLong(n), n, idle.flink,
		idle.exceptions, idle.writes)
	if idle.flink-idle.exceptions > 4 || idle.exceptions > exceptions || len(idle.writes) != 0 {
		t.Errorf("want at most 4 requests and no write in a minute, beside %.0f for exceptions", exceptions)
	}
	deleteMany(t, jobs, n)
}

// historyAskedFor is for how long after its tasks began a job is asked for its exceptions: Flink answers from a cache.
const historyAskedFor = 2 * time.Minute

// pass lets time pass, in which something is measured.
func pass(ctx context.Context, t *testing.T, d time.Duration) {
	t.Helper()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		t.Fatal(ctx.Err())
	case <-timer.C:
	}
}

// howLong is how long jobs that run are watched: a minute, but shorter where so few are run that it is no measurement.
func howLong(n int) time.Duration {
	if n < 10 {
		return 15 * time.Second
	}
	return time.Minute
}

// createMany makes a session cluster with room for n jobs, that tells of each request.
func createMany(t *testing.T, name string, n int) {
	t.Helper()
	u := ns.Example(t, "session.yaml", "1.20", "2.2", "v1_20", "v2_2", "name: session", "name: "+name)
	for path, value := range map[string]any{
		"logConfiguration":   map[string]any{"log4j-console.properties": traced},
		"jobManager":         map[string]any{"resource": map[string]any{"memory": "2g", "cpu": 0.5}},
		"taskManager":        map[string]any{"resource": map[string]any{"memory": "4g", "cpu": 0.5}},
		"flinkConfiguration": manySlots(n),
	} {
		if err := unstructured.SetNestedField(u.Object, value, "spec", path); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := ns.Deployments().Create(
		t.Context(), u, metav1.CreateOptions{},
	); err != nil {
		t.Fatal(err)
	}
}

// manySlots has one TaskManager take n small jobs.
func manySlots(n int) map[string]any {
	return map[string]any{
		"taskmanager.numberOfTaskSlots":         strconv.Itoa(n),
		"taskmanager.memory.managed.size":       "64m",
		"taskmanager.memory.jvm-metaspace.size": "768m",
		"jobmanager.memory.jvm-metaspace.size":  "512m",
	}
}

// oneOfMany is a small job.
func oneOfMany(cluster, jar string, i int) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": group.String(), "kind": "FlinkSessionJob",
		"metadata": map[string]any{"name": fmt.Sprintf("%s-%03d", cluster, i)},
		"spec": map[string]any{
			"deploymentName": cluster,
			"job":            map[string]any{"jarURI": jar, "parallelism": int64(1), "upgradeMode": "stateless"},
		},
	}}
}

// manyRun tells when the tasks of n jobs were seen to run in Flink. It is closed without a time when the context ends.
func manyRun(ctx context.Context, name string, n int) <-chan time.Time {
	told := make(chan time.Time, 1)
	flink := http.Client{
		Timeout: 5 * time.Second, Transport: &http.Transport{DialContext: local.Node().DialContext},
	}
	go func() {
		defer close(told)
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil {
			if all, err := running(ctx, &flink, name); err == nil && all >= n {
				told <- time.Now()
				return
			}
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
		}
	}()
	return told
}

// byTest marks the requests of this test.
const byTest = "by=test"

// running is how many jobs of a cluster run with all their tasks.
func running(ctx context.Context, flink *http.Client, name string) (n int, err error) {
	url := "http://" + name + "-rest." + namespace + ".svc:8081/jobs/overview?" + byTest
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	response, err := flink.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	var answer struct {
		Jobs []struct {
			State string         `json:"state"`
			Tasks map[string]int `json:"tasks"`
		} `json:"jobs"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return 0, err
	}
	for _, job := range answer.Jobs {
		if job.State == "RUNNING" && job.Tasks["total"] > 0 && job.Tasks["running"] == job.Tasks["total"] {
			n++
		}
	}
	return n, nil
}

// counts are of requests until a moment: to Flink, those for exceptions among them, and writes by verb and resource.
type counts struct {
	flink, exceptions float64
	writes            map[string]float64
}

func (c counts) since(before counts) counts {
	for what, n := range before.writes {
		c.writes[what] -= n
	}
	maps.DeleteFunc(c.writes, func(_ string, n float64) bool { return n == 0 })
	c.flink, c.exceptions = c.flink-before.flink, c.exceptions-before.exceptions
	return c
}

// all is how many writes there were.
func (c counts) all() (sum float64) {
	for _, n := range c.writes {
		sum += n
	}
	return sum
}

// counted are the requests that the JobManager of a cluster was asked, by its log and without this test's, and the
// writes of Flink's resources and of the clock that the API server was asked.
func counted(t *testing.T, name string) counts {
	t.Helper()
	c := counts{writes: map[string]float64{}}
	logs, err := filepath.Glob(filepath.Join(local.Node().Logs(), namespace+"_"+name+"-*", "*", "*.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range logs {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			if bytes.Contains(line, []byte("Received request")) && !bytes.Contains(line, []byte(byTest)) {
				c.flink++
				if bytes.Contains(line, []byte("/exceptions?")) {
					c.exceptions++
				}
			}
		}
	}
	text, err := client.Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	metrics := bufio.NewScanner(bytes.NewReader(text))
	metrics.Buffer(nil, 1<<20)
	for metrics.Scan() {
		at := written.FindStringSubmatch(metrics.Text())
		if at == nil || (at[1] == "pingsources" && at[2] != "PATCH") { // Knative puts the status of the clock
			continue
		}
		n, err := strconv.ParseFloat(at[3], 64)
		if err != nil {
			t.Fatal(err)
		}
		c.writes[at[2]+" "+at[1]] += n
	}
	return c
}

// written is a count of writes in the API server's metrics.
var written = regexp.MustCompile(
	`^apiserver_request_total\{.*resource="(flink[a-z]*|pingsources)".*verb="(POST|PUT|PATCH|APPLY|DELETE)".*\} (\S+)$`)

// awaitSteady waits until nothing is in transition any more, so that the clock ticks once a minute.
func awaitSteady(t *testing.T) {
	t.Helper()
	clock := objects.Resource(schema.GroupVersionResource{
		Group: "sources.knative.dev", Version: "v1", Resource: "pingsources",
	}).Namespace("flink-system")
	ns.Eventually(t, "the clock has its steady pace", func(ctx context.Context) (bool, error) {
		u, err := clock.Get(ctx, "flink-clock", metav1.GetOptions{})
		return err == nil && watch.Text(u, "spec", "schedule") == "* * * * *", err
	})
}

// deleteMany deletes the jobs, and waits until they are gone.
func deleteMany(t *testing.T, jobs *watch.Watcher, n int) {
	t.Helper()
	began := time.Now()
	if err := objects.Resource(sessionJobs).Namespace(namespace).DeleteCollection(
		t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{},
	); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d deleted at once: gone after %.1f s", n, jobs.None("all gone").Sub(began).Seconds())
}
