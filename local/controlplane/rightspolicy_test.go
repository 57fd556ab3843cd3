package controlplane

import (
	"context"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// asking is a spec that asks for something that a user needs a right for.
type asking struct {
	// spec is YAML that is added to a plain spec.
	spec string
	// needs is what the refusal says; empty: every user may.
	needs string
	// may are the users who may have it, beside the administrator.
	may []string
}

const (
	needsIngress  = "spec.ingress needs the right to create ingresses"
	needsServices = "needs the right to create services"
	needsPods     = "need the right to create pods"
	needsAccount  = "need the right to create pods, or to use that service account"
	needsSecret   = "need the right to create pods, or to get those Secrets"
)

var askings = map[string]asking{
	"nothing":    {"{}", "", nil},
	"an Ingress": {"ingress: {template: 'a.example.com'}", needsIngress, []string{"ingresses"}},
	"ClusterIP":  {"flinkConfiguration: {kubernetes.rest-service.exposed.type: ClusterIP}", "", nil},
	"headless, nested": {
		"flinkConfiguration: {kubernetes: {rest-service: {exposed: {type: Headless_ClusterIP}}}}", "", nil,
	},
	"LoadBalancer, flat": {
		"flinkConfiguration: {kubernetes.rest-service.exposed.type: LoadBalancer}", needsServices, []string{"services"},
	},
	"NodePort, nested": {
		"flinkConfiguration: {kubernetes: {rest-service: {exposed: {type: NodePort}}}}", needsServices, []string{"services"},
	},
	"LoadBalancer, mixed": {
		"flinkConfiguration: {kubernetes.rest-service: {exposed.type: loadbalancer}}", needsServices, []string{"services"},
	},
	"LoadBalancer, mixed otherwise": {
		"flinkConfiguration: {kubernetes: {rest-service.exposed: {type: ' LoadBalancer '}}}",
		needsServices, []string{"services"},
	},
	"annotations of a ClusterIP": {"flinkConfiguration: {kubernetes.rest-service.annotations: 'a:b'}", "", nil},
	"the network of the host": {
		"podTemplate: {spec: {hostNetwork: true}}", "pods with hostNetwork " + needsPods, []string{"pods"},
	},
	"no network of the host": {"podTemplate: {spec: {hostNetwork: false}}", "", nil},
	"PIDs of the host": {
		"jobManager: {podTemplate: {spec: {hostPID: true}}}", "pods with hostPID " + needsPods, []string{"pods"},
	},
	"IPC of the host": {
		"taskManager: {podTemplate: {spec: {hostIPC: true}}}", "pods with hostIPC " + needsPods, []string{"pods"},
	},
	"a path of the host": {
		"podTemplate: {spec: {volumes: [{name: v, hostPath: {path: /var/run}}]}}", "hostPath /var/run", []string{"pods"},
	},
	"a volume of NFS": {
		"podTemplate: {spec: {volumes: [{name: v, nfs: {server: a, path: /b}}]}}", "volume v", []string{"pods"},
	},
	"an emptyDir": {
		"podTemplate: {spec: {volumes: [{name: v, emptyDir: {}}, {name: w, configMap: {name: c}}]}}", "", nil,
	},
	"privileged": {
		container("securityContext: {privileged: true}"), "privileged of container a", []string{"pods"},
	},
	"a capability": {
		container("securityContext: {capabilities: {add: [SYS_ADMIN]}}"), "capability SYS_ADMIN", []string{"pods"},
	},
	"a capability less":  {container("securityContext: {capabilities: {drop: [ALL]}}"), "", nil},
	"procMount":          {container("securityContext: {procMount: Unmasked}"), "procMount", []string{"pods"}},
	"a port of the host": {container("ports: [{containerPort: 80, hostPort: 80}]"), "hostPort 80", []string{"pods"}},
	"a port":             {container("ports: [{containerPort: 80}]"), "", nil},
	"no seccomp": {
		container("securityContext: {seccompProfile: {type: Unconfined}}"), "no seccomp", []string{"pods"},
	},
	"a sysctl": {
		"podTemplate: {spec: {securityContext: {sysctls: [{name: a.b, value: '1'}]}}}", "sysctl a.b", []string{"pods"},
	},
	"a privileged init": {
		"podTemplate: {spec: {initContainers: [{name: i, securityContext: {privileged: true}}]}}",
		"privileged of container i", []string{"pods"},
	},
	"the host network, key": {
		"flinkConfiguration: {kubernetes.hostnetwork.enabled: 'true'}", "kubernetes.hostnetwork.enabled=true",
		[]string{"pods"},
	},
	"the host network, bool": {
		"flinkConfiguration: {kubernetes: {hostnetwork: {enabled: true}}}", "kubernetes.hostnetwork.enabled=true",
		[]string{"pods"},
	},
	"no host network, key": {"flinkConfiguration: {kubernetes.hostnetwork.enabled: false}", "", nil},
	"another account": {
		"serviceAccount: other", "service account other " + needsAccount, []string{"pods", "accounts"},
	},
	"the account flink": {"serviceAccount: flink", "", nil},
	"no account":        {"serviceAccount: ''", "service account default", []string{"pods"}},
	"another account, template": {
		"podTemplate: {spec: {serviceAccountName: other}}", needsAccount, []string{"pods", "accounts"},
	},
	"another account, old name": {
		"taskManager: {podTemplate: {spec: {serviceAccount: other}}}", needsAccount, []string{"pods", "accounts"},
	},
	"another account, key": {
		"flinkConfiguration: {kubernetes.service-account: other}", needsAccount, []string{"pods", "accounts"},
	},
	"another account, JobManager": {
		"flinkConfiguration: {kubernetes.jobmanager.service-account: other}", needsAccount, []string{"pods", "accounts"},
	},
	"another account, TaskManagers": {
		"flinkConfiguration: {kubernetes: {taskmanager.service-account: other}}", needsAccount, []string{"pods", "accounts"},
	},
	"a third account": {"serviceAccount: third", needsAccount, []string{"pods"}},
	"a Secret, volume": {
		"podTemplate: {spec: {volumes: [{name: v, secret: {secretName: known}}]}}", "Secrets known " + needsSecret,
		[]string{"pods", "secrets"},
	},
	"a Secret, projected": {
		"podTemplate: {spec: {volumes: [{name: v, projected: {sources: [{secret: {name: known}}]}}]}}", needsSecret,
		[]string{"pods", "secrets"},
	},
	"a Secret, env": {
		container(
			"env: [{name: E, valueFrom: {secretKeyRef: {name: known, key: k}}}]",
		), needsSecret, []string{"pods", "secrets"},
	},
	"a Secret, envFrom": {container("envFrom: [{secretRef: {name: known}}]"), needsSecret, []string{"pods", "secrets"}},
	"another Secret":    {container("envFrom: [{secretRef: {name: unknown}}]"), needsSecret, []string{"pods"}},
	"a Secret, key":     {"flinkConfiguration: {kubernetes.secrets: 'known:/path'}", needsSecret, []string{"pods"}},
	"a Secret, map":     {"flinkConfiguration: {kubernetes: {secrets: {known: /path}}}", needsSecret, []string{"pods"}},
	"a Secret, env key": {
		"flinkConfiguration: {kubernetes.env.secretKeyRef: [{env: A, secret: known, key: k}]}", needsSecret, []string{"pods"},
	},
	"another key": {"flinkConfiguration: {taskmanager.numberOfTaskSlots: 2, kubernetes.jobmanager.cpu: [1]}", "", nil},
}

func container(more string) string {
	return "podTemplate: {spec: {containers: [{name: a, " + more + "}]}}"
}

// asked is a resource of a kind with a spec.
func asked(t *testing.T, kind, more string) *unstructured.Unstructured {
	t.Helper()
	spec := map[string]any{}
	for _, text := range []string{
		"{image: 'flink:1.20', flinkVersion: v1_20, serviceAccount: flink, jobManager: {resource: {memory: 1g}}, " +
			"taskManager: {resource: {memory: 1g}}}", more,
	} {
		if err := yaml.Unmarshal([]byte(text), &spec); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	if kind == v1beta1.KindFlinkBlueGreenDeployment {
		spec = map[string]any{"template": map[string]any{"spec": spec}}
	}
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1beta1.APIVersion, "kind": kind, "metadata": map[string]any{"name": "demo"}, "spec": spec,
	}}
	return u
}

