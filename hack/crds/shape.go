package main

import (
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/kn-flink/kn-flink/pkg/bounded"
)

type (
	schema   = apiextensionsv1.JSONSchemaProps
	itemsOf  = apiextensionsv1.JSONSchemaPropsOrArray
	valuesOf = apiextensionsv1.JSONSchemaPropsOrBool
)

// shape turns a generated definition into the one we publish:
//
//	podTemplate                             | the schema of a Pod
//	flinkConfiguration                      | anything, no type, so many entries
//	template.metadata                       | any object
//	quantities in resources                 | integer or string
//	conditions, claims                      | types only
//	everywhere                              | type, enum, description and CEL rules only
//	status, where there is none             | unseen
func shape(definition *apiextensionsv1.CustomResourceDefinition, pod schema) {
	for i := range definition.Spec.Versions {
		root := definition.Spec.Versions[i].Schema.OpenAPIV3Schema
		root.Properties["metadata"] = schema{Type: "object"}
		reshape(root, "", pod)
		status := root.Properties["status"]
		status.Default = &apiextensionsv1.JSON{Raw: []byte(unseen)}
		root.Properties["status"] = status
	}
}

// unseen is the status of a resource that no function has looked at. Without it kstatus, and so Flux and Helm, takes
// such a resource for one that is as its spec asks: it has no condition that says otherwise.
const unseen = `{"observedGeneration":-1}`

// reshape works on a schema and all below it; name is its property name.
func reshape(s *schema, name string, pod schema) {
	switch name {
	case "podTemplate":
		text := s.Description
		*s = *pod.DeepCopy()
		s.Description = text
		return
	case "flinkConfiguration":
		most := int64(bounded.FlinkConfiguration.Keys) // nested ones are counted by validation
		*s = schema{Description: s.Description, XPreserveUnknownFields: yes(), MaxProperties: &most}
		return
	case "requests", "limits":
		*s = schema{
			Type: "object", Description: s.Description, AdditionalProperties: &valuesOf{Allows: true, Schema: intOrString()},
		}
		return
	case "conditions", "claims":
		text := s.Description
		typesOnly(s)
		s.Description = text
		return
	}
	relax(s)
	s.Description = oneLine(s.Description)
	for property, below := range s.Properties {
		if name == "template" && property == "metadata" {
			below = schema{Type: "object", Description: oneLine(below.Description), XPreserveUnknownFields: yes()}
		} else {
			reshape(&below, property, pod)
		}
		s.Properties[property] = below
	}
	eachBelow(s, func(below *schema) { reshape(below, "", pod) })
}

// relax takes off what the reference's definitions do not have.
func relax(s *schema) {
	*s = schema{
		Type:                   s.Type,
		Enum:                   s.Enum,
		Description:            s.Description,
		Properties:             s.Properties,
		Items:                  s.Items,
		AdditionalProperties:   s.AdditionalProperties,
		XPreserveUnknownFields: s.XPreserveUnknownFields,
		XIntOrString:           s.XIntOrString,
		XValidations:           s.XValidations,
	}
	if s.XIntOrString {
		s.AnyOf = intOrString().AnyOf
	}
}

// typesOnly leaves nothing but types, here and below: schemas of Kubernetes' own
// types, which Kubernetes itself validates when a pod is made from them.
func typesOnly(s *schema) {
	relax(s)
	s.Enum, s.Description, s.XValidations = nil, "", nil
	for property, below := range s.Properties {
		typesOnly(&below)
		s.Properties[property] = below
	}
	eachBelow(s, typesOnly)
}

func eachBelow(s *schema, do func(*schema)) {
	if s.Items != nil && s.Items.Schema != nil {
		do(s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		do(s.AdditionalProperties.Schema)
	}
}

func intOrString() *schema {
	return &schema{XIntOrString: true, AnyOf: []schema{{Type: "integer"}, {Type: "string"}}}
}

func yes() *bool {
	value := true
	return &value
}

// oneLine undoes the line breaks of a Go comment; paragraphs stay apart.
func oneLine(text string) string {
	var paragraphs []string
	for _, paragraph := range strings.Split(text, "\n\n") {
		if line := strings.Join(strings.Fields(paragraph), " "); line != "" {
			paragraphs = append(paragraphs, line)
		}
	}
	return strings.Join(paragraphs, "\n")
}
