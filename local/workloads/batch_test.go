package workloads

import (
	"context"
	"testing"

	"github.com/kn-flink/kn-flink/local/tenant"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestABatchJobEnds: a batch job ends FINISHED, its JobManager stays for shutdown-ttl and is removed, and a restart
// runs the job once more.
func TestABatchJobEnds(t *testing.T) {
	const name, ours = "batch", "app=batch"
	ns.Apply(t, ns.File(t, "batch.yaml")...)
	first := finished(t, name, "")
	ns.Says(t, ours+",component=taskmanager", "(or,2)")
	if pods := ns.Pods(t, ours+",component=jobmanager"); len(pods) != 1 {
		t.Errorf("the job has ended a moment ago, and there are %d JobManagers", len(pods))
	}
	told(t, name, "Ready", "True Finished: the job has finished")
	told(t, name, "ClusterAvailable", "True JobManagerReady: the JobManager can be reached")
	ns.Change(t, name, `{"spec":{"flinkConfiguration":{"kubernetes.operator.jm-deployment.shutdown-ttl":"1 s"}}}`)
	ns.Eventually(t, "the cluster is gone", func(ctx context.Context) (bool, error) {
		_, err := ns.Client.AppsV1().Deployments(ns.Name).Get(ctx, name, metav1.GetOptions{})
		return apierrors.IsNotFound(err) && len(ns.Pods(t, ours)) == 0, nil
	})
	if now := ns.Seen(t.Context(), name); now != first {
		t.Errorf("without its JobManager the job is seen as %+v, and was %+v", now, first)
	}
	told(t, name, "Ready", "True Finished: the job has finished")
	told(t, name, "ClusterAvailable", "False Finished: the job has finished")

	ns.Change(t, name, `{"spec":{"restartNonce":1}}`)
	if second := finished(t, name, first.ID); second.ID == first.ID {
		t.Errorf("the job that a restart began has the first one's ID %s", first.ID)
	}
	ns.Remove(t, name)
}

// finished waits until another job than the one before has ended by itself.
func finished(t *testing.T, name, before string) tenant.View {
	t.Helper()
	return ns.Until(t, name, "has FINISHED", func(v tenant.View) bool {
		return v.Job == "FINISHED" && v.Lifecycle == "STABLE" && v.ID != before
	})
}

// told holds a condition to what it should say: status, reason and message.
func told(t *testing.T, name, condition, want string) {
	t.Helper()
	if is := ns.Conditions(t, name)[condition]; is != want {
		t.Errorf("%s is %q, want %q", condition, is, want)
	}
}
