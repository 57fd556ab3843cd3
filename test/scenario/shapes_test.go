package scenario

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/flinksim"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

var rewriteShapes = flag.Bool("rewrite-shapes", false, "write testdata/shapes.yaml again")

var shapesPath = filepath.Join("testdata", "shapes.yaml")

// shape is one resource at rest with what belongs to it, as the product and the cluster leave it: what test/live/fleet
// stamps a fleet out of.
type shape struct {
	// Name says what it is.
	Name string `json:"name"`
	// Job is the ID of its job at Flink; empty: it has none.
	Job string `json:"job,omitempty"`
	// Objects are the resource first, then its Deployment and pods.
	Objects []map[string]any `json:"objects"`
	// Answers are what Flink says of it, by path.
	Answers map[string]json.RawMessage `json:"answers,omitempty"`
}

// The names of the resources that are recorded: no other text has them in it.
const (
	shapeName    = "theshape"
	snapshotName = "thesnapshot"
	hostName     = "thecluster"
)

// large makes a spec of the size that people have: options, a pod template, log configuration.
func large(spec map[string]any) {
	for i := range 24 {
		option(fmt.Sprintf("pipeline.global-job-parameters.parameter-%02d", i), strings.Repeat("value ", 8))(spec)
	}
	field("logConfiguration", map[string]any{"log4j-console.properties": strings.Repeat("logger.one.level = INFO\n", 24)})(
		spec,
	)
	env := []any{}
	for i := range 8 {
		env = append(env, map[string]any{"name": fmt.Sprintf("SETTING_%d", i), "value": strings.Repeat("x", 40)})
	}
	field("podTemplate", map[string]any{"spec": map[string]any{
		"nodeSelector": map[string]any{"fleet": "model"},
		"tolerations":  []any{map[string]any{"key": "fleet", "operator": "Exists"}},
		"containers":   []any{map[string]any{"name": "flink-main-container", "env": env}},
	}})(spec)
}

// recordShapes runs one story for each shape.
func recordShapes(t *testing.T) []shape {
	var all []shape
	whole := func(h *harness, name string, gvr schema.GroupVersionResource, id string) {
		all = append(all, h.shape(name, gvr, id))
	}
	h := newHarness(t)
	h.apply(shapeName, application(stateful("last-state"), highlyAvailable, large))
	h.untilStable(shapeName)
	h.restsFor(30 * time.Minute)
	whole(h, "application", kubesim.FlinkDeployments, h.status(shapeName).JobStatus.JobID)
	h.take(snapshotName, of(shapeName, map[string]any{"savepoint": map[string]any{"path": "s3://s/" + shapeName}}))
	h.untilSnapshot(snapshotName, v1beta1.SnapshotCompleted)
	h.restsFor(30 * time.Minute)
	all = append(all, h.snapshotShape("finished snapshot"))
	h.drops(snapshotName)
	h.w.Flink.ScriptJob(shapeName, job.Script{SnapshotSteps: 1 << 20})
	h.take(snapshotName, of(shapeName, map[string]any{"savepoint": map[string]any{"path": "s3://s/" + shapeName}}))
	h.untilSnapshot(snapshotName, v1beta1.SnapshotInProgress)
	h.restsFor(30 * time.Minute)
	all = append(all, h.snapshotShape("snapshot"))

	h = newHarness(t)
	h.apply(shapeName, sessionCluster(highlyAvailable, large))
	h.untilStable(shapeName)
	h.restsFor(30 * time.Minute)
	whole(h, "session cluster", kubesim.FlinkDeployments, "")
	h = newHarness(t)
	h.runs(shapeName, sessionJob(hostName, func(spec map[string]any) {
		for i := range 24 {
			option(fmt.Sprintf("pipeline.global-job-parameters.parameter-%02d", i), strings.Repeat("value ", 8))(spec)
		}
	}), sessionCluster(highlyAvailable))
	h.restsFor(30 * time.Minute)
	whole(h, "session job", kubesim.FlinkSessionJobs, h.status(shapeName).JobStatus.JobID)
	return all
}

// restsFor lets time pass.
func (h *harness) restsFor(d time.Duration) {
	for end := h.w.Clock.Now().Add(d); h.w.Clock.Now().Before(end); {
		h.step()
	}
}

// shape is the resource of that kind with its objects and what Flink says.
func (h *harness) shape(name string, gvr schema.GroupVersionResource, id string) shape {
	h.t.Helper()
	s := shape{Name: name, Job: id, Objects: []map[string]any{bare(h.w.Kube.Get(gvr, namespace, shapeName))}}
	cluster := shapeName
	if gvr == kubesim.FlinkSessionJobs {
		cluster = hostName
	} else {
		for _, kind := range []schema.GroupVersionResource{kubesim.Deployments, kubesim.Pods} {
			for _, u := range h.w.Kube.List(kind, namespace, map[string]string{"app": shapeName}) {
				s.Objects = append(s.Objects, bare(u))
			}
		}
	}
	paths := []string{"/overview", "/config", "/taskmanagers", "/jobs/overview"}
	if name != "application" {
		paths = append(paths, "/jars")
	}
	if id != "" {
		of := "/jobs/" + id
		paths = append(paths, of, of+"/exceptions", of+"/checkpoints", of+"/checkpoints/config", of+"/metrics")
	}
	s.Answers = h.answers(cluster, paths...)
	return s
}

// snapshotShape is a FlinkStateSnapshot, and what Flink says of its request.
func (h *harness) snapshotShape(name string) shape {
	h.t.Helper()
	u := h.w.Kube.Get(kubesim.FlinkStateSnapshots, namespace, snapshotName)
	s := shape{Name: name, Objects: []map[string]any{bare(u)}}
	trigger, _, _ := unstructured.NestedString(u.Object, "status", "triggerId")
	if name == "snapshot" {
		s.Job = h.status(shapeName).JobStatus.JobID
		s.Answers = h.answers(shapeName, "/jobs/"+s.Job+"/savepoints/"+trigger)
	}
	return s
}

// answers are those of a cluster's JobManager to GETs.
func (h *harness) answers(cluster string, paths ...string) map[string]json.RawMessage {
	h.t.Helper()
	way := &http.Transport{DialContext: h.w.Dial("recorder")}
	defer way.CloseIdleConnections()
	out := map[string]json.RawMessage{}
	for _, path := range paths {
		answer, err := (&http.Client{Transport: way}).Get("http://" + flinksim.Host(namespace, cluster) + path)
		if err != nil {
			h.t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK {
			h.t.Fatalf("GET %s: %d %v %s", path, answer.StatusCode, err, body)
		}
		out[path] = bytes.TrimSpace(body)
	}
	return out
}

// bare is an object without what each API server writes itself.
func bare(u *unstructured.Unstructured) map[string]any {
	u = u.DeepCopy()
	u.SetManagedFields(nil)
	u.SetResourceVersion("")
	return u.Object
}

// The shapes of test/live/fleet are what the product writes today: -rewrite-shapes writes them again.
func TestShapesAreWhatIsWritten(t *testing.T) {
	var text bytes.Buffer
	for _, s := range recordShapes(t) {
		document, err := yaml.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		text.WriteString("---\n")
		text.Write(document)
	}
	if *rewriteShapes {
		if err := os.WriteFile(shapesPath, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	recorded, err := os.ReadFile(shapesPath)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(recorded, text.Bytes()) {
		t.Errorf("%s is not what is written today: run this test with -rewrite-shapes, and look at what changes", shapesPath)
	}
}
