package cli_test

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// The reports of a cluster in which all is well, and what rows, JSON and a right that is missing look like.
func TestDoctor(t *testing.T) {
	w := newInstallation(t)
	text := w.transcript("doctor") + w.transcript("doctor", "--pre")
	text += newCluster(t).transcript("doctor") + newCluster(t).transcript("doctor", "--pre", "-o", "yaml")
	held(t, "doctor.txt", text)
}

// fault is something that is wrong with an installation.
type fault struct {
	plant func(t *testing.T, w *installedWorld)
	// line is how the line begins that tells it, in one space for many.
	line string
	// repair is a part of what is to be done.
	repair string
}

const system = "flink-system"

// faults are what may be wrong.
var faults = map[string]fault{
	"no kind": {func(t *testing.T, w *installedWorld) {
		w.remove(t, "CustomResourceDefinition", "", "flinkstatesnapshots.flink.apache.org")
	}, "fail Kinds the cluster has no flinkstatesnapshots", "--crds-only"},
	"an old kind": {func(t *testing.T, w *installedWorld) {
		w.edit(t, "CustomResourceDefinition", "", "flinkdeployments.flink.apache.org", set([]any{}, "spec", "versions"))
		w.is(t, "CustomResourceDefinition", "", "flinkdeployments.flink.apache.org", "Established", "True", "")
	}, "fail Kinds flinkdeployments is of the Java operator or of an older version", "--crds-only"},
	"a kind that is stored in an older version": {func(t *testing.T, w *installedWorld) {
		const name = "flinksessionjobs.flink.apache.org"
		w.edit(t, "CustomResourceDefinition", "", name, func(*unstructured.Unstructured) {})
		status := map[string]any{
			"storedVersions": []any{"v1alpha1", "v1beta1"},
			"conditions":     []any{map[string]any{"type": "Established", "status": "True"}},
		}
		if _, err := w.UpdateStatus(gvrOf(t, manifests(t, "crds")[0]), "", name, status); err != nil {
			t.Fatal(err)
		}
	}, "fail Kinds stored in version v1alpha1 v1beta1", "storedVersions"},
	"a kind that the API server does not take": {func(t *testing.T, w *installedWorld) {
		w.is(t, "CustomResourceDefinition", "", "flinksessionjobs.flink.apache.org", "Established", "False", "")
	}, "fail Kinds the API server does not take flinksessionjobs", "kubectl describe crd"},
	"no function": {func(t *testing.T, w *installedWorld) {
		w.removeFunction(t, "reconcile-jars")
	}, "fail Functions services.serving.knative.dev/reconcile-jars is missing", "kn flink install"},
	"a function that does not start": {func(t *testing.T, w *installedWorld) {
		w.isFunction(t, "observe", "RevisionFailed")
	}, "fail Functions observe: RevisionFailed", "kn service describe observe"},
	"functions of two versions": {func(t *testing.T, w *installedWorld) {
		w.editFunction(t, "observe", func(u *unstructured.Unstructured) {
			u.SetLabels(map[string]string{"app.kubernetes.io/part-of": "kn-flink", "app.kubernetes.io/version": "v0.1.0"})
		})
	}, "fail Functions they are of different versions", "kn flink install"},
	"no Broker": {func(t *testing.T, w *installedWorld) {
		w.remove(t, "Broker", system, "flink-events")
	}, "fail Brokers brokers/flink-events is missing", "kn flink install"},
	"a Broker without its channel": {func(t *testing.T, w *installedWorld) {
		w.is(t, "Broker", system, "flink-control", "Ready", "False", "ChannelFailure")
	}, "fail Brokers flink-control: ChannelFailure", "kn broker describe flink-control"},
	"no Trigger": {func(t *testing.T, w *installedWorld) {
		w.remove(t, "Trigger", system, "observe")
	}, "fail Triggers triggers/observe is missing", "kn flink install"},
	"a Trigger whose Broker is not ready": {func(t *testing.T, w *installedWorld) {
		w.is(t, "Trigger", system, "observe", "Ready", "False", "BrokerNotReady")
	}, "fail Triggers observe: BrokerNotReady", "kn trigger describe observe -n flink-system"},
	"a Trigger that leads elsewhere": {func(t *testing.T, w *installedWorld) {
		w.edit(t, "Trigger", system, "reconcile", set("admit", "spec", "subscriber", "ref", "name"))
		w.is(t, "Trigger", system, "reconcile", "Ready", "True", "")
	}, "fail Triggers reconcile leads from Broker flink-control to admit", "kn flink install"},
	"no source": {func(t *testing.T, w *installedWorld) {
		w.remove(t, "ApiServerSource", system, "flink")
	}, "fail Source apiserversources/flink is missing", "kn flink install"},
	"a dead source": {func(t *testing.T, w *installedWorld) {
		w.is(t, "ApiServerSource", system, "flink", "Ready", "False", "MinimumReplicasUnavailable")
	}, "fail Source flink: MinimumReplicasUnavailable", "kn source apiserver describe flink"},
	"a source of an older version": {func(t *testing.T, w *installedWorld) {
		w.edit(t, "ApiServerSource", system, "flink", func(u *unstructured.Unstructured) {
			list, _, _ := unstructured.NestedSlice(u.Object, "spec", "resources")
			_ = unstructured.SetNestedSlice(u.Object, list[:2], "spec", "resources")
		})
		w.is(t, "ApiServerSource", system, "flink", "Ready", "True", "")
	}, "fail Source flink does not watch FlinkStateSnapshot", "kn flink install"},
	"no clock": {func(t *testing.T, w *installedWorld) {
		w.remove(t, "PingSource", system, "flink-clock")
	}, "fail Clock pingsources/flink-clock is missing", "kn flink install"},
	"a clock that Knative has not observed": {func(t *testing.T, w *installedWorld) {
		w.edit(t, "PingSource", system, "flink-clock", set("*/9 * * * *", "spec", "schedule"))
	}, "fail Clock flink-clock: Knative has not observed its newest version", "kn source ping describe flink-clock"},
	"no ClusterRole": {func(t *testing.T, w *installedWorld) {
		w.remove(t, "ClusterRole", "", "kn-flink-observe")
	}, "fail Roles missing: clusterroles/kn-flink-observe", "kn flink install"},
	"no ClusterRoleBinding": {func(t *testing.T, w *installedWorld) {
		w.remove(t, "ClusterRoleBinding", "", "kn-flink-reconcile")
	}, "fail Roles missing: clusterrolebindings/kn-flink-reconcile", "kn flink install"},
	"no service account": {func(t *testing.T, w *installedWorld) {
		w.remove(t, "ServiceAccount", system, "flink-source")
	}, "fail Roles missing: serviceaccounts/flink-source", "docs/reference/rights.md"},
	"no policy": {func(t *testing.T, w *installedWorld) {
		w.remove(t, "ValidatingAdmissionPolicyBinding", "", "kn-flink-status")
	}, "fail Policies missing: validatingadmissionpolicybindings/kn-flink-status", "kn flink install"},
	"no webhook configuration": {func(t *testing.T, w *installedWorld) {
		w.remove(t, "ValidatingWebhookConfiguration", "", "flink-extensions")
		w.remove(t, "MutatingWebhookConfiguration", "", "flink-extensions")
	}, "fail Webhook webhook configurations/flink-extensions is missing", "kn flink install"},
	"a webhook without a certificate": {func(t *testing.T, w *installedWorld) {
		w.edit(t, "ValidatingWebhookConfiguration", "", "flink-admit", func(u *unstructured.Unstructured) {
			list, _, _ := unstructured.NestedSlice(u.Object, "webhooks")
			delete(list[0].(map[string]any)["clientConfig"].(map[string]any), "caBundle")
			_ = unstructured.SetNestedSlice(u.Object, list, "webhooks")
		})
	}, "fail Webhook its configuration has no certificate or path", "cronjob/flink-admit-certificate"},
	"a webhook that does not answer": {func(_ *testing.T, w *installedWorld) {
		w.asked.silent = true
	}, "fail Webhook it does not answer a dry run", "component=admit"},
	"a webhook without its Service": {func(t *testing.T, w *installedWorld) {
		w.remove(t, "Service", "kourier-system", "flink-admit")
	}, "fail Webhook the Service kourier-system/flink-admit", "kn flink install"},
	"a webhook without its name": {func(t *testing.T, w *installedWorld) {
		w.is(t, "DomainMapping", system, "flink-admit.kourier-system.svc", "Ready", "False", "DomainAlreadyClaimed")
	}, "fail Webhook the gateway does not know its name flink-admit.kourier-system.svc: DomainAlreadyClaimed",
		"kubectl -n flink-system describe domainmapping"},
	"a certificate that has expired": {func(t *testing.T, w *installedWorld) {
		w.trust(t, "ValidatingWebhookConfiguration", w.Clock.Now())
		w.trust(t, "MutatingWebhookConfiguration", w.Clock.Now())
	}, "fail Certificate has expired", "cronjob/flink-admit-certificate"},
	"a certificate that ends soon": {func(t *testing.T, w *installedWorld) {
		w.trust(t, "ValidatingWebhookConfiguration", w.Clock.Now().Add(48*time.Hour))
		w.trust(t, "MutatingWebhookConfiguration", w.Clock.Now().Add(48*time.Hour))
	}, "warn Certificate ends within ten days", "cronjob/flink-admit-certificate"},
	"a renewal that is suspended": {func(t *testing.T, w *installedWorld) {
		w.edit(t, "CronJob", system, "flink-admit-certificate", set(true, "spec", "suspend"))
	}, "fail Certificate nothing renews it", `{"spec":{"suspend":false}}`},
	"a second operator": {func(t *testing.T, w *installedWorld) {
		w.put(t, javaOperator)
	}, "fail Java operator deployment ops/flink-kubernetes-operator runs", "kubectl -n ops scale deployment"},
	"a second installation": {func(t *testing.T, w *installedWorld) {
		w.put(t, strings.ReplaceAll(statusBinding, "NAME", "kn-flink-status-flink-b"))
	}, "fail Installations that in namespace flink-b watches these namespaces, too: default", "docs/install/shapes.md"},
	"settings that were refused": {func(t *testing.T, w *installedWorld) {
		w.put(t, "{apiVersion: v1, kind: Event, metadata: {name: a, namespace: flink-system}, type: Warning, "+
			"reason: SettingsRejected, message: 'line 3: no value', lastTimestamp: '2026-01-01T12:00:00Z', "+
			"involvedObject: {kind: ConfigMap, name: flink-operator-config, namespace: flink-system}}")
	}, "fail Settings SettingsRejected: line 3: no value", "edit configmap flink-operator-config"},
	"a namespace without its service account": {func(t *testing.T, w *installedWorld) {
		w.put(t, "{apiVersion: flink.apache.org/v1beta1, kind: FlinkDeployment, metadata: {name: a, namespace: flink}, "+
			"spec: {serviceAccount: flink}}")
		if _, err := w.UpdateStatus(resourceOf("FlinkDeployment"), "flink", "a", map[string]any{
			"observedGeneration": int64(1),
		}); err != nil {
			t.Fatal(err)
		}
	}, "warn Tenants jobs in flink have no service account flink", "kn flink tenant flink"},
	"an edit that no function looks at": {func(t *testing.T, w *installedWorld) {
		w.put(t, "{apiVersion: flink.apache.org/v1beta1, kind: FlinkDeployment, metadata: {name: a, namespace: flink}}")
	}, "fail Resources flinkdeployment flink/a was changed at 2026-01-01T12:00:00Z", "kn flink doctor --probe"},
	"a pod without an image": {func(t *testing.T, w *installedWorld) {
		w.put(t, "{apiVersion: v1, kind: Pod, metadata: {name: adapter, namespace: flink-system}, "+
			"spec: {containers: [{name: a, image: b}]}}")
		if _, err := w.UpdateStatus(resourceOf("Pod"), system, "adapter", map[string]any{
			"containerStatuses": []any{map[string]any{
				"name": "a", "state": map[string]any{"waiting": map[string]any{"reason": "ImagePullBackOff"}},
			}},
		}); err != nil {
			t.Fatal(err)
		}
	}, "fail Pods adapter does not run: container a: ImagePullBackOff", "describe pod adapter"},
	"an old Kubernetes": {func(_ *testing.T, w *installedWorld) {
		w.asked.minor = "31"
	}, "fail Kubernetes 1.31", "update Kubernetes"},
	"an old Knative": {func(t *testing.T, w *installedWorld) {
		w.edit(t, "CustomResourceDefinition", "", "brokers.eventing.knative.dev", func(u *unstructured.Unstructured) {
			u.SetLabels(map[string]string{"app.kubernetes.io/version": "1.20.9"})
		})
	}, "fail Eventing 1.20.9 is not supported", "docs/install/knative.md"},
	"a part of Knative that is missing": {func(t *testing.T, w *installedWorld) {
		w.remove(t, "CustomResourceDefinition", "", "domainmappings.serving.knative.dev")
	}, "fail Serving not complete: no domainmappings", "docs/install/knative.md"},
}

