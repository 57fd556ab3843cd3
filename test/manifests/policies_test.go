package manifests

import (
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	plain "sigs.k8s.io/yaml"
)

// guards are the objects that hold what others may do, each of which every shape of the installation must have.
var guards = []string{
	"ValidatingAdmissionPolicy kn-flink-specs", "ValidatingAdmissionPolicy kn-flink-rights",
	"ValidatingAdmissionPolicy kn-flink-samples", "ValidatingAdmissionPolicy kn-flink-status",
	"ValidatingAdmissionPolicy kn-flink-children", "ValidatingAdmissionPolicy kn-flink-webhooks",
	"ValidatingAdmissionPolicy kn-flink-dry-runs",
	"NetworkPolicy flink-functions",
}

// built are the objects of an overlay, by kind and name; of those in a namespace of their own, the last.
func built(t *testing.T, overlay string) map[string]unstructured.Unstructured {
	t.Helper()
	out, err := exec.CommandContext(
		t.Context(), "kubectl", "kustomize", "--load-restrictor", "LoadRestrictionsNone", "../../config/overlays/"+overlay,
	).Output()
	if err != nil {
		t.Fatalf("kubectl kustomize %s: %v", overlay, err)
	}
	all := map[string]unstructured.Unstructured{}
	for document := range strings.SplitSeq(string(out), "\n---\n") {
		var u unstructured.Unstructured
		if err := plain.Unmarshal([]byte(document), &u.Object); err != nil {
			t.Fatal(err)
		}
		all[u.GetKind()+" "+u.GetName()] = u
	}
	return all
}

func TestEveryShapeHasTheGuards(t *testing.T) {
	overlays, err := filepath.Glob("../../config/overlays/*/kustomization.yaml")
	if err != nil || len(overlays) == 0 {
		t.Fatalf("no overlays: %v", err)
	}
	for _, file := range overlays {
		overlay := filepath.Base(filepath.Dir(file))
		all := built(t, overlay)
		for _, guard := range guards {
			if _, there := all[guard]; !there {
				t.Errorf("overlay %s has no %s", overlay, guard)
			}
			if kind, name, _ := strings.Cut(guard, " "); kind == "ValidatingAdmissionPolicy" {
				if _, there := all[kind+"Binding "+name]; !there {
					t.Errorf("overlay %s binds no %s", overlay, name)
				}
			}
		}
	}
	release, err := os.ReadFile("../../hack/release.sh")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"config/knative/[0-7]*.yaml", "config/knative/8*.yaml", "config/tenant/tenant.yaml",
		"config/tenant/networkpolicy.yaml",
	} {
		if !strings.Contains(string(release), part) {
			t.Errorf("a release is made without %s", part)
		}
	}
}

// Where tenants are watched alone, nothing in a namespace is granted by a binding for the whole cluster, and a
// tenant has
// what the functions need there.
func TestRightsInTheNamespacesOfTenantsAlone(t *testing.T) {
	ofCluster := []string{
		"kn-flink-admit", "kn-flink-extensions", "kn-flink-namespaces", "kn-flink-nodes",
	}
	watched := `flink.apache.org/watched`
	all := built(t, "tenants")
	for name, u := range all {
		switch u.GetKind() {
		case "ClusterRoleBinding":
			if !slices.Contains(ofCluster, u.GetName()) {
				t.Errorf("%s is for the whole cluster", name)
			}
			for _, rule := range rules(all["ClusterRole "+u.GetName()]) {
				resource, _, _ := strings.Cut(rule, " ")
				if !slices.Contains([]string{
					"nodes", "namespaces", "mutatingwebhookconfigurations", "validatingwebhookconfigurations",
				}, resource) {
					t.Errorf("%s grants %s in every namespace", name, rule)
				}
			}
		case "ApiServerSource":
			if label, _, _ := unstructured.NestedString(
				u.Object, "spec", "namespaceSelector", "matchLabels", watched,
			); label != "true" {
				t.Errorf("%s watches more than the namespaces of tenants", name)
			}
		case "Service":
			if u.GroupVersionKind().Group != "serving.knative.dev" {
				continue
			}
			text, err := plain.Marshal(u.Object)
			if err != nil || !strings.Contains(string(text), "value: "+watched+"=true") {
				t.Errorf("%s does not know which namespaces are tenants (%v)", name, err)
			}
		}
	}
	bound := map[string]bool{}
	for _, u := range files(t, "../../config/tenant")["tenant.yaml"] {
		if u.GetKind() != "RoleBinding" {
			continue
		}
		role, _, _ := unstructured.NestedString(u.Object, "roleRef", "name")
		subjects, _, _ := unstructured.NestedSlice(u.Object, "subjects")
		for _, s := range subjects {
			bound[s.(map[string]any)["name"].(string)+" "+role] = true
		}
		if u.GetLabels()["app.kubernetes.io/component"] != "tenant" {
			t.Errorf("RoleBinding %s would go with the operator, and would not come back with it", u.GetName())
		}
	}
	for _, want := range []string{
		"reconcile kn-flink-reconcile", "observe kn-flink-observe", "flink-source kn-flink-source", "admit kn-flink-specs",
		"flink flink", "flink-standalone flink-standalone",
	} {
		if !bound[want] {
			t.Errorf("a tenant does not bind %s, only %v", want, bound)
		}
	}
}

