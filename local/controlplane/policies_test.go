package controlplane

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/local/testsuite"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// installPolicies installs the policies of a file under names of their own, for some namespaces alone, with the test's
// namespace
// in the place of flink-system: other tests share the control plane.
func installPolicies(t *testing.T, file, system string, namespaces ...string) {
	t.Helper()
	text, err := os.ReadFile("../../config/knative/" + file)
	if err != nil {
		t.Fatal(err)
	}
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(strings.ReplaceAll(document, "flink-system", system)), &object.Object); err != nil {
			t.Fatal(err)
		}
		object.SetName(object.GetName() + "-" + system)
		if object.GetKind() == "ValidatingAdmissionPolicyBinding" {
			name, _, _ := unstructured.NestedString(object.Object, "spec", "policyName")
			of := map[string]any{"policyName": name + "-" + system, "validationActions": []any{"Deny"}}
			if len(namespaces) > 0 {
				of["matchResources"] = map[string]any{"namespaceSelector": map[string]any{"matchExpressions": []any{
					map[string]any{"key": "kubernetes.io/metadata.name", "operator": "In", "values": anys(namespaces)},
				}}}
			}
			object.Object["spec"] = of
		}
		out, err := yaml.Marshal(object.Object)
		if err != nil {
			t.Fatal(err)
		}
		kubectl(t, string(out), "apply", "--server-side", "-f", "-")
		t.Cleanup(func() { // of the cluster, so it would outlive the test
			gvr := admission("validatingadmissionpolicies")
			if object.GetKind() == "ValidatingAdmissionPolicyBinding" {
				gvr = admission("validatingadmissionpolicybindings")
			}
			_ = dynamic.NewForConfigOrDie(plane.Config()).Resource(gvr).Delete(
				context.Background(), object.GetName(), metav1.DeleteOptions{},
			)
		})
	}
}

func admission(resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: resource}
}

func anys(texts []string) (out []any) {
	for _, text := range texts {
		out = append(out, text)
	}
	return out
}

// as is a client of somebody.
func as(user string, groups ...string) dynamic.Interface {
	config := rest.CopyConfig(plane.Config())
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: groups}
	return dynamic.NewForConfigOrDie(config)
}

// object reads YAML.
func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return u
}

// inForce waits until something is refused by the policy.
func inForce(t *testing.T, policy string, try func(ctx context.Context) error) {
	t.Helper()
	testsuite.Eventually(t, time.Minute, policy+" is in force", func(ctx context.Context) (bool, error) {
		return refusedBy(try(ctx), policy), nil
	})
}

func refusedBy(err error, policy string) bool {
	return err != nil && strings.Contains(err.Error(), "ValidatingAdmissionPolicy '"+policy)
}

// judged says whether an answer is what it should be: no error, or a refusal by the policy that says a text.
func judged(t *testing.T, row, policy string, err error, says string) {
	t.Helper()
	switch {
	case says == "" && err != nil:
		t.Errorf("%s: %v", row, err)
	case says != "" && (!refusedBy(err, policy) || !strings.Contains(err.Error(), says)):
		t.Errorf("%s: %v, want a refusal with %q", row, err, says)
	}
}

var dryRun = []string{metav1.DryRunAll}

