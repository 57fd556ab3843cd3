package kubesim

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

func owned(u, owner *unstructured.Unstructured, block bool) *unstructured.Unstructured {
	controller := true
	u.SetOwnerReferences(append(u.GetOwnerReferences(), metav1.OwnerReference{
		APIVersion: owner.GetAPIVersion(), Kind: owner.GetKind(), Name: owner.GetName(), UID: owner.GetUID(),
		Controller: &controller, BlockOwnerDeletion: &block,
	}))
	return u
}

// world lists what is left of the objects that the tests below make, "-" behind those that are being deleted.
func world(s *Server) []string {
	left := []string{}
	for _, r := range resources {
		if r.Cluster {
			continue
		}
		for _, u := range s.List(r.GVR, "", nil) {
			name := r.GVR.Resource + "/" + u.GetName()
			if u.GetDeletionTimestamp() != nil {
				name += "-"
			}
			left = append(left, name)
		}
	}
	return left
}

func TestPropagation(t *testing.T) {
	rows := map[string]struct {
		policy metav1.DeletionPropagation
		block  bool
		steps  [][]string
		why    string
	}{
		"default": {"", true, [][]string{
			{"deployments/a", "configmaps/c"}, {"configmaps/c"}, {},
		}, "Background: the owner goes at once, one level of the rest with each sweep"},
		"background": {metav1.DeletePropagationBackground, true, [][]string{
			{"deployments/a", "configmaps/c"}, {"configmaps/c"}, {},
		}, "as the default"},
		"orphan": {metav1.DeletePropagationOrphan, true, [][]string{
			{"flinkdeployments/a-", "deployments/a", "configmaps/c"}, {"deployments/a", "configmaps/c"},
			{"deployments/a", "configmaps/c"},
		}, "the dependents stay without an owner"},
		"foreground, blocking": {metav1.DeletePropagationForeground, true, [][]string{
			{"flinkdeployments/a-", "deployments/a", "configmaps/c"},
			{"flinkdeployments/a-", "deployments/a-", "configmaps/c"},
			{"flinkdeployments/a-", "deployments/a-"},
			{"flinkdeployments/a-"},
			{},
		}, "the owner goes last, level by level"},
		"foreground, not blocking": {metav1.DeletePropagationForeground, false, [][]string{
			{"flinkdeployments/a-", "deployments/a", "configmaps/c"},
		}, "nobody holds the owner up"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			s, c := start(t)
			top := create(t, c, flinkDeployment("a"))
			middle := create(t, c, owned(deployment("a", "x"), top, row.block))
			create(t, c, owned(configMap("c"), middle, row.block))
			options := metav1.DeleteOptions{}
			if row.policy != "" {
				options.PropagationPolicy = &row.policy
			}
			if err := c.Resource(FlinkDeployments).Namespace("flink").Delete(t.Context(), "a", options); err != nil {
				t.Fatal(err)
			}
			for i, want := range row.steps {
				if diff := cmp.Diff(want, world(s)); diff != "" {
					t.Fatalf("after %d sweeps: %s\n%s", i, row.why, diff)
				}
				s.GC()
			}
			for s.GC() {
			}
			if name == "orphan" {
				if refs := s.Get(Deployments, "flink", "a").GetOwnerReferences(); len(refs) != 0 {
					t.Errorf("owner references %v are left: %s", refs, row.why)
				}
				return
			}
			if left := world(s); len(left) != 0 {
				t.Errorf("%v are left: %s", left, row.why)
			}
		})
	}
}

func TestADeletionIsOneEvent(t *testing.T) {
	s, c := start(t)
	client := c.Resource(FlinkDeployments).Namespace("flink")
	u := flinkDeployment("a")
	u.SetFinalizers([]string{"flinkdeployments.flink.apache.org/finalizer"})
	create(t, c, u)
	s.Clock.Advance(7 * time.Second)
	s.Feed.Take()
	for range 2 {
		if err := client.Delete(t.Context(), "a", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if at := s.Get(FlinkDeployments, "flink", "a").GetDeletionTimestamp(); !at.Time.Equal(s.Clock.Now()) {
		t.Errorf("deleted at %s, want %s", at, s.Clock.Now())
	}
	if _, err := client.Patch(
		t.Context(), "a", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{},
	); err != nil {
		t.Fatal(err)
	}
	named := Event{"update", "flink.apache.org/v1beta1", "FlinkDeployment", "flink", "a", "flinkdeployments"}
	gone := named
	gone.Type = "delete"
	if diff := cmp.Diff([]Event{named, gone}, s.Feed.Take()); diff != "" {
		t.Errorf("the patch that takes the last finalizer is the delete\n%s", diff)
	}
}
