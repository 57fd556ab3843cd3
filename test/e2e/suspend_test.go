//go:build e2e && nightly

package e2e

import (
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/test/life"
	"github.com/kn-flink/kn-flink/test/watch"
)

func TestSuspendAndResume(t *testing.T) {
	const name = "suspend"
	kube.create(t, example(t, "basic.yaml", name, nil))
	kube.resource(t, name, life.Limit).Until("is STABLE", life.State("STABLE"))
	before, _ := kube.flink(name).TasksRunning(t, "")

	at := kube.patch(t, name, map[string]any{"job": map[string]any{"state": "suspended"}})
	suspended := kube.resource(t, name, life.Limit).Until("is SUSPENDED", life.State("SUSPENDED"))
	figures.duration("suspend: patch to SUSPENDED", 0, suspended.At.Sub(at))
	kube.watch(watch.Deadline(t, time.Minute), t, pods, space, "", "app="+name).None("no pod is left")

	at = kube.patch(t, name, map[string]any{"job": map[string]any{"state": "running"}})
	stable := kube.resource(t, name, life.Limit).Until("is STABLE again", life.State("STABLE"))
	figures.duration("resume: patch to STABLE", 0, stable.At.Sub(at))
	if after, _ := kube.flink(name).TasksRunning(t, before); after == before {
		t.Errorf("the resumed stateless job has the ID %s of the one that was suspended", before)
	}
}
