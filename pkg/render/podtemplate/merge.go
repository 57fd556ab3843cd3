package podtemplate

// ListMerge says how two lists at the same place of two templates become one.
type ListMerge string

const (
	// ByPosition merges element i of the override into element i of the base and appends the surplus. It is the
	// default of the option kubernetes.operator.pod-template.merge-arrays-by-name.
	ByPosition ListMerge = "ByPosition"
	// ByName merges elements with the same member "name", in the order of the base, then appends the new names. A list
	// with any element that has no name falls back to ByPosition.
	ByName ListMerge = "ByName"
)

// Merge lays override over base and returns a new tree. A nil side gives a copy of the other; two nil sides give nil.
// An unknown ListMerge counts as ByPosition.
//
//	base \ override | absent | object       | list         | scalar
//	absent          | -      | override     | override     | override
//	object          | base   | field by     | override     | base
//	                |        | field        |              |
//	list            | base   | override     | ListMerge    | override
//	scalar          | base   | override     | override     | override
//
// One exception to the last column: a scalar in a list at a place that the base already has keeps the value of the
// base, so args [a] under args [b, c] gives [a, c].
func Merge(base, override Tree, lists ListMerge) Tree {
	switch {
	case base == nil && override == nil:
		return nil
	case base == nil:
		return override.Copy()
	case override == nil:
		return base.Copy()
	}
	return mergeObjects(base, override, lists)
}

func mergeObjects(base, override Tree, lists ListMerge) Tree {
	merged := base.Copy()
	for key, over := range override {
		if over == nil {
			continue // a null says nothing: the reference does not write nulls
		}
		old, there := merged[key]
		if !there || old == nil {
			merged[key] = copyValue(over)
			continue
		}
		merged[key] = mergeValues(old, over, lists)
	}
	return merged
}

func mergeValues(base, override any, lists ListMerge) any {
	switch old := base.(type) {
	case map[string]any:
		over, ok := override.(map[string]any)
		if !ok {
			return copyValue(old)
		}
		return map[string]any(mergeObjects(old, over, lists))
	case []any:
		if over, ok := override.([]any); ok {
			return mergeLists(old, over, lists)
		}
	}
	return copyValue(override)
}

func mergeLists(base, override []any, lists ListMerge) []any {
	if lists == ByName && allNamed(base) && allNamed(override) {
		return mergeByName(base, override)
	}
	return mergeByPosition(base, override, lists)
}

func mergeByPosition(base, override []any, lists ListMerge) []any {
	merged := make([]any, 0, max(len(base), len(override)))
	for i, old := range base {
		if i >= len(override) {
			merged = append(merged, copyValue(old))
			continue
		}
		merged = append(merged, mergeElement(old, override[i], lists))
	}
	for i := len(base); i < len(override); i++ {
		merged = append(merged, copyValue(override[i]))
	}
	return merged
}

// mergeElement merges two elements at the same position: only containers (objects, lists) take anything over.
func mergeElement(base, override any, lists ListMerge) any {
	switch base.(type) {
	case map[string]any, []any:
		return mergeValues(base, override, lists)
	default:
		return copyValue(base)
	}
}

// mergeByName needs two lists of which every element has a name. A name that occurs twice in one list counts once, at
// the place of its first and with the value of its last occurrence.
func mergeByName(base, override []any) []any {
	byName := map[string]map[string]any{}
	var order []string
	add := func(element any, merge bool) {
		item := element.(map[string]any)
		name := item["name"].(string)
		old, there := byName[name]
		if !there {
			order = append(order, name)
		}
		if there && merge {
			item = mergeObjects(old, item, ByName)
		}
		byName[name] = item
	}
	for _, element := range base {
		add(element, false)
	}
	for _, element := range collapse(override) {
		add(element, true)
	}
	merged := make([]any, 0, len(order))
	for _, name := range order {
		merged = append(merged, copyValue(byName[name]))
	}
	return merged
}

// collapse keeps the last of the elements that share a name, at the place of the first.
func collapse(list []any) []any {
	place := map[string]int{}
	var kept []any
	for _, element := range list {
		name := element.(map[string]any)["name"].(string)
		if i, there := place[name]; there {
			kept[i] = element
			continue
		}
		place[name] = len(kept)
		kept = append(kept, element)
	}
	return kept
}

func allNamed(list []any) bool {
	for _, element := range list {
		item, ok := element.(map[string]any)
		if !ok {
			return false
		}
		if _, ok := item["name"].(string); !ok {
			return false
		}
	}
	return true
}
