package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-tools/pkg/deepcopy"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
)

const types = "github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"

// The files in config/crds are those that the types make now.
func TestDefinitionsAreUpToDate(t *testing.T) {
	files, err := Generate(types)
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob("../../config/crds/*")
	if err != nil || len(found) != len(files) || len(files) != 4 {
		t.Errorf("config/crds has %d files, the types make %d, want 4 (%v)", len(found), len(files), err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("../../config/crds", name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("config/crds/%s is not up to date: run make generate (%v)", name, err)
		}
	}
}

// keep is an output rule that keeps the text in memory.
type keep struct{ bytes.Buffer }

func (k *keep) Open(*loader.Package, string) (io.WriteCloser, error) { return k, nil }
func (k *keep) Close() error                                         { return nil }

// The deep copies are those that the types make now.
func TestDeepCopiesAreUpToDate(t *testing.T) {
	var generator genall.Generator = deepcopy.Generator{}
	generators := genall.Generators{&generator}
	runtime, err := generators.ForRoots(types)
	if err != nil {
		t.Fatal(err)
	}
	out := &keep{}
	runtime.OutputRules = genall.OutputRules{Default: out}
	if failed := runtime.Run(); failed {
		t.Fatal("the generator failed, see above")
	}
	got, err := os.ReadFile("../../pkg/apis/flink/v1beta1/zz_generated.deepcopy.go")
	if err != nil || !bytes.Equal(got, out.Bytes()) {
		t.Errorf("zz_generated.deepcopy.go is not up to date: run make generate (%v)", err)
	}
}

func TestGenerateRefusesOtherPackages(t *testing.T) {
	for name, pattern := range map[string]string{
		"no Kubernetes type": "github.com/kn-flink/kn-flink/pkg/apis/flink/jsontext",
		"no such package":    "github.com/kn-flink/kn-flink/pkg/apis/flink/missing",
	} {
		if files, err := Generate(pattern); err == nil {
			t.Errorf("%s: made %d files", name, len(files))
		}
	}
}

func TestWrite(t *testing.T) {
	folder := t.TempDir()
	if err := write(map[string][]byte{"a.yaml": []byte("a"), "b.yaml": []byte("b")}, folder); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(folder, "b.yaml")); err != nil || string(text) != "b" {
		t.Errorf("b.yaml holds %q, %v", text, err)
	}
	if err := write(map[string][]byte{"a.yaml": nil}, filepath.Join(folder, "missing")); err == nil {
		t.Error("writing to a folder that is not there is no error")
	}
}

func TestShapeIsTheReferences(t *testing.T) {
	limit, text, options := int64(5), "x", int64(5_000)
	generated := schema{
		Type: "object", Description: "One\nline.\n\nAnother\nparagraph.", Required: []string{"a"},
		Properties: map[string]schema{
			"a": {
				Type: "string", Format: "date-time", MaxLength: &limit, Pattern: "x", Nullable: true,
				Enum: nil, Default: nil, Title: "t", XListType: &text,
			},
			"flinkConfiguration": {Type: "string", Format: "byte", Description: "free"},
			"podTemplate": {
				Type: "object", Description: "kept", Properties: map[string]schema{"gone": {Type: "string"}},
			},
			"conditions": {Type: "array", Description: "kept", Items: &itemsOf{Schema: &schema{
				Type: "object", Required: []string{"type"},
				Properties: map[string]schema{"type": {Type: "string", Description: "gone", Pattern: "x", MaxLength: &limit}},
			}}},
			"requests": {Type: "object", AdditionalProperties: &valuesOf{Allows: true, Schema: &schema{Type: "string"}}},
			"template": {Type: "object", Properties: map[string]schema{"metadata": {Type: "string", Description: "any"}}},
			"port":     {XIntOrString: true, Pattern: "x"},
		},
	}
	pod := schema{Type: "object", Properties: map[string]schema{"spec": {Type: "object"}}}
	want := schema{
		Type: "object", Description: "One line.\nAnother paragraph.",
		Properties: map[string]schema{
			"a":                  {Type: "string"},
			"flinkConfiguration": {Description: "free", XPreserveUnknownFields: yes(), MaxProperties: &options},
			"podTemplate": {
				Type: "object", Description: "kept", Properties: map[string]schema{"spec": {Type: "object"}},
			},
			"conditions": {Type: "array", Description: "kept", Items: &itemsOf{Schema: &schema{
				Type: "object", Properties: map[string]schema{"type": {Type: "string"}},
			}}},
			"requests": {Type: "object", AdditionalProperties: &valuesOf{Allows: true, Schema: intOrString()}},
			"template": {
				Type:       "object",
				Properties: map[string]schema{"metadata": {Type: "object", Description: "any", XPreserveUnknownFields: yes()}},
			},
			"port": {XIntOrString: true, AnyOf: []schema{{Type: "integer"}, {Type: "string"}}},
		},
	}
	reshape(&generated, "", pod)
	if diff := cmp.Diff(want, generated); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestShapePod(t *testing.T) {
	pod := schema{Type: "object", Properties: map[string]schema{
		"metadata": {Type: "object"},
		"spec": {Type: "object", Required: []string{"containers"}, Properties: map[string]schema{
			"volumes": {
				Type:  "array",
				Items: &itemsOf{Schema: &schema{Type: "object", Properties: map[string]schema{"metadata": {Type: "object"}}}},
			},
		}},
		"status": {Type: "object", Properties: map[string]schema{"phase": {Type: "string", Description: "gone"}}},
	}}
	shapePod(&pod)
	spec, status := pod.Properties["spec"], pod.Properties["status"]
	if _, ok := spec.Properties["schedulingGroup"]; !ok || len(spec.Required) > 0 {
		t.Errorf("spec: %+v", spec)
	}
	if status.XPreserveUnknownFields == nil || status.Properties["phase"].Description != "" {
		t.Errorf("status: %+v", status)
	}
	for name, metadata := range map[string]schema{
		"pod": pod.Properties["metadata"], "volume": spec.Properties["volumes"].Items.Schema.Properties["metadata"],
	} {
		var fields []string
		for field := range metadata.Properties {
			fields = append(fields, field)
		}
		if len(fields) != 15 || !slices.Contains(fields, "ownerReferences") {
			t.Errorf("%s metadata has %v", name, fields)
		}
	}
}
