package v1beta1

import (
	"encoding/json"
	"reflect"
	"time"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// fill sets a zero value from unstructured content to what encoding/json makes
// of the content's text, without that text. It answers false where it does not
// know that, or the content does not fit; the value is then of no use.
//
// runtime.DefaultUnstructuredConverter does not do: it stores 2147483648 in an
// int32 as -2147483648, without an error, and writes < & > of a text as escapes.
//
//	content               | into
//	----------------------+---------------------------------------------------
//	text                  | a time, as Kubernetes writes it
//	anything              | a type with its own UnmarshalJSON, from its text
//	null                  | nothing: pointers, maps and lists are nil
//	object                | structs, by names as declared; maps
//	list, text, boolean   | the same
//	whole number          | integers that hold it, floating point numbers
//	number with fraction  | floating point numbers
func (s *shape) fill(v reflect.Value, content any) bool {
	text, isText := content.(string)
	switch {
	case s.time && isText:
		at, err := time.Parse(time.RFC3339, text)
		v.Set(reflect.ValueOf(metav1.NewTime(at.Local())))
		return err == nil
	case s.reads:
		text, err := contentText(content)
		return err == nil && v.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(text) == nil
	case s.strange:
		return false
	case content == nil:
		return true
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return s.inner.fill(v.Elem(), content)
	case reflect.Struct:
		return s.fillStruct(v, content)
	case reflect.Map:
		return s.fillMap(v, content)
	case reflect.Slice:
		return s.fillList(v, content)
	}
	return fillScalar(v, content)
}

func (s *shape) fillStruct(v reflect.Value, content any) bool {
	object, is := content.(map[string]any)
	if !is {
		return false
	}
	for name, value := range object {
		f, known := s.fields[name]
		switch {
		case known && !f.shape.fill(v.FieldByIndex(f.index), value):
			return false
		case !known && s.hasSpelledOtherwise(name):
			return false
		}
	}
	return true
}

func (s *shape) fillMap(v reflect.Value, content any) bool {
	object, is := content.(map[string]any)
	if !is {
		return false
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), len(object)))
	for name, value := range object {
		entry := reflect.New(v.Type().Elem()).Elem()
		if !utf8.ValidString(name) || !s.inner.fill(entry, value) {
			return false
		}
		v.SetMapIndex(reflect.ValueOf(name), entry)
	}
	return true
}

func (s *shape) fillList(v reflect.Value, content any) bool {
	list, is := content.([]any)
	if !is {
		return false
	}
	v.Set(reflect.MakeSlice(v.Type(), len(list), len(list)))
	for i, item := range list {
		if !s.inner.fill(v.Index(i), item) {
			return false
		}
	}
	return true
}

func fillScalar(v reflect.Value, content any) bool {
	switch value := content.(type) {
	case string:
		if fits := v.Kind() == reflect.String && utf8.ValidString(value); !fits {
			return false
		}
		v.SetString(value)
	case bool:
		if v.Kind() != reflect.Bool {
			return false
		}
		v.SetBool(value)
	case int64:
		switch {
		case v.CanInt() && !v.OverflowInt(value):
			v.SetInt(value)
		case v.Kind() == reflect.Float64:
			v.SetFloat(float64(value))
		default:
			return false
		}
	case float64:
		if isNumber := value-value == 0; v.Kind() != reflect.Float64 || !isNumber {
			return false
		}
		v.SetFloat(value)
	default:
		return false
	}
	return true
}
