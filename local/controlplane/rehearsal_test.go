package controlplane

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/kn-flink/kn-flink/local/testsuite"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/apply"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/rehearsal"
	"github.com/kn-flink/kn-flink/pkg/render"
)

// refusal is one kind of change that a real API server refuses.
type kubernetesRefusal struct {
	// before makes the namespace as it has to be, by kubectl; NAMESPACE stands for its name.
	before string
	// spec is merged over the spec that is taken.
	spec string
	// says is a part of the API server's text.
	says string
}

// main is a pod template of both components with these fields of the main container.
func inMain(fields string) string {
	return `{"podTemplate":{"spec":{"containers":[{"name":"flink-main-container",` + fields + `}]}}}`
}

// inPod is one with these fields of the pod.
func inPod(fields string) string { return `{"podTemplate":{"spec":{` + fields + `}}}` }

// sidecar is one with another container.
func sidecar(fields string) string {
	return inPod(`"containers":[{"name":"flink-main-container"},{"name":"side","image":"busybox",` + fields + `}]`)
}

// quotaOf is a quota of one thing, of which nothing is used yet.
func quotaOf(hard string) string {
	what, _, _ := strings.Cut(hard, ":")
	return "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: team, namespace: NAMESPACE}\nspec: {hard: {" + hard + "}}\n" +
		"status: {hard: {" + hard + "}, used: {" + what + ": '0'}}"
}

func limits(fields string) string {
	return "apiVersion: v1\nkind: LimitRange\nmetadata: {name: team, namespace: NAMESPACE}\nspec: {limits: [{type: Container, " +
		fields + "}]}"
}

func podSecurity(level string) string {
	return "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: NAMESPACE\n  labels: {pod-security.kubernetes.io/enforce: " +
		level + "}"
}

