package specdiff

import (
	"reflect"
	"slices"
	"strconv"
)

// differ collects where two nodes differ, as RFC 6902 pointers in the order in which a JSON patch would name them.
type differ struct {
	old, new any
	order    []string
	found    [][]string
}

func (d *differ) walk(pointer []string, old, new any) {
	oldObject, oldIsObject := old.(map[string]any)
	newObject, newIsObject := new.(map[string]any)
	oldList, oldIsList := old.([]any)
	newList, newIsList := new.([]any)
	switch {
	case sameNode(old, new):
	case oldIsObject && newIsObject:
		d.walkObject(pointer, oldObject, newObject)
	case oldIsList && newIsList:
		d.walkList(pointer, oldList, newList)
	default:
		d.found = append(d.found, slices.Clone(pointer))
	}
}

// walkObject visits the members of the old object, then those that only the new one has.
func (d *differ) walkObject(pointer []string, old, new map[string]any) {
	keys := unionKeys(old, new)
	if len(pointer) == 0 {
		slices.SortStableFunc(keys, func(a, b string) int { return slices.Index(d.order, a) - slices.Index(d.order, b) })
	}
	for _, onlyNew := range []bool{false, true} {
		for _, key := range keys {
			if _, inOld := old[key]; inOld != onlyNew {
				d.walk(append(pointer, key), old[key], new[key])
			}
		}
	}
}

// walkList lines both lists up along their longest common subsequence. What stands between two common items is compared
// pairwise; the rest is added or removed.
func (d *differ) walkList(pointer []string, old, new []any) {
	common := longestCommon(old, new)
	i, j, position := 0, 0, 0
	step := func() []string { return append(slices.Clone(pointer), strconv.Itoa(position)) }
	for _, item := range common {
		for !sameNode(item, old[i]) || !sameNode(item, new[j]) {
			switch {
			case sameNode(item, old[i]):
				d.found = append(d.found, step())
				j++
				position++
			case sameNode(item, new[j]):
				d.found = append(d.found, step())
				i++
			default:
				d.walk(step(), old[i], new[j])
				i, j, position = i+1, j+1, position+1
			}
		}
		i, j, position = i+1, j+1, position+1
	}
	for ; i < len(old) && j < len(new); i, j, position = i+1, j+1, position+1 {
		d.walk(step(), old[i], new[j])
	}
	for ; j < len(new); j, position = j+1, position+1 {
		d.found = append(d.found, step())
	}
	for ; i < len(old); i, position = i+1, position+1 {
		d.found = append(d.found, step())
	}
}

// maxCommon bounds the work of longestCommon, in comparisons; longer lists are compared item by item.
const maxCommon = 100_000

// longestCommon is the longest common subsequence of two lists.
func longestCommon(a, b []any) []any {
	if len(a)*len(b) > maxCommon {
		return nil
	}
	length := make([][]int, len(a)+1)
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if sameNode(a[i], b[j]) {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	var common []any
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case sameNode(a[i], b[j]):
			common = append(common, a[i])
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return common
}

func sameNode(a, b any) bool { return reflect.DeepEqual(a, b) }
