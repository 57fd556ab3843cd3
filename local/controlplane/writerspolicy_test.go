package controlplane

import (
	"context"
	"encoding/json"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

const jobManager = `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: demo
  labels: {type: flink-native-kubernetes}
  annotations: {flinkdeployment.flink.apache.org/operation: abc}
spec:
  replicas: 0
  selector: {matchLabels: {app: demo}}
  template:
    metadata: {labels: {app: demo}}
    spec: {serviceAccountName: flink, containers: [{name: a, image: b}]}
`

var children = map[string]schema.GroupVersionResource{
	"deployments": {
		Group: "apps", Version: "v1", Resource: "deployments",
	}, "configmaps": {Version: "v1", Resource: "configmaps"},
	"services": {Version: "v1", Resource: "services"}, "pods": {Version: "v1", Resource: "pods"},
	"ingresses":   {Group: "networking.k8s.io", Version: "v1", Resource: "ingresses"},
	"replicasets": {Group: "apps", Version: "v1", Resource: "replicasets"},
}

// edited is an object that somebody changed.
func edited(t *testing.T, text string, change func(u *unstructured.Unstructured)) *unstructured.Unstructured {
	t.Helper()
	u := object(t, text)
	change(u)
	return u
}

// reconcile writes Deployments of Flink clusters alone, in the namespaces of tenants alone.
func TestReconcileWritesWhatIsOfFlinkClustersAlone(t *testing.T) {
	t.Parallel()
	ns, system := namespace(t), namespace(t)
	installPolicies(t, "097-writers-policies.yaml", system, ns, system, "kube-system")
	const policy = "kn-flink-children"
	operator, admin := as("system:serviceaccount:"+system+":reconcile", "system:masters"), as("admin", "system:masters")
	create := func(ctx context.Context, in, resource string, u *unstructured.Unstructured) error {
		_, err := operator.Resource(children[resource]).Namespace(in).Create(ctx, u, metav1.CreateOptions{DryRun: dryRun})
		return err
	}
	inForce(t, policy, func(ctx context.Context) error {
		return create(ctx, "kube-system", "deployments", object(t, jobManager))
	})
	owner := metav1.OwnerReference{APIVersion: "flink.apache.org/v1beta1", Kind: "FlinkDeployment", Name: "demo", UID: "u"}
	foreign := func(u *unstructured.Unstructured) { u.SetAnnotations(nil); u.SetLabels(nil) }
	configMap := "{apiVersion: v1, kind: ConfigMap, metadata: {name: flink-config-demo}}"
	service := "{apiVersion: v1, kind: Service, metadata: {name: demo-rest}, spec: {ports: [{port: 80}]}}"
	for name, row := range map[string]struct {
		in, resource string
		object       *unstructured.Unstructured
		says         string
	}{
		"a JobManager": {ns, "deployments", object(t, jobManager), ""},
		"one with an owner": {ns, "deployments", edited(t, jobManager, func(u *unstructured.Unstructured) {
			u.SetAnnotations(nil)
			u.SetOwnerReferences([]metav1.OwnerReference{owner})
		}), ""},
		"one with a label alone": {
			ns, "deployments", edited(t, jobManager, func(u *unstructured.Unstructured) { u.SetAnnotations(nil) }),
			"of Flink clusters alone",
		},
		"one of another owner": {ns, "deployments", edited(t, jobManager, func(u *unstructured.Unstructured) {
			u.SetAnnotations(nil)
			u.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "A", Name: "b", UID: "c"}})
		}), "of Flink clusters alone"},
		"any other Deployment": {ns, "deployments", edited(t, jobManager, foreign), "of Flink clusters alone"},
		"a ConfigMap":          {ns, "configmaps", object(t, configMap), ""},
		"a Service":            {ns, "services", object(t, service), ""},
		"a JobManager in kube-system": {
			"kube-system", "deployments", object(t, jobManager), "in the namespaces of Kubernetes",
		},
		"a ConfigMap in kube-system": {
			"kube-system", "configmaps", object(t, configMap), "in the namespaces of Kubernetes",
		},
		"a Service of the operator":    {system, "services", object(t, service), "in the namespaces of Kubernetes"},
		"a JobManager by the operator": {system, "deployments", object(t, jobManager), "in the namespaces of Kubernetes"},
		"the settings": {
			system, "configmaps", edited(t, configMap, named("flink-operator-config")), "in the namespaces of Kubernetes",
		},
		"the settings it accepted last": {
			system, "configmaps", edited(t, configMap, named("flink-operator-config-accepted")), "",
		},
	} {
		judged(t, name, policy, create(t.Context(), row.in, row.resource, row.object), row.says)
	}
	other := edited(t, jobManager, func(u *unstructured.Unstructured) { foreign(u); u.SetName("other") })
	for _, u := range []*unstructured.Unstructured{object(t, jobManager), other} {
		if _, err := admin.Resource(children["deployments"]).Namespace(ns).Create(
			t.Context(), u, metav1.CreateOptions{},
		); err != nil {
			t.Fatal(err)
		}
	}
	deployments := operator.Resource(children["deployments"]).Namespace(ns)
	for name, row := range map[string]struct{ deployment, patch, says string }{
		"a release": {"demo", `{"spec":{"replicas":1}}`, ""},
		"another service account": {
			"demo", `{"spec":{"template":{"spec":{"serviceAccountName":"admin"}}}}`, "service account",
		},
		"no service account": {
			"demo", `{"spec":{"template":{"spec":{"serviceAccountName":null,"serviceAccount":null}}}}`, "service account",
		},
		"another's Deployment": {"other", `{"spec":{"replicas":1}}`, "of Flink clusters alone"},
		"another's, made to ours": {
			"other", `{"metadata":{"annotations":{"flinkdeployment.flink.apache.org/operation":"a"}}}`,
			"of Flink clusters alone",
		},
		"a mark is taken off ours": {"demo", `{"metadata":{"annotations":null,"labels":null}}`, "of Flink clusters alone"},
	} {
		_, err := deployments.Patch(
			t.Context(), row.deployment, types.StrategicMergePatchType, []byte(row.patch), metav1.PatchOptions{DryRun: dryRun},
		)
		judged(t, name, policy, err, row.says)
	}
	remove := func(resource, name string) error {
		return operator.Resource(children[resource]).Namespace(ns).Delete(
			t.Context(), name, metav1.DeleteOptions{DryRun: dryRun},
		)
	}
	judged(t, "delete another's Deployment", policy, remove("deployments", "other"), "of Flink clusters alone")
	judged(t, "delete ours", policy, remove("deployments", "demo"), "")
	for name, labels := range map[string]map[string]string{"tm": {"type": "flink-native-kubernetes"}, "pod": nil} {
		pod := object(t, "{apiVersion: v1, kind: Pod, spec: {containers: [{name: a, image: b}]}}")
		pod.SetName(name)
		pod.SetLabels(labels)
		if _, err := admin.Resource(children["pods"]).Namespace(ns).Create(
			t.Context(), pod, metav1.CreateOptions{},
		); err != nil {
			t.Fatal(err)
		}
	}
	judged(t, "delete a TaskManager", policy, remove("pods", "tm"), "")
	judged(t, "delete another's pod", policy, remove("pods", "pod"), "pods and ReplicaSets of Flink clusters")
	_, err := admin.Resource(children["deployments"]).Namespace(ns).Patch(
		t.Context(), "other", types.MergePatchType, []byte(`{"spec":{"replicas":0}}`), metav1.PatchOptions{},
	)
	judged(t, "others are not held to it", policy, err, "")
}

