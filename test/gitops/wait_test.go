package gitops

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/argoproj/gitops-engine/pkg/health"
	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/fluxcd/pkg/apis/kustomize"
	"github.com/fluxcd/pkg/runtime/cel"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// stored makes a resource with a recorded status, which has no spec, on the API server, and gives it as that serves it.
func stored(t *testing.T, namespace, name string, recorded *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	spec := kept(manifests(t, "testdata/jobs.yaml"), recorded.GetKind())[0].Object["spec"]
	resources := server.objects.Resource(resourceOf(recorded)).Namespace(namespace)
	u, err := resources.Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": recorded.GetAPIVersion(), "kind": recorded.GetKind(),
		"metadata": map[string]any{"name": name}, "spec": spec,
	}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	shown, _, _ := unstructured.NestedMap(recorded.Object, "status")
	if len(shown) > 0 {
		shown["observedGeneration"] = u.GetGeneration()
		conditions, _, _ := unstructured.NestedSlice(shown, "conditions")
		for _, c := range conditions {
			c.(map[string]any)["observedGeneration"] = u.GetGeneration()
		}
		shown["conditions"] = conditions
		u.Object["status"] = shown
		if _, err := resources.UpdateStatus(t.Context(), u, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if u, err = resources.Get(t.Context(), name, metav1.GetOptions{}); err != nil {
		t.Fatal(err)
	}
	return u
}

// TestKubectlWait holds, with kubectl itself, what the documentation says to wait for.
func TestKubectlWait(t *testing.T) {
	const namespace = "waited-for"
	kubectl("", "create", "namespace", namespace).must(t)
	argo, names := withOurs(t), map[health.HealthStatusCode][]string{}
	for key, u := range recorded(t) {
		if !strings.HasPrefix(key, "judged.yaml") || u.GetDeletionTimestamp() != nil || situationOf(u) == "Canary" {
			continue
		}
		if situationOf(u) == none {
			delete(u.Object, "status") // what the API server fills in
		}
		want := wanted(t, u)
		made := stored(t, namespace, fmt.Sprintf("r%d", len(slices.Concat(flat(names)...))), u)
		judge(t, argo, made, want)
		names[want.argo] = append(names[want.argo], strings.ToLower(made.GetKind())+"/"+made.GetName())
	}
	wait := func(condition string, names []string) answer {
		arguments := []string{"wait", "-n", namespace, "--for=condition=" + condition, "--timeout=0"}
		return kubectl("", append(arguments, names...)...)
	}
	ready := slices.Concat(names[health.HealthStatusHealthy], names[health.HealthStatusSuspended])
	wait("Ready", ready).must(t)
	wait("Stalled", names[health.HealthStatusDegraded]).must(t)
	for _, condition := range []string{"Ready", "Stalled"} {
		if a := wait(condition, names[health.HealthStatusProgressing]); strings.Contains(a.out, "condition met") {
			t.Errorf("a resource that changes is %s: %s", condition, a.out)
		}
	}
	for name, want := range map[string]bool{ready[0]: true, names[health.HealthStatusDegraded][0]: false} {
		script := strings.NewReplacer(
			"flinkdeployment/state-machine", name, "team-a", namespace, "10m", "2s",
		).Replace(fenced(t, "sh", "wait -n"))
		command := exec.CommandContext(t.Context(), "bash", "-c", script)
		command.Env = append(os.Environ(), "KUBECONFIG="+server.kubeconfig)
		if out, err := command.CombinedOutput(); (err == nil) != want {
			t.Errorf("the wait of docs/install/gitops.md for %s: %v\n%s", name, err, out)
		}
	}
	if a := wait("Ready", names[health.HealthStatusDegraded]); strings.Contains(a.out, "condition met") {
		t.Errorf("what is degraded is Ready: %s", a.out)
	}
}

func flat(names map[health.HealthStatusCode][]string) (all [][]string) {
	for _, of := range names {
		all = append(all, of)
	}
	return all
}

// fenced is the block of docs/install/gitops.md in a language that has a text.
func fenced(t *testing.T, language, has string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/install/gitops.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(string(page), "```"+language+" by=\"test/gitops\"\n")[1:] {
		if block, _, _ = strings.Cut(block, "```"); strings.Contains(block, has) {
			return block
		}
	}
	t.Fatalf("docs/install/gitops.md has no block with %s", has)
	return ""
}

// TestHealthCheckExpressions holds what docs/install/gitops.md has Flux ask for beyond its own judgement.
func TestHealthCheckExpressions(t *testing.T) {
	var shown struct {
		HealthCheckExprs []kustomize.CustomHealthCheck `json:"healthCheckExprs"`
	}
	if err := yaml.UnmarshalStrict([]byte(fenced(t, "yaml", "healthCheckExprs")), &shown); err != nil {
		t.Fatal(err)
	}
	evaluator, err := cel.NewStatusEvaluator(&shown.HealthCheckExprs[0].HealthCheckExpressions)
	if err != nil {
		t.Fatal(err)
	}
	for name, u := range recorded(t) {
		if u.GetKind() != "FlinkDeployment" || u.GetDeletionTimestamp() != nil || former[name] != "" {
			continue
		}
		want := status.InProgressStatus
		switch c := condition(u, "JobRunning"); {
		case condition(u, "Stalled") != nil:
			want = status.FailedStatus
		case c != nil && c["status"] == "True":
			want = status.CurrentStatus
		}
		if got, err := evaluator.Evaluate(t.Context(), u); err != nil || got.Status != want {
			t.Errorf("%s is %+v, want %s: %v", name, got, want, err)
		}
	}
}
