package cli_test

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// step prepares a cluster before it is judged.
type step func(t *testing.T, w *installedWorld)

// puts stores objects, one a text.
func puts(texts ...string) step {
	return func(t *testing.T, w *installedWorld) {
		for _, text := range texts {
			w.put(t, text)
		}
	}
}

// and is one after the other.
func and(all ...step) step {
	return func(t *testing.T, w *installedWorld) {
		for _, one := range all {
			one(t, w)
		}
	}
}

func knativeOf(version string) step {
	return func(t *testing.T, w *installedWorld) {
		for _, name := range []string{"services.serving.knative.dev", "brokers.eventing.knative.dev"} {
			w.edit(t, "CustomResourceDefinition", "", name, func(u *unstructured.Unstructured) {
				u.SetLabels(map[string]string{"app.kubernetes.io/version": version})
			})
		}
	}
}

func kubernetesOf(minor string) step {
	return func(_ *testing.T, w *installedWorld) { w.asked.minor = minor }
}

// ingressOf says which ingress Knative has.
func ingressOf(class string) step {
	return puts("{apiVersion: v1, kind: ConfigMap, metadata: {name: config-network, namespace: knative-serving}, " +
		"data: {ingress-class: " + class + ".ingress.networking.knative.dev}}")
}

func noKourier(t *testing.T, w *installedWorld) { w.remove(t, "Service", "kourier-system", "kourier") }

// gate is a Service of a gateway in a namespace of its own.
func gate(namespace, name, selector, port string) step {
	return func(t *testing.T, w *installedWorld) {
		if w.Peek(resourceOf("Namespace"), "", namespace) == nil {
			w.AddNamespace(namespace)
		}
		w.put(t, "{apiVersion: v1, kind: Service, metadata: {name: "+name+", namespace: "+namespace+"}, spec: {selector: {"+
			selector+"}, ports: [{port: "+port+", targetPort: 8443}]}}")
	}
}

// named is a ConfigMap of Knative that names the Service of a gateway.
func named(configMap, key, text string) step {
	return puts("{apiVersion: v1, kind: ConfigMap, metadata: {name: " + configMap +
		", namespace: knative-serving}, data: {" + key + ": \"" + text + "\"}}")
}

// java is a Java operator that watches some namespaces, with some replicas.
func java(watches, replicas string) step {
	return func(t *testing.T, w *installedWorld) {
		w.AddNamespace("ops")
		text := strings.ReplaceAll(javaOperator, "replicas: 1", "replicas: "+replicas)
		w.put(t, strings.ReplaceAll(text, "[{name: a,", "[{env: [{name: WATCH_NAMESPACES, value: '"+watches+"'}], name: a,"))
	}
}

var watchesC = puts("{apiVersion: v1, kind: ConfigMap, " +
	"metadata: {name: flink-operator-config, namespace: flink-system}, " +
	"data: {config.yaml: 'kubernetes.operator.watched.namespaces: c'}}")

// another is another installation, with the selector of its namespaces.
func another(name, selector string) step {
	return func(t *testing.T, w *installedWorld) {
		text := strings.ReplaceAll(statusBinding, "NAME", name)
		w.put(t, strings.Replace(text, "{policyName", "{matchResources: {namespaceSelector: {"+selector+"}}, policyName", 1))
	}
}

// teams are namespaces: team-a, and team-b with the label of tenants.
func teams(t *testing.T, w *installedWorld) {
	w.put(t, "{apiVersion: v1, kind: Namespace, metadata: {name: team-a, labels: {team: a}}}")
	w.put(t, "{apiVersion: v1, kind: Namespace, metadata: {name: team-b, labels: {flink.apache.org/watched: 'true'}}}")
}

