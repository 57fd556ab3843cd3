package flinksim

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kn-flink/kn-flink/pkg/flinkrest"
	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// What Flink and the kubelets do later, earlier or otherwise than one would like.

func TestAnswersAreAsOldAsTheRefreshInterval(t *testing.T) {
	for interval, want := range map[string]flinkrest.JobState{
		"": flinkrest.Running, "20 s": flinkrest.Running, "0 s": flinkrest.Finished, "1 s": flinkrest.Finished,
	} {
		t.Run(interval, func(t *testing.T) {
			w := running(t, application(map[string]string{"web.refresh-interval": interval}))
			c, ctx := client(t, w), t.Context()
			w.Tick(30 * time.Second)
			before := must(c.CheckpointStatistics(ctx, jobA))(t)
			must(c.Job(ctx, jobA))(t)
			w.Flink.Do("flink", "demo", jobA, func(j *job.Job) {
				j.Begin(job.Trigger{ID: trigger, Kind: job.OneCheckpoint}, w.Clock.Now())
				j.Finish(w.Clock.Now())
			})
			w.Tick(2 * time.Second)
			if j := must(c.Job(ctx, jobA))(t); j.State != want {
				t.Errorf("details say %s, want %s", j.State, want)
			}
			after := must(c.CheckpointStatistics(ctx, jobA))(t)
			if (after.Counts.Failed != before.Counts.Failed) != (want == flinkrest.Finished) {
				t.Errorf("before %+v, after %+v", before.Counts, after.Counts)
			}
			if before.Latest.Completed.Discarded || !after.Latest.Completed.Discarded {
				t.Errorf("before %+v, after %+v: that it was discarded shows at once", before.Latest, after.Latest)
			}
			if list := must(c.Jobs(ctx))(t); list[0].State != flinkrest.Finished {
				t.Errorf("the list says %s: it is never cached", list[0].State)
			}
		})
	}
}

func TestALeavingTaskManagerEndsTheJob(t *testing.T) {
	for strategy, want := range map[string]job.State{"none": job.Failed, "exponential-delay": job.Running} {
		t.Run(strategy, func(t *testing.T) {
			w := running(
				t, application(map[string]string{"restart-strategy.type": strategy, "high-availability.type": "kubernetes"}),
			)
			w.Tick(30 * time.Second)
			for _, pod := range w.Kube.List(kubesim.Pods, "flink", map[string]string{"component": "taskmanager"}) {
				w.Nodes.Crash("flink", pod.GetName(), "oom")
			}
			w.Settle()
			if j := w.Flink.Job("flink", "demo", jobA); j.State != want {
				t.Errorf("state %s, want %s", j.State, want)
			}
			kept := w.Kube.Get(kubesim.ConfigMaps, "flink", "demo-"+jobA+"-config-map") != nil
			if kept != (want == job.Running) {
				t.Errorf("high-availability data there: %t", kept)
			}
		})
	}
}

func TestHADataHoldsTheRestoredSavepoint(t *testing.T) {
	w := NewWorld(t)
	w.Storage.Put(job.Snapshot{Path: "s3://s/savepoint-1", Savepoint: true, CheckpointID: 7, Progress: 40})
	deploy(t, w, application(map[string]string{
		"high-availability.type": "kubernetes", "execution.state-recovery.path": "s3://s/savepoint-1",
		"execution.checkpointing.interval": "10 min",
	}))
	w.Settle()
	data := w.Kube.Get(kubesim.ConfigMaps, "flink", "demo-"+jobA+"-config-map")
	if text, _ := data.Object["data"].(map[string]any); text["checkpointID-0000000000000000007"] == nil {
		t.Errorf("data %v, want the savepoint as its checkpoint 7", text)
	}
}

func TestClocksOfFlinkMayBeWrong(t *testing.T) {
	w := running(t, application(nil))
	w.Flink.Skew(40 * time.Second)
	w.Tick(30 * time.Second)
	if c := w.Flink.Job("flink", "demo", jobA).Latest(false); c == nil || c.End.Sub(w.Clock.Now()) != 40*time.Second {
		t.Errorf("checkpoint %+v at %s", c, w.Clock.Now())
	}
}

func TestAProcessMayRunBeforeItsPodSaysSo(t *testing.T) {
	w := NewWorld(t)
	w.Nodes.StatusLate(3)
	deploy(t, w, application(nil))
	phase := func() corev1.PodPhase {
		pods := w.Kube.List(kubesim.Pods, "flink", map[string]string{"component": "jobmanager"})
		if len(pods) == 0 {
			return ""
		}
		status, _ := pods[0].Object["status"].(map[string]any)
		text, _ := status["phase"].(string)
		return corev1.PodPhase(text)
	}
	late := 0
	for range 20 {
		w.Step()
		if w.Flink.JobManagers("flink", "demo") == 1 && phase() == corev1.PodPending {
			late++
		}
	}
	if late != 3 || phase() != corev1.PodRunning {
		t.Errorf("%d steps late, then %s", late, phase())
	}
}

func TestADeadKubeletStopsNothing(t *testing.T) {
	w := running(t, application(nil))
	w.Nodes.KubeletDown("node-1")
	if err := w.Kube.Delete(kubesim.Deployments, "flink", "demo", kubesim.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	before := w.Flink.Job("flink", "demo", jobA).Progress
	w.Tick(time.Minute)
	w.Tick(time.Minute)
	if j := w.Flink.Job("flink", "demo", jobA); j == nil || j.Progress <= before {
		t.Errorf("job %+v: its processes go on", j)
	}
	w.Nodes.KubeletUp("node-1")
	w.Settle()
	if n := w.Flink.JobManagers("flink", "demo"); n != 0 {
		t.Errorf("%d JobManagers after the kubelet came back", n)
	}
}
