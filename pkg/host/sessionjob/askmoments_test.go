package sessionjob

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/fields"
)

// Each question is a request: a look asks for what its moment needs, and for no more.
func TestWhatIsAskedFor(t *testing.T) {
	runs := func(w *fixture) { w.untilSteady() }
	keeps := func(more ...string) func(w *fixture) {
		return func(w *fixture) {
			w.untilSteady()
			w.s.Cluster = plan.Present(sessionCluster(more...))
		}
	}
	onKubernetes := keeps("high-availability.type", "kubernetes", "high-availability.storageDir", "file:///h")
	onZooKeeper := keeps("high-availability.type", "zookeeper", "high-availability.storageDir", "file:///h",
		"high-availability.zookeeper.quorum", "zk:2181")
	until := func(step v1beta1.IntentStep) func(w *fixture) {
		return func(w *fixture) {
			for w.status().Intent == nil || w.status().Intent.Step != step {
				w.round()
			}
		}
	}
	change := func(w *fixture) {
		w.untilSteady()
		w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
	}
	stops := func(w *fixture) {
		change(w)
		until(v1beta1.StepStopping)(w)
	}
	periodic := func(w *fixture) {
		w.edit(options(`{"kubernetes.operator.periodic.savepoint.interval":"1h"}`))
		w.untilSteady()
	}
	history := func(w *fixture) {
		w.untilSteady()
		w.s.Resource.Status.JobStatus.SavepointInfo = &v1beta1.SavepointInfo{
			SavepointHistory: []v1beta1.Savepoint{{Location: "file:///s/1"}},
		}
	}
	deleted := func(story func(w *fixture)) func(w *fixture) {
		return func(w *fixture) {
			story(w)
			w.delete()
		}
	}
	rows := map[string]struct {
		mode  string
		story func(w *fixture)
		want  string
	}{
		"never looked at": {"savepoint", func(*fixture) {}, "Flink"},
		"its cluster is not there": {"savepoint", func(w *fixture) {
			w.s.Cluster, w.s.JobManager = plan.Absent[*v1beta1.FlinkDeployment](), plan.Absent[*appsv1.Deployment]()
		}, ""},
		"starts":                  {"savepoint", until(v1beta1.StepStarting), "Flink Jars"},
		"is released":             {"savepoint", until(v1beta1.StepReleased), "Flink Jars"},
		"runs":                    {"savepoint", runs, "Flink"},
		"takes savepoints":        {"savepoint", periodic, "Flink Snapshots"},
		"has savepoints":          {"savepoint", history, "Flink Snapshots"},
		"has savepoints, deleted": {"savepoint", deleted(history), "Flink"},
		"takes savepoints, failed": {"savepoint", func(w *fixture) {
			periodic(w)
			w.set(w.status().JobStatus.JobID, v1beta1.FlinkJobFailed)
			w.run()
		}, "Flink"},
		"takes savepoints, is changed": {"savepoint", func(w *fixture) {
			periodic(w)
			w.edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
			until(v1beta1.StepStopping)(w)
		}, "Flink Stop"},
		"is to be changed":       {"savepoint", change, "Flink"},
		"is stopped, savepoint":  {"savepoint", stops, "Flink Stop"},
		"is stopped, last-state": {"last-state", stops, "Flink"},
		"its stop has ended": {"savepoint", func(w *fixture) {
			stops(w)
			for !w.status().Intent.Ended {
				w.round()
			}
		}, "Flink"},
		"deleted":                {"savepoint", deleted(runs), "Flink"},
		"deleted, on Kubernetes": {"savepoint", deleted(onKubernetes), "Flink HAData"},
		"runs, on Kubernetes":    {"savepoint", onKubernetes, "Flink"},
		"deleted, on ZooKeeper":  {"savepoint", deleted(onZooKeeper), "Flink HANodes"},
		"made after its job began": {"savepoint", func(w *fixture) {
			w.untilSteady()
			w.s.Resource.CreationTimestamp.Time = w.s.Now.Add(time.Hour)
			w.s.Resource.Status.WrittenFor = ""
		}, "Flink Others"},
		"made at a time that nobody can compare": {"savepoint", func(w *fixture) {
			w.untilSteady()
			w.s.Resource.Status.JobStatus.StartTime, w.s.Resource.Status.WrittenFor = "", ""
		}, "Flink Others"},
		"made after its job began, and signed": {"savepoint", func(w *fixture) {
			w.untilSteady()
			w.s.Resource.CreationTimestamp.Time = w.s.Now.Add(time.Hour)
		}, "Flink"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, stateful(row.mode))
			row.story(w)
			if got := fields.Set(Open(w.s).First()); got != row.want {
				t.Errorf("asked for %q, want %q", got, row.want)
			}
		})
	}
}
