package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/kinds"
)

// What the operator needs. hack/versions.sh has the same numbers.
const (
	// kubernetesFloor is N of the oldest Kubernetes 1.N.
	kubernetesFloor = 32
	// knativeTested and knativeOldest are N of the Knative 1.N that is tested, and of the oldest that is supported.
	knativeTested, knativeOldest = 23, 21
	// knativeFloor is N of the oldest Kubernetes 1.N that the tested Knative takes.
	knativeFloor = 34
)

// KnativeDefinitions are the definitions of Knative that an installation needs: those of Serving, and of Eventing.
var KnativeDefinitions = [2][]string{
	{"services.serving.knative.dev", "domainmappings.serving.knative.dev"},
	{
		"brokers.eventing.knative.dev", "triggers.eventing.knative.dev", "apiserversources.sources.knative.dev",
		"pingsources.sources.knative.dev",
	},
}

// Patched are what an installation makes and changes: cluster-wide, and in its namespace.
var Patched = [2][]string{
	{
		"namespaces", "customresourcedefinitions.apiextensions.k8s.io", "clusterroles.rbac.authorization.k8s.io",
		"clusterrolebindings.rbac.authorization.k8s.io", "validatingadmissionpolicies.admissionregistration.k8s.io",
		"validatingwebhookconfigurations.admissionregistration.k8s.io",
		"mutatingwebhookconfigurations.admissionregistration.k8s.io",
	},
	append([]string{"configmaps", "serviceaccounts", "jobs.batch"}, slices.Concat(KnativeDefinitions[:]...)...),
}

func judgeKubernetes(f Found, _ Asked) []Line {
	const check = "Kubernetes"
	switch {
	case f.Minor < kubernetesFloor:
		return []Line{line(check, Fail, "1.%d: selectable fields of custom resources need 1.%d", f.Minor, kubernetesFloor).
			do("update Kubernetes: docs/install/requirements.md")}
	case f.Minor < knativeFloor:
		return []Line{line(check, Warn, "1.%d: Knative 1.%d, which is tested, needs 1.%d; an older Knative takes it", f.Minor,
			knativeTested, knativeFloor)}
	}
	return []Line{line(check, OK, "1.%d", f.Minor)}
}

func judgeServing(f Found, _ Asked) []Line { return knative(f, "Serving", KnativeDefinitions[0]) }

func judgeEventing(f Found, _ Asked) []Line { return knative(f, "Eventing", KnativeDefinitions[1]) }

// knative judges a part of Knative by its definitions and their version.
func knative(f Found, check string, definitions []string) []Line {
	var missing []string
	for _, name := range definitions {
		if f.one(Definitions, "", name) == nil {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return []Line{line(check, Fail, "not complete: no %s", strings.Join(missing, " ")).
			do("install Knative: docs/install/knative.md")}
	}
	version := strings.TrimPrefix(f.one(Definitions, "", definitions[0]).GetLabels()["app.kubernetes.io/version"], "v")
	parts := strings.Split(version, ".")
	minor := -1
	if len(parts) > 1 && parts[0] == "1" {
		if n, err := strconv.Atoi(parts[1]); err == nil {
			minor = n
		}
	}
	switch {
	case minor < 0:
		return []Line{line(check, Warn, "its version is not known, so it is untested; 1.%d is tested", knativeTested)}
	case minor < knativeOldest:
		return []Line{line(check, Fail, "%s is not supported: update Knative to 1.%d or later", version, knativeOldest).
			do("update Knative: docs/install/knative.md")}
	case minor < knativeTested:
		return []Line{line(check, OK, "%s, supported; 1.%d is tested", version, knativeTested)}
	case minor == knativeTested:
		return []Line{line(check, OK, "%s, tested", version)}
	}
	return []Line{line(check, Warn, "%s, untested: newer than 1.%d", version, knativeTested)}
}

func judgeIngress(f Found, a Asked) []Line {
	const check = "Ingress"
	why := noWebhook(f, a)
	switch {
	case a.Overlay == "istio":
		return []Line{line(check, OK, "Istio, as overlay istio says")}
	case why == "":
		return []Line{line(check, OK, "%s, in namespace %s", ingresses[cmp.Or(ingressClass(f), "kourier")],
			Gateways(f, a)[0].Namespace)}
	case a.NoWebhook:
		return []Line{line(check, Warn, "no webhook, as asked for: %s", why)}
	}
	return []Line{line(check, Fail, "no webhook can be installed: %s", why).do(
		"Without a webhook (WEBHOOK=no, --no-webhook) a wrong spec is reported in its status only, not when it is",
		"applied, and mutators of the settings never run.")}
}

// judgeDefinitions says of each kind what an installation does with its definition.
func judgeDefinitions(f Found, _ Asked) (lines []Line) {
	for _, k := range kinds.All {
		check, u := k.Resource.Resource, f.one(Definitions, "", DefinitionOf(k))
		if u == nil {
			lines = append(lines, line(check, OK, "is made"))
			continue
		}
		stored, _, _ := unstructured.NestedStringSlice(u.Object, "status", "storedVersions")
		switch {
		case !slices.Equal(stored, []string{k.Resource.Version}):
			lines = append(lines, oldStored(check, stored, k.Resource.Version))
		case pace(u) == "":
			lines = append(lines, line(check, OK, "of the Java operator: gets the fields of this version, loses none"))
		default:
			lines = append(lines, line(check, OK, "brought up to date"))
		}
	}
	return lines
}

// soon is how long before its end a certificate is worth a look, in days.
const soon = 10

// judgeCertificate says until when what the API server trusts of the webhook is good; admit makes one that is missing.
func judgeCertificate(f Found, a Asked) []Line {
	const check = "Certificate"
	days := f.TrustedUntil.Sub(f.Now).Hours() / 24
	look := fmt.Sprintf("kubectl -n %s get cronjobs,jobs -l app.kubernetes.io/component=admit", a.System)
	switch {
	case f.TrustedUntil.IsZero():
		return []Line{line(check, OK, "is made")}
	case days <= 0:
		return []Line{line(check, Warn,
			"has expired: admit makes another one; look at CronJob flink-admit-certificate").do(look)}
	case days < soon:
		return []Line{line(check, Warn, "ends within ten days: look at CronJob flink-admit-certificate").do(look)}
	}
	return []Line{line(check, OK, "good until %s", f.TrustedUntil.UTC().Format("Jan 2 2006"))}
}

// judgeRights says which rights of an installation the user lacks.
func judgeRights(f Found, _ Asked) []Line {
	if len(f.Denied) > 0 {
		return []Line{line("Rights", Fail, "you may not patch %s", strings.Join(f.Denied, " ")).
			do("install as a user with role cluster-admin")}
	}
	return []Line{line("Rights", OK, "all that an installation needs")}
}
