package crd

import (
	"path/filepath"
	"slices"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"sigs.k8s.io/yaml"
)

// Every policy of the installation compiles, fails closed, and is bound so that it denies.
func TestEveryPolicyIsBoundAndFailsClosed(t *testing.T) {
	files, err := filepath.Glob("../../config/knative/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	policies, bound := map[string]bool{}, map[string]bool{}
	for _, file := range files {
		for kind, document := range documents(t, file) {
			switch kind {
			case "ValidatingAdmissionPolicy":
				source := admissionregistrationv1.ValidatingAdmissionPolicy{}
				if err := yaml.UnmarshalStrict(document, &source); err != nil {
					t.Fatal(err)
				}
				compile(t, source)
				policies[source.Name] = true
				if p := source.Spec.FailurePolicy; p == nil || *p != admissionregistrationv1.Fail || source.Spec.ParamKind != nil {
					t.Errorf("%s does not fail closed, or takes parameters", source.Name)
				}
			case "ValidatingAdmissionPolicyBinding":
				binding := admissionregistrationv1.ValidatingAdmissionPolicyBinding{}
				if err := yaml.UnmarshalStrict(document, &binding); err != nil {
					t.Fatal(err)
				}
				if !slices.Contains(binding.Spec.ValidationActions, admissionregistrationv1.Deny) {
					t.Errorf("binding %s does not deny", binding.Name)
				}
				bound[binding.Spec.PolicyName] = true
			}
		}
	}
	for name := range policies {
		if !bound[name] {
			t.Errorf("%s is bound by nothing", name)
		}
	}
	if len(policies) < 7 {
		t.Errorf("only %d policies were read", len(policies))
	}
}
