package conformance

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/test/kubesim"
)

var writes = map[string]func(*bench){
	"create fills metadata":                 createFillsMetadata,
	"traits of every kind":                  traits,
	"writes keep to their part":             writesKeepToTheirPart,
	"a deployment's generation":             deploymentGeneration,
	"a write that changes nothing":          noChange,
	"an update without a version":           unconditionalPut,
	"a metadata write keeps what is fixed":  fixedMetadata,
	"a null in a merge patch":               nulls,
	"a JSON patch tests before it writes":   jsonPatchTests,
	"a status write goes on while deleting": statusWhileDeleting,
	"names of events":                       eventNames,
	"an event is counted":                   eventCounted,
	"a dry run stores nothing":              dryRun,
}

func createFillsMetadata(b *bench) {
	u := flinkDeployment("a")
	u.Object["status"] = map[string]any{"lifecycleState": "STABLE"}
	u.SetUID("mine")
	u.SetGeneration(7)
	long := metav1.NewTime(time.Unix(0, 0))
	u.SetCreationTimestamp(long)
	u.SetDeletionTimestamp(&long)
	made := b.create(kubesim.FlinkDeployments, u)
	if made.GetUID() == "" || made.GetUID() == "mine" || made.GetResourceVersion() == "" || made.GetGeneration() != 1 {
		b.Errorf("uid %q, version %q, generation %d: want all set by the server, and generation 1",
			made.GetUID(), made.GetResourceVersion(), made.GetGeneration())
	}
	if at := made.GetCreationTimestamp(); at.Equal(&long) || made.GetDeletionTimestamp() != nil {
		b.Errorf("created %s, deleted %s: want the server's time, and not deleted", at, made.GetDeletionTimestamp())
	}
	if !unseen(made) {
		b.Errorf("status %v was stored by a create: a status subresource ignores it", made.Object["status"])
	}
	if made.GetNamespace() != b.namespace {
		b.Errorf("namespace %q, want that of the request", made.GetNamespace())
	}
}

// dryRun holds that a create is judged as a real one, and that what exists under its name is found last.
func dryRun(b *bench) {
	dry := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
	try := func(u *unstructured.Unstructured) error {
		_, err := b.on(kubesim.Deployments).Create(b.Context(), u, dry)
		return err
	}
	if err := try(deployment("a")); err != nil {
		b.Errorf("what is right is refused: %v", err)
	}
	if b.get(kubesim.Deployments, "a") != nil {
		b.Error("a dry run stored the Deployment")
	}
	b.create(kubesim.Deployments, deployment("a"))
	if err := try(deployment("a")); !apierrors.IsAlreadyExists(err) {
		b.Errorf("one that exists: %v", err)
	}
	loose := deployment("a")
	unstructured.RemoveNestedField(loose.Object, "spec", "template", "metadata", "labels", "app")
	if err := try(loose); !apierrors.IsInvalid(err) {
		b.Errorf("one that exists, of another form that is refused: %v", err)
	}
	patched, err := b.on(kubesim.Deployments).Patch(b.Context(), "a", types.MergePatchType,
		[]byte(`{"metadata":{"labels":{"tried":"yes"}}}`), metav1.PatchOptions{DryRun: dry.DryRun})
	if err != nil || patched.GetLabels()["tried"] != "yes" {
		b.Errorf("a patch that is tried has labels %v, error %v", patched.GetLabels(), err)
	}
	if got := b.get(kubesim.Deployments, "a").GetLabels()["tried"]; got != "" {
		b.Error("a dry run of a patch changed the Deployment")
	}
}

// traits holds the model's table of resources to the server.
func traits(b *bench) {
	objects := samples(b.namespace)
	for _, r := range kubesim.Resources() {
		if r.Cluster || r.GVR.Group == kubesim.PodMetrics.Group { // nothing writes a metric
			continue
		}
		u := objects[r.GVR]
		made := b.create(r.GVR, u)
		if (made.GetGeneration() == 1) != r.Generation {
			b.Errorf("%s: generation %d, counted = %t", r.Kind, made.GetGeneration(), r.Generation)
		}
		_, err := b.on(r.GVR).UpdateStatus(b.Context(), made, metav1.UpdateOptions{})
		if apierrors.IsNotFound(err) == r.Status {
			b.Errorf("%s: status subresource = %t, but %v", r.Kind, r.Status, err)
		}
		put := b.read(r.GVR, "a")
		put.SetResourceVersion("")
		_, err = b.on(r.GVR).Update(b.Context(), put, metav1.UpdateOptions{})
		if apierrors.IsInvalid(err) != r.Conditional || !r.Conditional && err != nil {
			b.Errorf("%s: an update without a version: %v", r.Kind, err)
		}
		for _, field := range append([]string{"metadata.name", "metadata.namespace"}, r.Fields...) {
			if _, err := b.on(r.GVR).List(b.Context(), metav1.ListOptions{FieldSelector: field + "!=x"}); err != nil {
				b.Errorf("%s: select by %s: %v", r.Kind, field, err)
			}
		}
		if _, err := b.on(r.GVR).List(
			b.Context(), metav1.ListOptions{FieldSelector: "spec.none=x"},
		); !apierrors.IsBadRequest(err) {
			b.Errorf("%s: select by a field that is not selectable: %v, want 400", r.Kind, err)
		}
	}
}

