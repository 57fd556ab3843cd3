package flinksim

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kn-flink/kn-flink/test/flinksim/job"
	"github.com/kn-flink/kn-flink/test/flinksim/process"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// As real Flink 2.2 did on a cluster: the job failed for good, its checkpoints were out of the high-availability data
// and its result was not recorded yet when its JobManager was lost. The next one finds the job's graph and a start path
// that is not there: it ends with an error, and so does each that follows.
func TestARecoveredJobThatCannotStart(t *testing.T) {
	const path = "s3://s/savepoint-1"
	w := NewWorld(t)
	w.Flink.Script("flink", "demo", process.Script{CleanUpSteps: 3})
	w.Storage.Put(job.Snapshot{Path: path, JobID: jobB, CheckpointID: 9, Savepoint: true, Progress: 77})
	deploy(t, w, withHA(map[string]string{"restart-strategy.type": "none", "execution.state-recovery.path": path}))
	w.Settle()
	ticks(w, 2)
	mustState(t, w, jobA, job.Running)
	w.Storage.Remove(path)
	w.Flink.Do("flink", "demo", jobA, func(j *job.Job) { j.Fail("no", "boom", w.Clock.Now()) })
	w.Nodes.Crash("flink", jobManagerPod(w), "oom")
	for _, restarts := range []int32{2, 3, 4} {
		ticks(w, 1)
		pod := &corev1.Pod{}
		u := w.Kube.Get(kubesim.Pods, "flink", jobManagerPod(w))
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, pod); err != nil {
			t.Fatal(err)
		}
		c := pod.Status.ContainerStatuses[0]
		if ended := c.LastTerminationState.Terminated; ended == nil || !strings.Contains(ended.Message, path) ||
			c.RestartCount < restarts || c.Ready || c.State.Waiting == nil {
			t.Errorf("the container is %+v, want restarted %d times, and waiting", c, restarts)
		}
		if got := w.Flink.Job("flink", "demo", ""); got != nil {
			t.Errorf("a job is listed: %+v", got)
		}
	}
}
