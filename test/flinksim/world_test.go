package flinksim

import (
	"errors"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/flinksim/process"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/controllers"
)

// face is what the REST endpoint of cluster demo looks like from outside.
func face(t *testing.T, w *World) string {
	t.Helper()
	c := client(t, w)
	jobs, err := c.Jobs(t.Context())
	switch {
	case errors.Is(err, flinkrest.ErrUnreachable):
		return "unreachable"
	case errors.Is(err, flinkrest.ErrUnavailable):
		if _, err := c.ClusterConfig(t.Context()); err != nil {
			t.Errorf("/config without a leader: %v", err)
		}
		return "no leader"
	case err != nil:
		return err.Error()
	case len(jobs) == 0:
		return "no jobs"
	}
	return string(jobs[len(jobs)-1].State)
}

func TestAClusterComesUp(t *testing.T) {
	w := NewWorld(t)
	deploy(t, w, application(nil))
	var seen []string
	for range 20 {
		if now := face(t, w); len(seen) == 0 || seen[len(seen)-1] != now {
			seen = append(seen, now)
		}
		w.Step()
	}
	want := []string{"unreachable", "no jobs", "CREATED", "RUNNING"}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("the stations of a start\n%s", diff)
	}
	w.Settle()
	var names []string
	for _, pod := range w.Kube.List(kubesim.Pods, "flink", map[string]string{"component": "taskmanager"}) {
		names = append(names, pod.GetName())
	}
	if diff := cmp.Diff([]string{"demo-taskmanager-1-1"}, names); diff != "" {
		t.Errorf("parallelism 2 on 2 slots\n%s", diff)
	}
	noViolations(t, w)
	if n := w.Flink.MostJobManagers("flink", "demo"); n != 1 || w.Flink.JobManagers("flink", "demo") != 1 {
		t.Errorf("%d JobManagers at the most, want 1", n)
	}
}

func TestSlowStations(t *testing.T) {
	w := NewWorld(t)
	w.Flink.Script("flink", "demo", process.Script{ElectionSteps: 2, MainSteps: 2})
	deploy(t, w, application(nil))
	seen := map[string]int{}
	for range 20 {
		w.Step()
		seen[face(t, w)]++
	}
	if seen["no leader"] < 2 || seen["no jobs"] < 2 || seen["RUNNING"] == 0 {
		t.Errorf("seen %v, want both stations held and a job in the end", seen)
	}
}

func TestReach(t *testing.T) {
	w := running(t, application(nil))
	rows := map[string]struct {
		address string
		dns     bool
		refused bool
		why     string
	}{
		"short name":   {"demo-rest.flink:8081", false, false, "as the operator of a cluster writes it"},
		"svc":          {"demo-rest.flink.svc:8081", false, false, "the usual form"},
		"full name":    {"demo-rest.flink.svc.cluster.local:8081", false, false, "with the cluster's domain"},
		"no service":   {"other-rest.flink.svc:8081", true, false, "names are Services"},
		"no namespace": {"demo-rest.nowhere.svc:8081", true, false, "names are Services"},
		"wrong port":   {"demo-rest.flink.svc:9999", false, true, "nobody listens there"},
		"bare":         {"demo-rest:8081", true, false, "we are in no namespace of theirs"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			for way, err := range map[string]error{"dial": dial(t, w, row.address), "transport": get(t, w, row.address)} {
				var dns *net.DNSError
				if errors.As(err, &dns) != row.dns || (err != nil) != (row.dns || row.refused) {
					t.Errorf("%s: %v; want dns=%v refused=%v: %s", way, err, row.dns, row.refused, row.why)
				}
			}
		})
	}
}

func dial(t *testing.T, w *World, address string) error {
	conn, err := w.Dial("test")(t.Context(), "tcp", address)
	if err == nil {
		conn.Close()
	}
	return err
}

func get(t *testing.T, w *World, address string) error {
	c := http.Client{Transport: w.Transport("test")}
	response, err := c.Get("http://" + address + "/config")
	if err == nil {
		response.Body.Close()
	}
	return err
}