func withKinds(stored ...any) step {
	return func(t *testing.T, w *installedWorld) {
		for _, u := range manifests(t, "crds") {
			w.store(t, u)
			status := map[string]any{"storedVersions": stored}
			if _, err := w.UpdateStatus(gvrOf(t, u), "", u.GetName(), status); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func ofJava(t *testing.T, w *installedWorld) {
	for _, u := range manifests(t, "crds") {
		w.edit(t, "CustomResourceDefinition", "", u.GetName(), set([]any{}, "spec", "versions"))
	}
}

// trusting is a cluster whose webhook has an authority for so long.
func trusting(left time.Duration) step {
	return func(t *testing.T, w *installedWorld) {
		for _, u := range manifests(t, "knative") {
			if u.GetKind() == "ValidatingWebhookConfiguration" && u.GetName() == "flink-admit" {
				w.store(t, u)
			}
		}
		w.trust(t, "ValidatingWebhookConfiguration", w.Clock.Now().Add(time.Hour+left))
	}
}

func denied(resource string) step {
	return func(_ *testing.T, w *installedWorld) { w.asked.denied = resource }
}

// autoscaled is a job that a default of the Java operator autoscaled.
func autoscaled(t *testing.T, w *installedWorld) {
	w.put(t, "{apiVersion: flink.apache.org/v1beta1, kind: FlinkDeployment, metadata: {name: b, namespace: flink}}")
	if _, err := w.UpdateStatus(resourceOf("FlinkDeployment"), "flink", "b", map[string]any{
		"observedGeneration": int64(1), "reconciliationStatus": map[string]any{
			"lastReconciledSpec": `{"spec":{"flinkConfiguration":{"pipeline.jobvertex-parallelism-overrides":"a:1"}}}`,
		},
	}); err != nil {
		t.Fatal(err)
	}
}

func alreadyRuns(t *testing.T, w *installedWorld) {
	w.put(t, "{apiVersion: serving.knative.dev/v1, kind: Service, metadata: {name: reconcile, namespace: flink-system, "+
		"labels: {app.kubernetes.io/part-of: kn-flink}}}")
}

const (
	day     = 24 * time.Hour
	kourier = "app: 3scale-kourier-gateway"
)

// What a cluster says before an installation or an update.
func TestDoctorBeforeAnInstallation(t *testing.T) {
	for name, row := range map[string]struct {
		before step
		flags  string
		// line is how a line begins, in one space for many.
		line string
		code int
	}{
		"all is well":                     {nil, "", "ok Rights", 0},
		"an old Kubernetes":               {kubernetesOf("31"), "", "fail Kubernetes 1.31", 1},
		"one that Knative is too new for": {kubernetesOf("33"), "", "warn Kubernetes 1.33", 0},
		"no Eventing": {func(t *testing.T, w *installedWorld) {
			w.remove(t, "CustomResourceDefinition", "", "brokers.eventing.knative.dev")
		}, "", "fail Eventing not complete: no bro", 1},
		"the Knative that is tested":  {nil, "", "ok Serving 1.23.0, tested", 0},
		"one before":                  {knativeOf("1.21.4"), "", "ok Serving 1.21.4, supported", 0},
		"one that is too old":         {knativeOf("1.20.9"), "", "fail Serving 1.20.9 is not supported", 1},
		"one that is newer":           {knativeOf("v1.24.0"), "", "warn Eventing 1.24.0, untested", 0},
		"a Knative without a version": {knativeOf(""), "", "warn Eventing its version is not known", 0},
		"Kourier of its own files": {
			ingressOf("kourier"), "", "ok Ingress Kourier, in namespace kourier-system", 0,
		},
		"Kourier of Knative's operator": {and(noKourier, gate("knative-serving", "kourier", kourier, "80"),
			gate("knative-serving", "kourier-internal", kourier, "80")), "",
			"ok Ingress Kourier, in namespace knative-serving", 0},
		"our own Services are no Kourier": {and(noKourier, gate("kourier-system", "flink-admit", kourier, "443"),
			gate("kourier-system", "flink-admit-flink-b", kourier, "443")), "",
			"fail Ingress no webhook can be installed: no Service selects Kourier's", 1},
		"no Kourier, and no webhook wanted":    {noKourier, "--no-webhook", "warn Ingress no webhook, as asked for", 0},
		"no Kourier, and the overlay of Istio": {noKourier, "--overlay=istio", "ok Ingress Istio", 0},
		"Istio": {and(ingressOf("istio"), gate("gates", "g", "istio: ingressgateway", "80")), "",
			"ok Ingress Istio, in namespace gates", 0},
		"Istio, and its gateway is not there": {ingressOf("istio"), "",
			"fail Ingress no webhook can be installed: no Service selects Istio's", 1},
		"Contour": {and(ingressOf("contour"), gate("contour-external", "envoy", "app: envoy", "443")), "",
			"ok Ingress Contour, in namespace contour-external", 0},
		"Contour elsewhere": {and(ingressOf("contour"), gate("edge", "proxy", "app: e", "443"), named("config-contour",
			"visibility", `ExternalIP:\n  class: a\n  service: edge/proxy\nClusterLocal:\n  service: in/envoy\n`)), "",
			"ok Ingress Contour, in namespace edge", 0},
		"Contour without its Envoy": {
			and(ingressOf("contour"), gate("contour-external", "envoy", "app: envoy", "80")), "",
			"fail Ingress no webhook can be installed: the Service of Contour's Envoy", 1,
		},
		"Gateway API": {and(ingressOf("gateway-api"), gate("eg", "envoy", "owner: eg", "443"), named("config-gateway",
			"external-gateways", `- class: eg\n  gateway: eg/knative\n  service: eg/envoy\n`)), "",
			"ok Ingress Gateway API, in namespace eg", 0},
		"Gateway API as Knative ships it": {
			and(ingressOf("gateway-api"), gate("istio-system", "istio-ingressgateway", "istio: ingressgateway", "443")), "",
			"ok Ingress Gateway API, in namespace istio-system", 0,
		},
		"an ingress that is not known": {
			ingressOf("ambassador"), "", "fail Ingress no webhook can be installed: Knative's ingress is ambassador", 1,
		},
		"two Kouriers": {gate("a", "kourier", kourier, "80"), "",
			"fail Ingress no webhook can be installed: there is more than one gateway, in namespaces a kourier-system", 1},
		"one of two": {gate("a", "kourier", kourier, "80"), "--gateway-namespace=a",
			"ok Ingress Kourier, in namespace a", 0},
		"no kinds":                   {nil, "", "ok flinkdeployments is made", 0},
		"kinds of this version":      {withKinds("v1beta1"), "", "ok flinkdeployments brought up to date", 0},
		"kinds of the Java operator": {and(withKinds("v1beta1"), ofJava), "", "ok flinksessionjobs of the Java operator", 0},
		"kinds in an older version": {
			withKinds("v1alpha1", "v1beta1"), "", "fail flinkdeployments stored in version v1alpha1 v1beta1", 1,
		},
		"a Java operator": {java("", "1"), "", "fail Java operator deployment ops/flink-kubernetes-operator", 1},
		"how to stop it": {
			java("", "1"), "", "kubectl -n ops scale deployment flink-kubernetes-operator --replicas=0", 1,
		},
		"it is scaled to zero":        {java("", "0"), "", "ok Java operator", 0},
		"it watches other namespaces": {and(java("a,b", "1"), watchesC), "", "ok Java operator", 0},
		"it watches one of ours":      {and(java("a,c", "1"), watchesC), "", "fail Java operator", 1},
		"no other installation":       {nil, "", "ok Installations no other", 0},
		"another one, and all namespaces for this": {
			and(teams, another("kn-flink-status-flink-b", "matchLabels: {team: a}")), "",
			"fail Installations that in namespace flink-b watches these namespaces, too: team-a.", 1,
		},
		"another one with namespaces of its own": {
			and(teams, another("kn-flink-status-flink-b", "matchLabels: {team: a}")),
			"--overlay=tenants --scope=flink.apache.org/watched=true",
			"ok Installations that in namespace flink-b watches other namespaces", 0,
		},
		"another one with a namespace of this one": {
			and(teams, another("kn-flink-status-flink-b", "matchLabels: {team: a}")), "--scope=team=a",
			"fail Installations that in namespace flink-b watches these namespaces, too: team-a.", 1,
		},
		"a second one beside the first": {
			and(teams, another("kn-flink-status", "matchLabels: {flink.apache.org/watched: 'true'}")),
			"--system-namespace=flink-b --scope=flink.apache.org/watched=flink-b",
			"ok Installations that in namespace flink-system watches", 0,
		},
		"a second one beside one that has all": {and(teams, another("kn-flink-status", "")),
			"--system-namespace=flink-b --scope=team=a",
			"fail Installations that in namespace flink-system watches these namespaces, too: team-a.", 1},
		"both may get what is to come": {another("kn-flink-status-flink-b", "matchLabels: {team: a}"), "",
			"fail Installations that in namespace flink-b watches these namespaces, too: all that are to come", 1},
		"no certificate":     {nil, "", "ok Certificate is made", 0},
		"a certificate":      {trusting(60 * day), "", "ok Certificate good until", 0},
		"one that ends soon": {trusting(day), "", "warn Certificate ends within", 0},
		"one that has ended": {trusting(-time.Hour), "", "warn Certificate has expired", 0},
		"no right":           {denied("namespaces"), "", "fail Rights you may not patch namespaces", 1},
		"no right in the namespace": {
			denied("configmaps"), "", "fail Rights you may not patch flink-system/configmaps", 1,
		},
		"a resource that is not run in full": {autoscaled, "", "fail Resources some", 1},
		"which it is":                        {autoscaled, "", "flinkdeployment flink/b autoscaled", 1},
		"whoever has read the list goes on":  {autoscaled, "--go-on", "warn Resources some", 0},
		"the same in an update":              {and(autoscaled, alreadyRuns), "", "warn Resources some", 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newCluster(t)
			if row.before != nil {
				row.before(t, w)
			}
			out, notes, code := w.run(append([]string{"doctor", "--pre"}, strings.Fields(row.flags)...)...)
			found := false
			for line := range strings.Lines(out) {
				found = found || strings.HasPrefix(strings.Join(strings.Fields(line), " "), row.line)
			}
			if !found || code != row.code {
				t.Errorf("exit code %d, no line %q:\n%s%s", code, row.line, out, notes)
			}
		})
	}
}
