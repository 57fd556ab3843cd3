package podtemplate

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Tree is a PodTemplateSpec as decoded JSON: map[string]any, []any, string, bool, json.Number. Nil means that there is
// no template at all, which is not the same as an empty one.
type Tree map[string]any

// Parse reads a template from JSON. It keeps metadata and spec and drops everything else (apiVersion, kind and status,
// which the schema allows because it is that of a Pod), and it drops nulls. Empty text and null give nil.
func Parse(text []byte) (Tree, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var root map[string]any
	if err := decoder.Decode(&root); err != nil {
		return nil, fmt.Errorf("pod template is not a JSON object: %w", err)
	}
	if root == nil {
		return nil, nil
	}
	tree := Tree{}
	for _, key := range []string{"metadata", "spec"} {
		if value, there := root[key]; there && value != nil {
			tree[key] = withoutNulls(value)
		}
	}
	return tree, nil
}

// Copy returns a deep copy. Nil gives nil.
func (t Tree) Copy() Tree {
	if t == nil {
		return nil
	}
	return copyValue(map[string]any(t)).(map[string]any)
}

func copyValue(value any) any {
	switch v := value.(type) {
	case Tree:
		return copyValue(map[string]any(v))
	case map[string]any:
		copied := make(map[string]any, len(v))
		for key, element := range v {
			copied[key] = copyValue(element)
		}
		return copied
	case []any:
		copied := make([]any, len(v))
		for i, element := range v {
			copied[i] = copyValue(element)
		}
		return copied
	default:
		return v
	}
}

func withoutNulls(value any) any {
	switch v := value.(type) {
	case map[string]any:
		kept := make(map[string]any, len(v))
		for key, element := range v {
			if element != nil {
				kept[key] = withoutNulls(element)
			}
		}
		return kept
	case []any:
		kept := make([]any, 0, len(v))
		for _, element := range v {
			if element != nil {
				kept = append(kept, withoutNulls(element))
			}
		}
		return kept
	default:
		return v
	}
}
