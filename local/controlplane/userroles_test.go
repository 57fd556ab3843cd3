package controlplane

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/local/testsuite"
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/kinds"
)

// installUserRoles installs the roles of people, without those of pods, and takes them away after the test.
func installUserRoles(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile("../../config/knative/040-role-flink.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		name := object(t, document).GetName()
		if name != "flink-user" && name != "flink-viewer" {
			continue
		}
		kubectl(t, document, "apply", "--server-side", "-f", "-")
		t.Cleanup(func() {
			_ = client.RbacV1().ClusterRoles().Delete(context.Background(), name, metav1.DeleteOptions{})
		})
	}
}

// may asks the API server's authorizer about a user in a namespace.
func may(ctx context.Context, t *testing.T, ns, user, verb, resource string) bool {
	t.Helper()
	resource, subresource, _ := strings.Cut(resource, "/")
	review, err := client.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
		Spec: authorizationv1.SubjectAccessReviewSpec{
			User: user, ResourceAttributes: &authorizationv1.ResourceAttributes{
				Namespace: ns, Verb: verb, Group: v1beta1.Group, Resource: resource, Subresource: subresource,
			},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return review.Status.Allowed
}

// Who has Kubernetes' own role view, edit or admin in a namespace has the rights of a viewer or a user of Flink there,
// without a binding of ours, and not one more.
func TestKubernetesOwnRolesHaveTheRightsToFlinkResources(t *testing.T) {
	t.Parallel()
	ns, other := namespace(t), namespace(t)
	installUserRoles(t)
	reads := []string{"get", "list", "watch"}
	writes := append([]string{"create", "update", "patch", "delete", "deletecollection"}, reads...)
	rights := map[string]struct{ kinds, scale []string }{
		"view":  {reads, []string{"get"}},
		"edit":  {writes, []string{"get", "update", "patch"}},
		"admin": {writes, []string{"get", "update", "patch"}},
	}
	for role := range rights {
		if _, err := client.RbacV1().RoleBindings(ns).Create(t.Context(), &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: role},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: "has-" + role}},
		}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for role, verb := range map[string]string{"view": "list", "edit": "create", "admin": "create"} {
		testsuite.Eventually(t, time.Minute, role+" is aggregated", func(ctx context.Context) (bool, error) {
			return may(ctx, t, ns, "has-"+role, verb, "flinkdeployments"), nil
		})
	}
	for role, has := range rights {
		want := map[string][]string{"flinkdeployments/scale": has.scale}
		for _, k := range kinds.All {
			want[k.Resource.Resource] = has.kinds
			for _, subresource := range []string{"/status", "/finalizers"} {
				want[k.Resource.Resource+subresource] = nil
			}
		}
		for resource, allowed := range want {
			for _, verb := range append([]string{"*", "escalate"}, writes...) {
				if got := may(t.Context(), t, ns, "has-"+role, verb, resource); got != slices.Contains(allowed, verb) {
					t.Errorf("%s may %s %s: %t", role, verb, resource, got)
				}
				if may(t.Context(), t, other, "has-"+role, verb, resource) {
					t.Errorf("%s may %s %s in another namespace", role, verb, resource)
				}
			}
		}
	}
}