// kubernetesRefusals are changes that validate here.
var kubernetesRefusals = map[string]kubernetesRefusal{
	"a mount without volume":              {"", inMain(`"volumeMounts":[{"name":"nope","mountPath":"/x"}]`), "Not found"},
	"a mount of the TaskManagers alone":   {"", `{"taskManager":` + inMain(`"volumeMounts":[{"name":"nope","mountPath":"/x"}]`) + `}`, "Not found"},
	"two mounts of a path":                {"", inPod(`"volumes":[{"name":"a","emptyDir":{}}],"containers":[{"name":"flink-main-container","volumeMounts":[{"name":"a","mountPath":"/x"},{"name":"a","mountPath":"/x"}]}]`), "must be unique"},
	"a volume twice":                      {"", inPod(`"volumes":[{"name":"a","emptyDir":{}},{"name":"a","emptyDir":{}}]`), "Duplicate value"},
	"a volume of two kinds":               {"", inPod(`"volumes":[{"name":"a","emptyDir":{},"hostPath":{"path":"/"}}]`), "may not specify more than 1 volume type"},
	"a volume without a kind":             {"", inPod(`"volumes":[{"name":"a_b","emptyDir":{}}]`), "Invalid value"},
	"an empty directory below zero":       {"", inPod(`"volumes":[{"name":"a","emptyDir":{"sizeLimit":"-1Gi"}}]`), "SizeLimit"},
	"a label value":                       {"", `{"podTemplate":{"metadata":{"labels":{"team":"not a label"}}}}`, "Invalid value"},
	"a label value of the TaskManagers":   {"", `{"taskManager":{"podTemplate":{"metadata":{"labels":{"team":"not a label"}}}}}`, "Invalid value"},
	"a label key":                         {"", `{"podTemplate":{"metadata":{"labels":{"not a key":"x"}}}}`, "Invalid value"},
	"an annotation key":                   {"", `{"podTemplate":{"metadata":{"annotations":{"not a key":"x"}}}}`, "Invalid value"},
	"annotations that are too large":      {"", `{"podTemplate":{"metadata":{"annotations":{"a":"` + strings.Repeat("x", 300<<10) + `"}}}}`, "may not be more than 262144 bytes"},
	"a container name that is too long":   {"", inPod(`"containers":[{"name":"flink-main-container"},{"name":"` + strings.Repeat("n", 64) + `","image":"x"}]`), "must be no more than 63"},
	"a container twice":                   {"", inPod(`"containers":[{"name":"flink-main-container"},{"name":"a","image":"x"},{"name":"a","image":"x"}]`), "Duplicate value"},
	"a container without image":           {"", inPod(`"containers":[{"name":"flink-main-container"},{"name":"a"}]`), "Required value"},
	"a port name twice":                   {"", sidecar(`"ports":[{"name":"p","containerPort":1},{"name":"p","containerPort":2}]`), "Duplicate value"},
	"a port that is none":                 {"", sidecar(`"ports":[{"containerPort":70000}]`), "between 1 and 65535"},
	"a variable without a name":           {"", sidecar(`"env":[{"name":"","value":"x"}]`), "Required value"},
	"a variable of two sources":           {"", sidecar(`"env":[{"name":"A","value":"x","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}]`), "may not be specified when"},
	"resources below zero":                {"", sidecar(`"resources":{"requests":{"cpu":"-1"}}`), "must be greater than or equal to 0"},
	"a request above its limit":           {"", sidecar(`"resources":{"requests":{"cpu":"2"},"limits":{"cpu":"1"}}`), "must be less than or equal to cpu limit"},
	"a resource without a domain":         {"", sidecar(`"resources":{"requests":{"gpu":"1"}}`), "must be a standard resource"},
	"a probe of two kinds":                {"", sidecar(`"livenessProbe":{"tcpSocket":{"port":1},"exec":{"command":["true"]}}`), "may not specify more than 1 handler"},
	"a probe without a kind":              {"", sidecar(`"livenessProbe":{}`), "must specify a handler"},
	"a probe with a period below zero":    {"", sidecar(`"livenessProbe":{"exec":{"command":["true"]},"periodSeconds":-1}`), "must be greater than or equal to 0"},
	"a pull policy that is none":          {"", sidecar(`"imagePullPolicy":"Sometimes"`), "Unsupported value"},
	"a capability of a user below zero":   {"", sidecar(`"securityContext":{"runAsUser":-1}`), "Invalid value"},
	"privileged and no escalation":        {"", sidecar(`"securityContext":{"privileged":true,"allowPrivilegeEscalation":false}`), "cannot set"},
	"a toleration that is none":           {"", inPod(`"tolerations":[{"key":"a","operator":"Sometimes"}]`), "Unsupported value"},
	"a toleration with a value too many":  {"", inPod(`"tolerations":[{"key":"a","operator":"Exists","value":"b"}]`), "value must be empty"},
	"a spread that is none":               {"", inPod(`"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"Maybe"}]`), "Unsupported value"},
	"a spread without skew":               {"", inPod(`"topologySpreadConstraints":[{"maxSkew":0,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule"}]`), "must be greater than zero"},
	"an affinity that is none":            {"", inPod(`"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"Like"}]}]}}}`), "not a valid selector operator"},
	"a node selector":                     {"", inPod(`"nodeSelector":{"a":"not a label"}`), "Invalid value"},
	"a DNS policy without servers":        {"", inPod(`"dnsPolicy":"None"`), "must provide `dnsConfig`"},
	"a restart policy":                    {"", `{"jobManager":` + inPod(`"restartPolicy":"Never"`) + `}`, "Unsupported value"},
	"a host alias":                        {"", inPod(`"hostAliases":[{"ip":"here","hostnames":["a"]}]`), "must be a valid IP address"},
	"an init container":                   {"", inPod(`"initContainers":[{"name":"i","image":"x","volumeMounts":[{"name":"nope","mountPath":"/x"}]}]`), "Not found"},
	"a priority class that is not there":  {"", inPod(`"priorityClassName":"nope"`), "no PriorityClass with name nope"},
	"a runtime class that is not there":   {"", inPod(`"runtimeClassName":"nope"`), "RuntimeClass"},
	"a ServiceAccount that is not there":  {"", `{"serviceAccount":"nope"}`, `serviceaccount "nope" not found`},
	"a label of the Services":             {"", `{"flinkConfiguration":{"kubernetes.rest-service.annotations":"not a key:x"}}`, "Invalid value"},
	"pod security, restricted":            {podSecurity("restricted"), `{}`, "violates PodSecurity"},
	"a host path under pod security":      {podSecurity("baseline"), inPod(`"volumes":[{"name":"a","hostPath":{"path":"/"}}]`), "hostPath volumes"},
	"the host network under pod security": {podSecurity("baseline"), `{"flinkConfiguration":{"kubernetes.hostnetwork.enabled":"true"}}`, "host namespaces"},
	"a limit range, too much memory":      {limits("max: {memory: 1Gi}"), `{}`, "maximum memory usage per Container is 1Gi"},
	"a limit range, too few cores":        {limits("min: {cpu: 3}"), `{}`, "minimum cpu usage per Container is 3"},
	"a quota of pods":                     {quotaOf("pods: '0'"), `{}`, "exceeded quota: team, requested: pods=1"},
	"a quota of cores":                    {quotaOf("requests.cpu: '1'"), `{"jobManager":{"resource":{"cpu":4,"memory":"1Gi"}}}`, "requests.cpu=4"},
	"a quota of memory":                   {quotaOf("requests.memory: 1Gi"), `{}`, "exceeded quota: team, requested: requests.memory"},
	"a quota of ConfigMaps":               {quotaOf("count/configmaps: '0'"), `{}`, "count/configmaps=1"},
	"a quota of Deployments":              {quotaOf("count/deployments.apps: '0'"), `{}`, "count/deployments.apps=1"},
	"a quota of load balancers": {
		quotaOf("services.loadbalancers: '0'"), `{"flinkConfiguration":{"kubernetes.rest-service.exposed.type":"LoadBalancer"}}`,
		"services.loadbalancers=1",
	},
	"somebody else's Service": {
		"apiVersion: v1\nkind: Service\nmetadata: {name: demo-rest, namespace: NAMESPACE}\nspec: {ports: [{port: 80}]}", `{}`,
		"an object of that name is there and is not ours",
	},
	"somebody else's policy": {
		`apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: NAMESPACE}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: NAMESPACE}}
  validations: [{expression: "has(object.metadata.labels) && 'cost-centre' in object.metadata.labels", message: a pod names its cost centre}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: NAMESPACE}
spec: {policyName: NAMESPACE, validationActions: [Deny]}`, `{}`, "a pod names its cost centre",
	},
}

