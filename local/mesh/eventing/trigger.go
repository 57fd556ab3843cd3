package eventing

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	eventingduckv1 "knative.dev/eventing/pkg/apis/duck/v1"
	eventingv1 "knative.dev/eventing/pkg/apis/eventing/v1"
	"knative.dev/pkg/apis"
	duckv1 "knative.dev/pkg/apis/duck/v1"
)

// retryResolve lies between two looks for an address that is not there yet.
const retryResolve = 250 * time.Millisecond

// reconcileTrigger finds out where a Trigger's events go. The Broker's channel takes it when it is Ready.
func (e *Eventing) reconcileTrigger(ctx context.Context, name types.NamespacedName) (time.Duration, error) {
	have, err := e.informers.Eventing().V1().Triggers().Lister().Triggers(name.Namespace).Get(name.Name)
	if apierrors.IsNotFound(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	t := have.DeepCopy()
	again := e.fillTrigger(ctx, t)
	e.brokerLoop.Add(t.Namespace, t.Spec.Broker)
	if equality.Semantic.DeepEqual(have.Status, t.Status) {
		return again, nil
	}
	_, err = e.knative.EventingV1().Triggers(t.Namespace).UpdateStatus(ctx, t, metav1.UpdateOptions{})
	return again, ignoreChanged(err)
}

func (e *Eventing) fillTrigger(ctx context.Context, t *eventingv1.Trigger) time.Duration {
	t.Status.ObservedGeneration = t.Generation
	t.Status.InitializeConditions()
	t.Status.MarkDependencySucceeded()
	t.Status.MarkOIDCIdentityCreatedSucceededWithReason("OIDCDisabled", "")
	b, err := e.informers.Eventing().V1().Brokers().Lister().Brokers(t.Namespace).Get(t.Spec.Broker)
	if err != nil {
		t.Status.MarkBrokerFailed("BrokerDoesNotExist", "Broker %q does not exist", t.Spec.Broker)
		return 0 // it will be an event
	}
	t.Status.PropagateBrokerCondition(b.Status.GetTopLevelCondition())
	to, err := e.resolve(ctx, t.Spec.Subscriber, t.Namespace)
	if err != nil {
		t.Status.SubscriberURI = nil
		t.Status.MarkSubscriberResolvedFailed("NotFound", "%v", err)
		return retryResolve
	}
	t.Status.SubscriberURI = to
	t.Status.MarkSubscriberResolvedSucceeded()
	switch {
	case t.Spec.Delivery != nil && t.Spec.Delivery.DeadLetterSink != nil:
		dead, err := e.resolve(ctx, *t.Spec.Delivery.DeadLetterSink, t.Namespace)
		if err != nil {
			t.Status.DeliveryStatus = eventingduckv1.DeliveryStatus{}
			t.Status.MarkDeadLetterSinkResolvedFailed("NotFound", "%v", err)
			return retryResolve
		}
		t.Status.DeadLetterSinkURI = dead
		t.Status.MarkDeadLetterSinkResolvedSucceeded()
	case b.Status.DeadLetterSinkURI != nil:
		t.Status.DeliveryStatus = b.Status.DeliveryStatus
		t.Status.MarkDeadLetterSinkResolvedSucceeded()
	default:
		t.Status.DeliveryStatus = eventingduckv1.DeliveryStatus{}
		t.Status.MarkDeadLetterSinkNotConfigured()
	}
	t.Status.PropagateSubscriptionCondition(&apis.Condition{Type: apis.ConditionReady, Status: "True"})
	return 0
}

// resolve finds the URL of a destination:
//
//	ref               | uri      | URL
//	none              | absolute | the uri
//	a Service (core)  | any      | its host name, joined with the uri
//	anything else     | any      | its status.address.url, joined with the uri
func (e *Eventing) resolve(ctx context.Context, d duckv1.Destination, inNamespace string) (*apis.URL, error) {
	if d.Ref == nil {
		if d.URI == nil || d.URI.Host == "" {
			return nil, fmt.Errorf("a destination needs a ref or an absolute uri")
		}
		return d.URI, nil
	}
	ns := d.Ref.Namespace
	if ns == "" {
		ns = inNamespace
	}
	gv, err := schema.ParseGroupVersion(d.Ref.APIVersion)
	if err != nil {
		return nil, err
	}
	resource, _ := meta.UnsafeGuessKindToResource(gv.WithKind(d.Ref.Kind))
	object, err := e.dynamic.Resource(resource).Namespace(ns).Get(ctx, d.Ref.Name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	base := apis.HTTP(d.Ref.Name + "." + ns + domain)
	if resource.Group != "" {
		text, _, err := unstructured.NestedString(object.Object, "status", "address", "url")
		if err != nil || text == "" {
			return nil, fmt.Errorf("%s %s/%s has no address yet", d.Ref.Kind, ns, d.Ref.Name)
		}
		if base, err = apis.ParseURL(text); err != nil {
			return nil, err
		}
	}
	if d.URI != nil {
		base = base.ResolveReference(d.URI)
	}
	return base, nil
}

// defaultDelivery is that of a Broker that says none, from Knative's config-br-defaults.
func defaultDelivery() *eventingduckv1.DeliverySpec {
	retry, policy, delay := int32(10), eventingduckv1.BackoffPolicyExponential, "PT0.2S"
	return &eventingduckv1.DeliverySpec{Retry: &retry, BackoffPolicy: &policy, BackoffDelay: &delay}
}

// ignoreChanged: an object that has changed since comes as an event of its own.
func ignoreChanged(err error) error {
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
