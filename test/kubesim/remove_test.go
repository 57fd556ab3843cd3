package kubesim

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
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

func TestOwners(t *testing.T) {
	t.Run("one of two owners gone", func(t *testing.T) {
		s, c := start(t)
		a, b := create(t, c, flinkDeployment("a")), create(t, c, flinkDeployment("b"))
		create(t, c, owned(owned(configMap("c"), a, true), b, true))
		if err := s.Delete(FlinkDeployments, "flink", "a", DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		s.GC()
		refs := s.Get(ConfigMaps, "flink", "c").GetOwnerReferences()
		if len(refs) != 1 || refs[0].Name != "b" {
			t.Errorf("owners %v, want b alone: a dependent lives while one owner does", refs)
		}
	})
	t.Run("another incarnation is no owner", func(t *testing.T) {
		s, c := start(t)
		a := create(t, c, flinkDeployment("a"))
		create(t, c, owned(configMap("c"), a, true))
		if err := s.Delete(FlinkDeployments, "flink", "a", DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		create(t, c, flinkDeployment("a"))
		s.GC()
		if s.Get(ConfigMaps, "flink", "c") != nil {
			t.Error("the ConfigMap lives: owners are told apart by uid")
		}
	})
	t.Run("no owner at all", func(t *testing.T) {
		s, c := start(t)
		create(t, c, configMap("c"))
		if s.GC() || s.Get(ConfigMaps, "flink", "c") == nil {
			t.Error("an object without owners was collected: HA ConfigMaps rely on that")
		}
	})
}

func TestFinalizers(t *testing.T) {
	s, c := start(t)
	client := c.Resource(FlinkDeployments).Namespace("flink")
	u := flinkDeployment("a")
	u.SetFinalizers([]string{"flinkdeployments.flink.apache.org/finalizer"})
	create(t, c, u)
	s.Clock.Advance(7e9)
	if err := client.Delete(t.Context(), "a", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	marked := s.Get(FlinkDeployments, "flink", "a")
	if marked == nil || !marked.GetDeletionTimestamp().Time.Equal(s.Clock.Now()) || marked.GetGeneration() != 2 {
		t.Fatalf("got %v, want it marked now and of generation 2", marked)
	}
	before := s.Version()
	if err := client.Delete(t.Context(), "a", metav1.DeleteOptions{}); err != nil || s.Version() != before {
		t.Errorf("a second delete: %v, version %d -> %d; want nothing", err, before, s.Version())
	}
	patch := func(text string) error {
		_, err := client.Patch(t.Context(), "a", types.MergePatchType, []byte(text), metav1.PatchOptions{})
		return err
	}
	if err := patch(
		`{"metadata":{"finalizers":["flinkdeployments.flink.apache.org/finalizer","new/one"]}}`,
	); !apierrors.IsInvalid(err) {
		t.Errorf("a new finalizer during deletion: %v, want 422", err)
	}
	if err := patch(`{"metadata":{"deletionTimestamp":null},"spec":{"x":1}}`); err != nil {
		t.Error(err)
	}
	if s.Get(FlinkDeployments, "flink", "a").GetDeletionTimestamp() == nil {
		t.Error("a patch took the deletion back")
	}
	s.Feed.Take()
	if err := patch(`{"metadata":{"finalizers":null}}`); err != nil {
		t.Fatal(err)
	}
	if s.Get(FlinkDeployments, "flink", "a") != nil {
		t.Error("it is still there without a finalizer")
	}
	want := []Event{{"delete", "flink.apache.org/v1beta1", "FlinkDeployment", "flink", "a", "flinkdeployments"}}
	if diff := cmp.Diff(want, s.Feed.Take()); diff != "" {
		t.Errorf("the patch that takes the last finalizer is the delete\n%s", diff)
	}
}

func TestPodDeletion(t *testing.T) {
	zero, two := int64(0), int64(2)
	rows := map[string]struct {
		node  string
		phase string
		grace *int64
		gone  bool
		after int64
		why   string
	}{
		"running":        {"node-1", "Running", nil, false, 30, "the kubelet ends it"},
		"running, own":   {"node-1", "Running", &two, false, 2, "the caller's grace counts"},
		"forced":         {"node-1", "Running", &zero, true, 0, "grace 0 waits for nobody"},
		"never bound":    {"", "Pending", nil, true, 0, "no kubelet knows it"},
		"already failed": {"node-1", "Failed", nil, true, 0, "no process is left"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			s, c := start(t)
			pod := object("v1", "Pod", "flink", "p")
			pod.Object["spec"] = map[string]any{"nodeName": row.node}
			create(t, c, pod)
			if _, err := s.UpdateStatus(Pods, "flink", "p", map[string]any{"phase": row.phase}); err != nil {
				t.Fatal(err)
			}
			if err := c.Resource(Pods).Namespace("flink").Delete(
				t.Context(), "p", metav1.DeleteOptions{GracePeriodSeconds: row.grace},
			); err != nil {
				t.Fatal(err)
			}
			left := s.Get(Pods, "flink", "p")
			if (left == nil) != row.gone {
				t.Fatalf("gone = %v, want %v: %s", left == nil, row.gone, row.why)
			}
			if left != nil && left.GetDeletionTimestamp().Sub(s.Clock.Now()).Seconds() != float64(row.after) {
				t.Errorf("deletion at %s, want in %d s: %s", left.GetDeletionTimestamp(), row.after, row.why)
			}
			if err := s.Delete(Pods, "flink", "p", DeleteOptions{GraceSeconds: &zero}); left != nil && (err != nil ||
				s.Get(Pods, "flink", "p") != nil) {
				t.Errorf("the kubelet's own delete left it: %v", err)
			}
		})
	}
}

func TestNamespaceDeletion(t *testing.T) {
	s, c := start(t)
	u := flinkDeployment("a")
	u.SetFinalizers([]string{"x/y"})
	create(t, c, u)
	create(t, c, configMap("c"))
	if err := c.Resource(Namespaces).Delete(t.Context(), "flink", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err := c.Resource(ConfigMaps).Namespace("flink").Create(t.Context(), configMap("d"), metav1.CreateOptions{})
	if !apierrors.IsForbidden(err) || !apierrors.HasStatusCause(err, "NamespaceTerminating") {
		t.Errorf("create in a terminating namespace: %v, want 403 with its cause", err)
	}
	for s.GC() {
	}
	if diff := cmp.Diff([]string{"flinkdeployments/a-"}, world(s)); diff != "" {
		t.Errorf("a finalizer holds the namespace\n%s", diff)
	}
	if _, err := s.Update(FlinkDeployments, "flink", "a", func(u *unstructured.Unstructured) {
		u.SetFinalizers(nil)
	}); err != nil {
		t.Fatal(err)
	}
	for s.GC() {
	}
	if s.Get(Namespaces, "", "flink") != nil {
		t.Error("the empty namespace is still there")
	}
}
