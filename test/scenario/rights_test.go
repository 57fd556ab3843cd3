package scenario

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// The places where a right counts, beside the namespaces of the installation by their names.
const (
	inTenants = "in tenants" // the namespaces of jobs
	inCluster = "of the cluster"
)

// right is what a service account of flink-system may do, or does: "reconcile: get pods in tenants".
type right struct{ account, verb, resource, place string }

func (r right) String() string { return r.account + ": " + r.verb + " " + r.resource + " " + r.place }

// unscoped are the resources that are in no namespace.
var unscoped = map[string]bool{
	"nodes": true, "nodes.metrics.k8s.io": true, "namespaces": true, "mutatingwebhookconfigurations": true,
	"validatingwebhookconfigurations": true,
}

// rightsUsed are the rights that the requests of stories need.
var rightsUsed struct {
	sync.Mutex
	rights map[right]string // and by which story
	told   map[string]bool  // the stories
}

// useRights notes the requests of a story.
func useRights(story string, requests []wire.Request) {
	rightsUsed.Lock()
	defer rightsUsed.Unlock()
	if rightsUsed.rights == nil {
		rightsUsed.rights, rightsUsed.told = map[right]string{}, map[string]bool{}
	}
	if !strings.HasPrefix(story, "TestOldRevisionsGo/") { // it is none of those that are counted
		rightsUsed.told[story] = true
	}
	for _, r := range requests {
		account, _, _ := strings.Cut(r.Agent, "-")
		if r.System != "kube" || (account != "reconcile" && account != "observe") {
			continue
		}
		resource, place := r.Resource, cmp.Or(r.Namespace, inTenants)
		if strings.HasPrefix(r.Path, "/apis/metrics.k8s.io/") {
			resource += ".metrics.k8s.io"
		}
		if r.Subresource != "" {
			resource += "/" + r.Subresource
		}
		switch {
		case unscoped[resource]:
			place = inCluster
		case place == namespace:
			place = inTenants
		}
		verbs := []string{r.Verb}
		switch r.Verb {
		case "apply": // what is not there is made
			verbs = []string{"create", "patch"}
		case "try":
			verbs = []string{"create"}
		}
		for _, verb := range verbs {
			used := right{account, verb, resource, place}
			if rightsUsed.rights[used] == "" {
				rightsUsed.rights[used] = story
			}
		}
	}
}

// use is a right that no story needs, and the code that does.
type use struct {
	account, verbs, resources, place string
	// file is below the top of the repository, and text is in it.
	file, text string
}

// ofKinds are the resources of all kinds.
func ofKinds() (all string) {
	for _, k := range kinds.All {
		all += k.Resource.Resource + " "
	}
	return all
}

// rareRights are what the models do not show: long reads, what the functions write about
// themselves, and checks that another API server makes.
var rareRights = []use{
	{
		"reconcile", "patch", "flinkbluegreendeployments", inTenants, "pkg/apply/resource.go",
		"c.Kube.MergePatch(ctx, r.object",
	},
	{"observe", "list", "deployments", inTenants, "pkg/gather/jobmanagers.go", "of.each(ctx, g.Kube, kube.Deployments"},
	{"reconcile", "watch", "pods", inTenants, "pkg/gather/podsend.go", "k.Watch(ctx, kube.Query{"},
	{"reconcile", "get", "pods/log", inTenants, "pkg/gather/crashcause.go", "g.Kube.Log("},
	{"reconcile", "list", "events", inTenants, "pkg/gather/deployment.go", "Resource: kube.Events"},
	{"observe", "list", "events", inTenants, "pkg/gather/deployment.go", "Resource: kube.Events"},
	{
		"reconcile", "list", "nodes nodes.metrics.k8s.io", inCluster, "pkg/gather/room.go",
		"kube.Query{Resource: kube.NodeMetrics",
	},
	{"reconcile", "get", "configmaps", "kube-system", "pkg/gather/room.go", "r.Kube.Get(ctx, clusterAutoscaler)"},
	// An owner that blocks its deletion needs it where OwnerReferencesPermissionEnforcement is on.
	{
		"reconcile", "update", "flinkdeployments/finalizers deployments/finalizers", inTenants,
		"pkg/render/deployment.go", "BlockOwnerDeletion: &yes",
	},
	{
		"reconcile", "update", "flinkbluegreendeployments/finalizers", inTenants, "pkg/bluegreen/actions.go",
		`"blockOwnerDeletion": true`,
	},
	{
		"reconcile", "get create patch", "configmaps", "flink-system", "pkg/announce/announce.go",
		"a.API.MergePatch(ctx, object",
	},
	{
		"reconcile", "create", "events", "flink-system", "pkg/announce/announce.go",
		"a.API.Create(ctx, kube.Object{Resource: kube.Events",
	},
	{
		"reconcile", "get patch", "mutatingwebhookconfigurations validatingwebhookconfigurations", inCluster,
		"pkg/extension/webhooks.go", "w.API.MergePatch(ctx",
	},
	{"reconcile", "list", "namespaces", inCluster, "pkg/kube/namespaces.go", "Resource: Namespaces"},
	{"observe", "list", "namespaces", inCluster, "pkg/kube/namespaces.go", "Resource: Namespaces"},
	{"admit", "list", "namespaces", inCluster, "pkg/kube/namespaces.go", "Resource: Namespaces"},
	{"admit", "get", "flinkdeployments flinksessionjobs", inTenants, "pkg/admission/lookup.go", "l.Reader.Get(ctx"},
	{
		"admit", "get patch", "mutatingwebhookconfigurations validatingwebhookconfigurations", inCluster,
		"pkg/certs/webhooks.go", "r.API.MergePatch(ctx",
	},
	{
		"admit", "get create patch delete", "secrets", "flink-system",
		"pkg/certs/secret.go", "r.API.Delete(ctx, r.secretObject()",
	},
	// Knative's adapter lists and watches, and its controller checks for all three.
	{
		"flink-source", "get list watch", ofKinds() + "deployments", inTenants,
		"config/knative/500-source.yaml", "serviceAccountName: flink-source",
	},
}

