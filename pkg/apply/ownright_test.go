package apply

import (
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A right that our own account lacks says nothing of the spec.
func TestARightThatWeLackIsNoRefusal(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	for text, lacks := range map[string]bool{
		`User "reconcile" cannot create resource "pods" in API group "" in the namespace "a"`: true,
		`User "reconcile" cannot get resource "pods" in API group "" in the namespace "a"`:    true,
		"violates PodSecurity \"restricted:latest\": privileged":                              false,
		"exceeded quota: small, requested: cpu=2, used: cpu=1, limited: cpu=2":                false,
	} {
		if got := lacksRight(apierrors.NewForbidden(pods, "demo", errors.New(text))); got != lacks {
			t.Errorf("%q: lacks a right %v, want %v", text, got, lacks)
		}
	}
}
