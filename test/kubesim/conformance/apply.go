package conformance

import (
	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kn-flink/kn-flink/test/kubesim"
)

var applies = map[string]func(*bench){
	"apply by two managers":   applyByTwo,
	"apply over a create":     applyOverCreate,
	"apply leaves status be":  applyLeavesStatus,
	"apply makes any version": applyMakesAnyVersion,
	"apply an ingress":        applyIngress,
}

func (b *bench) apply(u *unstructured.Unstructured, manager string, force bool) (*unstructured.Unstructured, error) {
	gvr := map[string]schema.GroupVersionResource{
		"ConfigMap": kubesim.ConfigMaps, "FlinkDeployment": kubesim.FlinkDeployments, "Ingress": kubesim.Ingresses,
	}
	return b.on(gvr[u.GetKind()]).Apply(
		b.Context(), u.GetName(), u, metav1.ApplyOptions{FieldManager: manager, Force: force})
}

func applyByTwo(b *bench) {
	for i, step := range []struct {
		manager string
		force   bool
		data    map[string]any
		want    map[string]any
		why     string
	}{
		{"us", false, map[string]any{"a": "1", "b": "1"}, map[string]any{"a": "1", "b": "1"}, "an apply creates"},
		{"them", false, map[string]any{"c": "1"}, map[string]any{"a": "1", "b": "1", "c": "1"}, "another manager adds"},
		{
			"us", false, map[string]any{"a": "2"}, map[string]any{"a": "2", "c": "1"},
			"what we no longer want goes, what is theirs stays",
		},
		{"them", false, map[string]any{"a": "3", "c": "1"}, nil, "a field of ours with another value is a conflict"},
		{"them", true, map[string]any{"a": "3", "c": "1"}, map[string]any{"a": "3", "c": "1"}, "force takes it over"},
		{"us", false, map[string]any{}, map[string]any{"a": "3", "c": "1"}, "what was taken over is no longer ours to drop"},
	} {
		u := configMap("a")
		u.Object["data"] = step.data
		got, err := b.apply(u, step.manager, step.force)
		if step.want == nil {
			if !apierrors.IsConflict(err) {
				b.Errorf("step %d: got %v, want a conflict: %s", i, err, step.why)
			}
			continue
		}
		if err != nil {
			b.Fatalf("step %d: %v", i, err)
		}
		if diff := cmp.Diff(step.want, got.Object["data"]); diff != "" {
			b.Errorf("step %d: %s\n%s", i, step.why, diff)
		}
	}
}

// applyOverCreate applies over what a plain write made: the writer owns it, so that an apply that leaves it out keeps
// it, and one that changes it conflicts.
func applyOverCreate(b *bench) {
	b.create(kubesim.ConfigMaps, configMap("a"))
	u := configMap("a")
	u.SetResourceVersion("1")
	u.Object["data"] = map[string]any{"n": "1"}
	if _, err := b.apply(u, "us", false); !apierrors.IsConflict(err) {
		b.Errorf("an old version: %v, want a conflict", err)
	}
	u.SetResourceVersion("")
	got, err := b.apply(u, "us", false)
	if err != nil {
		b.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"k": "v", "n": "1"}, got.Object["data"]); diff != "" {
		b.Error(diff)
	}
	u.Object["data"] = map[string]any{"k": "w"}
	if _, err := b.apply(u, "us", false); !apierrors.IsConflict(err) {
		b.Errorf("%v, want a conflict with who created it", err)
	}
	if got, err = b.apply(u, "us", true); err != nil {
		b.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"k": "w"}, got.Object["data"]); diff != "" {
		b.Error(diff)
	}
}

