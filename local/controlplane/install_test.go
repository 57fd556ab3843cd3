package controlplane

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
)

// aKo is a folder with a ko that builds nothing, and names an image for each function.
func aKo(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	const text = "#!/bin/bash\nwhile [ \"$1\" != -f ]; do shift; done\n" +
		"sed 's#ko://github.com/kn-flink/kn-flink/functions/#registry.example.com/#' \"$2\"\n"
	if err := os.WriteFile(filepath.Join(folder, "ko"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return folder
}

// installation is what make deploy does between the definitions and the wait for Knative, with a ko that builds
// nothing.
type installation struct {
	t   *testing.T
	env []string
}

func (i installation) deploy(env ...string) (output string, ok bool) {
	i.t.Helper()
	command := exec.CommandContext(i.t.Context(), "bash", "-c", ". ../../hack/deploy.sh; find_gateway; install_functions")
	command.Env = append(append(append(os.Environ(), "KUBECONFIG="+plane.Kubeconfig()), i.env...), env...)
	out, err := command.CombinedOutput()
	return string(out), err == nil
}

// must deploys and fails the test if that does not work.
func (i installation) must(env ...string) string {
	i.t.Helper()
	out, ok := i.deploy(env...)
	if !ok {
		i.t.Fatalf("deploy %q: %s", env, out)
	}
	return out
}

// get asks kubectl for a field; empty also for what is not there.
func (i installation) get(object, field string, where ...string) string {
	i.t.Helper()
	arguments := append([]string{"get", object, "--ignore-not-found", "-o", "jsonpath={" + field + "}"}, where...)
	command := exec.CommandContext(i.t.Context(), "kubectl", arguments...)
	command.Env = append(os.Environ(), "KUBECONFIG="+plane.Kubeconfig())
	out, err := command.CombinedOutput()
	if err != nil {
		i.t.Fatalf("%s: %v\n%s", object, err, out)
	}
	return string(out)
}

func (i installation) system(object, field string) string {
	i.t.Helper()
	return i.get(object, field, "-n", "flink-system")
}

// want fails the test when a field of flink-system is another one.
func (i installation) want(why, object, field, value string) {
	i.t.Helper()
	if got := i.system(object, field); got != value {
		i.t.Errorf("%s %s is %q, want %q: %s", object, field, got, value, why)
	}
}

const (
	settings  = "configmap/flink-operator-config"
	defaults  = "configmap/flink-operator-defaults"
	config    = `.data.config\.yaml`
	shippedIn = `.data.defaults\.yaml`
	bundle    = "eA==" // of caBundle; the API server does not look into it before it calls
)

// What make deploy, and an apply by anybody, leave alone: the settings of the user, the schedule of the clock,
// objects of tenants. And what goes: what the version does not have any more.
func TestDeployKeepsWhatIsOfOthersAndRemovesWhatItDropped(t *testing.T) {
	installKinds(t)
	installKnative(t, dynamic.NewForConfigOrDie(plane.Config()), func(string) bool { return true })
	kubectl(t, "", "wait", "--for=delete", "namespace/flink-system", "--timeout=60s")
	i := installation{t, []string{"PATH=" + aKo(t) + ":" + os.Getenv("PATH"), "OVERLAY=", "WEBHOOK=", "GATEWAY_NAMESPACE="}}
	t.Cleanup(func() {
		if out, ok := script(t, "undeploy.sh"); !ok {
			t.Errorf("undeploy: %s", out)
		}
	})

	out, ok := script(t, "deploy.sh", i.env...)
	if ok || !strings.Contains(out, "no Service selects Kourier's gateway") || !strings.Contains(out, "WEBHOOK=no") {
		t.Fatalf("without Kourier it is to fail and to say what to do: %t %s", ok, out)
	}
	// As Knative's operator has it.
	kubectl(t, "", "create", "namespace", "knative-serving")
	kubectl(t, "", "-n", "knative-serving", "create", "service", "clusterip", "kourier", "--tcp=80")
	kubectl(t, "", "-n", "knative-serving", "set", "selector", "service/kourier", "app=3scale-kourier-gateway")

	// An earlier version had its settings in the ConfigMap that is the user's now, and the schedule in its manifest.
	kubectl(t, "", "create", "namespace", "flink-system")
	kubectl(t, `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "flink-operator-config", "namespace": "flink-system"},
		"data": {"config.yaml": "a: 1", "logback-console.xml": "<old/>"}}`,
		"apply", "--server-side", "--field-manager=kn-flink", "-f", "-")
	kubectl(t, "", "-n", "flink-system", "patch", settings, "--type=merge", "-p", `{"data": {"config.yaml": "a: 2"}}`)

	i.must()
	if got := i.get("service/flink-admit", ".metadata.name", "-n", "knative-serving"); got == "" {
		t.Error("the webhook's Service is not beside Kourier")
	}
	if got := i.get("validatingwebhookconfiguration/flink-admit", ".webhooks[0].clientConfig.service.namespace"); got != "knative-serving" {
		t.Errorf("the webhook calls namespace %q", got)
	}
	i.want("the user had edited it", settings, config, "a: 2")
	i.want("nobody had, and the version has it elsewhere", settings, `.data.logback-console\.xml`, "")
	if !strings.Contains(i.system(defaults, shippedIn), "parallelism.default: 1") {
		t.Error("a ConfigMap that was there keeps the defaults out")
	}

	kubectl(t, "", "-n", "flink-system", "patch", "pingsource/flink-clock", "--type=merge", "--field-manager=observe",
		"-p", `{"spec": {"schedule": "*/5 * * * *"}}`)
	kubectl(t, "", "patch", "validatingwebhookconfiguration/flink-admit", "--type=json", "--field-manager=admit",
		"-p", `[{"op": "add", "path": "/webhooks/0/clientConfig/caBundle", "value": "`+bundle+`"}]`)
	const labels = "app.kubernetes.io/part-of=kn-flink"
	for _, made := range []string{"old", "flink-operator-config-accepted"} {
		kubectl(t, "", "-n", "flink-system", "create", "configmap", made)
		kubectl(t, "", "-n", "flink-system", "label", "configmap", made, labels)
	}
	kubectl(t, "", "create", "clusterrole", "kn-flink-old", "--verb=get", "--resource=pods")
	kubectl(t, "", "label", "clusterrole", "kn-flink-old", labels)
	kubectl(t, "", "create", "clusterrole", "monitors-flink", "--verb=get", "--resource=pods")
	kubectl(t, "", "label", "clusterrole", "monitors-flink", labels, "app.kubernetes.io/component=monitoring")
	in := namespace(t)
	kubectl(t, "", "-n", in, "create", "rolebinding", "kn-flink", "--clusterrole=flink", "--serviceaccount="+in+":flink")
	kubectl(t, "", "-n", in, "label", "rolebinding", "kn-flink", labels, "app.kubernetes.io/component=tenant")
	kubectl(t, "", "create", "namespace", "flink-jobs")

	for _, overlay := range []string{"OVERLAY=", "OVERLAY=single-namespace"} {
		i.must(overlay)
		i.want(overlay, settings, config, "a: 2")
		i.want(overlay+": the functions set it", "pingsource/flink-clock", ".spec.schedule", "*/5 * * * *")
		i.want(overlay+": the version does not have it", "configmap/old", ".metadata.name", "")
		i.want(overlay+": a function made it", "configmap/flink-operator-config-accepted", ".metadata.name",
			"flink-operator-config-accepted")
		if got := i.get("validatingwebhookconfiguration/flink-admit", ".webhooks[0].clientConfig.caBundle"); got != bundle {
			t.Errorf("%s: the caBundle of admit is %q", overlay, got)
		}
		if got := i.get("clusterrole/kn-flink-old", ".metadata.name"); got != "" {
			t.Errorf("%s: %s is left", overlay, got)
		}
		if i.get("rolebinding/kn-flink", ".metadata.name", "-n", in) == "" {
			t.Errorf("%s: what jobs of a tenant need is gone", overlay)
		}
	}
	if i.get("clusterrole/monitors-flink", ".metadata.name") == "" {
		t.Error("what config/monitoring installs is gone")
	}
	if i.get("clusterrolebinding/kn-flink-reconcile", ".metadata.name") != "" {
		t.Error("an overlay of one namespace leaves the rights for the whole cluster")
	}

	i.must("WEBHOOK=no")
	for _, object := range []string{"validatingwebhookconfiguration/flink-admit", "clusterrole/kn-flink-admit"} {
		if i.get(object, ".metadata.name") != "" {
			t.Errorf("%s is there, and no webhook is wanted", object)
		}
	}
	if i.get("service/flink-admit", ".metadata.name", "-n", "knative-serving") != "" {
		t.Error("its Service is there, and no webhook is wanted")
	}
	if i.get("clusterrolebinding/kn-flink-reconcile", ".metadata.name") == "" {
		t.Error("reconcile has lost its rights")
	}
}

// Whoever applies the manifests without force, as Flux does and a release asks for, meets no conflict with the
// functions.
func TestAnApplyWithoutForceMeetsNoConflict(t *testing.T) {
	installKnative(t, dynamic.NewForConfigOrDie(plane.Config()), func(string) bool { return true })
	kubectl(t, "", "wait", "--for=delete", "namespace/flink-system", "--timeout=60s")
	t.Cleanup(func() {
		if out, ok := script(t, "undeploy.sh"); !ok {
			t.Errorf("undeploy: %s", out)
		}
	})
	installKinds(t)
	_, err := client.CoreV1().Namespaces().Get(t.Context(), "kourier-system", metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		kubectl(t, "", "create", "namespace", "kourier-system")
	}
	manifests, err := filepath.Glob("../../config/knative/*.yaml")
	if err != nil || len(manifests) == 0 {
		t.Fatalf("no manifests: %v", err)
	}
	apply := func() {
		t.Helper()
		for _, file := range manifests {
			kubectl(t, "", "apply", "--server-side", "--field-manager=gitops", "-f", file)
		}
	}
	apply()
	kubectl(t, "", "-n", "flink-system", "patch", "pingsource/flink-clock", "--type=merge", "--field-manager=observe",
		"-p", `{"spec": {"schedule": "*/2 * * * * *"}}`)
	kubectl(t, "", "-n", "flink-system", "patch", settings, "--type=merge", "-p", `{"data": {"config.yaml": "a: 2"}}`)
	for _, kind := range []string{"validatingwebhookconfiguration", "mutatingwebhookconfiguration"} {
		kubectl(t, "", "patch", kind+"/flink-admit", "--type=json", "--field-manager=admit",
			"-p", `[{"op": "add", "path": "/webhooks/0/clientConfig/caBundle", "value": "`+bundle+`"}]`)
	}
	apply()
	i := installation{t: t}
	i.want("the user's", settings, config, "a: 2")
	i.want("the functions'", "pingsource/flink-clock", ".spec.schedule", "*/2 * * * * *")
}

func TestEveryOverlayIsBuilt(t *testing.T) {
	folders, err := filepath.Glob("../../config/overlays/*/kustomization.yaml")
	if err != nil || len(folders) < 5 {
		t.Fatalf("overlays %q: %v", folders, err)
	}
	for _, file := range folders {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			t.Parallel()
			kubectl(t, "", "kustomize", "--load-restrictor=LoadRestrictionsNone", filepath.Dir(file))
		})
	}
}
