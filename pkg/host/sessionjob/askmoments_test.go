package sessionjob_test

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/engine/enginetest"
	"github.com/kn-flink/kn-flink/pkg/host/sessionjob"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/test/fields"
)

// Each question is a request: a look asks for what its moment needs, and for no more.
func TestWhatIsAskedFor(t *testing.T) {
	runs := func(w *enginetest.SessionJob) { w.UntilSteady() }
	keeps := func(more ...string) func(w *enginetest.SessionJob) {
		return func(w *enginetest.SessionJob) {
			w.UntilSteady()
			w.Snapshot.Cluster = plan.Present(enginetest.SessionCluster(more...))
		}
	}
	onKubernetes := keeps("high-availability.type", "kubernetes", "high-availability.storageDir", "file:///h")
	onZooKeeper := keeps("high-availability.type", "zookeeper", "high-availability.storageDir", "file:///h",
		"high-availability.zookeeper.quorum", "zk:2181")
	until := func(step v1beta1.IntentStep) func(w *enginetest.SessionJob) {
		return func(w *enginetest.SessionJob) {
			for w.Status().Intent == nil || w.Status().Intent.Step != step {
				w.Round()
			}
		}
	}
	change := func(w *enginetest.SessionJob) {
		w.UntilSteady()
		w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
	}
	stops := func(w *enginetest.SessionJob) {
		change(w)
		until(v1beta1.StepStopping)(w)
	}
	periodic := func(w *enginetest.SessionJob) {
		w.Edit(enginetest.HostedOptions(`{"kubernetes.operator.periodic.savepoint.interval":"1h"}`))
		w.UntilSteady()
	}
	history := func(w *enginetest.SessionJob) {
		w.UntilSteady()
		w.Snapshot.Resource.Status.JobStatus.SavepointInfo = &v1beta1.SavepointInfo{
			SavepointHistory: []v1beta1.Savepoint{{Location: "file:///s/1"}},
		}
	}
	deleted := func(story func(w *enginetest.SessionJob)) func(w *enginetest.SessionJob) {
		return func(w *enginetest.SessionJob) {
			story(w)
			w.Delete()
		}
	}
	rows := map[string]struct {
		mode  string
		story func(w *enginetest.SessionJob)
		want  string
	}{
		"never looked at": {"savepoint", func(*enginetest.SessionJob) {}, "Flink"},
		"its cluster is not there": {"savepoint", func(w *enginetest.SessionJob) {
			w.Snapshot.Cluster, w.Snapshot.JobManager = plan.Absent[*v1beta1.FlinkDeployment](),
				plan.Absent[*appsv1.Deployment]()
		}, ""},
		"starts":                  {"savepoint", until(v1beta1.StepStarting), "Flink Jars"},
		"is released":             {"savepoint", until(v1beta1.StepReleased), "Flink Jars"},
		"runs":                    {"savepoint", runs, "Flink"},
		"takes savepoints":        {"savepoint", periodic, "Flink Snapshots"},
		"has savepoints":          {"savepoint", history, "Flink Snapshots"},
		"has savepoints, deleted": {"savepoint", deleted(history), "Flink"},
		"takes savepoints, failed": {"savepoint", func(w *enginetest.SessionJob) {
			periodic(w)
			w.Set(w.Status().JobStatus.JobID, v1beta1.FlinkJobFailed)
			w.Run()
		}, "Flink"},
		"takes savepoints, is changed": {"savepoint", func(w *enginetest.SessionJob) {
			periodic(w)
			w.Edit(func(s *v1beta1.FlinkSessionJobSpec) { s.Job.Parallelism = 4 })
			until(v1beta1.StepStopping)(w)
		}, "Flink Stop"},
		"is to be changed":       {"savepoint", change, "Flink"},
		"is stopped, savepoint":  {"savepoint", stops, "Flink Stop"},
		"is stopped, last-state": {"last-state", stops, "Flink"},
		"its stop has ended": {"savepoint", func(w *enginetest.SessionJob) {
			stops(w)
			for !w.Status().Intent.Ended {
				w.Round()
			}
		}, "Flink"},
		"deleted":                {"savepoint", deleted(runs), "Flink"},
		"deleted, on Kubernetes": {"savepoint", deleted(onKubernetes), "Flink HAData"},
		"runs, on Kubernetes":    {"savepoint", onKubernetes, "Flink"},
		"deleted, on ZooKeeper":  {"savepoint", deleted(onZooKeeper), "Flink HANodes"},
		"made after its job began": {"savepoint", func(w *enginetest.SessionJob) {
			w.UntilSteady()
			w.Snapshot.Resource.CreationTimestamp.Time = w.Snapshot.Now.Add(time.Hour)
			w.Snapshot.Resource.Status.WrittenFor = ""
		}, "Flink Others"},
		"made at a time that nobody can compare": {"savepoint", func(w *enginetest.SessionJob) {
			w.UntilSteady()
			w.Snapshot.Resource.Status.JobStatus.StartTime, w.Snapshot.Resource.Status.WrittenFor = "", ""
		}, "Flink Others"},
		"made after its job began, and signed": {"savepoint", func(w *enginetest.SessionJob) {
			w.UntilSteady()
			w.Snapshot.Resource.CreationTimestamp.Time = w.Snapshot.Now.Add(time.Hour)
		}, "Flink"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewSessionJob(t, enginetest.HostedStateful(row.mode))
			row.story(w)
			if got := fields.Set(sessionjob.Open(w.Snapshot).First()); got != row.want {
				t.Errorf("asked for %q, want %q", got, row.want)
			}
		})
	}
}
