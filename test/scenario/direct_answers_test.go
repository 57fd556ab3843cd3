package scenario

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

func plainResource(name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{
		Object: map[string]any{
			"apiVersion": v1beta1.APIVersion, "kind": v1beta1.KindFlinkDeployment, "spec": map[string]any{},
		},
	}
	u.SetName(name)
	u.SetNamespace(namespace)
	return u
}

// TestDirectAnswersAsOverHTTP makes the same calls over both clients and compares what they answer and what they leave.
func TestDirectAnswersAsOverHTTP(t *testing.T) {
	ctx := t.Context()
	edited := func(c dynamic.ResourceInterface, change func(u *unstructured.Unstructured)) *unstructured.Unstructured {
		u, err := c.Get(ctx, "a", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		change(u)
		return u
	}
	spec := func(u *unstructured.Unstructured) { u.Object["spec"] = map[string]any{"flinkVersion": "v2_0"} }
	status := func(u *unstructured.Unstructured) { u.Object["status"] = map[string]any{"lifecycleState": "STABLE"} }
	calls := []struct {
		name string
		call func(s *kubesim.Server, c dynamic.ResourceInterface) (any, error)
	}{
		{"create", func(_ *kubesim.Server, c dynamic.ResourceInterface) (any, error) {
			return c.Create(ctx, plainResource("a"), metav1.CreateOptions{})
		}},
		{"create again", func(_ *kubesim.Server, c dynamic.ResourceInterface) (any, error) {
			return c.Create(ctx, plainResource("a"), metav1.CreateOptions{})
		}},
		{"create another", func(_ *kubesim.Server, c dynamic.ResourceInterface) (any, error) {
			return c.Create(ctx, plainResource("b"), metav1.CreateOptions{FieldManager: "me"})
		}},
		{"get", func(_ *kubesim.Server, c dynamic.ResourceInterface) (any, error) {
			return c.Get(ctx, "a", metav1.GetOptions{})
		}},
		{"get nothing", func(_ *kubesim.Server, c dynamic.ResourceInterface) (any, error) {
			return c.Get(ctx, "x", metav1.GetOptions{})
		}},
		{"list", func(_ *kubesim.Server, c dynamic.ResourceInterface) (any, error) {
			return c.List(ctx, metav1.ListOptions{})
		}},
		{"list a page", func(_ *kubesim.Server, c dynamic.ResourceInterface) (any, error) {
			return c.List(ctx, metav1.ListOptions{Limit: 1, FieldSelector: "metadata.namespace=flink"})
		}},
		{"list by an unknown field", func(_ *kubesim.Server, c dynamic.ResourceInterface) (any, error) {
			return c.List(ctx, metav1.ListOptions{FieldSelector: "spec.x=1"})
		}},
		{"update", func(_ *kubesim.Server, c dynamic.ResourceInterface) (any, error) {
			return c.Update(ctx, edited(c, spec), metav1.UpdateOptions{})
		}},
		{"update to the same", func(_ *kubesim.Server, c dynamic.ResourceInterface) (any, error) {
			return c.Update(ctx, edited(c, spec), metav1.UpdateOptions{})
		}},
		{"update status", func(_ *kubesim.Server, c dynamic.ResourceInterface) (any, error) {
			return c.UpdateStatus(ctx, edited(c, status), metav1.UpdateOptions{})
		}},
		{"update an old version", func(_ *kubesim.Server, c dynamic.ResourceInterface) (any, error) {
			return c.Update(
				ctx, edited(c, func(u *unstructured.Unstructured) { u.SetResourceVersion("1") }), metav1.UpdateOptions{},
			)
		}},
		{"merge patch", func(_ *kubesim.Server, c dynamic.ResourceInterface) (any, error) {
			return c.Patch(
				ctx, "a", types.MergePatchType, []byte(`{"metadata":{"finalizers":["x/y"]}}`), metav1.PatchOptions{},
			)
		}},
		{"JSON patch whose test fails", func(_ *kubesim.Server, c dynamic.ResourceInterface) (any, error) {
			return c.Patch(
				ctx, "a", types.JSONPatchType, []byte(`[{"op":"test","path":"/metadata/uid","value":"x"}]`),
				metav1.PatchOptions{},
			)
		}},
		{"apply", func(_ *kubesim.Server, c dynamic.ResourceInterface) (any, error) {
			u := plainResource("a")
			u.SetLabels(map[string]string{"k": "v"})
			return c.Apply(ctx, "a", u, metav1.ApplyOptions{FieldManager: "us", Force: true})
		}},
		{"refused by a test", func(s *kubesim.Server, c dynamic.ResourceInterface) (any, error) {
			defer s.Tap.Inject(wire.Fault{Match: wire.ByAgent("me"), Status: 500})()
			return c.Get(ctx, "a", metav1.GetOptions{})
		}},
		{"broken by a test", func(s *kubesim.Server, c dynamic.ResourceInterface) (any, error) {
			defer s.Tap.Inject(wire.Fault{Match: wire.ByAgent("me"), Err: wire.Refused})()
			return c.Get(ctx, "a", metav1.GetOptions{})
		}},
		{"refused by a policy", func(s *kubesim.Server, c dynamic.ResourceInterface) (any, error) {
			s.Policy = kubesim.OverQuota
			defer func() { s.Policy = nil }()
			return c.Create(ctx, plainResource("c"), metav1.CreateOptions{})
		}},
		{"too large", func(s *kubesim.Server, c dynamic.ResourceInterface) (any, error) {
			s.ObjectLimit = 10
			defer func() { s.ObjectLimit = 0 }()
			return c.Create(ctx, plainResource("c"), metav1.CreateOptions{})
		}},
		{"too many requests", func(s *kubesim.Server, c dynamic.ResourceInterface) (any, error) {
			defer s.Tap.Inject(wire.Fault{Match: wire.ByAgent("me"), Status: 429})()
			return c.Get(ctx, "a", metav1.GetOptions{})
		}},
		{"timed out after its effect", func(s *kubesim.Server, c dynamic.ResourceInterface) (any, error) {
			defer s.Tap.Inject(wire.Fault{Match: wire.ByAgent("me"), Status: 504, After: true})()
			return c.Create(ctx, plainResource("c"), metav1.CreateOptions{})
		}},
		{"delete of another", func(_ *kubesim.Server, c dynamic.ResourceInterface) (any, error) {
			uid := types.UID("x")
			return nil, c.Delete(ctx, "a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
		}},
		{"delete what is held", func(_ *kubesim.Server, c dynamic.ResourceInterface) (any, error) {
			return nil, c.Delete(ctx, "a", metav1.DeleteOptions{})
		}},
		{"delete", func(_ *kubesim.Server, c dynamic.ResourceInterface) (any, error) {
			return nil, c.Delete(ctx, "b", metav1.DeleteOptions{})
		}},
		{"delete nothing", func(_ *kubesim.Server, c dynamic.ResourceInterface) (any, error) {
			return nil, c.Delete(ctx, "b", metav1.DeleteOptions{})
		}},
	}
	one, other := kubesim.New(t, kubesim.NewClock(), wire.New()), kubesim.New(t, kubesim.NewClock(), wire.New())
	over, short := one.Dynamic("me").Resource(kubesim.FlinkDeployments).Namespace("flink"),
		direct{server: other, agent: "me"}.Resource(kubesim.FlinkDeployments).Namespace("flink")
	for _, row := range calls {
		want, wantErr := row.call(one, over)
		got, gotErr := row.call(other, short)
		if diff := cmp.Diff(reason(wantErr), reason(gotErr)); diff != "" {
			t.Errorf("%s: another error (-HTTP +direct)\n%s", row.name, diff)
		}
		if diff := cmp.Diff(want, got); diff != "" && wantErr == nil {
			t.Errorf("%s: another answer (-HTTP +direct)\n%s", row.name, diff)
		}
	}
	if diff := cmp.Diff(one.Tap.Effects(), other.Tap.Effects()); diff != "" {
		t.Errorf("other effects (-HTTP +direct)\n%s", diff)
	}
	if a, b := len(one.Tap.Requests()), len(other.Tap.Requests()); a != b {
		t.Errorf("%d requests over HTTP, %d without", a, b)
	}
}

// reason is what callers tell errors apart by.
func reason(err error) string {
	var api apierrors.APIStatus
	switch {
	case err == nil:
		return ""
	case errors.As(err, &api):
		return string(api.Status().Reason) + ": " + api.Status().Message
	case errors.Is(err, wire.Refused):
		return "refused"
	}
	return err.Error()
}

func TestDirectReadsAreCopies(t *testing.T) {
	s := kubesim.New(t, kubesim.NewClock(), wire.New())
	c := direct{server: s, agent: "me"}.Resource(kubesim.FlinkDeployments).Namespace("flink")
	made, err := c.Create(t.Context(), plainResource("a"), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	list, err := c.List(t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 {
		t.Fatalf("%v %v", list, err)
	}
	made.SetLabels(map[string]string{"x": "made"})
	list.Items[0].SetLabels(map[string]string{"x": "listed"})
	if got := s.Get(kubesim.FlinkDeployments, "flink", "a").GetLabels(); got != nil {
		t.Errorf("a write to an answer changed what is stored: %v", got)
	}
}
