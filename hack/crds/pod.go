package main

// shapePod turns the generated schema of a Pod into that of a pod template:
//
//	everywhere      | types only
//	metadata        | all of ObjectMeta: a template may be copied from a pod that exists
//	spec            | and the fields of newer Kubernetes versions that the Java operator accepts
//	status          | anything: it is dropped on use
func shapePod(pod *schema) {
	typesOnly(pod)
	allMetadata(pod)
	spec := pod.Properties["spec"]
	for name, newer := range newerPodFields {
		if _, known := spec.Properties[name]; !known {
			spec.Properties[name] = newer
		}
	}
	status := pod.Properties["status"]
	status.XPreserveUnknownFields = yes()
	pod.Properties["spec"], pod.Properties["status"] = spec, status
}

// newerPodFields are fields of a pod's spec that came after the Kubernetes
// version in go.mod.
var newerPodFields = map[string]schema{
	// Kubernetes 1.36, PodSpec.
	"schedulingGroup": {Type: "object", Properties: map[string]schema{"podGroupName": {Type: "string"}}},
}

// allMetadata gives every embedded object, the pod and the claim templates in
// its volumes, the whole of ObjectMeta.
func allMetadata(s *schema) {
	for name, below := range s.Properties {
		if name == "metadata" {
			below = objectMeta()
		} else {
			allMetadata(&below)
		}
		s.Properties[name] = below
	}
	eachBelow(s, allMetadata)
}

// objectMeta lists the fields of Kubernetes' ObjectMeta.
func objectMeta() schema {
	object := func(properties map[string]schema) schema { return schema{Type: "object", Properties: properties} }
	list := func(item schema) schema {
		return schema{Type: "array", Items: &itemsOf{Schema: &item}}
	}
	text, number, flag := schema{Type: "string"}, schema{Type: "integer"}, schema{Type: "boolean"}
	words := schema{Type: "object", AdditionalProperties: &valuesOf{Allows: true, Schema: &schema{Type: "string"}}}
	return object(map[string]schema{
		"annotations":                words,
		"creationTimestamp":          text,
		"deletionGracePeriodSeconds": number,
		"deletionTimestamp":          text,
		"finalizers":                 list(text),
		"generateName":               text,
		"generation":                 number,
		"labels":                     words,
		"managedFields": list(object(map[string]schema{
			"apiVersion": text, "fieldsType": text, "fieldsV1": {Type: "object", XPreserveUnknownFields: yes()},
			"manager": text, "operation": text, "subresource": text, "time": text,
		})),
		"name":      text,
		"namespace": text,
		"ownerReferences": list(object(map[string]schema{
			"apiVersion": text, "blockOwnerDeletion": flag, "controller": flag, "kind": text, "name": text, "uid": text,
		})),
		"resourceVersion": text,
		"selfLink":        text,
		"uid":             text,
	})
}
