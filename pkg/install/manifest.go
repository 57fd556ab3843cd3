package install

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// Unpack is the text of a file of a release that gzip has packed.
func Unpack(packed []byte) (string, error) {
	in, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return "", fmt.Errorf("unpack a manifest: %w", err)
	}
	var out bytes.Buffer
	if _, err := out.ReadFrom(in); err != nil {
		return "", fmt.Errorf("unpack a manifest: %w", err)
	}
	return out.String(), nil
}

// Read are the objects of a manifest, in order.
func Read(text string) (objects []*unstructured.Unstructured, err error) {
	for i, document := range strings.Split("\n"+text, "\n---") {
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(document), &u.Object); err != nil {
			return nil, fmt.Errorf("document %d of the manifest: %w", i+1, err)
		}
		if len(u.Object) == 0 {
			continue
		}
		if _, err := ResourceOf(u); err != nil {
			return nil, err
		}
		objects = append(objects, u)
	}
	return objects, nil
}

// Print is a manifest of objects.
func Print(objects []*unstructured.Unstructured) (string, error) {
	var out strings.Builder
	for i, u := range objects {
		text, err := yaml.Marshal(u.Object)
		if err != nil {
			return "", fmt.Errorf("print %s %s: %w", u.GetKind(), u.GetName(), err)
		}
		if i > 0 {
			out.WriteString("---\n")
		}
		out.Write(text)
	}
	return out.String(), nil
}