// asReconcile is a client with reconcile's name and rights.
func asReconcile(t *testing.T) *kube.Client {
	t.Helper()
	rights, err := os.ReadFile("../../config/knative/010-rbac-reconcile.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for document := range strings.SplitSeq(string(rights), "\n---\n") {
		if strings.Contains(document, "kind: ClusterRole") { // and its binding: they need no namespace
			kubectl(t, document, "apply", "--server-side", "-f", "-")
		}
	}
	as := rest.CopyConfig(plane.Config())
	as.Impersonate.UserName = "system:serviceaccount:flink-system:reconcile"
	as.QPS = -1
	return kube.New(dynamic.NewForConfigOrDie(as))
}

const takenSpec = `{"image":"flink:1.20","flinkVersion":"v1_20","serviceAccount":"flink","flinkConfiguration":{},
"jobManager":{"resource":{"cpu":1,"memory":"2Gi"}},"taskManager":{"resource":{"cpu":1,"memory":"2Gi"}},
"job":{"jarURI":"local:///opt/flink/a.jar","parallelism":2,"upgradeMode":"stateless"}}`

// rehearse is the question about a spec, as a plan asks it.
func rehearse(t *testing.T, in, over string) plan.Rehearse {
	t.Helper()
	var spec, changed map[string]any
	if err := json.Unmarshal([]byte(takenSpec), &spec); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(over), &changed); err != nil {
		t.Fatal(err)
	}
	for name, value := range changed {
		was, is := spec[name].(map[string]any)
		next, isToo := value.(map[string]any)
		if !is || !isToo {
			spec[name] = value
			continue
		}
		for inner, v := range next {
			was[inner] = v
		}
	}
	d, specErr, err := v1beta1.DecodeDeployment(map[string]any{
		"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkDeployment",
		"metadata": map[string]any{"name": "demo", "namespace": in, "uid": "u"}, "spec": spec,
	})
	if err != nil || specErr != nil {
		t.Fatal(err, specErr)
	}
	composed, err := flinkconf.Deploy(flinkconf.DeployInput{
		Namespace: in, Name: "demo", UID: "u", Generation: 1, Spec: &d.Spec, Start: flinkconf.Start{JobID: "j"},
	})
	if err != nil {
		t.Fatal(err)
	}
	input := render.Input{
		Namespace: in, Name: "demo", UID: "u", Spec: d.Spec, Config: composed,
		Operation: "0123456789abcdef0123456789abcdef",
	}
	made, err := render.MakeCluster(input)
	if err != nil {
		t.Fatal(err)
	}
	tm, err := render.MakeNativeTaskManager(input)
	if err != nil {
		t.Fatal(err)
	}
	return plan.Rehearse{Target: "x", Namespace: in, Name: "demo", Pieces: rehearsal.Pieces(rehearsal.Start{
		Cluster: made, Operation: input.Operation, TaskManager: tm, TaskManagers: 1,
	})}
}

