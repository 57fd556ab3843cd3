package serving

import (
	"context"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"knative.dev/pkg/apis"
	duckv1 "knative.dev/pkg/apis/duck/v1"
)

// outcome is what a look at a Service came to. Without a reason it is ready.
type outcome struct {
	created, ready  string // revisions
	reason, message string
	failed          bool // not only not yet
}

const (
	configurationsReady apis.ConditionType = "ConfigurationsReady"
	routesReady         apis.ConditionType = "RoutesReady"
)

var conditions = apis.NewLivingConditionSet(configurationsReady, routesReady)

// status is what Serving writes, as far as kubectl and kn show it.
type status struct {
	duckv1.Status `json:",inline"`

	URL           string              `json:"url,omitempty"`
	Address       *duckv1.Addressable `json:"address,omitempty"`
	LatestCreated string              `json:"latestCreatedRevisionName,omitempty"`
	LatestReady   string              `json:"latestReadyRevisionName,omitempty"`
	Traffic       []traffic           `json:"traffic,omitempty"`
}

type traffic struct {
	Revision string `json:"revisionName"`
	Percent  int    `json:"percent"`
	Latest   bool   `json:"latestRevision"`
}

// report writes the status if it says something new.
func (s *Server) report(ctx context.Context, object *unstructured.Unstructured, o outcome) error {
	var now status
	before, _, err := unstructured.NestedMap(object.Object, "status")
	if err != nil {
		return err
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(before, &now); err != nil {
		return err
	}
	now.ObservedGeneration = object.GetGeneration()
	url := apis.HTTP(object.GetName() + "." + object.GetNamespace() + ".svc.cluster.local")
	now.URL, now.Address = url.String(), &duckv1.Addressable{URL: url}
	if o.created != "" {
		now.LatestCreated = o.created
	}
	if o.ready != "" {
		now.LatestReady, now.Traffic = o.ready, []traffic{{Revision: o.ready, Percent: 100, Latest: true}}
	}
	manager := conditions.Manage(&now)
	manager.InitializeConditions()
	switch {
	case o.failed:
		manager.MarkFalse(configurationsReady, o.reason, "%s", o.message)
	case o.reason != "":
		manager.MarkUnknown(configurationsReady, o.reason, "%s", o.message)
	default:
		manager.MarkTrue(configurationsReady)
	}
	if now.LatestReady != "" {
		manager.MarkTrue(routesReady)
	}
	after, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&now)
	if err != nil || reflect.DeepEqual(before, after) {
		return err
	}
	object = object.DeepCopy()
	object.Object["status"] = after
	_, err = s.dynamic.Resource(Resource).Namespace(object.GetNamespace()).UpdateStatus(
		ctx, object, metav1.UpdateOptions{},
	)
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil // it has changed: that comes as an event of its own
	}
	return err
}

var _ apis.ConditionsAccessor = (*status)(nil)
