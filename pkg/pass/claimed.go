package pass

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/settings"
)

// statusPolicy begins the name of the policy by which each installation keeps the status of its resources to itself
// (config/knative/096-status-policy.yaml); settings.Named ends it.
const statusPolicy = "kn-flink-status"

// claimant is the namespace of the other installation whose policy refused a write of ours; empty where none did. Two
// installations with one resource in both their scopes refuse each other's writes, so none of them acts on it.
func claimant(err error) string {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return ""
	}
	_, text, found := strings.Cut(status.Status().Message, "ValidatingAdmissionPolicy '"+statusPolicy)
	name, _, ends := strings.Cut(text, "'")
	switch {
	case !found || !ends:
		return ""
	case name == "":
		return settings.DefaultNamespace
	}
	return strings.TrimPrefix(name, "-")
}

// claimed tells on a resource that another installation has it in its scope, too. The error is told as any other.
func (r *Runner) claimed(ctx context.Context, object kube.Object, u *unstructured.Unstructured, err error) {
	other := claimant(err)
	if other == "" || u == nil {
		return
	}
	_, _ = r.Apply.Execute(ctx, object, u, plan.Plan{Events: []plan.Event{{
		Warning: true, Reason: plan.ReasonClaimedTwice, Component: plan.ComponentOperator, Key: other,
		Message: fmt.Sprintf(
			"the installation in namespace %s has this resource in its scope, too, so neither of the two does anything for it: "+
				"narrow one of the scopes (watchNamespaces, watchNamespaceSelector or watchLabelSelector of the chart)", other,
		),
	}}}) // it has events alone, and those never fail
}
