package install

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Gateway is where the admission webhook is to be reached.
type Gateway struct {
	// Namespace is that of its pods.
	Namespace string
	// Selector is what its pods have.
	Selector map[string]string
	// Port is the TLS port of the pods: a number, or a name.
	Port string
}

// What the manifests have: the webhook at the gateway of Kourier.
const (
	kourierNamespace = "kourier-system"
	kourierPods      = "3scale-kourier-gateway"
	kourierPort      = 8443
)

// At puts the webhook of an installation where a gateway is, as hack/deploy.sh (fit_ingress) does.
func At(objects []*unstructured.Unstructured, g Gateway) []*unstructured.Unstructured {
	selector := map[string]any{}
	for k, v := range g.Selector {
		selector[k] = v
	}
	port := any(g.Port)
	if number := intstr.Parse(g.Port); number.Type == intstr.Int {
		port = int64(number.IntVal)
	}
	return each(objects, func(value any) any {
		switch v := value.(type) {
		case string:
			return strings.ReplaceAll(v, kourierNamespace, g.Namespace)
		case map[string]any:
			if len(v) == 1 && v["app"] == kourierPods {
				return maps.Clone(selector)
			}
			if target, is := v["targetPort"]; is && isPort(target) {
				v["targetPort"] = port
			}
		}
		return value
	})
}

// isPort is whether a target is the port of Kourier's pods, which YAML reads as one of two types.
func isPort(target any) bool {
	return target == any(int64(kourierPort)) || target == any(float64(kourierPort))
}

// Without leaves out what is of function admit.
func Without(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	return slices.DeleteFunc(slices.Clone(objects), func(u *unstructured.Unstructured) bool {
		return u.GetLabels()["app.kubernetes.io/component"] == "admit"
	})
}

// From takes images from another registry: a host in the place of that of the release.
func From(objects []*unstructured.Unstructured, registry string) []*unstructured.Unstructured {
	return each(objects, func(value any) any {
		m, is := value.(map[string]any)
		if !is {
			return value
		}
		for _, key := range []string{"image", "client.knative.dev/user-image"} {
			if image, is := m[key].(string); is {
				if _, path, has := strings.Cut(image, "/"); has {
					m[key] = registry + "/" + path
				}
			}
		}
		return m
	})
}

// each are copies of objects in which a function has replaced values, the inner ones first.
func each(objects []*unstructured.Unstructured, replace func(any) any) []*unstructured.Unstructured {
	var made []*unstructured.Unstructured
	for _, u := range objects {
		content, _ := within(u.DeepCopy().Object, replace).(map[string]any)
		made = append(made, &unstructured.Unstructured{Object: content})
	}
	return made
}

func within(value any, replace func(any) any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, one := range v {
			v[key] = within(one, replace)
		}
	case []any:
		for i, one := range v {
			v[i] = within(one, replace)
		}
	}
	return replace(value)
}
