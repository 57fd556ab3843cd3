package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	plain "sigs.k8s.io/yaml"
)

// annotations are what Artifact Hub shows of a chart: its images, its definitions, its licence.
func (s *source) annotations() (string, error) {
	type image struct {
		Name  string `json:"name"`
		Image string `json:"image"`
	}
	type shown struct {
		Kind        string `json:"kind"`
		Version     string `json:"version"`
		Name        string `json:"name"`
		DisplayName string `json:"displayName"`
		Description string `json:"description"`
	}
	var images []image
	for _, function := range functions {
		at := s.repository + "/" + function + ":" + s.tag
		if digest := s.digests[function]; digest != "" {
			at = s.repository + "/" + function + "@" + digest
		}
		images = append(images, image{function, at})
	}
	crds, err := s.definitions()
	if err != nil {
		return "", err
	}
	var definitions []shown
	for _, crd := range crds {
		definitions = append(definitions, shown{
			Kind: crd.Spec.Names.Kind, Version: crd.Spec.Versions[0].Name, Name: crd.Metadata.Name,
			DisplayName: crd.Spec.Names.Kind, Description: crd.description(),
		})
	}
	slices.SortFunc(definitions, func(a, b shown) int { return strings.Compare(a.Name, b.Name) })
	inYAML := func(v any) (string, error) {
		text, err := plain.Marshal(v)
		return string(text), err
	}
	ofImages, err := inYAML(images)
	if err != nil {
		return "", err
	}
	ofDefinitions, err := inYAML(definitions)
	if err != nil {
		return "", err
	}
	return inYAML(map[string]any{"annotations": map[string]string{
		"artifacthub.io/license": "Apache-2.0", "artifacthub.io/operator": "true",
		"artifacthub.io/operatorCapabilities": "Auto Pilot",
		"artifacthub.io/prerelease":           fmt.Sprint(strings.Contains(s.version, "-")),
		"artifacthub.io/images":               ofImages, "artifacthub.io/crds": ofDefinitions,
	}})
}

// definition is what the chart says of a CustomResourceDefinition.
type definition struct {
	Metadata struct{ Name string }
	Spec     struct {
		Names    struct{ Kind string }
		Versions []struct {
			Name   string
			Schema struct {
				OpenAPIV3Schema struct{ Description string }
			}
		}
	}
}

// description is the first sentence of what its kind is.
func (d definition) description() string {
	text, _, _ := strings.Cut(d.Spec.Versions[0].Schema.OpenAPIV3Schema.Description, ".\n")
	return strings.TrimSuffix(strings.Join(strings.Fields(text), " "), ".")
}

// definitions are those of config/crds.
func (s *source) definitions() ([]definition, error) {
	names, err := filepath.Glob(filepath.Join(s.root, "config", "crds", "*.yaml"))
	if err != nil {
		return nil, err
	}
	var all []definition
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var d definition
		if err := plain.Unmarshal(text, &d); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, d)
	}
	return all, nil
}