func TestAKeptConnectionBreaksWithItsPod(t *testing.T) {
	w := running(t, application(nil))
	c := client(t, w)
	if _, err := c.Jobs(t.Context()); err != nil {
		t.Fatal(err)
	}
	undeploy(t, w)
	if _, err := c.Jobs(t.Context()); !errors.Is(err, flinkrest.ErrUnreachable) {
		t.Errorf("got %v, want it unreachable", err)
	}
}

func TestHighAvailability(t *testing.T) {
	w := running(t, withHA(nil))
	maps := func() []string {
		var found []string
		for _, u := range w.Kube.List(
			kubesim.ConfigMaps, "flink", map[string]string{"configmap-type": "high-availability"},
		) {
			data, _, _ := unstructured.NestedStringMap(u.Object, "data")
			text := u.GetName()
			for _, name := range []string{"jobGraph-" + jobA, "checkpointID-0000000000000000002", "counter"} {
				if data[name] != "" {
					text += " " + name[:7]
				}
			}
			found = append(found, text)
		}
		return found
	}
	full := []string{"demo-" + jobA + "-config-map checkpo counter", "demo-cluster-config-map jobGrap"}
	if diff := cmp.Diff(full, maps()); diff != "" {
		t.Errorf("a running job\n%s", diff)
	}
	undeploy(t, w)
	if diff := cmp.Diff(full, maps()); diff != "" {
		t.Errorf("a deleted Deployment leaves them\n%s", diff)
	}
	deploy(t, w, withHA(nil))
	w.Settle()
	mustState(t, w, jobA, job.Running)
	w.Flink.Do("flink", "demo", jobA, func(j *job.Job) { j.Finish(w.Clock.Now()) })
	w.Settle()
	if diff := cmp.Diff([]string{"demo-cluster-config-map"}, maps()); diff != "" {
		t.Errorf("an ended job takes its own away\n%s", diff)
	}
	w.Nodes.Crash("flink", jobManagerPod(w), "oom")
	w.Settle()
	if got := face(t, w); got != "no jobs" {
		t.Errorf("after the crash: %s; the job result store keeps an ended job from running again", got)
	}
	want := []string{"a nothing  0", "a high-availability data s3://c/" + jobA + "/chk-2 4"}
	if diff := cmp.Diff(want, starts(w)); diff != "" {
		t.Errorf("last state\n%s", diff)
	}
	noViolations(t, w)
}

func jobManagerPod(w *World) string {
	return w.Kube.List(kubesim.Pods, "flink", map[string]string{"component": "jobmanager"})[0].GetName()
}

func TestWhereAJobStartsFrom(t *testing.T) {
	snapshot := job.Snapshot{Path: "s3://s/savepoint-1", JobID: jobB, CheckpointID: 9, Savepoint: true, Progress: 77}
	rows := map[string]struct {
		config map[string]string
		start  []string
		state  job.State
		why    string
	}{
		"nothing": {application(nil), []string{"a nothing  0"}, job.Running, "no path, no state"},
		"a savepoint": {
			application(map[string]string{"execution.savepoint.path": snapshot.Path}),
			[]string{"a path s3://s/savepoint-1 77"}, job.Running, "the path counts",
		},
		"the new key": {
			application(map[string]string{
				"execution.savepoint.path": "s3://gone", "execution.state-recovery.path": snapshot.Path,
			}),
			[]string{"a path s3://s/savepoint-1 77"}, job.Running, "from 1.20 on the new key beats the old",
		},
		"old version": {
			application(map[string]string{
				"$internal.flink.version": "v1_19", "execution.savepoint.path": snapshot.Path,
				"execution.state-recovery.path": "s3://gone",
			}),
			[]string{"a path s3://s/savepoint-1 77"}, job.Running, "1.19 does not know the new key",
		},
		"a lost path": {
			application(map[string]string{"execution.savepoint.path": "s3://gone"}), nil, job.Failed,
			"it never starts empty instead",
		},
		"marker": {
			withHA(map[string]string{"execution.savepoint.path": "KUBERNETES_OPERATOR_LAST_STATE"}), nil, job.Failed,
			"without high-availability data the marker fails the job",
		},
		"fails itself": {
			application(map[string]string{"pipeline.name": "bad"}), []string{"a nothing  0"}, job.Failed, "by its script",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := NewWorld(t)
			w.Storage.Put(snapshot)
			w.Flink.ScriptJob("bad", job.Script{FailAtStart: "no such class"})
			deploy(t, w, row.config)
			w.Settle()
			j := mustState(t, w, jobA, row.state)
			if diff := cmp.Diff(row.start, starts(w)); diff != "" {
				t.Errorf("%s\n%s", row.why, diff)
			}
			if row.state == job.Failed {
				result, err := client(t, w).ExecutionResult(t.Context(), jobA)
				if err != nil || result.Status != "FAILED" || result.Failure.Summary() == "" || len(j.Failures) != 1 {
					t.Errorf("result %+v %v, want why it failed", result, err)
				}
			}
		})
	}
}