// TestWhatKubernetesRefuses: every kind of refusal that a real API server gives of a start, or of its pods, is an answer
// of the dry run, which is asked before anything is stopped. The spec without the change is taken.
func TestWhatKubernetesRefuses(t *testing.T) {
	t.Parallel()
	if n := len(kubernetesRefusals); n < 30 {
		t.Errorf("%d kinds are too few", n)
	}
	reconcile := &apply.Executor{Kube: asReconcile(t)}
	ask := func(t *testing.T, in, spec string) (apply.Result, error) {
		t.Helper()
		object := kube.Object{Resource: v1beta1.FlinkDeploymentGVR, Namespace: in, Name: "demo"}
		resource := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "demo", "namespace": in}}}
		// A stop would follow; an action that nobody knows shows if it is reached.
		return reconcile.Execute(t.Context(), object, resource, plan.Plan{Actions: []plan.Action{rehearse(t, in, spec)}})
	}
	prepared := func(t *testing.T, before string) string {
		t.Helper()
		in := namespace(t)
		account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "flink"}}
		if _, err := client.CoreV1().ServiceAccounts(in).Create(t.Context(), account, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		if before = strings.ReplaceAll(before, "NAMESPACE", in); before != "" {
			kubectl(t, before, "apply", "-f", "-")
			if strings.Contains(before, "ResourceQuota") { // no controller counts here
				kubectl(t, before, "apply", "--server-side", "--force-conflicts", "--subresource=status", "-f", "-")
			}
		}
		return in
	}
	t.Run("what is right is taken", func(t *testing.T) {
		if _, err := ask(t, prepared(t, ""), `{}`); err != nil {
			t.Error(err)
		}
	})
	for name, row := range kubernetesRefusals {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := prepared(t, row.before)
			var result apply.Result
			var err error
			// A quota or a policy is in force a moment later.
			eventually(t, "a refusal", func(context.Context) (bool, error) {
				result, err = ask(t, in, row.spec)
				return err != nil || row.before == "", nil
			})
			_, rehearsed := result.Failed.(plan.Rehearse)
			if !rehearsed || fail.KindOf(err) != fail.Invalid || !strings.Contains(fmt.Sprint(err), row.says) {
				t.Errorf("got %s %v, want a refusal that says %q", fail.KindOf(err), err, row.says)
			}
			made, listErr := client.AppsV1().Deployments(in).List(t.Context(), metav1.ListOptions{})
			if listErr != nil || len(made.Items) > 0 {
				t.Errorf("%d Deployments are there, %v", len(made.Items), listErr)
			}
		})
	}
}

// TestReconcileMakesNoPods: policy kn-flink-dry-runs takes its pods in a dry run alone, and others' as before.
func TestReconcileMakesNoPods(t *testing.T) {
	t.Parallel()
	reconcile := asReconcile(t)
	kubectl(t, "", "apply", "--server-side", "-f", "../../config/knative/096-dry-run-policy.yaml")
	in := namespace(t)
	pod := &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Name: "p"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "a", Image: "a"}}},
	}
	object := kube.Object{Resource: kube.Pods, Namespace: in, Name: "p"}
	testsuite.Eventually(t, time.Minute, "the policy is in force", func(ctx context.Context) (bool, error) {
		if _, err := reconcile.Create(ctx, object, pod); err == nil {
			return false, client.CoreV1().Pods(in).Delete(ctx, "p", *metav1.NewDeleteOptions(0))
		} else if !strings.Contains(err.Error(), "dry run alone") {
			return false, err
		}
		return true, nil
	})
	if err := reconcile.DryRun(t.Context(), object, pod); err != nil {
		t.Errorf("a dry run: %v", err)
	}
	others := kubernetes.NewForConfigOrDie(plane.Config()).CoreV1().Pods(in)
	if _, err := others.Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Errorf("others are held to it: %v", err)
	}
}