func writesKeepToTheirPart(b *bench) {
	client := b.on(kubesim.FlinkDeployments)
	u := b.create(kubesim.FlinkDeployments, flinkDeployment("a"))
	u.SetLabels(map[string]string{"x": "y"})
	u.SetAnnotations(map[string]string{"x": "y"})
	u.SetFinalizers([]string{"x/y"})
	u.Object["spec"].(map[string]any)["image"] = "two"
	u.Object["status"] = map[string]any{"lifecycleState": "STABLE"}
	got, err := client.UpdateStatus(b.Context(), u, metav1.UpdateOptions{})
	if err != nil {
		b.Fatal(err)
	}
	if got.GetLabels() != nil || got.GetAnnotations() != nil || got.GetFinalizers() != nil || got.GetGeneration() != 1 ||
		image(got) != "one" {
		b.Errorf("a status write changed metadata %v or spec %s", got.Object["metadata"], image(got))
	}

	got.Object["spec"].(map[string]any)["image"] = "two"
	got.Object["status"] = map[string]any{"lifecycleState": "FAILED"}
	if got, err = client.Update(b.Context(), got, metav1.UpdateOptions{}); err != nil {
		b.Fatal(err)
	}
	state, _, _ := unstructured.NestedString(got.Object, "status", "lifecycleState")
	if state != "STABLE" || got.GetGeneration() != 2 || image(got) != "two" {
		b.Errorf("a main write gave state %s, generation %d, image %s: want STABLE, 2, two",
			state, got.GetGeneration(), image(got))
	}
	got = b.mustMerge(kubesim.FlinkDeployments, "a", `{"metadata":{"annotations":{"a":"b"}},"status":{"pace":"slow"}}`)
	if _, there, _ := unstructured.NestedString(got.Object, "status", "pace"); there || got.GetGeneration() != 2 {
		b.Errorf("an annotation gave generation %d, or wrote status: metadata does not count", got.GetGeneration())
	}
	got = b.mustMerge(kubesim.FlinkDeployments, "a", `{"spec":{"image":"three"},"status":{"pace":"slow"}}`, "status")
	if pace, _, _ := unstructured.NestedString(got.Object, "status", "pace"); pace != "slow" || image(got) != "two" {
		b.Errorf("a patch of status gave pace %q, image %s", pace, image(got))
	}
	got = b.mustMerge(kubesim.FlinkDeployments, "a", `{"metadata":{"uid":"other"},"status":{"pace":"fast"}}`, "status")
	if pace, _, _ := unstructured.NestedString(got.Object, "status", "pace"); pace != "fast" ||
		got.GetUID() != u.GetUID() {
		b.Errorf("a patch of status with another uid gave pace %q, uid %s: it is ignored", pace, got.GetUID())
	}
	delete(got.Object, "status")
	if got, err = client.UpdateStatus(b.Context(), got, metav1.UpdateOptions{}); err != nil {
		b.Fatal(err)
	}
	if !unseen(got) {
		b.Errorf("a status write without status left %v, want none", got.Object["status"])
	}
}

// unseen reports whether a resource has no status but the one that its definition fills in.
func unseen(u *unstructured.Unstructured) bool {
	return cmp.Equal(u.Object["status"], map[string]any{"observedGeneration": int64(-1)})
}

func deploymentGeneration(b *bench) {
	b.create(kubesim.Deployments, deployment("a"))
	for _, row := range []struct {
		patch string
		more  int64
		why   string
	}{
		{`{"metadata":{"annotations":{"a":"b"}}}`, 1, "apps/v1 counts annotations"},
		{`{"metadata":{"labels":{"a":"b"}}}`, 0, "but not labels"},
		{`{"spec":{"paused":true}}`, 1, "and the spec"},
		{`{"status":{"replicas":5}}`, 0, "never status"},
	} {
		before := b.read(kubesim.Deployments, "a").GetGeneration()
		got := b.mustMerge(kubesim.Deployments, "a", row.patch)
		if got.GetGeneration() != before+row.more {
			b.Errorf("%s: generation %d -> %d: %s", row.patch, before, got.GetGeneration(), row.why)
		}
		if replicas, _, _ := unstructured.NestedInt64(got.Object, "status", "replicas"); replicas != 0 {
			b.Errorf("a main patch wrote status: %d replicas", replicas)
		}
	}
}

