package v1beta1

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	kjson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// Every type below a resource is one that content is filled into without its text.
func TestNoShapeIsStrange(t *testing.T) {
	for of, s := range decodedShapes {
		if s.strange {
			t.Errorf("%s is strange", of)
		}
	}
}

// What is filled in means what encoding/json reads of the content's text.
func FuzzDecodeContent(f *testing.F) {
	files, err := filepath.Glob("testdata/golden/*.yaml")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		content := map[string]any{}
		if err := yaml.Unmarshal(text, &content); err != nil {
			f.Fatal(err)
		}
		for _, part := range slices.Sorted(maps.Keys(content)) {
			if text, err = json.Marshal(content[part]); err != nil {
				f.Fatal(err)
			}
			f.Add(string(text))
		}
		if text, err = json.Marshal(content); err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	for _, seed := range []string{
		`null`, `[]`, `{"Image":"i"}`, `{"ſpec":1}`, `{"metadata":{"creationTimestamp":null,"labels":{"a":null}}}`,
		`{"restartNonce":1.0}`, `{"job":null,"logConfiguration":{}}`, `{"job":{"args":[],"parallelism":2147483648}}`,
		`{"taskManager":{"resource":{"cpu":1}}}`, `{"conditions":[null,{"lastTransitionTime":"x"}]}`,
		`{"jobManager":{"resources":{"limits":{"cpu":1.5,"memory":null}}}}`, `{"flinkConfiguration":{"b":["<&>"],"a":null}}`,
		`{"podTemplate":null}`, `{"podTemplate":{"spec":{"containers":[{"name":"c","command":null}]},"x":1}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var content any
		if kjson.Unmarshal([]byte(text), &content) != nil {
			return
		}
		sameDecoded[head](t, content)
		sameDecoded[FlinkDeploymentSpec](t, content)
		sameDecoded[FlinkDeploymentStatus](t, content)
		sameDecoded[FlinkSessionJobSpec](t, content)
		sameDecoded[FlinkSessionJobStatus](t, content)
		sameDecoded[FlinkStateSnapshotSpec](t, content)
		sameDecoded[FlinkStateSnapshotStatus](t, content)
		sameDecoded[FlinkBlueGreenDeploymentSpec](t, content)
		sameDecoded[FlinkBlueGreenDeploymentStatus](t, content)
	})
}

func sameDecoded[T any](t *testing.T, content any) {
	t.Helper()
	var filled, read T
	err, readErr := decodeContent(content, "part", &filled), error(nil)
	if content != nil {
		readErr = decodeJSON(content, "part", &read)
	}
	if fmt.Sprint(err) != fmt.Sprint(readErr) || (err == nil && !reflect.DeepEqual(filled, read)) {
		t.Errorf("%T of %v\nfilled: %+v, %v\nread:   %+v, %v", filled, content, filled, err, read, readErr)
	}
}

func BenchmarkDecodeDeployment(b *testing.B) {
	text, err := os.ReadFile("testdata/golden/live-ha-5-upgraded-last-state.yaml")
	if err != nil {
		b.Fatal(err)
	}
	if text, err = yaml.YAMLToJSON(text); err != nil {
		b.Fatal(err)
	}
	content := map[string]any{}
	if err := kjson.Unmarshal(text, &content); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, specErr, err := DecodeDeployment(content); specErr != nil || err != nil {
			b.Fatal(specErr, err)
		}
	}
}
