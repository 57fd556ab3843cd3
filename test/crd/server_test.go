package crd

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"sigs.k8s.io/yaml"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/kinds"
)

const crdFolder = "../../config/crds"

// resources are the plural names of the kinds.
var resources = func() map[string]string {
	plurals := map[string]string{}
	for _, k := range kinds.All {
		plurals[k.Name] = k.Resource.Resource
	}
	return plurals
}()

// definition is one CRD as the API server sees it.
type definition struct {
	crd        apiextensionsv1.CustomResourceDefinition
	version    apiextensionsv1.CustomResourceDefinitionVersion
	structural *structuralschema.Structural
	schema     validation.SchemaValidator
	rules      *schemacel.Validator
}

var (
	loaded   = map[string]definition{}
	loadedMu sync.Mutex
)

// loadDefinition reads the CRD of a kind; it is read once for all tests, which
// do not change it.
func loadDefinition(t *testing.T, kind string) definition {
	t.Helper()
	loadedMu.Lock()
	defer loadedMu.Unlock()
	if _, ok := loaded[kind]; !ok {
		loaded[kind] = parseDefinition(t, kind)
	}
	return loaded[kind]
}

func parseDefinition(t *testing.T, kind string) definition {
	t.Helper()
	file := filepath.Join(crdFolder, v1beta1.Group+"_"+resources[kind]+".yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d := definition{}
	if err := yaml.UnmarshalStrict(text, &d.crd); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if len(d.crd.Spec.Versions) != 1 {
		t.Fatalf("%s: %d versions, want 1", file, len(d.crd.Spec.Versions))
	}
	d.version = d.crd.Spec.Versions[0]
	internal := &apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(
		d.version.Schema.OpenAPIV3Schema, internal, nil,
	); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if d.structural, err = structuralschema.NewStructural(internal); err != nil {
		t.Fatalf("%s is not structural: %v", file, err)
	}
	if errs := structuralschema.ValidateStructural(nil, d.structural); len(errs) > 0 {
		t.Fatalf("%s is not structural: %v", file, errs.ToAggregate())
	}
	if d.schema, _, err = validation.NewSchemaValidator(internal); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	d.rules = schemacel.NewValidator(d.structural, true, celconfig.PerCallLimit)
	return d
}

// create does what the API server does on a create: it returns what is stored,
// or why the resource is refused.
func (d definition) create(content map[string]any) (map[string]any, error) {
	return d.write(content, nil)
}

// update does what the API server does on an update over stored content.
func (d definition) update(content, stored map[string]any) (map[string]any, error) {
	return d.write(content, stored)
}

func (d definition) write(content, stored map[string]any) (map[string]any, error) {
	content = runtime.DeepCopyJSON(content)
	defaulting.PruneNonNullableNullsWithoutDefaults(content, d.structural)
	_, looked := content["status"]
	defaulting.Default(content, d.structural)
	if !looked { // it says that nobody has looked at the resource, and is not stored
		delete(content, "status")
	}
	pruning.Prune(content, d.structural, true)
	errs := validation.ValidateCustomResource(nil, content, d.schema)
	var options []schemacel.Option
	var old any
	if stored != nil {
		old = stored
		options = append(
			options,
			schemacel.WithRatcheting(common.NewCorrelatedObject(
				content, stored, &model.Structural{Structural: d.structural},
			)),
		)
	}
	if d.rules != nil {
		refused, _ := d.rules.Validate(
			context.Background(), nil, d.structural, content, old, celconfig.RuntimeCELCostBudget, options...,
		)
		errs = append(errs, refused...)
	}
	if len(errs) == 0 {
		return content, nil
	}
	var texts []string
	for _, err := range errs {
		texts = append(texts, err.Error())
	}
	return nil, errors.New(strings.Join(texts, "\n"))
}

// prune returns what is left of content when unknown fields are dropped.
func (d definition) prune(content map[string]any) map[string]any {
	content = runtime.DeepCopyJSON(content)
	pruning.Prune(content, d.structural, true)
	return content
}

// readResource reads YAML as the API server decodes it: whole numbers are int64.
func readResource(t *testing.T, text []byte) map[string]any {
	t.Helper()
	asJSON, err := yaml.YAMLToJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	content, err := runtime.Decode(unstructuredJSON, asJSON)
	if err != nil {
		t.Fatal(err)
	}
	return content.(runtime.Unstructured).UnstructuredContent()
}
