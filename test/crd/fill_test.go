package crd

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// fill sets every exported field below a pointer to a value that is not zero:
// one entry in each list and map. Types with a text form of their own get one.
func fill(t *testing.T, pointer any) {
	t.Helper()
	number := 0
	fillValue(t, reflect.ValueOf(pointer).Elem(), &number)
}

func fillValue(t *testing.T, v reflect.Value, number *int) {
	*number++
	switch known := v.Addr().Interface().(type) {
	case *resource.Quantity:
		*known = resource.MustParse(fmt.Sprintf("%dMi", *number))
		return
	case *metav1.Time:
		*known = metav1.NewTime(time.Date(2026, 1, 1, 0, 0, *number%60, 0, time.UTC))
		return
	case *metav1.FieldsV1:
		known.Raw = []byte(`{"f:spec":{}}`)
		return
	case *v1beta1.FlinkConfiguration:
		*known = v1beta1.FlinkConfiguration(fmt.Sprintf(`{"b":{"c":%d},"a":"x"}`, *number))
		return
	case *v1beta1.TemplateMetadata:
		*known = v1beta1.TemplateMetadata(`{"labels":{"a":"b"}}`)
		return
	case *intstr.IntOrString:
		*known = intstr.FromInt32(int32(*number))
		if *number%2 == 0 {
			*known = intstr.FromString("http")
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillValue(t, v.Elem(), number)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() && v.Field(i).IsZero() {
				fillValue(t, v.Field(i), number)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fillValue(t, v.Index(0), number)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fillValue(t, key, number)
		fillValue(t, value, number)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString(fmt.Sprintf("text-%d", *number))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(*number))
	case reflect.Uint8:
		v.SetUint(7)
	case reflect.Float64:
		v.SetFloat(float64(*number) + 0.5)
	default:
		t.Fatalf("cannot fill a %s", v.Type())
	}
}
