package render

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

func TestParseIngressTemplate(t *testing.T) {
	tests := map[string]struct {
		template, host, path, problem string
		reason                        string
	}{
		"host": {
			template: "{{name}}.{{namespace}}.example.com", host: "basic.team.example.com", reason: "a name alone is a host",
		},
		"path": {
			template: "/{{namespace}}/{{name}}(/|$)(.*)", path: "/team/basic(/|$)(.*)",
			reason: "a leading slash means no host, and a regular expression stays",
		},
		"host and path": {
			template: "example.com/{{namespace}}/{{name}}(/|$)(.*)", host: "example.com", path: "/team/basic(/|$)(.*)",
			reason: "the first slash divides",
		},
		"placeholders in any case": {
			template: "{{NAME}}.{{NameSpace}}.x/{{name}}/{{name}}", host: "basic.team.x", path: "/basic/basic",
			reason: "case does not matter and all occurrences count",
		},
		"placeholder with blanks": {
			template: "/{{ name }}", path: "/{{ name }}", reason: "only the exact form is a placeholder",
		},
		"scheme": {
			template: "HTTPS://example.com/x", host: "example.com", path: "/x",
			reason: "the scheme says nothing to an Ingress",
		},
		"query and fragment": {
			template: "example.com/x?a=b#c", host: "example.com", path: "/x", reason: "neither belongs to a path",
		},
		"query without path": {
			template: "example.com?a=/b", host: "example.com", reason: "a slash in the query is no path",
		},
		"port": {
			template: "example.com:8443/x", host: "example.com", path: "/x",
			reason: "the Ingress controller chooses the port",
		},
		"empty port": {
			template: "example.com:/x", host: "example.com", path: "/x", reason: "a URL may end its host with a colon",
		},
		"port that is no number": {
			template: "example.com:port", problem: `"port" is not a number`,
			reason: "what follows the colon has to be a port",
		},
		"port below -1": {template: "example.com:-2", problem: `"-2" is not a number`, reason: "no port is negative"},
		"port -1": {
			template: "example.com:-1/x", host: "example.com", path: "/x", reason: "Java's URL takes it for none",
		},
		"user": {
			template: "me@example.com/x", host: "example.com", path: "/x", reason: "the user is no part of the host",
		},
		"address": {template: "[::1]/x", problem: "needs a name", reason: "an Ingress rule has no address"},
		"root":    {template: "example.com/", host: "example.com", path: "/", reason: "a single slash is a path"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			host, path, err := ParseIngressTemplate(test.template, "team", "basic")
			if test.problem != "" {
				var spec *SpecError
				if !errors.As(err, &spec) || spec.Value != test.template || !strings.Contains(err.Error(), test.problem) {
					t.Fatalf("%s: got error %v, want one that quotes the template and says %s", test.reason, err, test.problem)
				}
				return
			}
			if err != nil || host != test.host || path != test.path {
				t.Errorf("%s: got host %q, path %q, error %v", test.reason, host, path, err)
			}
		})
	}
}