func named(name string) func(u *unstructured.Unstructured) {
	return func(u *unstructured.Unstructured) { u.SetName(name) }
}

// admit may change the caBundle and the path of its webhooks, and nothing else of them.
func TestAdmitChangesTheBundleAndThePathOfItsWebhooksAlone(t *testing.T) {
	t.Parallel()
	system := namespace(t)
	installPolicies(t, "097-writers-policies.yaml", system)
	const policy = "kn-flink-webhooks"
	name := "admit-" + system
	validating := admission("validatingwebhookconfigurations")
	webhook := `{"name":"a.flink.apache.org","clientConfig":{"service":{"namespace":"kourier-system",` +
		`"name":"flink-admit","port":443,` +
		`"path":"/validate"}},"rules":[{"apiGroups":["flink.apache.org"],"apiVersions":["v1beta1"],"operations":["CREATE"],` +
		`"resources":["flinkstatesnapshots"],"scope":"Namespaced"}],"failurePolicy":"Ignore","sideEffects":"None",` +
		`"admissionReviewVersions":["v1"],"matchConditions":[{"name":"never","expression":"false"}]}`
	admin := as("admin", "system:masters")
	made := object(t, `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration",`+
		`"metadata":{"name":"`+
		name+`"},"webhooks":[`+webhook+`]}`)
	if _, err := admin.Resource(validating).Create(t.Context(), made, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = admin.Resource(validating).Delete(context.Background(), name, metav1.DeleteOptions{}) })
	patch := func(ctx context.Context, who string, patch map[string]any) error {
		body, err := json.Marshal(patch)
		if err != nil {
			return err
		}
		_, err = as("system:serviceaccount:"+system+":"+who, "system:masters").Resource(validating).Patch(
			ctx, name, types.MergePatchType, body, metav1.PatchOptions{DryRun: dryRun},
		)
		return err
	}
	with := func(change func(webhook map[string]any)) map[string]any {
		u := object(t, webhook).Object
		change(u)
		return map[string]any{"webhooks": []any{u}}
	}
	set := func(value any, path ...string) map[string]any {
		return with(func(w map[string]any) {
			if err := unstructured.SetNestedField(w, value, path...); err != nil {
				t.Fatal(err)
			}
		})
	}
	everything := []any{map[string]any{
		"apiGroups": []any{"*"}, "apiVersions": []any{"*"}, "operations": []any{"*"}, "resources": []any{"*"},
	}}
	inForce(t, policy, func(ctx context.Context) error { return patch(ctx, "admit", set(everything, "rules")) })
	for row, c := range map[string]struct {
		who   string
		patch map[string]any
		says  string
	}{
		"the bundle":        {"admit", set("QQ==", "clientConfig", "caBundle"), ""},
		"the path":          {"admit", set("/validate/secret", "clientConfig", "service", "path"), ""},
		"the rules":         {"admit", set(everything, "rules"), "alone"},
		"the policy":        {"admit", set("Fail", "failurePolicy"), "alone"},
		"another Service":   {"admit", set("mine", "clientConfig", "service", "name"), "alone"},
		"another namespace": {"admit", set("mine", "clientConfig", "service", "namespace"), "alone"},
		"an address": {
			"admit", with(func(w map[string]any) { w["clientConfig"] = map[string]any{"url": "https://a.example.com"} }),
			"alone",
		},
		"the conditions": {"admit", with(func(w map[string]any) { delete(w, "matchConditions") }), "alone"},
		"a selector": {
			"admit", set(map[string]any{"matchLabels": map[string]any{"a": "b"}}, "objectSelector"), "alone",
		},
		"the timeout": {"admit", set(int64(1), "timeoutSeconds"), "alone"},
		"none":        {"admit", map[string]any{"webhooks": []any{}}, "alone"},
		"its labels": {
			"admit", map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": "b"}}}, "whose",
		},
		"its owner": {
			"admit",
			map[string]any{
				"metadata": map[string]any{
					"ownerReferences": []any{map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "b"}},
				},
			},
			"whose",
		},
		"ours, by reconcile": {"reconcile", set("Fail", "failurePolicy"), ""},
		"all, by reconcile":  {"reconcile", set(everything, "rules"), "flink.apache.org alone"},
		"address, by reconcile": {
			"reconcile", with(func(w map[string]any) { w["clientConfig"] = map[string]any{"url": "https://a.example.com"} }),
			"flink.apache.org alone",
		},
		"none, by reconcile": {"reconcile", map[string]any{"webhooks": []any{}}, ""},
		"by observe":         {"observe", set(int64(1), "timeoutSeconds"), ""}, // RBAC keeps it from that
	} {
		judged(t, row, policy, patch(t.Context(), c.who, c.patch), c.says)
	}
	judged(t, "deleted", policy, as(
		"system:serviceaccount:"+system+":admit", "system:masters",
	).Resource(validating).Delete(
		t.Context(), name, metav1.DeleteOptions{DryRun: dryRun},
	), "neither make nor delete")
}
