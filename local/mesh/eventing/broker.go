package eventing

import (
	"context"
	"fmt"
	"time"

	noopmetric "go.opentelemetry.io/otel/metric/noop"
	nooptrace "go.opentelemetry.io/otel/trace/noop"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"knative.dev/eventing/pkg/apis/eventing"
	eventingv1 "knative.dev/eventing/pkg/apis/eventing/v1"
	"knative.dev/eventing/pkg/channel/fanout"
	"knative.dev/eventing/pkg/kncloudevents"
	"knative.dev/eventing/pkg/reconciler/sugar/trigger/path"
	"knative.dev/pkg/apis"
	duckv1 "knative.dev/pkg/apis/duck/v1"

	"github.com/kn-flink/kn-flink/local/mesh/loop"
)

// asyncAnnotation makes the channel answer before it delivers.
const asyncAnnotation = "messaging.knative.dev/async-handler"

// channel is a Broker's: the in-memory channel that fans out to its Triggers.
type channel struct {
	handler *fanout.FanoutEventHandler
	async   bool
}

// reconcileBroker makes the Broker's channel, subscribes its Triggers to it, and says Ready.
func (e *Eventing) reconcileBroker(ctx context.Context, name types.NamespacedName) (time.Duration, error) {
	have, err := e.informers.Eventing().V1().Brokers().Lister().Brokers(name.Namespace).Get(name.Name)
	if apierrors.IsNotFound(err) {
		e.mu.Lock()
		delete(e.channels, name)
		e.mu.Unlock()
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	c, err := e.channel(name, have.Annotations[asyncAnnotation] == "true")
	if err != nil {
		return 0, err
	}
	subscriptions, err := e.subscriptions(have)
	if err != nil {
		return 0, err
	}
	c.handler.SetSubscriptions(ctx, subscriptions)
	b := have.DeepCopy()
	again := e.fillBroker(ctx, b)
	if equality.Semantic.DeepEqual(have.Status, b.Status) {
		return again, nil
	}
	_, err = e.knative.EventingV1().Brokers(b.Namespace).UpdateStatus(ctx, b, metav1.UpdateOptions{})
	return again, ignoreChanged(err)
}

// fillBroker writes the status that Knative's ingress and filter work by.
func (e *Eventing) fillBroker(ctx context.Context, b *eventingv1.Broker) time.Duration {
	again := time.Duration(0)
	b.Status.ObservedGeneration = b.Generation
	b.Status.InitializeConditions()
	if b.Status.Annotations == nil {
		b.Status.Annotations = map[string]string{}
	}
	b.Status.Annotations[eventing.BrokerChannelAddressStatusAnnotationKey] = apis.HTTP(
		b.Name + channelSuffix + "." + b.Namespace + domain,
	).String()
	manager := b.GetConditionSet().Manage(&b.Status)
	for _, c := range []apis.ConditionType{
		eventingv1.BrokerConditionIngress, eventingv1.BrokerConditionTriggerChannel, eventingv1.BrokerConditionFilter,
		eventingv1.BrokerConditionEventPoliciesReady,
	} {
		manager.MarkTrue(c)
	}
	b.Status.SetAddress(&duckv1.Addressable{URL: brokerURL(b.Namespace, b.Name)})
	switch {
	case b.Spec.Delivery == nil || b.Spec.Delivery.DeadLetterSink == nil:
		b.Status.MarkDeadLetterSinkNotConfigured()
	default:
		to, err := e.resolve(ctx, *b.Spec.Delivery.DeadLetterSink, b.Namespace)
		if err != nil {
			b.Status.MarkDeadLetterSinkResolvedFailed("NotFound", "%v", err)
			again = retryResolve
			break
		}
		b.Status.DeadLetterSinkURI = to
		b.Status.MarkDeadLetterSinkResolvedSucceeded(b.Status.DeliveryStatus)
	}
	return again
}

func brokerURL(ns, name string) *apis.URL {
	u := apis.HTTP(ingressHost)
	u.Path = "/" + ns + "/" + name
	return u
}

// channel finds or makes a Broker's. One that is to be the other kind is made anew: what it has in work is still
// delivered.
func (e *Eventing) channel(name types.NamespacedName, async bool) (*channel, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if c := e.channels[name]; c != nil && c.async == async {
		return c, nil
	}
	handler, err := fanout.NewFanoutEventHandler(e.logger, fanout.Config{AsyncHandler: async}, nil, nil, nil,
		e.dispatcher,
		noopmetric.NewMeterProvider(), nooptrace.NewTracerProvider())
	if err != nil {
		return nil, err
	}
	e.channels[name] = &channel{handler: handler, async: async}
	return e.channels[name], nil
}

// subscriptions are a Broker's Triggers that are Ready, as its trigger reconciler subscribes them.
func (e *Eventing) subscriptions(b *eventingv1.Broker) ([]fanout.Subscription, error) {
	all, err := e.informers.Eventing().V1().Triggers().Lister().Triggers(b.Namespace).List(everything())
	if err != nil {
		return nil, err
	}
	var out []fanout.Subscription
	for _, t := range all {
		if t.Spec.Broker != b.Name || !t.Status.IsReady() || t.Status.SubscriberURI == nil || t.DeletionTimestamp != nil {
			continue
		}
		to := apis.HTTP(filterHost)
		to.Path = path.Generate(t)
		s := fanout.Subscription{
			Namespace: t.Namespace, Name: t.Name, UID: t.UID,
			Subscriber: duckv1.Addressable{URL: to}, Reply: &duckv1.Addressable{URL: brokerURL(b.Namespace, b.Name)},
		}
		if t.Status.DeadLetterSinkURI != nil {
			s.DeadLetter = &duckv1.Addressable{URL: t.Status.DeadLetterSinkURI}
		}
		// A Trigger's delivery replaces the Broker's.
		delivery := t.Spec.Delivery
		if delivery == nil {
			delivery = b.Spec.Delivery
		}
		if delivery == nil {
			delivery = defaultDelivery()
		}
		retry, err := kncloudevents.RetryConfigFromDeliverySpec(*delivery)
		if err != nil {
			return nil, fmt.Errorf("delivery of Trigger %s/%s: %w", t.Namespace, t.Name, err)
		}
		s.RetryConfig = &retry
		out = append(out, s)
	}
	return out, nil
}

func (e *Eventing) triggersOf(o loop.Object) []types.NamespacedName {
	all, err := e.informers.Eventing().V1().Triggers().Lister().Triggers(o.GetNamespace()).List(everything())
	if err != nil {
		return nil // a lister of a cache has no errors
	}
	var out []types.NamespacedName
	for _, t := range all {
		if t.Spec.Broker == o.GetName() {
			out = append(out, types.NamespacedName{Namespace: t.Namespace, Name: t.Name})
		}
	}
	return out
}

func (e *Eventing) brokerOf(o loop.Object) []types.NamespacedName {
	t, ok := o.(*eventingv1.Trigger)
	if !ok {
		return nil
	}
	return []types.NamespacedName{{Namespace: t.Namespace, Name: t.Spec.Broker}}
}
