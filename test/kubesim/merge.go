package kubesim

import (
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kjson "k8s.io/apimachinery/pkg/util/json"
)

// mergeWith merges a patch into an object as jsonpatch.MergePatch, which the API server uses, merges their texts: most
// writes of the models are such patches. What is no object is left to that.
func mergeWith(text []byte) func(*unstructured.Unstructured) error {
	var patch map[string]any
	if kjson.Unmarshal(text, &patch) != nil || patch == nil {
		return patchWith(func(doc []byte) ([]byte, error) { return jsonpatch.MergePatch(doc, text) })
	}
	return func(u *unstructured.Unstructured) error {
		merge(u.Object, patch)
		return nil
	}
}

func merge(doc, patch map[string]any) {
	for name, value := range patch {
		if value == nil {
			delete(doc, name)
			continue
		}
		inner, isObject := doc[name].(map[string]any)
		change, staysObject := value.(map[string]any)
		switch {
		case isObject && staysObject:
			merge(inner, change)
		case isObject:
			doc[name] = value
		default:
			prune(value)
			doc[name] = value
		}
	}
}

// prune removes what is null from objects, in lists, too.
func prune(value any) {
	switch value := value.(type) {
	case map[string]any:
		for name, inner := range value {
			if inner == nil {
				delete(value, name)
			}
			prune(inner)
		}
	case []any:
		for _, item := range value {
			prune(item)
		}
	}
}
