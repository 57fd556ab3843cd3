package cli_test

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
	"testing/fstest"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/install"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// aRelease are the manifests of config/ as a release has them.
func aRelease(t *testing.T) fstest.MapFS {
	t.Helper()
	var plain, webhook []*unstructured.Unstructured
	for _, u := range manifests(t, "knative") {
		if u.GetLabels()["app.kubernetes.io/component"] == "admit" {
			webhook = append(webhook, u)
		} else {
			plain = append(plain, u)
		}
	}
	files := fstest.MapFS{}
	for name, objects := range map[string][]*unstructured.Unstructured{
		"crds": manifests(t, "crds"), "kn-flink": plain, "kn-flink-webhook": webhook, "tenant": manifests(t, "tenant"),
	} {
		text, err := install.Print(objects)
		if err != nil {
			t.Fatal(err)
		}
		var packed bytes.Buffer
		out := gzip.NewWriter(&packed)
		if _, err := out.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		files[name+".yaml.gz"] = &fstest.MapFile{Data: packed.Bytes()}
	}
	return files
}

// inCluster is a cluster to which a plugin of a release comes; Knative brings up what is applied.
func inCluster(t *testing.T) *installedWorld {
	w := newCluster(t)
	w.release, w.bringsUp = aRelease(t), true
	return w
}

func (w *installedWorld) there(kind, namespace, name string) *unstructured.Unstructured {
	for _, r := range install.Resources {
		if u := w.Peek(r.GVR, namespace, name); r.Kind == kind && u != nil {
			return u
		}
	}
	return nil
}

// An installation is whole when the command ends, and its webhook is at the gateway that is there.
func TestInstall(t *testing.T) {
	w := inCluster(t)
	noKourier(t, w)
	gate("knative-serving", "kourier", kourier, "443")(t, w)
	out, notes, code := w.run("install")
	if code != 0 || !strings.Contains(out, "ok    Functions") || strings.Contains(out, "fail") {
		t.Fatalf("exit code %d\n%s%s", code, out, notes)
	}
	admit := w.there("Service", "knative-serving", "flink-admit")
	if admit == nil || w.there("DomainMapping", "flink-system", "flink-admit.knative-serving.svc") == nil {
		t.Error("the webhook is not at the gateway that was found")
	}
	if manager := admit.GetManagedFields()[0].Manager; manager != "kn-flink" {
		t.Errorf("the field manager is %s", manager)
	}
	if name := w.there("ConfigMap", "flink-system", "flink-operator-defaults"); name == nil {
		t.Error("there are no settings")
	}
}

// An update takes away what the version has not, and leaves the settings of the user.
func TestUpdate(t *testing.T) {
	w := inCluster(t)
	if _, notes, code := w.run("install"); code != 0 {
		t.Fatalf("exit code %d\n%s", code, notes)
	}
	w.put(t, "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: kn-flink-old, "+
		"labels: {app.kubernetes.io/part-of: kn-flink}}}")
	w.put(t, "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: of-a-tenant, "+
		"labels: {app.kubernetes.io/part-of: kn-flink, app.kubernetes.io/component: tenant}}}")
	w.edit(t, "ConfigMap", "flink-system", "flink-operator-config", set("a: b", "data", "config.yaml"))
	out, notes, code := w.run("install")
	if code != 0 || !strings.Contains(notes, "clusterroles kn-flink-old is not in this version any more") {
		t.Fatalf("exit code %d\n%s%s", code, out, notes)
	}
	if w.there("ClusterRole", "", "kn-flink-old") != nil || w.there("ClusterRole", "", "of-a-tenant") == nil {
		t.Error("what an earlier version had is there, or what a tenant has is not")
	}
	settings := w.there("ConfigMap", "flink-system", "flink-operator-config")
	if text, _, _ := unstructured.NestedString(settings.Object, "data", "config.yaml"); text != "a: b" {
		t.Errorf("the settings of the user are %q", text)
	}
}