// users may write Flink resources, and one thing more.
var users = map[string][]rbacv1.PolicyRule{
	"nothing":   nil,
	"ingresses": {{APIGroups: []string{"networking.k8s.io"}, Resources: []string{"ingresses"}, Verbs: []string{"create"}}},
	"services":  {{APIGroups: []string{""}, Resources: []string{"services"}, Verbs: []string{"create"}}},
	"pods":      {{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"create"}}},
	"accounts": {{
		APIGroups: []string{""}, Resources: []string{"serviceaccounts"}, Verbs: []string{"use"},
		ResourceNames: []string{"other"},
	}},
	"secrets": {
		{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get"}, ResourceNames: []string{"known"}},
	},
}

// Who writes a spec needs the right to what the operator makes of it: on create, on update, by server-side apply, in
// the
// template of both colours. What is stored stays editable.
func TestASpecNeedsTheRightsToWhatIsMadeOfIt(t *testing.T) {
	installKinds(t)
	t.Parallel()
	ns, other := namespace(t), namespace(t)
	installPolicies(t, "092-rights-policy.yaml", ns, ns)
	clients := map[string]dynamic.Interface{}
	for name, rules := range users {
		allowUser(t, ns, name, rules...)
		allowUser(t, other, name+"-there", rules...)
		clients[name] = as(name)
	}
	allowUser(t, other, "nothing", users["pods"]...) // rights elsewhere are none here
	const policy, kind = "kn-flink-rights", v1beta1.KindFlinkDeployment
	at := func(who dynamic.Interface) dynamic.ResourceInterface {
		return who.Resource(v1beta1.FlinkDeploymentGVR).Namespace(ns)
	}
	admin := as("admin", "system:masters")
	inForce(t, policy, func(ctx context.Context) error {
		_, err := at(clients["nothing"]).Create(
			ctx, asked(t, kind, askings["an Ingress"].spec), metav1.CreateOptions{DryRun: dryRun},
		)
		return err
	})
	says := func(a asking, user string) string {
		for _, may := range a.may {
			if may == user {
				return ""
			}
		}
		return a.needs
	}
	if _, err := at(admin).Create(t.Context(), asked(t, kind, "{}"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for name, a := range askings {
		for user, who := range clients {
			u := asked(t, kind, a.spec)
			u.SetName("new")
			_, err := at(who).Create(t.Context(), u, metav1.CreateOptions{DryRun: dryRun})
			judged(t, name+", created by "+user, policy, err, says(a, user))
			u.SetName("demo")
			_, err = at(who).Apply(t.Context(), "demo", u, metav1.ApplyOptions{FieldManager: "t", Force: true, DryRun: dryRun})
			judged(t, name+", applied by "+user, policy, err, says(a, user))
		}
		u := asked(t, v1beta1.KindFlinkBlueGreenDeployment, a.spec)
		_, err := clients["nothing"].Resource(v1beta1.FlinkBlueGreenDeploymentGVR).Namespace(ns).Create(
			t.Context(), u, metav1.CreateOptions{DryRun: dryRun},
		)
		judged(t, name+", of both colours", policy, err, a.needs)
		for who, client := range map[string]dynamic.Interface{
			"the administrator": admin, "the operator": as("system:serviceaccount:"+ns+":reconcile", "system:masters"),
		} {
			u := asked(t, kind, a.spec)
			u.SetName("new")
			_, err := at(client).Create(t.Context(), u, metav1.CreateOptions{DryRun: dryRun})
			judged(t, name+", created by "+who, policy, err, "")
		}
	}
	for name, a := range askings {
		if a.needs != "" {
			t.Run("stored with "+name, func(t *testing.T) { staysEditable(t, at(admin), at(clients["nothing"]), a) })
		}
	}
}

// staysEditable holds that somebody without rights may edit what is stored, but not add to it.
func staysEditable(t *testing.T, admin, user dynamic.ResourceInterface, a asking) {
	t.Helper()
	stored, err := admin.Get(t.Context(), "demo", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	stored.Object["spec"] = asked(t, v1beta1.KindFlinkDeployment, a.spec).Object["spec"]
	if stored, err = admin.Update(t.Context(), stored, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	update := func(change func(spec map[string]any)) error {
		u := stored.DeepCopy()
		change(u.Object["spec"].(map[string]any))
		_, err := user.Update(t.Context(), u, metav1.UpdateOptions{DryRun: dryRun})
		return err
	}
	judged(t, "another image", "", update(func(spec map[string]any) { spec["image"] = "flink:1.20.5" }), "")
	judged(t, "without it", "", update(func(spec map[string]any) {
		for _, field := range []string{"ingress", "podTemplate", "flinkConfiguration"} {
			delete(spec, field)
		}
		spec["jobManager"], spec["taskManager"] = map[string]any{"resource": map[string]any{"memory": "1g"}},
			map[string]any{"resource": map[string]any{"memory": "1g"}}
	}), "")
	judged(t, "one power more", "kn-flink-rights", update(func(spec map[string]any) {
		spec["podTemplate"] = map[string]any{"spec": map[string]any{"hostPID": true}}
	}), either(strings.Contains(a.spec, "hostPID"), "", needsPods))
}

func either(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}