// javaOperator is a Java operator that runs.
const javaOperator = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: flink-kubernetes-operator, namespace: ops}
spec:
  replicas: 1
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec: {containers: [{name: a, image: "apache/flink-kubernetes-operator:1.12"}]}
`

// statusBinding is the binding of another installation's status policy, for all namespaces.
const statusBinding = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: NAME, labels: {app.kubernetes.io/part-of: kn-flink}}
spec: {policyName: NAME}
`

// Row C12: each planted fault is found, and its repair is named.
func TestC12DoctorFindsWhatIsWrong(t *testing.T) {
	if len(faults) < 20 {
		t.Fatalf("there are %d faults", len(faults))
	}
	for name, f := range faults {
		t.Run(name, func(t *testing.T) {
			w := newInstallation(t)
			w.AddNamespace("ops")
			f.plant(t, w)
			out, notes, code := w.run("doctor")
			text, told := strings.Join(strings.Fields(out), " "), false
			for line := range strings.Lines(out) {
				told = told || strings.HasPrefix(strings.Join(strings.Fields(line), " "), f.line)
			}
			if !told || !strings.Contains(text, f.repair) {
				t.Errorf("no line %q with %q:\n%s%s", f.line, f.repair, out, notes)
			}
			if fails := strings.HasPrefix(f.line, "fail"); (code == 1) != fails {
				t.Errorf("exit code %d for %q", code, f.line)
			}
			if others := strings.Count("\n"+out, "\nfail "); strings.HasPrefix(f.line, "fail") && others > 3 {
				t.Errorf("one fault fails %d checks:\n%s", others, out)
			}
		})
	}
}