// What stands in the way stops an installation before anything is changed, and a plugin without manifests says what to
// do instead.
func TestInstallStops(t *testing.T) {
	w := inCluster(t)
	kubernetesOf("31")(t, w)
	out, notes, code := w.run("install")
	if code != 3 || !strings.Contains(out, "fail  Kubernetes") || !strings.Contains(notes, "nothing was changed") {
		t.Errorf("exit code %d\n%s%s", code, out, notes)
	}
	if w.there("ClusterRole", "", "kn-flink-observe") != nil || w.there("Namespace", "", "flink-jobs") != nil {
		t.Error("something was changed")
	}
	for command, want := range map[string]string{
		"install": "run make deploy", "install --export": "run make deploy", "tenant flink": "run make tenant NS=flink",
		"install --system-namespace=flink-b": "Use Helm",
	} {
		if _, notes, code := newCluster(t).run(strings.Fields(command)...); code != 2 || !strings.Contains(notes, want) {
			t.Errorf("%s: exit code %d: %s", command, code, notes)
		}
	}
	w.asked.minor = "35"
	if _, notes, code := w.run("install", "--overlay=kafka"); code != 2 || !strings.Contains(notes, "--overlay kafka") {
		t.Errorf("an overlay that the release has not: exit code %d: %s", code, notes)
	}
}

func TestInstallTheKindsAlone(t *testing.T) {
	w := inCluster(t)
	if _, notes, code := w.run("install", "--crds-only"); code != 0 {
		t.Fatalf("exit code %d: %s", code, notes)
	}
	if w.there("CustomResourceDefinition", "", "flinkdeployments.flink.apache.org") == nil ||
		w.there("ClusterRole", "", "kn-flink-observe") != nil {
		t.Error("the kinds are not there, or more than the kinds is")
	}
}

// Jobs, kinds and what jobs need stay, and with --crds nothing does, but only when no resource is left.
func TestUninstall(t *testing.T) {
	w := inCluster(t)
	if _, notes, code := w.run("install"); code != 0 {
		t.Fatalf("exit code %d\n%s", code, notes)
	}
	w.put(t, "{apiVersion: flink.apache.org/v1beta1, kind: FlinkDeployment, metadata: {name: a, namespace: flink}}")
	_, notes, code := w.run("uninstall", "--crds", "--yes")
	if code != 3 || !strings.Contains(notes, "flinkdeployments flink/a") {
		t.Errorf("with a resource: exit code %d: %s", code, notes)
	}
	if _, notes, code := w.run("uninstall"); code != 2 || !strings.Contains(notes, "--yes") {
		t.Errorf("without a terminal: exit code %d: %s", code, notes)
	}
	if _, notes, code := w.run("uninstall", "--yes"); code != 0 {
		t.Fatalf("exit code %d\n%s", code, notes)
	}
	for _, gone := range [][3]string{
		{"Namespace", "", "flink-system"}, {"ClusterRole", "", "kn-flink-observe"},
		{"ValidatingWebhookConfiguration", "", "flink-admit"}, {"Service", "kourier-system", "flink-admit"},
		{"ValidatingAdmissionPolicyBinding", "", "kn-flink-status"}, {"Trigger", "flink-system", "reconcile"},
	} {
		if gone[0] == "Namespace" && w.Peek(kubesim.Namespaces, "", gone[2]) == nil {
			continue
		}
		if w.there(gone[0], gone[1], gone[2]) != nil {
			t.Errorf("%s %s is left", gone[0], gone[2])
		}
	}
	for _, kept := range [][2]string{
		{"ClusterRole", "flink"}, {"CustomResourceDefinition", "flinkdeployments.flink.apache.org"},
	} {
		if w.there(kept[0], "", kept[1]) == nil {
			t.Errorf("%s %s is gone", kept[0], kept[1])
		}
	}
	if w.Peek(kubesim.FlinkDeployments, "flink", "a") == nil {
		t.Error("the resource is gone")
	}
}