func noChange(b *bench) {
	apply := func(b *bench) error {
		_, err := b.on(kubesim.FlinkDeployments).Apply(
			b.Context(), "a", flinkDeployment("a"), metav1.ApplyOptions{FieldManager: "us", Force: true})
		return err
	}
	for name, write := range map[string]func(*bench) error{
		"put": func(b *bench) error {
			_, err := b.on(kubesim.FlinkDeployments).Update(
				b.Context(), b.read(kubesim.FlinkDeployments, "a"), metav1.UpdateOptions{})
			return err
		},
		"put status": func(b *bench) error {
			_, err := b.on(kubesim.FlinkDeployments).UpdateStatus(
				b.Context(), b.read(kubesim.FlinkDeployments, "a"), metav1.UpdateOptions{})
			return err
		},
		"merge patch": func(b *bench) error {
			_, err := b.merge(kubesim.FlinkDeployments, "a", `{"spec":{"image":"one","mode":null}}`)
			return err
		},
		"merge patch of status": func(b *bench) error {
			_, err := b.merge(kubesim.FlinkDeployments, "a", `{"status":{"pace":"slow"}}`, "status")
			return err
		},
		"merge patch of status through main": func(b *bench) error {
			_, err := b.merge(kubesim.FlinkDeployments, "a", `{"status":{"pace":"fast"}}`)
			return err
		},
		"JSON patch": func(b *bench) error {
			_, err := b.on(kubesim.FlinkDeployments).Patch(b.Context(), "a", types.JSONPatchType,
				[]byte(`[{"op":"replace","path":"/spec/image","value":"one"}]`), metav1.PatchOptions{})
			return err
		},
		"apply again": apply,
	} {
		b.row(name, func(b *bench) {
			b.create(kubesim.FlinkDeployments, flinkDeployment("a"))
			if err := apply(b); err != nil {
				b.Fatal(err)
			}
			before := b.mustMerge(kubesim.FlinkDeployments, "a", `{"status":{"pace":"slow"}}`, "status")
			if err := write(b); err != nil {
				b.Fatal(err)
			}
			if diff := cmp.Diff(before.Object, b.read(kubesim.FlinkDeployments, "a").Object); diff != "" {
				b.Errorf("a write that changes nothing is nothing\n%s", diff)
			}
		})
	}
}

func unconditionalPut(b *bench) {
	made := b.create(kubesim.ConfigMaps, configMap("a"))
	u := configMap("a")
	u.Object["data"] = map[string]any{"k": "w"}
	got, err := b.on(kubesim.ConfigMaps).Update(b.Context(), u, metav1.UpdateOptions{})
	if err != nil || got.GetUID() != made.GetUID() {
		b.Errorf("uid %q, %v: core resources take an update without a version", got.GetUID(), err)
	}
}

func fixedMetadata(b *bench) {
	made := b.create(kubesim.FlinkDeployments, flinkDeployment("a"))
	got := b.mustMerge(kubesim.FlinkDeployments, "a", `{"metadata":{"generation":9,
		"creationTimestamp":"2001-01-01T00:00:00Z","labels":{"a":"b"}}}`)
	want := made.DeepCopy()
	want.SetLabels(map[string]string{"a": "b"})
	for _, u := range []*unstructured.Unstructured{want, got} {
		u.SetResourceVersion("")
		u.SetManagedFields(nil)
	}
	if diff := cmp.Diff(want.Object, got.Object); diff != "" {
		b.Errorf("a patch changed more than the label\n%s", diff)
	}
	large := strings.Repeat("x", 256<<10)
	if _, err := b.merge(
		kubesim.FlinkDeployments, "a", `{"metadata":{"annotations":{"a":"`+large+`"}}}`,
	); !apierrors.IsInvalid(err) {
		b.Errorf("an annotation of 256 KiB: %v, want 422", err)
	}
}

