package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kn-flink/kn-flink/pkg/install"
)

// knativeServing is the namespace of Knative Serving.
const knativeServing = "knative-serving"

// ingressClass is Knative's ingress class without its domain, such as kourier; empty where none is set.
func ingressClass(f Found) string {
	network := f.one(Network, knativeServing, "config-network")
	class := text(network, "data", "ingress-class") + text(network, "data", "ingress.class")
	class, _, _ = strings.Cut(class, ".")
	return class
}

// ingresses are the ingresses that the webhook is known to work with, by their classes.
var ingresses = map[string]string{
	"kourier": "Kourier", "istio": "Istio", "contour": "Contour", "gateway-api": "Gateway API",
}

// kourierPods and istioPods are what the pods of these gateways have.
var (
	kourierPods = map[string]string{"app": "3scale-kourier-gateway"}
	istioPods   = map[string]string{"istio": "ingressgateway"}
)

// podsPort is the TLS port of pods of Kourier and of Istio.
const podsPort = "8443"

// Kourier is the gateway of Kourier in a namespace.
func Kourier(namespace string) install.Gateway {
	return install.Gateway{Namespace: namespace, Selector: kourierPods, Port: podsPort}
}

// Gateways are where the webhook may be reached, by Knative's ingress class: pods of Kourier or Istio wherever a
// Service selects them, or the Service that net-contour or net-gateway-api has been given.
func Gateways(f Found, a Asked) (found []install.Gateway) {
	switch class := cmp.Or(ingressClass(f), "kourier"); class {
	case "kourier":
		if a.GatewayNamespace != "" {
			return []install.Gateway{Kourier(a.GatewayNamespace)}
		}
		found = selecting(f, kourierPods)
	case "istio":
		found = selecting(f, istioPods)
	case "contour":
		found = service(f, named(f, "config-contour", []string{"visibility"}, "contour-external/envoy"))
	case "gateway-api":
		found = service(f, named(f, "config-gateway", []string{"external-gateways", "visibility"},
			"istio-system/istio-ingressgateway"))
	}
	return slices.DeleteFunc(found, func(g install.Gateway) bool {
		return a.GatewayNamespace != "" && g.Namespace != a.GatewayNamespace
	})
}

// selecting are the namespaces in which a Service, not ours, selects pods by labels.
func selecting(f Found, labels map[string]string) (found []install.Gateway) {
	for _, s := range f.Objects[Exposed] {
		selector, _, _ := unstructured.NestedStringMap(s.Object, "spec", "selector")
		has := !strings.HasPrefix(s.GetName(), "flink-admit")
		for k, v := range labels {
			has = has && selector[k] == v
		}
		if has && !slices.ContainsFunc(found, func(g install.Gateway) bool { return g.Namespace == s.GetNamespace() }) {
			found = append(found, install.Gateway{Namespace: s.GetNamespace(), Selector: labels, Port: podsPort})
		}
	}
	slices.SortFunc(found, func(a, b install.Gateway) int { return strings.Compare(a.Namespace, b.Namespace) })
	return found
}

// named is namespace/name of the Service of the gateway for what is outside, as a ConfigMap names it.
func named(f Found, configMap string, keys []string, otherwise string) string {
	u := f.one(Network, knativeServing, configMap)
	for _, key := range keys {
		inside := false // what is said of the gateway for what is inside of the cluster
		for line := range strings.Lines(text(u, "data", key)) {
			switch {
			case strings.Contains(line, "ClusterLocal:"):
				inside = true
			case strings.Contains(line, "ExternalIP:"):
				inside = false
			}
			if name, is := strings.CutPrefix(strings.TrimLeft(line, " -"), "service:"); is && !inside {
				return strings.TrimSpace(name)
			}
		}
	}
	return otherwise
}

// service is a Service as a gateway, if it is there and has port 443.
func service(f Found, name string) []install.Gateway {
	namespace, name, _ := strings.Cut(name, "/")
	u := f.one(Exposed, namespace, name)
	if u == nil {
		return nil
	}
	selector, _, _ := unstructured.NestedStringMap(u.Object, "spec", "selector")
	for _, port := range maps(u, "spec", "ports") {
		if fmt.Sprint(port["port"]) != "443" || len(selector) == 0 {
			continue
		}
		target := intstr.Parse(fmt.Sprint(cmp.Or(port["targetPort"], any(int64(443)))))
		return []install.Gateway{{Namespace: namespace, Selector: selector, Port: target.String()}}
	}
	return nil
}

// noWebhook says why none can be installed for Knative's gateway; empty when it can.
func noWebhook(f Found, a Asked) string {
	class := ingressClass(f)
	absent := map[string]string{
		"":        "no Service selects Kourier's gateway (app: 3scale-kourier-gateway) in any namespace",
		"kourier": "no Service selects Kourier's gateway (app: 3scale-kourier-gateway) in any namespace",
		"istio":   "no Service selects Istio's gateway (istio: ingressgateway) in any namespace",
		"contour": "the Service of Contour's Envoy (ConfigMap config-contour in knative-serving) is not there, or has " +
			"no port 443",
		"gateway-api": "the Service of the external gateway (ConfigMap config-gateway in knative-serving) is not there, " +
			"or has no port 443",
	}
	none, known := absent[class]
	found := Gateways(f, a)
	switch {
	case !known:
		return "Knative's ingress is " + class + ", which is none of Kourier, Istio, Contour and Gateway API " +
			"(ConfigMap config-network in knative-serving)"
	case len(found) == 0:
		return none
	case len(found) > 1:
		var in []string
		for _, g := range found {
			in = append(in, g.Namespace)
		}
		return "there is more than one gateway, in namespaces " + strings.Join(in, " ") +
			": set the namespace of that of Knative's ingress (--gateway-namespace)"
	}
	return ""
}
