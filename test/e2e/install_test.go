//go:build e2e && nightly

package e2e

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/test/life"
	"github.com/kn-flink/kn-flink/test/watch"
)

// Taking the operator away leaves what runs alone; a resource that was made in between is found within a minute of its
// return.
func TestUndeployLeavesJobsAndDeployFindsThem(t *testing.T) {
	const running, meanwhile = "stays", "meanwhile"
	kube.create(t, example(t, "basic.yaml", running, nil))
	stable := kube.resource(t, running, life.Limit).Until("is STABLE", life.State("STABLE"))
	jobID, _ := kube.flink(running).TasksRunning(t, "")
	jobManager := kube.jobManager(t, running, time.Minute).Until("exists", life.Released)

	refused(t, running)
	if err := script(t.Context(), "undeploy.sh"); err != nil {
		t.Fatal(err)
	}
	for what, path := range map[string]string{
		"namespace flink-system": "/api/v1/namespaces/" + system,
		"ClusterRole":            "/apis/rbac.authorization.k8s.io/v1/clusterroles/kn-flink-reconcile",
		"admission policy": "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies?labelSelector=app." +
			"kubernetes.io/part-of%3Dkn-flink",
	} {
		body, err := kube.raw(t.Context(), path)
		if err == nil && !strings.Contains(string(body), `"items":[]`) {
			t.Errorf("%s is still there: %.200s", what, body)
		}
	}
	if id, _ := kube.flink(running).TasksRunning(t, ""); id != jobID {
		t.Errorf("the job became %s, was %s, when the operator left", id, jobID)
	}

	kube.create(t, example(t, "basic.yaml", meanwhile, homeless(t)))
	if err := script(t.Context(), "deploy.sh"); err != nil {
		t.Fatal(err)
	}
	installed := time.Now()
	found := kube.resource(t, meanwhile, 2*time.Minute).Until("is found", func(o watch.Object) (bool, string) {
		return o.Unstructured != nil && watch.Text(
			o.Unstructured, "status", "lifecycleState",
		) != "", "no pass has looked at it"
	})
	figures.duration(
		"install to the first pass of a resource that was there", time.Minute, max(0, found.At.Sub(installed)),
	)

	after := kube.resource(t, running, time.Minute).Until("is STABLE", life.State("STABLE"))
	same(t, "the FlinkDeployment", stable, after)
	same(
		t, "the JobManager Deployment", jobManager, kube.jobManager(t, running, time.Minute).Until("exists", life.Released),
	)
	if id, _ := kube.flink(running).TasksRunning(t, ""); id != jobID {
		t.Errorf("the job became %s, was %s, when the operator came back", id, jobID)
	}
}

func same(t *testing.T, what string, before, after watch.Object) {
	t.Helper()
	if before.GetUID() != after.GetUID() {
		t.Errorf("%s is another one than before", what)
	}
	a, _, _ := unstructured.NestedMap(before.Object, "spec")
	b, _, _ := unstructured.NestedMap(after.Object, "spec")
	if len(a) == 0 || len(a) != len(b) {
		t.Errorf("the spec of %s is not what it was", what)
	}
}

// refused says that undeploy does not take the CRDs away while a resource is there, and names it.
func refused(t *testing.T, name string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "../../hack/undeploy.sh")
	command.Env = append(command.Environ(), "CRDS=1")
	out, err := command.CombinedOutput()
	if err == nil || !strings.Contains(string(out), name) {
		t.Fatalf("undeploy with CRDS=1 went on although a resource is left: %v\n%s", err, out)
	}
}
