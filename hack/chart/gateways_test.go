package main

import (
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	plain "sigs.k8s.io/yaml"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// renderedIn is the chart as it is rendered in a cluster with these objects.
func renderedIn(t *testing.T, values string, objects ...string) (map[string]map[string]any, error) {
	t.Helper()
	c, _ := made(t)
	var all []runtime.Object
	for _, text := range append(objects, "{apiVersion: v1, kind: Namespace, metadata: {name: kube-system}}") {
		u := &unstructured.Unstructured{}
		if err := plain.Unmarshal([]byte(text), &u.Object); err != nil {
			t.Fatal(err)
		}
		all = append(all, u)
	}
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
		{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicybindings"}: "BindingList",
		{Version: "v1", Resource: "namespaces"}: "NamespaceList", {Version: "v1", Resource: "services"}: "ServiceList",
		{Version: "v1", Resource: "configmaps"}: "ConfigMapList",
	}, all...)
	set, err := chartutil.ReadValues([]byte(values))
	if err != nil {
		t.Fatal(err)
	}
	options := chartutil.ReleaseOptions{Name: "kn-flink", Namespace: "flink-system", IsInstall: true}
	render, err := chartutil.ToRenderValues(c, set, options, chartutil.DefaultCapabilities)
	if err != nil {
		t.Fatal(err)
	}
	rendered, err := engine.RenderWithClientProvider(c, render, aCluster{client})
	found := map[string]map[string]any{}
	for name, text := range rendered {
		for document := range strings.SplitSeq("\n"+text, "\n---\n") {
			var object map[string]any
			if strings.HasSuffix(name, ".yaml") && plain.Unmarshal([]byte(document), &object) == nil && object != nil {
				found[keyOf(object)] = object
			}
		}
	}
	return found, err
}

// class is Knative's choice of an ingress.
func class(name string) string {
	return "{apiVersion: v1, kind: ConfigMap, metadata: {name: config-network, namespace: knative-serving}, data: {ingress-class: " +
		name + ".ingress.networking.knative.dev}}"
}

// service is a Service with ports of port: targetPort.
func service(namespace, name, selector, ports string) string {
	return "{apiVersion: v1, kind: Service, metadata: {name: " + name + ", namespace: " + namespace + "}, spec: {selector: {" +
		selector + "}, ports: [" + ports + "]}}"
}