// Roles of people write no status, give nothing but Flink resources and what Kubernetes' own role view reads, and are
// part of Kubernetes' own roles. local/controlplane has an API server say what these may do then.
func TestRolesOfPeople(t *testing.T) {
	reads := []string{"get", "list", "watch"}
	for role, row := range map[string]struct{ partOf, verbs []string }{
		"flink-viewer": {[]string{"view"}, reads},
		"flink-rest":   {nil, nil},
		"flink-user": {
			[]string{"admin", "edit"}, append([]string{"create", "update", "patch", "delete", "deletecollection"}, reads...),
		},
	} {
		u := object(t, "040-role-flink.yaml", "ClusterRole", role)
		for _, rule := range rules(u) {
			resource, verb, _ := strings.Cut(rule, " ")
			if role == "flink-rest" && rule == "services/proxy get" {
				continue
			}
			allowed := row.verbs
			if !strings.HasPrefix(resource, "flink") {
				allowed = reads
				if !slices.Contains([]string{"pods", "pods/log", "events"}, resource) {
					t.Errorf("%s may %s, which view may not", role, rule)
				}
			}
			if strings.HasSuffix(resource, "/status") || strings.Contains(resource, "*") || !slices.Contains(allowed, verb) {
				t.Errorf("%s may %s", role, rule)
			}
		}
		var partOf []string
		for label := range u.GetLabels() {
			if own, is := strings.CutPrefix(label, "rbac.authorization.k8s.io/aggregate-to-"); is {
				partOf = append(partOf, own)
			}
		}
		if slices.Sort(partOf); !slices.Equal(partOf, row.partOf) {
			t.Errorf("%s is part of %v, want %v", role, partOf, row.partOf)
		}
	}
}

// from is who connects: the labels of a namespace, and of a pod in it.
type from struct{ namespace, pod labels.Set }

// lets says whether a policy lets one connect to a pod of its namespace, which has labels of its own.
func lets(t *testing.T, p networkingv1.NetworkPolicy, own labels.Set, f from) bool {
	t.Helper()
	selects := func(s *metav1.LabelSelector, set labels.Set) bool {
		selector, err := metav1.LabelSelectorAsSelector(s)
		if err != nil {
			t.Fatal(err)
		}
		return selector.Matches(set)
	}
	for _, rule := range p.Spec.Ingress {
		for _, peer := range rule.From {
			namespace := f.namespace["kubernetes.io/metadata.name"] == own["kubernetes.io/metadata.name"]
			if peer.NamespaceSelector != nil {
				namespace = selects(peer.NamespaceSelector, f.namespace)
			}
			if namespace && (peer.PodSelector == nil || selects(peer.PodSelector, f.pod)) {
				return true
			}
		}
	}
	return false
}

