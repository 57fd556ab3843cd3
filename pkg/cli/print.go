package cli

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/printers"
	"sigs.k8s.io/yaml"
)

// print writes a view as JSON or YAML.
func (p *program) print(view any) error {
	var out bytes.Buffer
	in := json.NewEncoder(&out)
	in.SetEscapeHTML(false)
	in.SetIndent("", "  ")
	err := in.Encode(view)
	text := out.Bytes()
	if err == nil && p.output == "yaml" {
		text, err = yaml.JSONToYAML(text)
	}
	if err != nil {
		return failed("print as %s: %w", p.output, err)
	}
	_, err = p.Out.Write(text)
	return err
}

// printAll writes resources as kubectl get does.
func (p *program) printAll(objects []*unstructured.Unstructured) error {
	printer, err := p.printer()
	if err != nil {
		return err
	}
	slices.SortFunc(objects, func(a, b *unstructured.Unstructured) int {
		return strings.Compare(a.GetKind()+" "+a.GetNamespace()+"/"+a.GetName(),
			b.GetKind()+" "+b.GetNamespace()+"/"+b.GetName())
	})
	if p.output == "name" {
		for _, u := range objects {
			if err := printer.PrintObj(u, p.Out); err != nil {
				return &Exit{CodeError, err}
			}
		}
		return nil
	}
	items := make([]any, 0, len(objects))
	for _, u := range objects {
		u.SetManagedFields(nil)
		items = append(items, u.Object)
	}
	list := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "List", "metadata": map[string]any{"resourceVersion": ""}, "items": items,
	}}
	if err := printer.PrintObj(list, p.Out); err != nil {
		return &Exit{CodeError, err}
	}
	return nil
}

// printer is the one that -o names.
func (p *program) printer() (printers.ResourcePrinter, error) {
	form, template, _ := strings.Cut(p.output, "=")
	switch form {
	case "json":
		return &printers.JSONPrinter{}, nil
	case "yaml":
		return &printers.YAMLPrinter{}, nil
	case "name":
		return &printers.NamePrinter{}, nil
	case "jsonpath", "go-template":
		var made printers.ResourcePrinter
		var err error
		if form == "jsonpath" {
			if template, err = relaxed(template), nil; err == nil {
				made, err = printers.NewJSONPathPrinter(template)
			}
		} else {
			made, err = printers.NewGoTemplatePrinter([]byte(template))
		}
		if err != nil {
			return nil, failed("--output %s: %w", p.output, err)
		}
		return made, nil
	}
	return nil, oneOf("output", form, "wide", "json", "yaml", "name", "jsonpath=…", "go-template=…")
}

// relaxed is a JSONPath in braces, which kubectl lets a user leave out.
func relaxed(path string) string {
	if strings.Contains(path, "{") {
		return path
	}
	return "{" + strings.TrimPrefix(path, "$") + "}"
}
