package jsontext

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"
)

// MergePatch is the JSON merge patch (RFC 7386) that makes one text mean what another one means. A null counts as
// absent, because a merge patch cannot write one; lists are replaced as a whole.
func MergePatch(from, to string) (string, error) {
	var old, next any
	if err := read(from, &old); err != nil {
		return "", err
	}
	if err := read(to, &next); err != nil {
		return "", err
	}
	return Print(difference(withoutNulls(old), withoutNulls(next)))
}

// ApplyMergePatch is the text with a JSON merge patch applied to it. Keys are sorted.
func ApplyMergePatch(text, patch string) (string, error) {
	var old, change any
	if err := read(text, &old); err != nil {
		return "", err
	}
	if err := read(patch, &change); err != nil {
		return "", err
	}
	return Print(merged(old, change))
}

func read(text string, into *any) error {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber() // no digit is lost
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("text is not JSON: %w", err)
	}
	return nil
}

func withoutNulls(value any) any {
	if fields, ok := value.(map[string]any); ok {
		maps.DeleteFunc(fields, func(_ string, inner any) bool { return inner == nil })
		for name, inner := range fields {
			fields[name] = withoutNulls(inner)
		}
	}
	return value
}

// difference is the patch from one value to another. Only objects are looked into.
func difference(old, next any) any {
	before, isObject := old.(map[string]any)
	after, staysObject := next.(map[string]any)
	if !isObject || !staysObject {
		return next
	}
	patch := map[string]any{}
	for name := range before {
		if _, stays := after[name]; !stays {
			patch[name] = nil
		}
	}
	for name, value := range after {
		if was, there := before[name]; !there || !reflect.DeepEqual(was, value) {
			patch[name] = difference(was, value)
		}
	}
	return patch
}

// merged is RFC 7386's MergePatch.
func merged(old, patch any) any {
	changes, isObject := patch.(map[string]any)
	if !isObject {
		return patch
	}
	result := map[string]any{}
	if fields, ok := old.(map[string]any); ok {
		maps.Copy(result, fields)
	}
	for name, change := range changes {
		if change == nil {
			delete(result, name)
			continue
		}
		result[name] = merged(result[name], change)
	}
	return result
}