// networkPolicy is the first object of a file.
func networkPolicy(t *testing.T, folder, file string) (p networkingv1.NetworkPolicy) {
	t.Helper()
	text, err := plain.Marshal(files(t, folder)[file][0].Object)
	if err == nil {
		err = plain.UnmarshalStrict(text, &p)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestWhoReachesThePods(t *testing.T) {
	named := func(name string) labels.Set { return labels.Set{"kubernetes.io/metadata.name": name} }
	flink := labels.Set{"app": "demo", "type": "flink-native-kubernetes"}
	function := labels.Set{"app.kubernetes.io/part-of": "kn-flink"}
	gateway := named("ingress")
	gateway["flink.apache.org/reaches-jobs"] = "true"
	for name, row := range map[string]struct {
		folder, file string
		own          string
		from         from
		want         bool
	}{
		"a TaskManager, its JobManager": {
			"../../config/tenant", "networkpolicy.yaml", "jobs", from{named("jobs"), flink}, true,
		},
		"a function, a JobManager": {
			"../../config/tenant", "networkpolicy.yaml", "jobs", from{named("flink-system"), function}, true,
		},
		"an ingress controller, a JobManager": {
			"../../config/tenant", "networkpolicy.yaml", "jobs", from{gateway, nil}, true,
		},
		"another pod of the namespace": {
			"../../config/tenant", "networkpolicy.yaml", "jobs", from{named("jobs"), labels.Set{"app": "web"}}, false,
		},
		"Flink of another namespace": {
			"../../config/tenant", "networkpolicy.yaml", "jobs", from{named("other"), flink}, false,
		},
		"who calls itself a function": {
			"../../config/tenant", "networkpolicy.yaml", "jobs", from{named("other"), function}, false,
		},
		"the activator, a function": {
			installation, "105-network.yaml", "flink-system", from{named("knative-serving"), nil}, true,
		},
		"the gateway, a function": {
			installation, "105-network.yaml", "flink-system", from{named("kourier-system"), nil}, true,
		},
		"a tenant, a function": {
			installation, "105-network.yaml", "flink-system", from{named("jobs"), function}, false,
		},
		"another gateway, a function": {
			installation, "105-network.yaml", "flink-system", from{
				labels.Set{"flink.apache.org/reaches-functions": "true"}, nil,
			}, true,
		},
		"a function, a Broker of RabbitMQ": {
			"../../config/overlays/rabbitmq", "network.yaml", "flink-system", from{named("flink-system"), function}, true,
		},
		"a tenant, a Broker of RabbitMQ": {
			"../../config/overlays/rabbitmq", "network.yaml", "flink-system", from{named("jobs"), function}, false,
		},
	} {
		if got := lets(t, networkPolicy(t, row.folder, row.file), named(row.own), row.from); got != row.want {
			t.Errorf("%s: let in %t, want %t", name, got, row.want)
		}
	}
}

// to is whom somebody connects to: a pod of some namespace, or an address outside of all pods.
type to struct {
	address string // empty: a pod
	port    int32
}

// reaches says whether a policy lets its pods connect by TCP to one.
func reaches(t *testing.T, p networkingv1.NetworkPolicy, at to) bool {
	t.Helper()
	for _, rule := range p.Spec.Egress {
		port := slices.ContainsFunc(rule.Ports, func(r networkingv1.NetworkPolicyPort) bool {
			return r.Protocol != nil && *r.Protocol == "TCP" && r.Port.IntVal == at.port
		})
		peer := len(rule.To) == 0 || slices.ContainsFunc(rule.To, func(peer networkingv1.NetworkPolicyPeer) bool {
			if peer.IPBlock == nil {
				return at.address == "" && peer.NamespaceSelector != nil
			}
			in := func(cidr string) bool { return netip.MustParsePrefix(cidr).Contains(netip.MustParseAddr(at.address)) }
			return at.address != "" && in(peer.IPBlock.CIDR) && !slices.ContainsFunc(peer.IPBlock.Except, in)
		})
		if port && peer {
			return true
		}
	}
	return false
}

func TestWhatTheFunctionsReach(t *testing.T) {
	policy := networkPolicy(t, "../../config/overlays/egress", "network.yaml")
	if !slices.Equal(policy.Spec.PolicyTypes, []networkingv1.PolicyType{networkingv1.PolicyTypeEgress}) ||
		len(policy.Spec.PodSelector.MatchLabels) > 0 || policy.Namespace != "flink-system" {
		t.Errorf("it is of %v, pods %v, namespace %s", policy.Spec.PolicyTypes, policy.Spec.PodSelector, policy.Namespace)
	}
	for name, row := range map[string]struct {
		to   to
		want bool
	}{
		"DNS":                            {to{"10.96.0.10", 53}, true},
		"the API server":                 {to{"10.96.0.1", 443}, true},
		"the API server, by its node":    {to{"172.18.0.2", 6443}, true},
		"a JobManager":                   {to{"", 8081}, true},
		"a Broker":                       {to{"", 8080}, true},
		"a collector":                    {to{"", 4318}, true},
		"a Prometheus that takes pushes": {to{"", 9090}, true},
		"a jar server":                   {to{"93.184.216.34", 443}, true},
		"a jar server, IPv6":             {to{"2606:2800::1", 443}, true},
		"a pod at another port":          {to{"", 5432}, false},
		"a mail server":                  {to{"93.184.216.34", 25}, false},
		"the metadata server of a cloud": {to{"169.254.169.254", 80}, false},
		"the same of AWS, IPv6":          {to{"fd00:ec2::254", 80}, false},
	} {
		if got := reaches(t, policy, row.to); got != row.want {
			t.Errorf("%s: reached %t, want %t", name, got, row.want)
		}
	}
}
