package v1beta1

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// shape is what encoding/json knows of a type.
type shape struct {
	// time tells that it is metav1.Time.
	time bool
	// reads tells that it has an UnmarshalJSON of its own.
	reads bool
	// strange tells that rules matter that are not needed here.
	strange bool
	// inner is what a pointer, a list or a map leads to.
	inner *shape
	// fields are those of a struct by name, with those of embedded structs.
	fields map[string]shapeField
}

type shapeField struct {
	index []int
	shape *shape
}

// shapes are those of a resource's parts, and of all that they lead to.
type shapes map[reflect.Type]*shape

var decodedShapes = shapesOf(
	reflect.TypeFor[head](),
	reflect.TypeFor[FlinkDeploymentSpec](), reflect.TypeFor[FlinkDeploymentStatus](),
	reflect.TypeFor[FlinkSessionJobSpec](), reflect.TypeFor[FlinkSessionJobStatus](),
	reflect.TypeFor[FlinkStateSnapshotSpec](), reflect.TypeFor[FlinkStateSnapshotStatus](),
	reflect.TypeFor[FlinkBlueGreenDeploymentSpec](), reflect.TypeFor[FlinkBlueGreenDeploymentStatus](),
)

func shapesOf(types ...reflect.Type) shapes {
	all := shapes{}
	for _, t := range types {
		all.of(t)
	}
	return all
}

func (all shapes) of(t reflect.Type) *shape {
	if known := all[t]; known != nil {
		return known
	}
	s := &shape{
		time:  t == reflect.TypeFor[metav1.Time](),
		reads: reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()),
	}
	all[t] = s
	switch {
	case s.reads:
	case reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		s.strange = true
	case t.Kind() == reflect.Struct:
		s.fields = map[string]shapeField{}
		s.strange = !all.addFields(s.fields, t, nil)
	case t.Kind() == reflect.Map:
		s.strange = t.Key() != reflect.TypeFor[string]()
		s.inner = all.of(t.Elem())
	case t.Kind() == reflect.Slice:
		s.strange = t.Elem().Kind() == reflect.Uint8
		s.inner = all.of(t.Elem())
	case t.Kind() == reflect.Pointer:
		s.inner = all.of(t.Elem())
	}
	return s
}

// addFields adds those of a struct. It answers false where it does not know what
// encoding/json makes of them.
func (all shapes) addFields(fields map[string]shapeField, t reflect.Type, above []int) bool {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		index := append(append([]int{}, above...), i)
		switch {
		case f.Tag.Get("json") == "-":
		case f.Anonymous && name == "":
			if f.Type.Kind() != reflect.Struct || !all.addFields(fields, f.Type, index) {
				return false
			}
		case !f.IsExported():
		case name == "" || strings.Contains(options, "string"):
			return false
		default:
			if _, twice := fields[name]; twice {
				return false
			}
			fields[name] = shapeField{index, all.of(f.Type)}
		}
	}
	return true
}

// hasSpelledOtherwise tells that a name is that of a field but for its case.
func (s *shape) hasSpelledOtherwise(name string) bool {
	for known := range s.fields {
		if strings.EqualFold(known, name) {
			return true
		}
	}
	return false
}
