package schemas

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-tools/pkg/crd"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

// packages have the types of an API version.
var packages = map[string]string{
	"cert-manager.io/v1":       "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1",
	"external-secrets.io/v1":   "github.com/external-secrets/external-secrets/apis/externalsecrets/v1",
	"monitoring.coreos.com/v1": "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1",
}

// schema is that of one kind.
type schema struct {
	structural *structuralschema.Structural
	validator  validation.SchemaValidator
}

// parsers make schemas from the types of an API version; each is made once.
var (
	parsers   = map[string]*crd.Parser{}
	parsersMu sync.Mutex
)

// parserOf is the parser of an API version, and its package.
func parserOf(apiVersion string) (*crd.Parser, *loader.Package, error) {
	roots, err := loader.LoadRoots(packages[apiVersion])
	if err != nil || len(roots) != 1 {
		return nil, nil, fmt.Errorf("%d packages of %s: %w", len(roots), apiVersion, err)
	}
	if p := parsers[apiVersion]; p != nil {
		return p, roots[0], nil
	}
	registry := &markers.Registry{}
	if err := crdmarkers.Register(registry); err != nil {
		return nil, nil, err
	}
	p := &crd.Parser{
		Collector:              &markers.Collector{Registry: registry},
		Checker:                &loader.TypeChecker{NodeFilters: []loader.NodeFilter{crd.Generator{}.CheckFilter()}},
		AllowDangerousTypes:    true,
		IgnoreUnexportedFields: true,
	}
	crd.AddKnownTypes(p)
	p.NeedPackage(roots[0])
	parsers[apiVersion] = p
	return p, roots[0], nil
}

// schemaOf generates the schema of a kind.
func schemaOf(apiVersion, kind string) (*schema, error) {
	parsersMu.Lock()
	defer parsersMu.Unlock()
	parser, pkg, err := parserOf(apiVersion)
	if err != nil {
		return nil, err
	}
	of := crd.TypeIdent{Package: pkg, Name: kind}
	parser.NeedFlattenedSchemaFor(of)
	props, there := parser.FlattenedSchemata[of]
	if !there || len(props.Properties) == 0 {
		return nil, fmt.Errorf("%s has no type %s", pkg.PkgPath, kind)
	}
	internal := &apiextensions.JSONSchemaProps{}
	convert := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps
	if err := convert(&props, internal, nil); err != nil {
		return nil, err
	}
	s := &schema{}
	if s.structural, err = structuralschema.NewStructural(internal); err != nil {
		return nil, fmt.Errorf("%s %s is not structural: %w", apiVersion, kind, err)
	}
	s.validator, _, err = validation.NewSchemaValidator(internal)
	return s, err
}

// refuse is what is wrong with an object: fields that the schema does not have, and values that it does not take.
func (s *schema) refuse(object map[string]any) error {
	object = runtime.DeepCopyJSON(object)
	unknown := pruning.PruneWithOptions(object, s.structural, true, structuralschema.UnknownFieldPathOptions{
		TrackUnknownFieldPaths: true,
	})
	errs := validation.ValidateCustomResource(nil, object, s.validator)
	if len(unknown) > 0 {
		return fmt.Errorf("there are no fields %s", strings.Join(unknown, ", "))
	}
	return errs.ToAggregate()
}

func TestASchemaRefuses(t *testing.T) {
	rule := func(field string, value any) map[string]any {
		return map[string]any{
			"apiVersion": "monitoring.coreos.com/v1", "kind": "PrometheusRule", "metadata": map[string]any{"name": "a"},
			"spec": map[string]any{"groups": []any{map[string]any{
				"name": "a", "rules": []any{map[string]any{"expr": "up", field: value}},
			}}},
		}
	}
	s, err := schemaOf("monitoring.coreos.com/v1", "PrometheusRule")
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		field string
		value any
		says  string
	}{
		"nothing":          {"alert", "A", ""},
		"an unknown field": {"runbook_url", "a", "spec.groups[0].rules[0].runbook_url"},
		"another type":     {"labels", "a", "must be of type object"},
		"another form":     {"for", "soon", "should match"},
	} {
		t.Run(name, func(t *testing.T) {
			err := s.refuse(rule(row.field, row.value))
			if (err != nil) != (row.says != "") || err != nil && !strings.Contains(err.Error(), row.says) {
				t.Errorf("%v, want %q", err, row.says)
			}
		})
	}
}
