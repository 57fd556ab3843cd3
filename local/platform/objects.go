package platform

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// resolver turns an image name of a manifest into one that can be pulled.
type resolver func(ctx context.Context, image string) (string, error)

// readObjects are the objects of the files that a pattern finds, in the order of their names. Each text is changed
// first.
func readObjects(pattern string, change func(string) string) ([]*unstructured.Unstructured, error) {
	files, err := filepath.Glob(pattern)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no file is named %s: is the checkout complete?", pattern)
	}
	var out []*unstructured.Unstructured
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewBufferString(change(string(text))), 4096)
		for {
			object := &unstructured.Unstructured{}
			if err := decoder.Decode(&object.Object); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			if len(object.Object) > 0 {
				out = append(out, object)
			}
		}
	}
	return out, nil
}

func unchanged(text string) string { return text }

// resolveImages does what `ko resolve` does: every "image" in the object, at whatever depth.
func resolveImages(ctx context.Context, value any, resolve resolver) error {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if image, ok := inner.(string); ok && key == "image" && strings.HasPrefix(image, "ko://") {
				name, err := resolve(ctx, image)
				if err != nil {
					return err
				}
				v[key] = name
				continue
			}
			if err := resolveImages(ctx, inner, resolve); err != nil {
				return err
			}
		}
	case []any:
		for _, inner := range v {
			if err := resolveImages(ctx, inner, resolve); err != nil {
				return err
			}
		}
	}
	return nil
}

// manifests are config/knative as it is, with its images built.
func manifests(ctx context.Context, checkout string, resolve resolver) ([]*unstructured.Unstructured, error) {
	objects, err := readObjects(filepath.Join(checkout, "config/knative/*.yaml"), unchanged)
	if err != nil {
		return nil, err
	}
	for _, o := range objects {
		if err := resolveImages(ctx, o.Object, resolve); err != nil {
			return nil, err
		}
	}
	return objects, nil
}
