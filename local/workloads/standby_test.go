//go:build nightly

package workloads

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/local/node"
	"github.com/kn-flink/kn-flink/test/life"
)

// TestAStandbyJobManagerTakesOver: the leading JobManager is killed, and the other one goes on with the job and its
// state. No pod can start meanwhile, and nothing of the cluster is made anew.
func TestAStandbyJobManagerTakesOver(t *testing.T) {
	const name = "jobmanager-standby"
	ns.Apply(t, ns.File(t, name+".yaml", onVolume(t.TempDir())...)...)
	var job, deployment string
	stateful(name, nil).Run(t, life.Chapter{Title: "the leader is killed", Run: func(t *testing.T, _ *life.Life) {
		first := leader(t, name, 2, "")
		job, deployment = ns.Seen(t.Context(), name).ID, deployed(t, name)
		cordon(t, true)
		t.Cleanup(func() { cordon(t, false) })
		if err := kill(t.Context(), &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{
			"name": first.Name, "namespace": first.Namespace, "uid": string(first.UID),
		}}}); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s led, %s leads", first.Name, leader(t, name, 1, first.Name).Name)
	}})
	if now := ns.Seen(t.Context(), name); now.ID != job {
		t.Errorf("job %s goes on as job %s", job, now.ID)
	}
	if now := deployed(t, name); now != deployment {
		t.Errorf("the Deployment was %s and is %s", deployment, now)
	}
}

// deployed tells one JobManager Deployment, and what it says, from another.
func deployed(t *testing.T, name string) string {
	t.Helper()
	d, err := ns.Client.AppsV1().Deployments(ns.Name).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s at generation %d", d.UID, d.Generation)
}

// leader waits until so many JobManagers are ready, and one of them that is not the one before leads.
func leader(t *testing.T, name string, ready int, before string) (leads corev1.Pod) {
	t.Helper()
	ns.Eventually(t, "a JobManager leads", func(ctx context.Context) (bool, error) {
		elected, err := ns.Client.CoreV1().ConfigMaps(ns.Name).Get(
			ctx, name+"-cluster-config-map", metav1.GetOptions{},
		)
		if err != nil {
			return false, err
		}
		count := 0
		leads = corev1.Pod{}
		for _, pod := range ns.Pods(t, "app="+name+",component=jobmanager") {
			if !isReady(pod) || pod.Name == before {
				continue
			}
			count++
			if strings.Contains(elected.Data["org.apache.flink.k8s.leader.dispatcher"], "@"+pod.Status.PodIP+":") {
				leads = pod
			}
		}
		return count == ready && leads.Name != "", nil
	})
	return leads
}

func isReady(pod corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// cordon lets no pod start on the node, or lets them again.
func cordon(t *testing.T, closed bool) {
	t.Helper()
	patch := fmt.Sprintf(`{"spec":{"unschedulable":%v}}`, closed)
	if _, err := ns.Client.CoreV1().Nodes().Patch(
		context.WithoutCancel(t.Context()), node.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{},
	); err != nil {
		t.Fatal(err)
	}
}