// With each right taken away alone the others are judged, and the right is named.
func TestDoctorNamesTheRightThatIsMissing(t *testing.T) {
	for resource, check := range map[string]string{
		"customresourcedefinitions": "Kinds", "brokers": "Brokers", "pods": "Pods", "deployments": "Java operator",
		"clusterroles": "Roles", "serviceaccounts": "Tenants", "cronjobs": "Certificate", "flinkdeployments": "Resources",
	} {
		w := newInstallation(t)
		w.forbid("", resource)
		out, _, code := w.run("doctor")
		told := false
		for line := range strings.Lines(out) {
			told = told || strings.HasPrefix(line, "warn") && strings.Contains(line, check) &&
				strings.Contains(line, "the right to") && strings.Contains(line, resource)
		}
		if !told || code != 0 || strings.Count(out, "\nok ") < 10 {
			t.Errorf("without the right to %s: exit code %d\n%s", resource, code, out)
		}
	}
}

func TestDoctorSaysThatNoAPIServerAnswers(t *testing.T) {
	w := newCluster(t)
	w.asked.minor = "none"
	if _, notes, code := w.run("doctor"); code != 2 || !strings.Contains(notes, "no Kubernetes API server answers") {
		t.Errorf("exit code %d: %s", code, notes)
	}
}