func TestMakeIngress(t *testing.T) {
	tests := map[string]struct {
		in     IngressInput
		change func(*networkingv1.Ingress)
		reason string
	}{
		"host only": {
			in:     IngressInput{Spec: &v1beta1.IngressSpec{Template: "{{name}}.{{namespace}}.example.com"}},
			change: func(*networkingv1.Ingress) {},
			reason: "one rule, one path without text, the REST Service of the cluster",
		},
		"class, annotations and path": {
			in: IngressInput{Spec: &v1beta1.IngressSpec{
				Template: "/{{name}}(/|$)(.*)", ClassName: "nginx",
				Annotations: map[string]string{"nginx/rewrite-target": "/$2"},
			}},
			change: func(i *networkingv1.Ingress) {
				class := "nginx"
				i.Spec.IngressClassName, i.Annotations = &class, map[string]string{"nginx/rewrite-target": "/$2"}
				i.Spec.Rules[0].Host, i.Spec.Rules[0].HTTP.Paths[0].Path = "", "/basic(/|$)(.*)"
			},
			reason: "class and annotations are copied, the host stays away",
		},
		"labels": {
			in: IngressInput{Spec: &v1beta1.IngressSpec{
				Template: "{{name}}.{{namespace}}.example.com", Labels: map[string]string{"team": "a", "component": "mine"},
			}},
			change: func(i *networkingv1.Ingress) {
				i.Labels = map[string]string{"team": "a", "component": "ingress"}
			},
			reason: "the component label always wins",
		},
		"no tls entry": {
			in: IngressInput{
				Spec: &v1beta1.IngressSpec{Template: "{{name}}.{{namespace}}.example.com", TLS: []v1beta1.IngressTLS{}},
			},
			change: func(*networkingv1.Ingress) {},
			reason: "an empty list is none",
		},
		"tls entries": {
			in: IngressInput{Spec: &v1beta1.IngressSpec{Template: "{{name}}.{{namespace}}.example.com",
				TLS: []v1beta1.IngressTLS{
					{SecretName: "s"}, {Hosts: []string{"a"}}, {Hosts: []string{"a", "b"}, SecretName: "t"},
				}}},
			change: func(i *networkingv1.Ingress) {
				i.Spec.TLS = []networkingv1.IngressTLS{
					{SecretName: "s"}, {Hosts: []string{"a"}}, {Hosts: []string{"a", "b"}, SecretName: "t"},
				}
			},
			reason: "every shape is copied, in order",
		},
		"other port": {
			in: IngressInput{Spec: &v1beta1.IngressSpec{Template: "{{name}}.{{namespace}}.example.com"}, RestPort: 9081},
			change: func(i *networkingv1.Ingress) {
				i.Spec.Rules[0].HTTP.Paths[0].Backend.Service.Port.Number = 9081
			},
			reason: "the backend follows rest.port",
		},
		"blue/green": {
			in: IngressInput{
				Spec: &v1beta1.IngressSpec{Template: "{{name}}.{{namespace}}.example.com"},
				Kind: v1beta1.KindFlinkBlueGreenDeployment, ClusterID: "basic-green",
			},
			change: func(i *networkingv1.Ingress) {
				i.OwnerReferences[0].Kind = "FlinkBlueGreenDeployment"
				i.Spec.Rules[0].HTTP.Paths[0].Backend.Service.Name = "basic-green-rest"
			},
			reason: "the parent owns the Ingress, and it leads to the active child",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.in.Namespace, test.in.Name, test.in.UID = "team", "basic", "u-1"
			got, err := MakeIngress(test.in)
			if err != nil {
				t.Fatal(err)
			}
			want := basicIngress()
			test.change(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.reason, diff)
			}
		})
	}
}

func basicIngress() *networkingv1.Ingress {
	yes, pathType := true, networkingv1.PathTypeImplementationSpecific
	return &networkingv1.Ingress{
		TypeMeta: metav1.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "Ingress"},
		ObjectMeta: metav1.ObjectMeta{
			Name: "basic", Namespace: "team", Labels: map[string]string{"component": "ingress"},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "flink.apache.org/v1beta1", Kind: "FlinkDeployment", Name: "basic", UID: "u-1",
				Controller: &yes, BlockOwnerDeletion: &yes,
			}},
		},
		Spec: networkingv1.IngressSpec{Rules: []networkingv1.IngressRule{{
			Host: "basic.team.example.com",
			IngressRuleValue: networkingv1.IngressRuleValue{HTTP: &networkingv1.HTTPIngressRuleValue{
				Paths: []networkingv1.HTTPIngressPath{{
					PathType: &pathType,
					Backend: networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{
						Name: "basic-rest", Port: networkingv1.ServiceBackendPort{Number: 8081},
					}},
				}},
			}},
		}}},
	}
}

func TestMakeIngressNotMade(t *testing.T) {
	if got, err := MakeIngress(IngressInput{Name: "basic"}); got != nil || err != nil {
		t.Errorf("without spec.ingress there is none: %v, %v", got, err)
	}
	for name, template := range map[string]string{"no template": "", "a port that is no number": "example.com:port"} {
		got, err := MakeIngress(IngressInput{Name: "basic", Spec: &v1beta1.IngressSpec{Template: template}})
		var spec *SpecError
		if got != nil || !errors.As(err, &spec) || spec.Where != "spec.ingress.template" {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
}

func TestParseIngressTemplateIsTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		template := rapid.OneOf(
			rapid.String(), rapid.StringMatching(`(https?://)?[a-z{}.:@/?#\[\]]{0,20}`),
		).Draw(t, "template")
		host, path, err := ParseIngressTemplate(template, "ns", "name")
		if err != nil && (host != "" || path != "") {
			t.Fatalf("an error and a result: %q %q %v", host, path, err)
		}
		if path != "" && path[0] != '/' || strings.ContainsAny(host, "/?#:") {
			t.Fatalf("%q gives host %q and path %q", template, host, path)
		}
	})
}
