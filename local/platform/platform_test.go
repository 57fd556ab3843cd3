package platform

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/local/processes"
	"github.com/kn-flink/kn-flink/local/tenant"
)

const namespace = "default"

var (
	group       = schema.GroupVersion{Group: "flink.apache.org", Version: "v1beta1"}
	sessionJobs = group.WithResource("flinksessionjobs")
)

func TestAJobsLife(t *testing.T) {
	begun := time.Now()
	if _, err := ns.Deployments().Create(
		t.Context(), ns.Example(t, "basic.yaml"), metav1.CreateOptions{},
	); err != nil {
		t.Fatal(err)
	}
	first := ns.Stable(t, "basic", nil)
	t.Logf("from apply to STABLE: %s", time.Since(begun).Round(time.Second/10))

	patch := []byte(`{"spec":{"flinkConfiguration":{"taskmanager.numberOfTaskSlots":"1"},"job":{"parallelism":1}}}`)
	if _, err := ns.Deployments().Patch(
		t.Context(), "basic", types.MergePatchType, patch, metav1.PatchOptions{},
	); err != nil {
		t.Fatal(err)
	}
	second := ns.Stable(t, "basic", func(v tenant.View) bool { return v.ID != first.ID })

	jobManager := ns.Pods(t, "app=basic,component=jobmanager")
	if len(jobManager) != 1 {
		t.Fatalf("%d JobManager pods after the upgrade, want 1", len(jobManager))
	}
	if !local.Node().Kill(jobManager[0].UID) {
		t.Fatal("no process of the JobManager ran")
	}
	ns.Eventually(t, "the JobManager is started again", func(context.Context) (bool, error) {
		now := ns.Pods(t, "app=basic,component=jobmanager")
		return len(now) == 1 && len(now[0].Status.ContainerStatuses) == 1 &&
			now[0].Status.ContainerStatuses[0].RestartCount >= 1 && now[0].Status.ContainerStatuses[0].Ready, nil
	})
	third := ns.Stable(t, "basic", nil)
	t.Logf("jobs: %s, upgraded %s, recovered %s", first.ID, second.ID, third.ID)

	ns.Remove(t, "basic")
}

// TestTheWebhookAnswers: the API server reaches admit over TLS, by the certificate that admit made.
func TestTheWebhookAnswers(t *testing.T) {
	create := func(jar string) (*unstructured.Unstructured, error) {
		job := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": group.String(), "kind": "FlinkSessionJob", "metadata": map[string]any{"name": "labelled"},
			"spec": map[string]any{
				"deploymentName": "session", "job": map[string]any{"jarURI": jar, "parallelism": int64(1)},
			},
		}}
		return objects.Resource(sessionJobs).Namespace(namespace).Create(
			t.Context(), job, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}},
		)
	}
	if _, err := create("local:///opt/flink/job.jar"); err == nil ||
		!strings.Contains(
			err.Error(), `admission webhook "validationwebhook.flink.apache.org" denied the request: jarURI scheme 'local'`,
		) {
		t.Errorf("%v, want the validating webhook's own words", err)
	}
	made, err := create("https://1.1.1.1/job.jar") // nothing is fetched, nor looked up
	if err != nil {
		t.Fatal(err)
	}
	if got := made.GetLabels()["target.session"]; got != "session" {
		t.Errorf("label target.session is %q: the mutating webhook has not been asked", got)
	}
	for _, f := range local.Mesh().Functions() {
		if f.Name == "admit" && f.Served == 0 {
			t.Error("admit has served nothing")
		}
	}
}

// TestMemory: what a newcomer's machine has to give before Flink.
func TestMemory(t *testing.T) {
	const limit = 700
	own := resident(t, "/proc/self/status", vmRSS)
	total := own
	for _, pid := range processes.Of(local.options.Dir) {
		environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)) // it may have ended
		if strings.Contains(string(environ), "K_SERVICE=") {
			total += resident(t, fmt.Sprintf("/proc/%d/status", pid), vmRSS)
		}
	}
	t.Logf("%d MB in this process, %d MB with the functions that run", own, total)
	if total > limit {
		t.Errorf("%d MB, want at most %d", total, limit)
	}
}

var vmRSS = regexp.MustCompile(`VmRSS:\s+(\d+) kB`)

// resident is one line of a process's memory in MB, 0 if it has ended.
func resident(t *testing.T, status string, line *regexp.Regexp) int {
	t.Helper()
	text, err := os.ReadFile(status)
	if err != nil {
		return 0
	}
	found := line.FindSubmatch(text)
	if found == nil {
		return 0
	}
	kilobytes, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes >> 10
}

// TestFunctionsAreSeen: the screen of make run lives on this.
func TestFunctionsAreSeen(t *testing.T) {
	names := []string{}
	for _, f := range local.Mesh().Functions() {
		names = append(names, f.Namespace+"/"+f.Name)
	}
	if got := fmt.Sprint(names); got != "[flink-system/admit flink-system/observe flink-system/reconcile "+
		"flink-system/reconcile-jars]" {
		t.Errorf("functions %s", got)
	}
	if local.Mesh().Counts().Events == 0 {
		t.Error("no event has come, and the clock ticks every two seconds")
	}
}