// A canary that is answered proves each part, and one that is not names those that are dead. Nothing is left of it.
func TestProbe(t *testing.T) {
	for name, row := range map[string]struct {
		answer func(u *unstructured.Unstructured, asked string)
		says   []string
		code   int
	}{
		"it lives": {func(u *unstructured.Unstructured, asked string) {
			u.SetAnnotations(map[string]string{"flink.apache.org/canary-asked": asked})
			_ = unstructured.SetNestedField(u.Object, u.GetGeneration(), "status", "observedGeneration")
		}, []string{"ok Probe: passes", "ok Probe: clock", "ok Probe: source"}, 0},
		"nothing answers": {func(*unstructured.Unstructured, string) {}, []string{
			"fail Probe: passes no pass has observed", "fail Probe: clock no sweep", "fail Probe: source the change",
		}, 1},
	} {
		w := newInstallation(t)
		w.canary = row.answer
		out, notes, code := w.run("doctor", "--probe", "--timeout=1m")
		text := strings.Join(strings.Fields(out), " ")
		for _, part := range row.says {
			if !strings.Contains(text, part) {
				t.Errorf("%s: no %q\n%s%s", name, part, out, notes)
			}
		}
		if code != row.code {
			t.Errorf("%s: exit code %d", name, code)
		}
		if left := w.List(resourceOf("FlinkDeployment"), "", nil); len(left) != 0 {
			t.Errorf("%s: %d canaries are left", name, len(left))
		}
	}
}
