package sweep

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

func TestASweepAsksForTheNextChangeOfACanaryAndTellsOfOneThatWokeNobody(t *testing.T) {
	f := newFleet(t, 1)
	collector, push := f.measured(t)
	change := func(edit func(u *unstructured.Unstructured)) {
		t.Helper()
		if _, err := f.kube.Update(kubesim.FlinkDeployments, "flink", "demo-0000", edit); err != nil {
			t.Fatal(err)
		}
	}
	sweep := func(wantAsked int, wantUnanswered float64) {
		t.Helper()
		f.kube.Clock.Advance(61 * time.Second)
		if err := f.Tick(t.Context()); err != nil {
			t.Fatal(err)
		}
		push()
		if got := f.mail.subjects(); len(got) != wantAsked {
			t.Errorf("passes asked for: %v, want %d", got, wantAsked)
		}
		got := collector.Sum(string(metrics.CanaryUnanswered), "flink.resource.name=demo-0000")
		if got < wantUnanswered || got > wantUnanswered+1 {
			t.Errorf("it is unanswered for %v s, want %v", got, wantUnanswered)
		}
	}
	answer := func() {
		t.Helper()
		u := f.kube.Get(kubesim.FlinkDeployments, "flink", "demo-0000")
		status := map[string]any{"observedGeneration": u.GetGeneration()}
		if _, err := f.kube.UpdateStatus(kubesim.FlinkDeployments, "flink", "demo-0000", status); err != nil {
			t.Fatal(err)
		}
	}
	change(func(u *unstructured.Unstructured) { u.SetLabels(map[string]string{v1beta1.LabelCanary: "true"}) })
	answer()
	sweep(1, 0)
	change(func(u *unstructured.Unstructured) { // the pass that was asked for
		u.SetAnnotations(map[string]string{
			v1beta1.AnnotationCanaryAsked: f.kube.Clock.Now().UTC().Format(time.RFC3339),
		})
		if err := unstructured.SetNestedField(u.Object, int64(1), "spec", "restartNonce"); err != nil {
			t.Fatal(err)
		}
	})
	sweep(1, 61)
	sweep(1, 122)
	answer()
	sweep(1, 0)
}
