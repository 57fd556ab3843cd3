package conformance

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/test/kubesim"
)

var (
	otherUID   = types.UID("other")
	oldVersion = "1"
	us         = metav1.ApplyOptions{FieldManager: "us"}
)

// refusals are calls beside FlinkDeployment a, and how they are refused.
var refusals = map[string]refusal{
	"create again": {
		creating(func(_ *bench, u *unstructured.Unstructured) { u.SetName("a") }),
		409, metav1.StatusReasonAlreadyExists, "names are unique",
	},
	"create in no namespace": {
		creating(func(_ *bench, u *unstructured.Unstructured) { u.SetNamespace("nowhere") }),
		404, metav1.StatusReasonNotFound, "the namespace must be there",
	},
	"create for another namespace": {
		creating(func(_ *bench, u *unstructured.Unstructured) { u.SetNamespace("default") }),
		400, metav1.StatusReasonBadRequest, "path and body must agree",
	},
	"create with a version": {
		creating(func(_ *bench, u *unstructured.Unstructured) { u.SetResourceVersion("1") }),
		500, "", "a new object has none",
	},
	"create a bad name": {
		creating(func(_ *bench, u *unstructured.Unstructured) { u.SetName("A_b") }),
		422, metav1.StatusReasonInvalid, "names are DNS subdomains",
	},
	"create without a name": {
		func(b *bench) error {
			_, err := b.on(kubesim.ConfigMaps).Create(b.Context(), configMap(""), metav1.CreateOptions{})
			return err
		},
		422, metav1.StatusReasonInvalid, "a name, or how to make one",
	},
	"create with bad metadata": {
		creating(func(_ *bench, u *unstructured.Unstructured) {
			u.SetLabels(map[string]string{"a": "no label"})
			u.SetAnnotations(map[string]string{"no name": "b"})
			u.SetFinalizers([]string{"unqualified"})
			u.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "x"}})
		}),
		422, metav1.StatusReasonInvalid, "all that is wrong is told at once",
	},
	"create for two controllers": {
		creating(func(_ *bench, u *unstructured.Unstructured) {
			yes := true
			owner := metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "x", UID: "x", Controller: &yes}
			u.SetOwnerReferences([]metav1.OwnerReference{owner, {
				APIVersion: "v1", Kind: "Secret", Name: "y", UID: "y", Controller: &yes,
			}})
		}),
		422, metav1.StatusReasonInvalid, "one controller is in charge",
	},
	"create a foreign kind": {
		func(b *bench) error {
			_, err := b.on(kubesim.FlinkDeployments).Create(b.Context(), configMap("b"), metav1.CreateOptions{})
			return err
		},
		400, metav1.StatusReasonBadRequest, "path and body must agree",
	},
	"deployment with a loose selector": {
		func(b *bench) error {
			u := deployment("b")
			unstructured.RemoveNestedField(u.Object, "spec", "template", "metadata", "labels", "app")
			_, err := b.on(kubesim.Deployments).Create(b.Context(), u, metav1.CreateOptions{})
			return err
		},
		422, metav1.StatusReasonInvalid, "a Deployment must select its own pods",
	},
	"deployment with another selector": {
		func(b *bench) error {
			b.create(kubesim.Deployments, deployment("b"))
			_, err := b.merge(kubesim.Deployments, "b",
				`{"spec":{"selector":{"matchLabels":{"app":"c"}},"template":{"metadata":{"labels":{"app":"c"}}}}}`)
			return err
		},
		422, metav1.StatusReasonInvalid, "a Deployment keeps its pods",
	},
	"get what is not there": {
		func(b *bench) error {
			_, err := b.on(kubesim.FlinkDeployments).Get(b.Context(), "b", metav1.GetOptions{})
			return err
		},
		404, metav1.StatusReasonNotFound, "absence is a 404",
	},
	"patch what is not there": {
		func(b *bench) error {
			_, err := b.merge(kubesim.FlinkDeployments, "b", `{"spec":{"image":"two"}}`)
			return err
		},
		404, metav1.StatusReasonNotFound, "only an apply creates",
	},
	"a resource nobody serves": {
		func(b *bench) error {
			gvr := kubesim.FlinkDeployments.GroupVersion().WithResource("flinkrockets")
			_, err := b.on(gvr).Get(b.Context(), "b", metav1.GetOptions{})
			return err
		},
		404, metav1.StatusReasonNotFound, "a CRD that is not installed",
	},
	"status of a kind without": {
		func(b *bench) error {
			u := b.create(kubesim.ConfigMaps, configMap("a"))
			_, err := b.on(kubesim.ConfigMaps).UpdateStatus(b.Context(), u, metav1.UpdateOptions{})
			return err
		},
		404, metav1.StatusReasonNotFound, "ConfigMaps have no status",
	},
	"put without a version": {
		putting(func(u *unstructured.Unstructured) { u.SetResourceVersion("") }),
		422, metav1.StatusReasonInvalid, "custom resources have no unconditional update",
	},
	"put with an old version": {
		putting(func(u *unstructured.Unstructured) { u.SetResourceVersion("1") }),
		409, metav1.StatusReasonConflict, "optimistic locking",
	},
	"put with another uid": {
		putting(func(u *unstructured.Unstructured) { u.SetUID("other") }),
		409, metav1.StatusReasonConflict, "another incarnation",
	},
	"put what is not there": {
		putting(func(u *unstructured.Unstructured) { u.SetName("b") }),
		404, metav1.StatusReasonNotFound, "only a create and an apply create",
	},
	"put status without a version": {
		putting(func(u *unstructured.Unstructured) { u.SetResourceVersion("") }, "status"),
		422, metav1.StatusReasonInvalid, "custom resources have no unconditional update",
	},
	"put status with an old version": {
		putting(func(u *unstructured.Unstructured) { u.SetResourceVersion("1") }, "status"),
		409, metav1.StatusReasonConflict, "the write that beat us counts",
	},
	"put status with another uid": {
		putting(func(u *unstructured.Unstructured) { u.SetUID("other") }, "status"),
		409, metav1.StatusReasonConflict, "another incarnation",
	},
	"merge patch with an old version": {
		patching(types.MergePatchType, `{"metadata":{"resourceVersion":"1"},"spec":{"image":"two"}}`),
		409, metav1.StatusReasonConflict, "a version in a patch is a precondition",
	},
	"merge patch with another uid": {
		patching(types.MergePatchType, `{"metadata":{"uid":"other"},"spec":{"image":"two"}}`),
		422, metav1.StatusReasonInvalid, "a uid in a patch is an immutable field, not a conflict",
	},
	"merge patch of the name": {
		patching(types.MergePatchType, `{"metadata":{"name":"b"}}`),
		400, metav1.StatusReasonBadRequest, "path and body must agree",
	},
	"merge patch of a bad label": {
		patching(types.MergePatchType, `{"metadata":{"labels":{"a":"no label"}}}`),
		422, metav1.StatusReasonInvalid, "labels have a form",
	},
	"merge patch that is none": {
		patching(types.MergePatchType, `[`),
		400, metav1.StatusReasonBadRequest, "a merge patch is an object",
	},
	"merge patch of the deletion": {
		patching(types.MergePatchType, `{"metadata":{"deletionTimestamp":"2001-01-01T00:00:00Z"}}`),
		422, metav1.StatusReasonInvalid, "only a delete deletes",
	},
	"json patch with a failed test": {
		patching(types.JSONPatchType, `[{"op":"test","path":"/spec/flinkVersion","value":"v2_0"}]`),
		422, metav1.StatusReasonInvalid, "a test operation is a precondition",
	},
	"json patch without a target": {
		patching(types.JSONPatchType, `[{"op":"remove","path":"/metadata/annotations/x"}]`),
		422, metav1.StatusReasonInvalid, "what is not there cannot be taken away",
	},
	"json patch below what is not there": {
		patching(types.JSONPatchType, `[{"op":"add","path":"/metadata/annotations/x","value":"y"}]`),
		422, metav1.StatusReasonInvalid, "a first annotation needs its map",
	},
	"json patch that is none": {
		patching(types.JSONPatchType, `[`),
		400, metav1.StatusReasonBadRequest, "a JSON patch is a list",
	},
	"strategic merge patch": {
		patching(types.StrategicMergePatchType, `{}`),
		415, metav1.StatusReasonUnsupportedMediaType, "custom resources do not know it",
	},
	"apply without a manager": {
		applying(func(*bench, *unstructured.Unstructured) {}, metav1.ApplyOptions{}),
		422, metav1.StatusReasonInvalid, "who owns it?",
	},
	"apply over another manager": {
		applying(func(b *bench, u *unstructured.Unstructured) {
			if _, err := b.apply(u, "them", false); err != nil {
				b.Fatal(err)
			}
			u.Object["spec"].(map[string]any)["image"] = "two"
		}, us),
		409, metav1.StatusReasonConflict, "it belongs to somebody else",
	},
	"apply a uid of nothing": {
		applying(func(_ *bench, u *unstructured.Unstructured) { u.SetUID("other") }, us),
		409, metav1.StatusReasonConflict, "a uid asks for an object that is there",
	},
	"delete what is not there": {
		deleting("b", metav1.Preconditions{}), 404, metav1.StatusReasonNotFound, "it is gone",
	},
	"delete another uid": {
		deleting("a", metav1.Preconditions{UID: &otherUID}),
		409, metav1.StatusReasonConflict, "another incarnation",
	},
	"delete an old version": {
		deleting("a", metav1.Preconditions{ResourceVersion: &oldVersion}),
		409, metav1.StatusReasonConflict, "it changed since",
	},
	"delete another one in an old version": {
		deleting("a", metav1.Preconditions{UID: &otherUID, ResourceVersion: &oldVersion}),
		409, metav1.StatusReasonConflict, "the uid comes first",
	},
}
