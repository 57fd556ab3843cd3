package controlplane

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// second is the namespace of an installation beside that in flink-system.
const second = "flink-b"

// objectsOf are kind, namespace, name and version of all that an installation has.
func objectsOf(t *testing.T, system, instance string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, where := range [][]string{
		{"get", "clusterroles,clusterrolebindings,validatingadmissionpolicies,validatingadmissionpolicybindings," +
			"mutatingwebhookconfigurations,validatingwebhookconfigurations,clusterdomainclaims"},
		{"get", "-A", "roles,rolebindings,services,networkpolicies"},
		{"get", "-n", system, "serviceaccounts,configmaps,jobs,cronjobs,brokers,triggers,eventtypes,apiserversources," +
			"pingsources,services.serving.knative.dev,domainmappings"},
	} {
		command := exec.CommandContext(t.Context(), "kubectl", append(where, "--ignore-not-found",
			"-l", "app.kubernetes.io/part-of=kn-flink,"+instance,
			"-o", "jsonpath={range .items[*]}{.kind} {.metadata.namespace}/{.metadata.name} "+
				`{.metadata.uid} {.metadata.generation}{"\n"}{end}`)...)
		command.Env = append(os.Environ(), "KUBECONFIG="+plane.Kubeconfig())
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		for line := range strings.Lines(string(out)) {
			fields := strings.Fields(line)
			all[fields[0]+" "+fields[1]] = strings.Join(fields[2:], " ")
		}
	}
	return all
}

