package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var digits = regexp.MustCompile(`^[0-9]+`)

// Minor is N of the API server's version, Kubernetes 1.N.
func (c *Client) Minor(ctx context.Context) (int, error) {
	if c.core == nil {
		return 0, errors.New("this client asks for no version")
	}
	text, err := c.core.Get().AbsPath("/version").Do(ctx).Raw()
	if err != nil {
		return 0, fmt.Errorf("get the version of the API server: %w", err)
	}
	var version struct {
		Minor string `json:"minor"`
	}
	if err := json.Unmarshal(text, &version); err != nil {
		return 0, fmt.Errorf("read the version of the API server: %w", err)
	}
	minor, err := strconv.Atoi(digits.FindString(version.Minor)) // some add a plus sign
	if err != nil {
		return 0, fmt.Errorf("the API server's minor version is %q, which is no number", version.Minor)
	}
	return minor, nil
}

// accessReviews answer whether the user may do something. One is asked, not stored.
var accessReviews = schema.GroupVersionResource{
	Group: "authorization.k8s.io", Version: "v1", Resource: "selfsubjectaccessreviews",
}

// May says whether the user has the right for a verb on a resource; an empty namespace means all of them.
func (c *Client) May(ctx context.Context, verb, group, resource, namespace string) (bool, error) {
	attributes := map[string]any{"verb": verb, "group": group, "resource": resource, "namespace": namespace}
	answer, err := c.dynamic.Resource(accessReviews).Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": accessReviews.GroupVersion().String(), "kind": "SelfSubjectAccessReview",
		"spec": map[string]any{"resourceAttributes": attributes},
	}}, metav1.CreateOptions{})
	if err != nil {
		return false, fmt.Errorf("ask for the right to %s %s: %w", verb, resource, err)
	}
	allowed, _, _ := unstructured.NestedBool(answer.Object, "status", "allowed")
	return allowed, nil
}

// Try has the API server judge the creation of an object, and returns what it would store; nothing is stored.
func (c *Client) Try(ctx context.Context, o Object, object any) (*unstructured.Unstructured, error) {
	u, err := Unstructured(object)
	if err == nil {
		u, err = c.resource(o.Resource, o.Namespace).Create(
			ctx, u, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}},
		)
	}
	if err != nil {
		return nil, fmt.Errorf("try to create %s: %w", o, err)
	}
	return u, nil
}