func TestACrashedJobManager(t *testing.T) {
	rows := map[string]struct {
		config map[string]string
		want   []string
		why    string
	}{
		"with high availability": {
			withHA(nil), []string{"a nothing  0", "a high-availability data s3://c/" + jobA + "/chk-2 4"}, "it goes on",
		},
		"without": {
			application(nil), []string{"a nothing  0", "a nothing  0"}, "main runs again from what the configuration says",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := running(t, row.config)
			w.Nodes.Crash("flink", jobManagerPod(w), "oom")
			w.Settle()
			mustState(t, w, jobA, job.Running)
			if diff := cmp.Diff(row.want, starts(w)); diff != "" {
				t.Errorf("%s\n%s", row.why, diff)
			}
			noViolations(t, w)
		})
	}
}

func TestALostTaskManager(t *testing.T) {
	w := running(t, application(nil))
	w.Nodes.Crash("flink", "demo-taskmanager-1-1", "oom")
	w.Settle()
	if j := mustState(t, w, jobA, job.Running); j.Restarts != 1 {
		t.Errorf("%d restarts, want 1", j.Restarts)
	}
	if diff := cmp.Diff([]string{"a nothing  0", "a fail-over s3://c/" + jobA + "/chk-2 4"}, starts(w)); diff != "" {
		t.Error(diff)
	}
}

func TestNoTaskManagers(t *testing.T) {
	w := NewWorld(t)
	w.Flink.Script("flink", "demo", process.Script{NoTaskManagers: true})
	deploy(t, w, application(nil))
	w.Settle()
	mustState(t, w, jobA, job.Created)
	w.Flink.Script("flink", "demo", process.Script{})
	w.Nodes.Script("flink:1.20@taskmanager", controllers.Script{Waiting: "ImagePullBackOff"})
	w.Settle()
	mustState(t, w, jobA, job.Running)
}

// beside is the violation of a second process, without its pods.
const beside = "a JobManager of flink/demo begins beside that of another Deployment"

// withoutPods are violations without the names of pods.
func withoutPods(all []string) []string {
	pods := regexp.MustCompile(` in pod \S+`)
	for i := range all {
		all[i] = pods.ReplaceAllString(all[i], "")
	}
	return all
}