// Two installations in one cluster, each in the namespaces of its tenants. Installing, updating and removing one leaves
// each object of the other; what the accounts of one ask for in the namespaces of the other is refused.
func TestTwoInstallationsSideBySide(t *testing.T) {
	installKinds(t)
	installKnative(t, dynamic.NewForConfigOrDie(plane.Config()), func(string) bool { return true })
	kubectl(t, "", "wait", "--for=delete", "namespace/flink-system", "--timeout=60s")
	env := []string{
		"PATH=" + aKo(t) + ":" + os.Getenv("PATH"), "OVERLAY=tenants", "WEBHOOK=", "GATEWAY_NAMESPACE=kourier-system",
	}
	i := installation{t, env}
	t.Cleanup(func() {
		for _, system := range []string{second, "flink-system"} {
			if out, ok := script(t, "undeploy.sh", "SYSTEM="+system); !ok {
				t.Errorf("undeploy %s: %s", system, out)
			}
		}
	})
	kubectl(t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: kourier-system}", "apply", "--server-side", "-f", "-")

	i.must()
	first := objectsOf(t, "flink-system", "!app.kubernetes.io/instance")
	if len(first) < 60 {
		t.Fatalf("the first has %d objects", len(first))
	}
	unchanged := func(when string) {
		t.Helper()
		now := objectsOf(t, "flink-system", "!app.kubernetes.io/instance")
		for what, was := range first {
			if now[what] != was {
				t.Errorf("%s: %s of the first is %q, was %q", when, what, now[what], was)
			}
		}
	}
	i.must("SYSTEM=" + second)
	unchanged("the second is installed")
	other := objectsOf(t, second, "app.kubernetes.io/instance="+second)
	if len(other) < 55 {
		t.Errorf("the second has %d objects", len(other))
	}
	for what := range other {
		if _, both := first[what]; both {
			t.Errorf("both have %s", what)
		}
	}

	spaces := map[string]string{"flink-system": namespace(t), second: namespace(t)}
	for system, ns := range spaces {
		if out, ok := script(t, "tenant.sh", "SYSTEM="+system, "OPEN=1"); ok {
			t.Errorf("a tenant without a namespace: %s", out)
		}
		command := exec.CommandContext(t.Context(), "../../hack/tenant.sh", ns)
		command.Env = append(os.Environ(), "KUBECONFIG="+plane.Kubeconfig(), "SYSTEM="+system)
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	unchanged("the second has a tenant")
	judgeSideBySide(t, spaces)
	claimedByBoth(t, spaces)

	out, ok := script(t, "undeploy.sh", "SYSTEM="+second, "CRDS=1")
	if ok || !strings.Contains(out, "other installations") && !strings.Contains(out, "CRDS=1 would delete these resources") {
		t.Errorf("the definitions that both need may go: %t %s", ok, out)
	}
	i.must("SYSTEM=" + second)
	unchanged("the second is updated")
	if out, ok := script(t, "undeploy.sh", "SYSTEM="+second); !ok {
		t.Fatalf("undeploy of the second: %s", out)
	}
	unchanged("the second is removed")
	if left := objectsOf(t, second, "app.kubernetes.io/instance="+second); len(left) != 0 {
		t.Errorf("of the second are left %v", left)
	}
}

// judgeSideBySide tries what each installation does in the namespaces of each. The figure is how often the wrong one
// could.
func judgeSideBySide(t *testing.T, spaces map[string]string) {
	t.Helper()
	admin := dynamic.NewForConfigOrDie(plane.Config())
	for _, ns := range spaces {
		u := object(t, cluster("demo", ""))
		_, err := admin.Resource(v1beta1.FlinkDeploymentGVR).Namespace(ns).Create(t.Context(), u, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
	type request func(ctx context.Context, c dynamic.Interface, ns string) error
	create := func(gvr schema.GroupVersionResource, text string) request {
		return func(ctx context.Context, c dynamic.Interface, ns string) error {
			_, err := c.Resource(gvr).Namespace(ns).Create(ctx, object(t, text), metav1.CreateOptions{DryRun: dryRun})
			return err
		}
	}
	patch := func(gvr schema.GroupVersionResource, name, body string, sub ...string) request {
		return func(ctx context.Context, c dynamic.Interface, ns string) error {
			options := metav1.PatchOptions{DryRun: dryRun}
			_, err := c.Resource(gvr).Namespace(ns).Patch(ctx, name, types.MergePatchType, []byte(body), options, sub...)
			return err
		}
	}
	update := func(ctx context.Context, c dynamic.Interface, ns string) error {
		u, err := admin.Resource(v1beta1.FlinkDeploymentGVR).Namespace(ns).Get(ctx, "demo", metav1.GetOptions{})
		if err != nil {
			return err
		}
		u.Object["status"] = map[string]any{"situation": "Steady"}
		options := metav1.UpdateOptions{DryRun: dryRun}
		_, err = c.Resource(v1beta1.FlinkDeploymentGVR).Namespace(ns).UpdateStatus(ctx, u, options)
		return err
	}
	list := func(gvr schema.GroupVersionResource) request {
		return func(ctx context.Context, c dynamic.Interface, ns string) error {
			_, err := c.Resource(gvr).Namespace(ns).List(ctx, metav1.ListOptions{})
			return err
		}
	}
	asked := map[string]map[string]request{
		"reconcile": {
			"write the status": update, "hold it": patch(v1beta1.FlinkDeploymentGVR, "demo", `{"metadata":{"finalizers":["a/b"]}}`),
			"start it":  create(children["deployments"], jobManager),
			"serve it":  create(children["services"], "{apiVersion: v1, kind: Service, metadata: {name: x}, spec: {ports: [{port: 80}]}}"),
			"list them": list(v1beta1.FlinkDeploymentGVR), "list pods": list(children["pods"]),
		},
		"observe": {
			"list them": list(v1beta1.FlinkDeploymentGVR), "list pods": list(children["pods"]),
			"write samples": create(children["configmaps"], "{apiVersion: v1, kind: ConfigMap, "+
				"metadata: {name: autoscaler-demo, labels: {component: autoscaler}}}"),
		},
		"flink-source": {"list them": list(v1beta1.FlinkDeploymentGVR)},
	}
	right, wrong := 0, 0
	for system := range spaces {
		for account, requests := range asked {
			config, err := plane.ServiceAccountConfig(t.Context(), system, account)
			if err != nil {
				t.Fatal(err)
			}
			who := dynamic.NewForConfigOrDie(config)
			for home, ns := range spaces {
				for what, request := range requests {
					err := request(t.Context(), who, ns)
					switch row := fmt.Sprintf("%s of %s, to %s of %s", account, system, what, home); {
					case home == system && err != nil:
						t.Errorf("%s: %v", row, err)
					case home == system:
						right++
					case err == nil:
						wrong++
						t.Errorf("%s: nothing refuses it", row)
					}
				}
			}
		}
	}
	t.Logf("requests of the right one that were answered: %d; of the wrong one: %d", right, wrong)
}

// claimedByBoth gives both installations the same namespace, by a mistake in the policy of the second: each refuses the
// status of the other, by its name.
func claimedByBoth(t *testing.T, spaces map[string]string) {
	t.Helper()
	kubectl(t, "", "patch", "validatingadmissionpolicybinding/kn-flink-status-"+second, "--type=json",
		"-p", `[{"op": "replace", "path": "/spec/matchResources/namespaceSelector", "value": {}}]`)
	ns := spaces["flink-system"]
	store := func(system string) func(ctx context.Context) error {
		who := as("system:serviceaccount:"+system+":reconcile", "system:masters")
		return func(ctx context.Context) error {
			u, err := who.Resource(v1beta1.FlinkDeploymentGVR).Namespace(ns).Get(ctx, "demo", metav1.GetOptions{})
			if err == nil {
				u.Object["status"] = map[string]any{"situation": "Steady"}
				options := metav1.UpdateOptions{DryRun: dryRun}
				_, err = who.Resource(v1beta1.FlinkDeploymentGVR).Namespace(ns).UpdateStatus(ctx, u, options)
			}
			return err
		}
	}
	inForce(t, "kn-flink-status-"+second, store("flink-system"))
	for system, by := range map[string]string{"flink-system": "kn-flink-status-" + second, second: "kn-flink-status"} {
		judged(t, "the status by "+system, by, store(system)(t.Context()), "by the operator alone")
	}
}