// The status of a resource is written by reconcile, and by who breaks the glass.
func TestTheStatusIsWrittenByReconcileAlone(t *testing.T) {
	installKinds(t)
	t.Parallel()
	ns := namespace(t)
	installPolicies(t, "096-status-policy.yaml", ns, ns)
	const masters = "system:masters"
	admin := as("admin", masters)
	rows := map[string]struct {
		who  dynamic.Interface
		says string
	}{
		"reconcile":                    {as("system:serviceaccount:"+ns+":reconcile", masters), ""},
		"reconcile of another place":   {as("system:serviceaccount:other:reconcile", masters), "by the operator alone"},
		"observe":                      {as("system:serviceaccount:"+ns+":observe", masters), "by the operator alone"},
		"an administrator":             {admin, "by the operator alone"},
		"one who breaks the glass":     {as("admin", masters, "kn-flink:break-glass"), ""},
		"one whose name is that group": {as("kn-flink:break-glass", masters), "by the operator alone"},
	}
	kinds := map[schema.GroupVersionResource]string{
		v1beta1.FlinkDeploymentGVR: cluster("demo", ""),
		v1beta1.FlinkSessionJobGVR: "{apiVersion: flink.apache.org/v1beta1, kind: FlinkSessionJob, metadata: {name: demo}, " +
			"spec: {deploymentName: a, job: {jarURI: 'https://a/b.jar', parallelism: 1}}}",
		v1beta1.FlinkStateSnapshotGVR: "{apiVersion: flink.apache.org/v1beta1, kind: FlinkStateSnapshot, " +
			"metadata: {name: demo}, " +
			"spec: {jobReference: {kind: FlinkDeployment, name: a}, savepoint: {}}}",
	}
	for gvr, text := range kinds {
		if _, err := admin.Resource(gvr).Namespace(ns).Create(
			t.Context(), object(t, text), metav1.CreateOptions{},
		); err != nil {
			t.Fatal(err)
		}
		patch := func(ctx context.Context, who dynamic.Interface, kind types.PatchType, body string, sub ...string) error {
			_, err := who.Resource(gvr).Namespace(ns).Patch(ctx, "demo", kind, []byte(body), metav1.PatchOptions{
				FieldManager: "test",
			}, sub...)
			return err
		}
		inForce(t, "kn-flink-status", func(ctx context.Context) error {
			return patch(ctx, admin, types.MergePatchType, `{"status":{"situation":"Steady"}}`, "status")
		})
		for name, row := range rows {
			judged(t, gvr.Resource+": merge patch by "+name, "kn-flink-status",
				patch(t.Context(), row.who, types.MergePatchType, `{"status":{"situation":"`+name+`"}}`, "status"), row.says)
			judged(t, gvr.Resource+": JSON patch by "+name, "kn-flink-status", patch(t.Context(), row.who, types.JSONPatchType,
				`[{"op":"add","path":"/status","value":{"situation":"j"}}]`, "status"), row.says)
			judged(t, gvr.Resource+": update by "+name, "kn-flink-status", func() error {
				u, err := row.who.Resource(gvr).Namespace(ns).Get(t.Context(), "demo", metav1.GetOptions{})
				if err == nil {
					u.Object["status"] = map[string]any{"situation": "u"}
					_, err = row.who.Resource(gvr).Namespace(ns).UpdateStatus(t.Context(), u, metav1.UpdateOptions{})
				}
				return err
			}(), row.says)
			applied := object(t, text)
			applied.Object["status"] = map[string]any{"situation": "a"}
			delete(applied.Object, "spec")
			_, err := row.who.Resource(gvr).Namespace(ns).ApplyStatus(
				t.Context(), "demo", applied, metav1.ApplyOptions{FieldManager: "test", Force: true},
			)
			judged(t, gvr.Resource+": server-side apply by "+name, "kn-flink-status", err, row.says)
		}
		judged(t, gvr.Resource+": a label", "kn-flink-status",
			patch(t.Context(), admin, types.MergePatchType, `{"metadata":{"labels":{"a":"b"}},"status":{"situation":"no"}}`), "")
		u, err := admin.Resource(gvr).Namespace(ns).Get(t.Context(), "demo", metav1.GetOptions{})
		if said, _, _ := unstructured.NestedString(u.Object, "status", "situation"); err != nil || said == "no" {
			t.Errorf("%s: a write of the resource wrote its status: %q, %v", gvr.Resource, said, err)
		}
	}
}

// allowUser gives rights in a namespace.
func allowUser(t *testing.T, ns, user string, rules ...rbacv1.PolicyRule) {
	t.Helper()
	name := strings.ToLower(strings.ReplaceAll(user, " ", "-"))
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: append(rules, rbacv1.PolicyRule{
		APIGroups: []string{v1beta1.Group}, Resources: []string{"*"}, Verbs: []string{"*"},
	})}
	if _, err := client.RbacV1().Roles(ns).Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.RbacV1().RoleBindings(ns).Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: user}},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}