func nulls(b *bench) {
	b.create(kubesim.ConfigMaps, configMap("a"))
	got := b.mustMerge(kubesim.ConfigMaps, "a",
		`{"metadata":{"annotations":{"gone":null,"here":"x"}},"data":{"k":null,"n":null,"m":"1"}}`)
	if diff := cmp.Diff(map[string]any{"m": "1"}, got.Object["data"]); diff != "" {
		b.Errorf("null takes away, and adds nothing\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"here": "x"}, got.GetAnnotations()); diff != "" {
		b.Error(diff)
	}
	got = b.mustMerge(kubesim.ConfigMaps, "a", `{"metadata":{"annotations":null}}`)
	if got.GetAnnotations() != nil {
		b.Errorf("annotations %v are left", got.GetAnnotations())
	}
}

// jsonPatchTests is how a Deployment is released: its uid and its operation are the preconditions.
func jsonPatchTests(b *bench) {
	u := deployment("a")
	u.SetAnnotations(map[string]string{"x/operation": "op"})
	made := b.create(kubesim.Deployments, u)
	release := func(uid, operation string) error {
		text, err := json.Marshal([]map[string]any{
			{"op": "test", "path": "/metadata/uid", "value": uid},
			{"op": "test", "path": "/metadata/annotations/x~1operation", "value": operation},
			{"op": "test", "path": "/spec/replicas", "value": 0},
			{"op": "replace", "path": "/spec/replicas", "value": 1},
			{"op": "add", "path": "/metadata/annotations/x~1released", "value": "now"},
		})
		if err != nil {
			b.Fatal(err)
		}
		_, err = b.on(kubesim.Deployments).Patch(b.Context(), "a", types.JSONPatchType, text, metav1.PatchOptions{})
		return err
	}
	uid := string(made.GetUID())
	for _, wrong := range [][2]string{{"other", "op"}, {uid, "other"}} {
		if err := release(wrong[0], wrong[1]); !apierrors.IsInvalid(err) {
			b.Errorf("release of uid %s, operation %s: %v, want 422", wrong[0], wrong[1], err)
		}
	}
	if err := release(uid, "op"); err != nil {
		b.Fatal(err)
	}
	got := b.read(kubesim.Deployments, "a")
	replicas, _, _ := unstructured.NestedInt64(got.Object, "spec", "replicas")
	if replicas != 1 || got.GetAnnotations()["x/released"] != "now" {
		b.Errorf("%d replicas, annotations %v", replicas, got.GetAnnotations())
	}
	if err := release(uid, "op"); !apierrors.IsInvalid(err) {
		b.Errorf("a second release: %v, want 422", err)
	}
	b.mustMerge(kubesim.Deployments, "a",
		`{"metadata":{"uid":"`+uid+`","annotations":{"x/operation":null}},"spec":{"replicas":0}}`)
	if err := release(uid, "op"); !apierrors.IsInvalid(err) {
		b.Errorf("a release without an operation: %v, want 422: what a test names must be there", err)
	}
}

func statusWhileDeleting(b *bench) {
	b.create(kubesim.FlinkDeployments, held(flinkDeployment("a")))
	b.remove(kubesim.FlinkDeployments, "a", metav1.DeleteOptions{})
	got := b.mustMerge(kubesim.FlinkDeployments, "a", `{"status":{"pace":"slow"}}`, "status")
	if pace, _, _ := unstructured.NestedString(got.Object, "status", "pace"); pace != "slow" || got.GetGeneration() != 2 {
		b.Errorf("pace %q, generation %d; want slow, 2", pace, got.GetGeneration())
	}
	if got = b.mustMerge(kubesim.FlinkDeployments, "a", `{"spec":{"image":"two"}}`); got.GetGeneration() != 3 {
		b.Errorf("generation %d after an edit during deletion, want 3", got.GetGeneration())
	}
}

func eventNames(b *bench) {
	if got := b.create(kubesim.Events, inNamespace(b, event("JobManagerDeployment.838260017"))); got.GetName() !=
		"JobManagerDeployment.838260017" {
		b.Errorf("name %q; an Event may be called anything that fits into a path", got.GetName())
	}
	unnamed := inNamespace(b, event(""))
	unnamed.SetGenerateName("demo.")
	if got := b.create(kubesim.Events, unnamed).GetName(); !strings.HasPrefix(got, "demo.") || len(got) != len("demo.")+5 {
		b.Errorf("name %q, want one with five characters more than asked for", got)
	}
}

func inNamespace(b *bench, event *unstructured.Unstructured) *unstructured.Unstructured {
	event.Object["involvedObject"].(map[string]any)["namespace"] = b.namespace
	return event
}

// eventCounted is how an Event that comes again is written.
func eventCounted(b *bench) {
	u := inNamespace(b, event("Job.1"))
	u.Object["count"], u.Object["reason"] = int64(1), "Submit"
	b.create(kubesim.Events, u)
	if _, err := b.on(kubesim.Events).Create(b.Context(), u, metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		b.Errorf("the same again: %v, want 409", err)
	}
	got := b.mustMerge(kubesim.Events, "Job.1", `{"count":2,"lastTimestamp":"2026-01-01T12:00:00Z","message":"m",
		"metadata":{"annotations":{"old":null,"new":"x"}}}`)
	if got.Object["count"] != int64(2) || got.Object["message"] != "m" || got.Object["reason"] != "Submit" ||
		got.Object["lastTimestamp"] != "2026-01-01T12:00:00Z" {
		b.Errorf("it is %v", got.Object)
	}
}