// What the API server calls is the gateway of Knative's ingress, wherever and whichever that is.
func TestTheWebhookIsAtTheGatewayOfKnativesIngress(t *testing.T) {
	const (
		kourier = "app: 3scale-kourier-gateway"
		tls     = "{port: 80, targetPort: 8080}, {port: 443, targetPort: 8443}"
		config  = "{apiVersion: v1, kind: ConfigMap, metadata: {namespace: knative-serving, name: "
	)
	rows := map[string]struct {
		values                    string
		objects                   []string
		namespace, selector, port string
		says                      string // instead: why it is not rendered
	}{
		"Kourier by its own files": {
			"", []string{class("kourier"), service("kourier-system", "kourier", kourier, tls)},
			"kourier-system", `{"app":"3scale-kourier-gateway"}`, "8443", "",
		},
		"Kourier by Knative's operator, with our Services beside it": {
			"", []string{
				service("knative-serving", "kourier", kourier, tls), service("knative-serving", "kourier-internal", kourier, tls),
				service("other", "flink-admit", kourier, tls), service("other", "flink-admit-flink-b", kourier, tls),
			}, "knative-serving", `{"app":"3scale-kourier-gateway"}`, "8443", "",
		},
		"Istio": {
			"", []string{
				class("istio"), service("gates", "istio-ingressgateway", "app: istio-ingressgateway, istio: ingressgateway", tls),
			}, "gates", `{"istio":"ingressgateway"}`, "8443", "",
		},
		"Contour as it comes": {
			"", []string{class("contour"), service("contour-external", "envoy", "app: envoy", tls)},
			"contour-external", `{"app":"envoy"}`, "8443", "",
		},
		"Contour as it is configured": {
			"", []string{
				class("contour"), service("edge", "proxy", "app: e", "{port: 443, targetPort: https}"),
				config + "config-contour}, data: {visibility: \"ExternalIP:\\n  class: a\\n  service: edge/proxy\\n" +
					"ClusterLocal:\\n  service: in/envoy\\n\"}}",
			}, "edge", `{"app":"e"}`, `"https"`, "",
		},
		"Gateway API as it comes": {
			"", []string{class("gateway-api"), service("istio-system", "istio-ingressgateway", "istio: ingressgateway", tls)},
			"istio-system", `{"istio":"ingressgateway"}`, "8443", "",
		},
		"Gateway API as it is configured": {
			"", []string{
				class("gateway-api"), service("eg", "envoy", "owner: eg", "{port: 443, targetPort: 10443}"),
				config + "config-gateway}, data: {external-gateways: \"- class: eg\\n  gateway: eg/knative\\n  service: eg/envoy\\n\"}}",
			}, "eg", `{"owner":"eg"}`, "10443", "",
		},
		"Gateway API in the older form": {
			"", []string{
				class("gateway-api"), service("eg", "envoy", "owner: eg", "{port: 443}"),
				config + "config-gateway}, data: {visibility: \"ExternalIP:\\n  service: eg/envoy\\n\"}}",
			}, "eg", `{"owner":"eg"}`, "443", "",
		},
		"a gateway by values": {
			"webhook: {gatewayNamespace: a, gatewaySelector: {b: c}, gatewayPort: 9443}", []string{class("ambassador")},
			"a", `{"b":"c"}`, "9443", "",
		},
		"one of two": {
			"webhook: {gatewayNamespace: b}", []string{
				class("istio"), service("a", "x", "istio: ingressgateway", tls), service("b", "x", "istio: ingressgateway", tls),
			}, "b", `{"istio":"ingressgateway"}`, "8443", "",
		},
		"two": {
			"", []string{service("a", "kourier", kourier, tls), service("b", "kourier", kourier, tls)},
			"", "", "", "more than one gateway, in namespaces a b",
		},
		"an ingress that nobody knows": {"", []string{class("ambassador")}, "", "", "", "Knative's ingress (ambassador) is found"},
		"Contour without TLS": {
			"", []string{class("contour"), service("contour-external", "envoy", "app: envoy", "{port: 80}")},
			"", "", "", "Knative's ingress (contour) is found",
		},
		"labels without a namespace": {
			"webhook: {gatewaySelector: {b: c}}", nil, "", "", "", "gatewaySelector needs webhook.gatewayNamespace",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			got, err := renderedIn(t, row.values, row.objects...)
			if row.says != "" {
				if err == nil || !strings.Contains(err.Error(), row.says) {
					t.Errorf("%v, want %q", err, row.says)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			ours := text(t, got["Service "+row.namespace+" flink-admit"])
			for _, part := range []string{`"selector":` + row.selector, `"targetPort":` + row.port} {
				if !strings.Contains(ours, part) {
					t.Errorf("the Service has no %s: %s", part, ours)
				}
			}
			host := "flink-admit." + row.namespace + ".svc"
			for _, key := range []string{"ClusterDomainClaim  " + host, "DomainMapping flink-system " + host} {
				if got[key] == nil {
					t.Errorf("there is no %s", key)
				}
			}
			for _, kind := range []string{"Validating", "Mutating"} {
				hook := text(t, got[kind+"WebhookConfiguration  flink-admit"])
				if !strings.Contains(hook, `"namespace":"`+row.namespace+`"`) {
					t.Errorf("%s", hook)
				}
			}
			if policy := text(t, got["NetworkPolicy flink-system flink-functions"]); !strings.Contains(policy, `"`+row.namespace+`"`) {
				t.Errorf("the gateway may not call the functions: %s", policy)
			}
		})
	}
}
