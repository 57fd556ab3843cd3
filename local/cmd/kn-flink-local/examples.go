package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

// exampleFiles are what a person would apply first.
var exampleFiles = []string{"examples/listener/listener.yaml", "examples/basic.yaml"}

// examples applies the files as `kubectl apply --server-side` would.
func examples(ctx context.Context, config *rest.Config, checkout string) error {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	server, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return err
	}
	groups, err := restmapper.GetAPIGroupResources(server)
	if err != nil {
		return err
	}
	mapper := restmapper.NewDiscoveryRESTMapper(groups)
	for _, name := range exampleFiles {
		objects, err := read(filepath.Join(checkout, name))
		if err != nil {
			return err
		}
		for _, object := range objects {
			kind := object.GroupVersionKind()
			mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if object.GetNamespace() == "" {
				object.SetNamespace(metav1.NamespaceDefault)
			}
			applied := client.Resource(mapping.Resource).Namespace(object.GetNamespace())
			if _, err := applied.Apply(ctx, object.GetName(), object, metav1.ApplyOptions{FieldManager: "kubectl"}); err != nil {
				return fmt.Errorf("apply %s: %w", name, err)
			}
		}
	}
	return nil
}

func read(path string) ([]*unstructured.Unstructured, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	decoder, objects := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096), []*unstructured.Unstructured{}
	for {
		object := &unstructured.Unstructured{}
		if err := decoder.Decode(&object.Object); errors.Is(err, io.EOF) {
			return objects, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if object.Object != nil {
			objects = append(objects, object)
		}
	}
}