func TestUninstallTheKinds(t *testing.T) {
	w := inCluster(t)
	if _, notes, code := w.run("install"); code != 0 {
		t.Fatalf("exit code %d\n%s", code, notes)
	}
	if _, notes, code := w.run("uninstall", "--crds", "--yes"); code != 0 {
		t.Fatalf("exit code %d\n%s", code, notes)
	}
	for _, r := range install.Resources {
		for _, u := range w.List(r.GVR, "", nil) {
			if u.GetLabels()["app.kubernetes.io/part-of"] == "kn-flink" || strings.HasSuffix(u.GetName(), "flink.apache.org") {
				t.Errorf("%s %s/%s is left", r.Kind, u.GetNamespace(), u.GetName())
			}
		}
	}
}

func TestTenant(t *testing.T) {
	w := inCluster(t)
	w.AddNamespace("team-a")
	if _, notes, code := w.run("tenant", "team-a"); code != 2 || !strings.Contains(notes, "kn flink install") {
		t.Errorf("without an installation: exit code %d: %s", code, notes)
	}
	w.put(t, "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: flink}}")
	if _, notes, code := w.run("tenant", "team-b"); code != 2 || !strings.Contains(notes, "create namespace team-b") {
		t.Errorf("without the namespace: exit code %d: %s", code, notes)
	}
	out, notes, code := w.run("tenant", "team-a")
	if code != 0 || !strings.Contains(out, "namespace team-a can run Flink jobs") {
		t.Fatalf("exit code %d: %s%s", code, out, notes)
	}
	for kind, name := range map[string]string{
		"ServiceAccount": "flink", "RoleBinding": "kn-flink-reconcile", "NetworkPolicy": "kn-flink",
	} {
		if w.there(kind, "team-a", name) == nil {
			t.Errorf("there is no %s %s", kind, name)
		}
	}
	labels := w.Peek(kubesim.Namespaces, "", "team-a").GetLabels()
	if level := labels["pod-security.kubernetes.io/enforce"]; level != "baseline" {
		t.Errorf("the pod security level is %q", level)
	}
	w.AddNamespace("team-c")
	_, _, code = w.run("tenant", "team-c", "--open")
	if code != 0 || w.there("NetworkPolicy", "team-c", "kn-flink") != nil {
		t.Errorf("--open: exit code %d, or there is a NetworkPolicy", code)
	}
}

// The way from the Java operator: what would change, the operator stopped, and the way back only when nothing is open.
func TestMigrate(t *testing.T) {
	w := inCluster(t)
	java("", "1")(t, w)
	w.put(t, "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, "+
		"metadata: {name: flink-operator-ops-webhook-configuration}}")
	w.put(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: flink-operator-config, namespace: ops}, data: "+
		"{config.yaml: 'kubernetes.operator.leader-election.enabled: true'}}")
	autoscaled(t, w)
	steps := w.transcript("migrate", "check") + w.transcript("migrate", "take", "--yes")
	if _, err := w.Update(kubesim.FlinkDeployments, "flink", "b", set(
		map[string]any{"job.autoscaler.enabled": "true"}, "spec", "flinkConfiguration")); err != nil {
		t.Fatal(err)
	}
	for _, step := range []string{"check", "take", "take --yes", "take --yes", "back"} {
		steps += w.transcript(append([]string{"migrate"}, strings.Fields(step)...)...)
	}
	u := w.Get(kubesim.FlinkDeployments, "flink", "b")
	status := u.Object["status"].(map[string]any)
	status["intent"] = map[string]any{"step": "Stopping"}
	if _, err := w.UpdateStatus(kubesim.FlinkDeployments, "flink", "b", status); err != nil {
		t.Fatal(err)
	}
	steps += w.transcript("migrate", "back") + w.transcript("migrate", "forth")
	held(t, "migrate.txt", steps)
	operator := w.Peek(kubesim.Deployments, "ops", "flink-kubernetes-operator")
	if n, _, _ := unstructured.NestedInt64(operator.Object, "spec", "replicas"); n != 0 {
		t.Errorf("the Java operator has %d replicas", n)
	}
	if w.there("ValidatingWebhookConfiguration", "", "flink-operator-ops-webhook-configuration") != nil {
		t.Error("its webhook is left")
	}
}
