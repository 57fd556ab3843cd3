package flinkconf

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// IngressRules say which Ingresses users may ask for. They are read from the operator's base configuration alone, so
// that
// no tenant can widen them. The zero value allows all.
type IngressRules struct {
	// Hosts are patterns of the hosts (kubernetes.operator.ingress.allowed-hosts); none: every host.
	Hosts []string
	// Annotations are patterns of the names of annotations (kubernetes.operator.ingress.allowed-annotations); none: every
	// annotation.
	Annotations []string
}

// IngressRules reads them. An option that cannot be read allows nothing.
func (o Operator) IngressRules() IngressRules {
	read := func(option Option) []string {
		if strings.TrimSpace(o.base.Get(option)) == "" {
			return nil
		}
		patterns, err := o.base.List(option)
		if err != nil || len(patterns) == 0 {
			return []string{""} // no name is empty
		}
		return patterns
	}
	return IngressRules{Hosts: read(key.IngressAllowedHosts), Annotations: read(key.IngressAllowedAnnotations)}
}

// Refused is what of an Ingress is not allowed: the field below spec.ingress, and its value. Both are empty when all
// is.
// The host is that of the template for the resource; an empty one stands for every host.
func (r IngressRules) Refused(spec *v1beta1.IngressSpec, host, namespace, name string) (field, value string) {
	places := strings.NewReplacer(
		"{{namespace}}", namespace, "{{ namespace }}", namespace, "{{name}}", name, "{{ name }}", name,
	)
	// A star of a host stands for one part of it, as in certificates.
	parts := func(text string) string { return strings.ReplaceAll(text, ".", "/") }
	host, hosts := strings.ToLower(host), r.Hosts
	allowed := func(host string) bool {
		return len(hosts) == 0 || host != "" && slices.ContainsFunc(hosts, func(pattern string) bool {
			match, err := path.Match(parts(strings.ToLower(places.Replace(strings.TrimSpace(pattern)))), parts(host))
			return err == nil && match
		})
	}
	if !allowed(host) {
		return "template", host
	}
	for _, entry := range spec.TLS {
		for _, host := range entry.Hosts {
			if !allowed(strings.ToLower(host)) {
				return "tls", host
			}
		}
	}
	for _, annotation := range slices.Sorted(maps.Keys(spec.Annotations)) {
		if len(r.Annotations) > 0 && !slices.ContainsFunc(r.Annotations, func(pattern string) bool {
			match, err := path.Match(strings.TrimSpace(pattern), annotation)
			return err == nil && match
		}) {
			return "annotations", annotation
		}
	}
	return "", ""
}
