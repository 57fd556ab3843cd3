package crd

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// filled returns one resource of each kind with every field set.
func filled(t *testing.T) map[string]runtime.Object {
	t.Helper()
	all := map[string]runtime.Object{
		v1beta1.KindFlinkDeployment:          &v1beta1.FlinkDeployment{},
		v1beta1.KindFlinkSessionJob:          &v1beta1.FlinkSessionJob{},
		v1beta1.KindFlinkStateSnapshot:       &v1beta1.FlinkStateSnapshot{},
		v1beta1.KindFlinkBlueGreenDeployment: &v1beta1.FlinkBlueGreenDeployment{},
	}
	for _, object := range all {
		fill(t, object)
	}
	return all
}

// A deep copy is equal, and changing it leaves the original alone.
func TestDeepCopies(t *testing.T) {
	for kind, object := range filled(t) {
		before, err := json.Marshal(object)
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		copied := object.DeepCopyObject()
		after, err := json.Marshal(copied)
		if err != nil || string(before) != string(after) {
			t.Errorf("%s: the copy differs (%v):\n%s", kind, err, cmp.Diff(string(before), string(after)))
		}
		scramble(reflect.ValueOf(copied).Elem())
		if again, err := json.Marshal(object); err != nil || string(again) != string(before) {
			t.Errorf(
				"%s: changing the copy changes the original (%v):\n%s", kind, err, cmp.Diff(string(before), string(again)),
			)
		}
	}
}

// scramble overwrites every text and number that can be reached.
func scramble(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			scramble(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				scramble(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			scramble(v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			v.SetMapIndex(key, reflect.Zero(v.Type().Elem()))
		}
	case reflect.String:
		v.SetString("scrambled")
	case reflect.Int32, reflect.Int64:
		v.SetInt(-1)
	case reflect.Uint8:
		v.SetUint(1)
	case reflect.Bool:
		v.SetBool(!v.Bool())
	}
}

// What our types print is in the schema: nothing of it is pruned.
func TestEveryFieldOfOurTypesIsInTheSchema(t *testing.T) {
	for kind, object := range filled(t) {
		text, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		content := readResource(t, text)
		content["apiVersion"], content["kind"] = v1beta1.APIVersion, kind
		if diff := cmp.Diff(content, loadDefinition(t, kind).prune(content)); diff != "" {
			t.Errorf("%s (-printed +stored):\n%s", kind, diff)
		}
	}
}

// The converter of the dynamic client and encoding/json make the same of our
// types.
func TestBothEncodersAgree(t *testing.T) {
	for kind, object := range filled(t) {
		text, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		var asJSON, asMap any
		if err := json.Unmarshal(text, &asJSON); err != nil {
			t.Fatal(err)
		}
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		again, err := json.Marshal(content)
		if err != nil || json.Unmarshal(again, &asMap) != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if diff := cmp.Diff(asJSON, asMap); diff != "" {
			t.Errorf("%s (-encoding/json +converter):\n%s", kind, diff)
		}
	}
}