func TestViolations(t *testing.T) {
	t.Run("two incarnations at once", func(t *testing.T) {
		w := running(t, application(nil))
		w.Nodes.Script("flink:1.20@jobmanager", controllers.Script{StopSteps: 50})
		w.Nodes.Crash("flink", jobManagerPod(w), "to start again under the script")
		w.Settle()
		if err := w.Kube.Delete(kubesim.Deployments, "flink", "demo", kubesim.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		for range 4 {
			w.Step()
		}
		deploy(t, w, application(map[string]string{"$internal.pipeline.job-id": jobB}))
		for range 10 {
			w.Step()
		}
		want := []string{beside, "two live jobs of flink/demo: " + jobA + " and " + jobB}
		diff := cmp.Diff(want, withoutPods(w.Flink.Violations()))
		if diff != "" || w.Flink.MostJobManagers("flink", "demo") != 2 {
			t.Errorf("%d at the most\n%s", w.Flink.MostJobManagers("flink", "demo"), diff)
		}
	})
	t.Run("high availability holds the second back", func(t *testing.T) {
		w := running(t, withHA(nil))
		w.Nodes.Script("flink:1.20@jobmanager", controllers.Script{StopSteps: 8})
		w.Nodes.Crash("flink", jobManagerPod(w), "to start again under the script")
		w.Settle()
		if err := w.Kube.Delete(kubesim.Deployments, "flink", "demo", kubesim.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		for range 4 {
			w.Step()
		}
		w.Nodes.Script("flink:1.20@jobmanager", controllers.Script{})
		deploy(t, w, withHA(nil))
		w.Settle()
		mustState(t, w, jobA, job.Running)
		if diff := cmp.Diff([]string{beside}, withoutPods(w.Flink.Violations())); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("data deleted under a JobManager", func(t *testing.T) {
		w := running(t, withHA(nil))
		if err := w.Kube.Delete(
			kubesim.ConfigMaps, "flink", "demo-"+jobA+"-config-map", kubesim.DeleteOptions{},
		); err != nil {
			t.Fatal(err)
		}
		w.Step()
		if v := w.Flink.Violations(); len(v) != 1 ||
			!strings.Contains(v[0], "high-availability data of flink/demo deleted") {
			t.Errorf("violations %v, want the deleted data", v)
		}
	})
	t.Run("data deleted after its JobManager", func(t *testing.T) {
		w := running(t, withHA(nil))
		undeploy(t, w)
		for _, name := range []string{"demo-" + jobA + "-config-map", "demo-cluster-config-map"} {
			if err := w.Kube.Delete(kubesim.ConfigMaps, "flink", name, kubesim.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		w.Settle()
		noViolations(t, w)
	})
}

func TestUnreachableNode(t *testing.T) {
	rows := map[string]struct {
		config     map[string]string
		violations int
		why        string
	}{
		"without high availability": {application(nil), 1, "nothing stops the job that nobody reaches"},
		"with it":                   {withHA(nil), 0, "its lease lapses and it suspends its job"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := running(t, row.config)
			w.Kube.AddNode("node-2")
			w.Nodes.NodeDown("node-1")
			w.Tick(time.Second)
			if got := face(t, w); got != "unreachable" {
				t.Errorf("face %s, want unreachable", got)
			}
			w.Tick(time.Minute) // until then the control plane does not know
			w.Nodes.EvictPods("node-1")
			w.Settle()
			if n := w.Flink.JobManagers("flink", "demo"); n != 2 {
				t.Errorf("%d JobManagers, want the old one and its replacement", n)
			}
			w.Tick(20 * time.Second)
			w.Settle()
			mustState(t, w, jobA, job.Running)
			if got := w.Flink.Violations(); len(got) != row.violations {
				t.Errorf("violations %v, want %d: %s", got, row.violations, row.why)
			}
		})
	}
}

// The kubelet is dead, so the process of a pod that was deleted by force runs on. The API server refuses its token.
func TestAProcessWithoutPodDoesNotLead(t *testing.T) {
	w := running(t, withHA(nil))
	w.Nodes.KubeletDown("node-1")
	w.Nodes.NodeDown("node-1")
	now, pod := int64(0), jobManagerPod(w)
	undeploy(t, w)
	w.Tick(time.Minute) // its lease runs out
	if err := w.Kube.Delete(kubesim.Pods, "flink", pod, kubesim.DeleteOptions{GraceSeconds: &now}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"demo-" + jobA + "-config-map", "demo-cluster-config-map"} {
		if err := w.Kube.Delete(kubesim.ConfigMaps, "flink", name, kubesim.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	w.Nodes.NodeUp("node-1")
	w.Tick(time.Minute)
	w.Settle()
	if n := w.Flink.JobManagers("flink", "demo"); n != 1 {
		t.Errorf("%d JobManagers, want the process that nobody ends", n)
	}
	if left := w.Kube.List(kubesim.ConfigMaps, "flink", map[string]string{"app": "demo"}); len(left) != 0 {
		t.Errorf("a process without pod wrote %d ConfigMaps, the first %s", len(left), left[0].GetName())
	}
}

func TestTwoWorldsAreTheSame(t *testing.T) {
	run := func() []string {
		w := running(t, withHA(nil))
		var out []string
		for _, u := range w.Kube.List(kubesim.ConfigMaps, "", nil) {
			text, err := u.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, string(text))
		}
		return out
	}
	if diff := cmp.Diff(run(), run()); diff != "" {
		t.Errorf("nothing is random\n%s", diff)
	}
}
