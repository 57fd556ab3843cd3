//go:build e2e && nightly

package e2e

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/test/life"
	"github.com/kn-flink/kn-flink/test/watch"
)

// TestAMetricEvaluatorCounts deploys the evaluator of examples/ as a Knative Service of its own, at zero pods until
// `observe` asks it. The job has half of the load that one subtask can do; the evaluator expects five times as much, so
// it gets three subtasks or more. Before that metrics-server is asked whether the nodes have room: without an answer
// nothing is scaled.
func TestAMetricEvaluatorCounts(t *testing.T) {
	needMetricsServer(t)
	const name, class = "evaluated", "org.example.Headroom"
	ko := func(verb string) {
		args := []string{verb, "-f", "../../examples/evaluator/evaluator.yaml"}
		if out, err := exec.CommandContext(context.WithoutCancel(t.Context()), "ko", args...).CombinedOutput(); err != nil {
			t.Fatalf("ko %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	ko("apply")
	t.Cleanup(func() { ko("delete") })
	withSettings(t, "kubernetes.operator.plugins.autoscaler.headroom.url: http://evaluator.default.svc.cluster.local\n"+
		"kubernetes.operator.plugins.autoscaler.headroom.class: "+class+"\n"+
		"kubernetes.operator.cluster.resource-view.refresh-interval: 1 min\n")

	const evaluator = "job.autoscaler.metrics.custom-evaluator"
	createAutoscaled(t, name, map[string]string{
		evaluator + "s":                  "headroom",
		evaluator + ".headroom.class":    class,
		evaluator + ".headroom.headroom": "4",
	})
	resource := kube.resource(t, name, life.Limit)
	resource.Until("is STABLE", life.State("STABLE"))
	jobID, _ := kube.flink(name).TasksRunning(t, "")
	runs := time.Now()
	var is scaledJob
	watch.Poll(t, 10*time.Minute, "the job has as many subtasks as the evaluator asks for",
		func(ctx context.Context) (bool, error) {
			err := kube.flink(name)(ctx, "/jobs/"+jobID, &is)
			return err == nil && is.highest() >= 3, err
		})
	figures.duration("autoscaler: a job that runs has what its evaluator asks for (window 1 min)", 0, time.Since(runs))
	kube.deletesInTime(t, name, "one deletion of a job with an evaluator")
}

// withSettings adds lines to the operator's settings until the test ends.
func withSettings(t *testing.T, lines string) {
	t.Helper()
	const file = "config.yaml"
	settings := kube.in(configMaps, system)
	change := func(ctx context.Context, edit func(text string) string) error {
		u, err := settings.Get(ctx, "flink-operator-config", metav1.GetOptions{})
		if err != nil {
			return err
		}
		text, _, _ := unstructured.NestedString(u.Object, "data", file)
		if err := unstructured.SetNestedField(u.Object, edit(text), "data", file); err != nil {
			return err
		}
		_, err = settings.Update(ctx, u, metav1.UpdateOptions{})
		return err
	}
	if err := change(t.Context(), func(text string) string { return text + "\n" + lines }); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := change(context.WithoutCancel(t.Context()), func(text string) string {
			return strings.Replace(text, "\n"+lines, "", 1)
		})
		if err != nil {
			t.Error(err)
		}
	})
}
