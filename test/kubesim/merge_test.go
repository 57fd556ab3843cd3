package kubesim

import (
	"encoding/json"
	"reflect"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"pgregory.net/rapid"
)

// A patch that is merged into an object means what one merged into its text does.
func TestMergeIsThatOfTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, patch := drawObject(t, "doc", 3), drawObject(t, "patch", 3)
		u := &unstructured.Unstructured{Object: doc}
		want := u.DeepCopy()
		text, err := json.Marshal(patch)
		if err != nil {
			t.Fatal(err)
		}
		err = patchWith(func(doc []byte) ([]byte, error) { return jsonpatch.MergePatch(doc, text) })(want)
		if mine := mergeWith(text)(u); (mine == nil) != (err == nil) {
			t.Fatalf("merged with %v, as text with %v", mine, err)
		}
		if !reflect.DeepEqual(u.Object, want.Object) {
			t.Fatalf("%s merged: %v, as text: %v", text, u.Object, want.Object)
		}
	})
}

func drawObject(t *rapid.T, label string, depth int) map[string]any {
	object := map[string]any{}
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 3, rapid.ID[string]).
		Draw(t, label) {
		object[name] = drawValue(t, label+"."+name, depth)
	}
	return object
}

func drawValue(t *rapid.T, label string, depth int) any {
	kinds := 3
	if depth > 0 {
		kinds = 5
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, label+" kind") {
	case 0:
		return nil
	case 1:
		return rapid.Int64Range(0, 3).Draw(t, label)
	case 2:
		return rapid.StringMatching("[xy<]?").Draw(t, label)
	case 3:
		return drawObject(t, label, depth-1)
	}
	list := []any{}
	for range rapid.IntRange(0, 2).Draw(t, label+" length") {
		list = append(list, drawValue(t, label+"[]", depth-1))
	}
	return list
}

// Numbers of both texts are read alike.
func TestMergeReadsNumbersAsTheServerDoes(t *testing.T) {
	var want any
	if err := kjson.Unmarshal([]byte(`{"a":1,"b":1.5,"c":{"d":2}}`), &want); err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{Object: map[string]any{"c": "x"}}
	if err := mergeWith([]byte(`{"a":1,"b":1.5,"c":{"d":2}}`))(u); err != nil || !reflect.DeepEqual(u.Object, want) {
		t.Errorf("%v, %v", u.Object, err)
	}
}
