package crd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

var unstructuredJSON = unstructured.UnstructuredJSONScheme

// Every resource that a Java operator left behind, and one of each kind that
// sets every field, is accepted and stored as it is.
func TestResourcesAreStoredWithoutLoss(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../../pkg/apis/flink/v1beta1/testdata/golden/*.yaml", "testdata/*.yaml"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(found), err)
		}
		files = append(files, found...)
	}
	definitions := map[string]definition{}
	for kind := range resources {
		definitions[kind] = loadDefinition(t, kind)
	}
	seen := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, document := range strings.Split("\n"+string(text), "\n---\n") {
			content := readResource(t, []byte(document))
			kind := content["kind"].(string)
			seen[kind] = true
			stored, err := definitions[kind].create(content)
			if err != nil {
				t.Errorf("%s, document %d is refused: %v", file, i, err)
				continue
			}
			if diff := cmp.Diff(content, stored); diff != "" {
				t.Errorf("%s, document %d is not stored as it is (-written +stored):\n%s", file, i, diff)
			}
			mustDecode(t, file, stored)
		}
	}
	for kind := range resources {
		if !seen[kind] {
			t.Errorf("no resource of kind %s was tried", kind)
		}
	}
}

// mustDecode checks that our own types read what is stored and lose no field of
// it but what they drop on purpose.
func mustDecode(t *testing.T, file string, content map[string]any) {
	t.Helper()
	var typed any
	var specErr, err error
	switch content["kind"] {
	case v1beta1.KindFlinkDeployment:
		typed, specErr, err = anyOf(v1beta1.DecodeDeployment(content))
	case v1beta1.KindFlinkSessionJob:
		typed, specErr, err = anyOf(v1beta1.DecodeSessionJob(content))
	case v1beta1.KindFlinkStateSnapshot:
		typed, specErr, err = anyOf(v1beta1.DecodeStateSnapshot(content))
	default:
		typed, specErr, err = anyOf(v1beta1.DecodeBlueGreen(content))
	}
	if specErr != nil || err != nil {
		t.Errorf("%s cannot be decoded: spec %v, rest %v", file, specErr, err)
		return
	}
	text, err := json.Marshal(typed)
	if err != nil {
		t.Errorf("%s: %v", file, err)
		return
	}
	back := readResource(t, text)
	for _, part := range []string{"spec", "status"} {
		want := content[part]
		if want == nil {
			want = map[string]any{}
		}
		got := back[part]
		if got == nil {
			got = map[string]any{}
		}
		// Parallelism 0 and no parallelism are one.
		unset := cmpopts.IgnoreMapEntries(func(key string, value any) bool {
			return key == "parallelism" &&
				value == int64(0)
		})
		if diff := cmp.Diff(withoutFractions(want), got, unset, cmp.Transformer("number", asNumber)); diff != "" {
			t.Errorf("%s: our types lose something of %s (-stored +ours):\n%s", file, part, diff)
		}
	}
}

func anyOf[T any](value T, specErr, err error) (any, error, error) { return value, specErr, err }

// asNumber makes 1 and 1.0 one number.
func asNumber(n int64) float64 { return float64(n) }

// withoutFractions cuts condition times to seconds, as Kubernetes stores them.
func withoutFractions(part any) any {
	copied := runtime.DeepCopyJSONValue(part)
	content, _ := copied.(map[string]any)
	conditions, _ := content["conditions"].([]any)
	for _, c := range conditions {
		condition := c.(map[string]any)
		if whole, _, found := strings.Cut(condition["lastTransitionTime"].(string), "."); found {
			condition["lastTransitionTime"] = whole + "Z"
		}
	}
	return copied
}

// A pod template may hold any field of a Pod, with apiVersion, kind and status:
// people paste what kubectl prints.
func TestEveryFieldOfAPodIsStored(t *testing.T) {
	pod := &corev1.Pod{}
	pod.APIVersion, pod.Kind = "v1", "Pod"
	fill(t, pod)
	text, err := json.Marshal(pod)
	if err != nil {
		t.Fatal(err)
	}
	template := readResource(t, text)
	content := map[string]any{
		"apiVersion": v1beta1.APIVersion, "kind": v1beta1.KindFlinkDeployment,
		"spec": map[string]any{
			"podTemplate": template,
			"jobManager":  map[string]any{"podTemplate": runtime.DeepCopyJSON(template)},
			"taskManager": map[string]any{"podTemplate": runtime.DeepCopyJSON(template)},
		},
	}
	stored, err := loadDefinition(t, v1beta1.KindFlinkDeployment).create(content)
	if err != nil {
		t.Fatalf("refused: %v", err)
	}
	if diff := cmp.Diff(content, stored); diff != "" {
		t.Errorf("not stored as it is (-written +stored):\n%s", diff)
	}
	if size := len(text); size < 10_000 {
		t.Errorf("the filled pod has only %d bytes", size)
	}
	parent := map[string]any{
		"apiVersion": v1beta1.APIVersion, "kind": v1beta1.KindFlinkBlueGreenDeployment,
		"spec": map[string]any{"template": map[string]any{"spec": runtime.DeepCopyJSONValue(content["spec"])}},
	}
	if stored, err = loadDefinition(t, v1beta1.KindFlinkBlueGreenDeployment).create(parent); err != nil {
		t.Fatalf("refused in a blue/green deployment: %v", err)
	}
	if diff := cmp.Diff(parent, stored); diff != "" {
		t.Errorf("not stored as it is in a blue/green deployment:\n%s", diff)
	}
}

// What is no field of ours is dropped, as the Java operator's definitions do.
func TestUnknownFieldsArePruned(t *testing.T) {
	d := loadDefinition(t, v1beta1.KindFlinkDeployment)
	content := map[string]any{
		"apiVersion": v1beta1.APIVersion, "kind": v1beta1.KindFlinkDeployment,
		"spec": map[string]any{
			"unknown":            int64(1),
			"image":              "i",
			"ingress":            nil,
			"podTemplate":        map[string]any{"spec": map[string]any{"typo": "x"}},
			"flinkConfiguration": map[string]any{"anything": map[string]any{"goes": []any{int64(1), nil, "x"}}},
		},
	}
	want := map[string]any{
		"image":              "i",
		"podTemplate":        map[string]any{"spec": map[string]any{}},
		"flinkConfiguration": map[string]any{"anything": map[string]any{"goes": []any{int64(1), nil, "x"}}},
	}
	stored, err := d.create(content)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, stored["spec"]); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
}

// A resource without a spec is legal: a canary has none.
func TestCanaryWithoutSpecIsAccepted(t *testing.T) {
	for kind := range resources {
		for name, spec := range map[string]any{
			"no spec": nil, "null fields": map[string]any{"flinkConfiguration": map[string]any{}},
		} {
			if kind == v1beta1.KindFlinkStateSnapshot && spec != nil {
				continue // a snapshot needs to say what it is
			}
			content := map[string]any{
				"apiVersion": v1beta1.APIVersion, "kind": kind, "metadata": map[string]any{"name": "canary"},
			}
			if spec != nil {
				content["spec"] = spec
			}
			if _, err := loadDefinition(t, kind).create(content); err != nil {
				t.Errorf("%s with %s is refused: %v", kind, name, err)
			}
		}
	}
}
