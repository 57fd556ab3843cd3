package kubesim

import (
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kjson "k8s.io/apimachinery/pkg/util/json"
)

// normal brings an object into the form that JSON from the wire has: int64, float64, no typed slices.
func normal(u *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	content, err := normalMap(u.Object)
	if err != nil {
		return nil, err
	}
	out := &unstructured.Unstructured{Object: content}
	if slices.Contains([]string{out.GetKind(), out.GetAPIVersion()}, "") {
		return nil, fmt.Errorf("object %q has no kind or apiVersion", out.GetName())
	}
	return out, nil
}

func normalMap(m map[string]any) (map[string]any, error) {
	out := make(map[string]any, len(m))
	for name, value := range m {
		var err error
		if out[name], err = normalValue(value); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// normalValue copies what is in that form already, and takes everything else through JSON.
func normalValue(value any) (any, error) {
	switch v := value.(type) {
	case nil, string, bool, int64:
		return v, nil
	case map[string]any:
		if v != nil {
			return normalMap(v)
		}
	case []any:
		out, err := slices.Clone(v), error(nil)
		for i := 0; i < len(v) && err == nil; i++ {
			out[i], err = normalValue(v[i])
		}
		if v != nil {
			return out, err
		}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var out any
	err = kjson.Unmarshal(text, &out)
	return out, err
}
