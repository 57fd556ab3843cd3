package flinkconf

import (
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

func TestIngressRules(t *testing.T) {
	const rules = "kubernetes.operator.ingress."
	const hosts, annotations = rules + "allowed-hosts", rules + "allowed-annotations"
	for name, row := range map[string]struct {
		options   Config
		host      string
		spec      v1beta1.IngressSpec
		field     string
		refuses   string
		behaviour string
	}{
		"no rules": {
			nil, "a.b", v1beta1.IngressSpec{Annotations: map[string]string{"x": "y"}}, "", "", "as with the Java operator",
		},
		"the very host": {Config{hosts: "a.b;c.d"}, "c.d", v1beta1.IngressSpec{}, "", "", "one of a list"},
		"another host":  {Config{hosts: "a.b"}, "c.d", v1beta1.IngressSpec{}, "template", "c.d", "of another team"},
		"every host":    {Config{hosts: "a.b"}, "", v1beta1.IngressSpec{}, "template", "", "no host is every host"},
		"of the namespace": {
			Config{
				hosts: "*.{{namespace}}.example.com",
			}, "demo.team.example.com", v1beta1.IngressSpec{}, "", "", "a part is free",
		},
		"of another namespace": {
			Config{hosts: "*.{{namespace}}.example.com"}, "demo.other.example.com", v1beta1.IngressSpec{}, "template",
			"demo.other.example.com", "the namespace is not",
		},
		"deeper": {
			Config{hosts: "*.example.com"}, "a.b.example.com", v1beta1.IngressSpec{}, "template", "a.b.example.com",
			"a star is one part",
		},
		"of the name": {
			Config{hosts: "{{name}}.example.com"}, "demo.example.com", v1beta1.IngressSpec{}, "", "", "of the resource",
		},
		"the case": {
			Config{hosts: "A.example.com"}, "a.EXAMPLE.com", v1beta1.IngressSpec{}, "", "", "counts for nothing in a name",
		},
		"TLS of another host": {
			Config{hosts: "a.b"}, "a.b", v1beta1.IngressSpec{TLS: []v1beta1.IngressTLS{{Hosts: []string{"a.b", "c.d"}}}},
			"tls", "c.d", "a certificate is a claim, too",
		},
		"an annotation": {
			Config{annotations: "nginx.ingress.kubernetes.io/rewrite-target;cert-manager.io/*"}, "a.b",
			v1beta1.IngressSpec{Annotations: map[string]string{
				"nginx.ingress.kubernetes.io/rewrite-target": "/", "cert-manager.io/issuer": "a",
			}}, "", "", "one by name, one by pattern",
		},
		"another annotation": {
			Config{annotations: "nginx.ingress.kubernetes.io/rewrite-target"}, "a.b",
			v1beta1.IngressSpec{Annotations: map[string]string{"nginx.ingress.kubernetes.io/configuration-snippet": "x"}},
			"annotations", "nginx.ingress.kubernetes.io/configuration-snippet", "it is run by the controller",
		},
		"a broken pattern": {Config{hosts: "[a"}, "a", v1beta1.IngressSpec{}, "template", "a", "allows nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			field, value := NewOperator(row.options).IngressRules().Refused(&row.spec, row.host, "team", "demo")
			if field != row.field || value != row.refuses {
				t.Errorf("%s %q is refused, want %s %q: %s", field, value, row.field, row.refuses, row.behaviour)
			}
		})
	}
}
