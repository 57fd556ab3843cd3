package workloads

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// collector builds the OpenTelemetry Collector, and is where its program is.
func collector(t *testing.T) string {
	t.Helper()
	begun, program := time.Now(), filepath.Join(t.TempDir(), "otelcol")
	build := exec.CommandContext(
		t.Context(), "go", "build", "-C", "../../test/otelcol", "-buildvcs=false", "-o", program, ".",
	)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("the Collector was built in %s", time.Since(begun).Round(time.Second))
	return program
}

// TestLogsAreForwarded: what Flink logs comes to a backend of OTLP, though that was away while the job started: of the
// JobManager and of the TaskManagers, a stack trace as one record, and the last lines before a pod ends.
func TestLogsAreForwarded(t *testing.T) {
	const name, started, lastWords = "log-forwarding", " JVM: ", "RECEIVED SIGNAL 15: SIGTERM"
	backend := newOTLPBackend(t)
	backend.away.Store(true)
	objects := ns.File(
		t, name+".yaml", "http://otel-collector.observability.svc:4318", backend.url,
		"image: otel/opentelemetry-collector-contrib:0.165.0", "image: flink:2.2\n        command: [/otelcol]",
		"        volumeMounts:\n        - {name: collector,",
		"        volumeMounts:\n        - {name: program, mountPath: /otelcol}\n        - {name: collector,",
		"      volumes:\n", "      volumes:\n      - name: program\n        hostPath: {path: "+collector(t)+", type: File}\n",
	)
	begun := time.Now()
	ns.Apply(t, objects[1], objects[0])
	job := ns.Stable(t, name, nil)
	backend.away.Store(false)
	pod := func(component string) string { return ns.Pods(t, "app="+name+",component="+component)[0].Name }
	jobManager, taskManager, replaced := pod("jobmanager"), pod("taskmanager"), ""
	backend.eventually(t, "a line of the job", jobManager, func(r record) bool {
		return r.attributes["flink.job.id"] == job.ID
	})
	// What waits to be sent again when its pod ends is lost, so that has to be over.
	for pod, component := range map[string]string{jobManager: "jobmanager", taskManager: "taskmanager"} {
		ns.Eventually(t, "all lines of the "+component+" are forwarded", func(context.Context) (bool, error) {
			printed := ofDefault.FindAllString(ns.Printed(t, "app="+name+",component="+component), -1)
			return len(printed) > 0 && len(printed) == len(backend.of(pod, says(""))), nil
		})
	}

	if err := ns.Client.CoreV1().Pods(ns.Name).Delete(t.Context(), taskManager, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	failure := backend.eventually(t, "the failure", jobManager, says("switched from RUNNING to FAILED"))
	if a := failure.attributes; !strings.Contains(a["exception.type"], "Exception") ||
		!strings.Contains(a["exception.stacktrace"], "\n\tat org.apache.flink.") {
		t.Errorf("without its exception: %+v", failure)
	}
	if r := backend.eventually(t, "the TaskManager's end", taskManager, says(lastWords)); r.severity != "WARN" ||
		r.number != int32(logspb.SeverityNumber_SEVERITY_NUMBER_WARN) {
		t.Errorf("want a warning: %+v", r)
	}
	ns.Eventually(t, "another TaskManager has tasks", func(context.Context) (bool, error) {
		replaced = pod("taskmanager")
		return replaced != taskManager && len(backend.of(replaced, says("INITIALIZING to RUNNING"))) > 0, nil
	})
	ns.Remove(t, name)
	for _, ended := range []string{jobManager, taskManager, replaced} {
		for _, once := range []string{started, lastWords} {
			if n := len(backend.of(ended, says(once))); n != 1 {
				t.Errorf("%s is gone, and its line %q came %d times", ended, once, n)
			}
		}
	}
	for _, r := range backend.all() {
		whole(t, r, begun, name, map[bool]string{true: "jobmanager", false: "taskmanager"}[r.pod == jobManager])
	}
	if n := written(backend.of(jobManager, says(""))); n < 40_000 {
		t.Errorf("the JobManager's file was not moved away: its lines have %d bytes", n)
	}
	if backend.refused == 0 {
		t.Error("the backend was not away")
	}
}

// written is how much records have in text and stack traces alone.
func written(records []record) (bytes int) {
	for _, r := range records {
		bytes += len(r.text) + len(r.attributes["exception.stacktrace"])
	}
	return bytes
}

// whole holds that a record says all that it should, and of what it is.
func whole(t *testing.T, r record, since time.Time, deployment, component string) {
	t.Helper()
	if r.deployment != deployment || r.namespace != ns.Name || r.component != component {
		t.Errorf("want a record of %s of %s/%s: %+v", component, ns.Name, deployment, r)
	}
	if r.at.Before(since.Add(-time.Second)) || r.at.After(time.Now()) {
		t.Errorf("written between %s and now: %+v", since, r)
	}
	if r.number == 0 || r.severity == "" || !strings.Contains(r.logger, ".") || strings.HasPrefix(r.text, "\tat ") {
		t.Errorf("without severity or logger, or a part of a stack trace: %+v", r)
	}
	for name := range r.attributes {
		if !slices.Contains([]string{
			"log.file.name", "thread.name", "flink.job.id", "exception.type", "exception.message", "exception.stacktrace",
		}, name) {
			t.Errorf("unknown attribute %s: %+v", name, r)
		}
	}
}