// heldToRights compares what the stories and rareRights use with what config/knative grants. Only when all stories were
// told, of native and of standalone clusters, a right that none of them needs is one too many.
func heldToRights(t *testing.T) {
	rightsUsed.Lock()
	defer rightsUsed.Unlock()
	granted, rare := grantedRights(t), map[right]bool{}
	for _, u := range rareRights {
		text, err := os.ReadFile(filepath.Join("../..", u.file))
		if err != nil || !strings.Contains(string(text), u.text) {
			t.Errorf("%s has no %q (%v): what of %s is used for, or take the right away", u.file, u.text, err, u.account)
		}
		for _, verb := range strings.Fields(u.verbs) {
			for _, resource := range strings.Fields(u.resources) {
				rare[right{u.account, verb, resource, u.place}] = true
			}
		}
	}
	for used, story := range rightsUsed.rights {
		if !granted[used] {
			t.Errorf("%s: used by %q and not granted", used, story)
		}
	}
	for used := range rare {
		if !granted[used] {
			t.Errorf("%s: used and not granted", used)
		}
	}
	whole := len(rightsUsed.told) >= 2*len(scenarios)-len(nativeOnly)
	for _, g := range slices.SortedFunc(
		maps.Keys(granted), func(a, b right) int { return cmp.Compare(a.String(), b.String()) },
	) {
		if _, used := rightsUsed.rights[g]; whole && !used && !rare[g] {
			t.Errorf("%s: granted and used by nothing", g)
		}
		if _, used := rightsUsed.rights[g]; used && rare[g] {
			t.Errorf("%s: stories use it (%s), so it is not rare", g, rightsUsed.rights[g])
		}
	}
}

// grantedRights are those of config/knative, by the accounts of flink-system.
func grantedRights(t *testing.T) map[right]bool {
	t.Helper()
	files, err := filepath.Glob("../../config/knative/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no manifests: %v", err)
	}
	type object struct {
		rbacv1.ClusterRole
		RoleRef  rbacv1.RoleRef   `json:"roleRef"`
		Subjects []rbacv1.Subject `json:"subjects"`
	}
	rules, granted := map[string][]rbacv1.PolicyRule{}, map[right]bool{}
	var bindings []object
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096); ; {
			var o object
			if err := decoder.Decode(&o); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			switch o.Kind {
			case "Role", "ClusterRole":
				rules[o.Kind+" "+o.Name] = o.Rules
			case "RoleBinding", "ClusterRoleBinding":
				bindings = append(bindings, o)
			}
		}
	}
	for _, b := range bindings {
		of := rules[b.RoleRef.Kind+" "+b.RoleRef.Name]
		if len(of) == 0 {
			t.Errorf("%s %s binds no role of the installation: %s", b.Kind, b.Name, b.RoleRef.Name)
		}
		for _, subject := range b.Subjects {
			for _, rule := range of {
				grantRule(granted, subject.Name, cmp.Or(b.Namespace, inTenants), rule)
			}
		}
	}
	return granted
}

func grantRule(granted map[right]bool, account, place string, rule rbacv1.PolicyRule) {
	for _, resource := range rule.Resources {
		if slices.Contains(rule.APIGroups, "metrics.k8s.io") {
			resource += ".metrics.k8s.io"
		}
		at := place
		if unscoped[resource] {
			at = inCluster
		}
		for _, verb := range rule.Verbs {
			granted[right{account, verb, resource, at}] = true
		}
	}
}