func applyLeavesStatus(b *bench) {
	u := flinkDeployment("a")
	u.Object["status"] = map[string]any{"pace": "fast"}
	got, err := b.apply(u, "us", false)
	if err != nil || got.GetGeneration() != 1 || !unseen(got) {
		b.Fatalf("%v: generation %d, status %v; want 1 and unseen", err, got.GetGeneration(), got.Object["status"])
	}
	b.mustMerge(kubesim.FlinkDeployments, "a", `{"status":{"pace":"slow"}}`, "status")
	u.Object["spec"].(map[string]any)["image"] = "two"
	if got, err = b.apply(u, "us", false); err != nil {
		b.Fatal(err)
	}
	if pace, _, _ := unstructured.NestedString(got.Object, "status", "pace"); pace != "slow" ||
		got.GetGeneration() != 2 || image(got) != "two" {
		b.Errorf("pace %q, generation %d, image %s; want slow, 2, two", pace, got.GetGeneration(), image(got))
	}
	u.SetLabels(map[string]string{"a": "b"})
	if got, err = b.apply(u, "us", false); err != nil || got.GetGeneration() != 2 || got.GetLabels()["a"] != "b" {
		b.Errorf("%v: generation %d, labels %v; want 2 and the label", err, got.GetGeneration(), got.GetLabels())
	}
}

// applyMakesAnyVersion: a uid in an apply asks for an object that is there, and a version does not.
func applyMakesAnyVersion(b *bench) {
	u := configMap("a")
	u.SetResourceVersion("1")
	got, err := b.apply(u, "us", false)
	if err != nil {
		b.Fatal(err)
	}
	if got.GetResourceVersion() == "1" {
		b.Error("the version of the request was taken over")
	}
}

// applyIngress is how an Ingress follows its template: what the template had before goes, what others added stays.
func applyIngress(b *bench) {
	owner := b.create(kubesim.FlinkDeployments, flinkDeployment("a"))
	wanted := func(annotation string, hosts ...string) *unstructured.Unstructured {
		u := owned(object("networking.k8s.io/v1", "Ingress", "a"), owner, false)
		u.SetAnnotations(map[string]string{annotation: "ours"})
		var rules, tls []any
		for _, host := range hosts {
			rules = append(rules, map[string]any{"host": host})
		}
		if len(hosts) > 1 {
			tls = []any{map[string]any{"hosts": []any{hosts[0]}}}
		}
		u.Object["spec"] = map[string]any{"rules": rules}
		if tls != nil {
			u.Object["spec"].(map[string]any)["tls"] = tls
		}
		return u
	}
	made, err := b.apply(wanted("first", "x.example.com", "y.example.com"), "us", true)
	if err != nil || made.GetGeneration() != 1 {
		b.Fatalf("%v: generation %d, want 1", err, made.GetGeneration())
	}
	b.mustMerge(kubesim.Ingresses, "a", `{"metadata":{"annotations":{"theirs":"x"},"finalizers":["example.com/held"]},
		"spec":{"ingressClassName":"theirs"}}`)
	b.mustMerge(kubesim.Ingresses, "a", `{"status":{"loadBalancer":{"ingress":[{"ip":"10.0.0.1"}]}}}`, "status")
	got, err := b.apply(wanted("second", "z.example.com"), "us", true)
	if err != nil {
		b.Fatal(err)
	}
	want := map[string]any{
		"annotations": map[string]string{"second": "ours", "theirs": "x"}, "finalizers": []string{"example.com/held"},
		"generation": int64(3), "owners": made.GetOwnerReferences(),
		"spec": map[string]any{
			"ingressClassName": "theirs", "rules": []any{map[string]any{"host": "z.example.com"}},
		},
		"status": map[string]any{"loadBalancer": map[string]any{"ingress": []any{map[string]any{"ip": "10.0.0.1"}}}},
	}
	if diff := cmp.Diff(want, map[string]any{
		"annotations": got.GetAnnotations(), "finalizers": got.GetFinalizers(), "generation": got.GetGeneration(),
		"owners": got.GetOwnerReferences(), "spec": got.Object["spec"], "status": got.Object["status"],
	}); diff != "" {
		b.Error(diff)
	}
	again, err := b.apply(wanted("second", "z.example.com"), "us", true)
	if err != nil || again.GetResourceVersion() != got.GetResourceVersion() {
		b.Errorf("%v: version %s -> %s for the same again", err, got.GetResourceVersion(), again.GetResourceVersion())
	}
}
