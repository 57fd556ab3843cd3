//go:build nightly

package workloads

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/local/flink"
	"github.com/kn-flink/kn-flink/local/tenant"
	"github.com/kn-flink/kn-flink/test/life"
	"github.com/kn-flink/kn-flink/test/watch"
)

// client is Flink's own client, on this machine, and a session cluster for it.
type client struct {
	home string
	// rest is the address of the cluster's REST service.
	rest string
}

// run is `flink COMMAND -m ADDRESS ARGUMENT...`.
func (c client) run(t *testing.T, command string, arguments ...string) string {
	t.Helper()
	java, err := flink.FindJava()
	if err != nil {
		t.Fatal(err)
	}
	var line []string
	for _, one := range []string{"lang", "net", "util", "util.concurrent"} { // as Flink's configuration opens them
		line = append(line, "--add-opens=java.base/java."+one+"=ALL-UNNAMED")
	}
	line = append(line, "-cp", c.home+"/lib/*", "org.apache.flink.client.cli.CliFrontend", command, "-m", c.rest)
	run := exec.CommandContext(t.Context(), filepath.Join(java.Home, "bin", "java"), append(line, arguments...)...)
	run.Env = append(os.Environ(), "FLINK_CONF_DIR="+c.home+"/conf")
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("flink %s: %v\n%s", command, err, out)
	}
	return string(out)
}

// job is what the cluster says of a job.
type job struct {
	State      string           `json:"state"`
	Start      int64            `json:"start-time"`
	Timestamps map[string]int64 `json:"timestamps"`
}

// job asks the cluster.
func (c client) job(ctx context.Context, id string) (is job, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.rest+"/jobs/"+id, nil)
	if err != nil {
		return is, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return is, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return is, fmt.Errorf("job %s: %s", id, answer.Status)
	}
	return is, json.NewDecoder(answer.Body).Decode(&is)
}

var submitted = regexp.MustCompile(`JobID ([0-9a-f]{32})`)

// TestAJobOfAJavaClientIsItsOwn: a job that Flink's own client submits to a session cluster runs there, and nothing of
// the operator's touches it, not even the deletion of the cluster, which waits for it.
func TestAJobOfAJavaClientIsItsOwn(t *testing.T) {
	const name = "session"
	c := client{home: home(t, "1.20", exampleJobs)}
	cluster := ns.Example(t, "session.yaml")
	ns.Apply(t, cluster)
	ns.Until(t, name, "is STABLE", func(v tenant.View) bool { return v.Lifecycle == "STABLE" })
	ctx := watch.Deadline(t, 3*ns.Limit)
	clusters := watch.Start(ctx, t, watch.Query{
		Client: ns.Objects, Resource: life.Resources, Namespace: ns.Name, Fields: "metadata.name=" + name,
	})
	c.rest = ns.Pods(t, "app="+name+",component=jobmanager")[0].Status.PodIP + ":8081"

	said := c.run(t, "run", "--detached", c.home+"/examples/streaming/StateMachineExample.jar")
	found := submitted.FindStringSubmatch(said)
	if found == nil {
		t.Fatalf("the client names no job:\n%s", said)
	}
	id := found[1]
	t.Cleanup(func() {
		if t.Failed() { // else it has ended
			c.run(t, "cancel", id)
		}
	})
	var before job
	ns.Eventually(t, "the client's job runs", func(ctx context.Context) (_ bool, err error) {
		before, err = c.job(ctx, id)
		return before.State == "RUNNING", err
	})
	sessionJobComesAndGoes(t, c)
	after, err := c.job(t.Context(), id)
	if err != nil || after.State != "RUNNING" || after.Start != before.Start || after.Timestamps["RESTARTING"] != 0 {
		t.Errorf("the client's job was %+v and is %+v: %v", before, after, err)
	}
	stableUntilNow(t, clusters)

	if err := ns.Deployments().Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	clusters.Until("its deletion waits for the client's job", func(o watch.Object) (bool, string) {
		if o.Unstructured == nil {
			t.Fatal("the cluster is gone, and the client's job with it")
		}
		conditions, err := json.Marshal(o.Object["status"])
		text := string(conditions)
		return err == nil && strings.Contains(text, "CleanupBlocked") && strings.Contains(text, id), text
	})
	if is, err := c.job(t.Context(), id); err != nil || is.State != "RUNNING" {
		t.Errorf("the client's job is %+v: %v", is, err)
	}
	c.run(t, "cancel", id)
	ns.Remove(t, name)
}

// sessionJobComesAndGoes has a FlinkSessionJob run and deleted. Where its code is stands in a request to Flink, in which
// no path is translated.
func sessionJobComesAndGoes(t *testing.T, c client) {
	t.Helper()
	o := ns.File(
		t, "session-job.yaml", "deploymentName: session-job", "deploymentName: session", "/opt/flink", c.home,
	)[1]
	jobs := watch.Start(watch.Deadline(t, ns.Limit), t, watch.Query{
		Client: ns.Objects, Resource: life.Resources.GroupVersion().WithResource("flinksessionjobs"),
		Namespace: ns.Name,
	})
	if _, err := ns.Of(o).Create(t.Context(), o, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	jobs.All("the session job is STABLE", 1, func(o watch.Object) bool {
		return watch.Text(o.Unstructured, "status", "lifecycleState") == "STABLE"
	})
	if err := ns.Of(o).Delete(t.Context(), o.GetName(), metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	jobs.None("the session job is gone")
}

// stableUntilNow fails the test if a cluster was not STABLE at any time since a watch began.
func stableUntilNow(t *testing.T, clusters *watch.Watcher) {
	t.Helper()
	now, err := ns.Deployments().Get(t.Context(), "session", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	clusters.Until("what is there now", func(o watch.Object) (bool, string) {
		if is := watch.Text(o.Unstructured, "status", "lifecycleState"); is != "STABLE" {
			t.Errorf("the session cluster was %q", is)
		}
		return o.GetResourceVersion() == now.GetResourceVersion(), "an older version was seen last"
	})
}
