package apply

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"go.uber.org/zap"

	cloudevents "github.com/cloudevents/sdk-go/v2"

	"github.com/kn-flink/kn-flink/pkg/event"
	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
)

// brokerTimeout is how long a Broker may take before its event is noted and skipped: a listener must never hold up a
// pass.
const brokerTimeout = time.Second

// EventRecorder tells people and listeners what a plan tells. It never fails a pass: what cannot be told is logged. A
// nil EventRecorder is silent.
type EventRecorder struct {
	// Kube writes Kubernetes Events.
	Kube Writer
	// Listeners takes the CloudEvents for users' Triggers.
	Listeners interface {
		Publish(ctx context.Context, e cloudevents.Event) error
	}
	// Control takes the requests for passes of what depends on a resource.
	Control interface {
		Publish(ctx context.Context, e cloudevents.Event) error
	}
	// Source is the function's name in CloudEvents.
	Source string
	// Now is the clock.
	Now func() time.Time
	// Log gets what could not be told.
	Log *zap.SugaredLogger
	// Audit is the log of changes; nil writes none.
	Audit *zap.SugaredLogger
}

// begin publishes a plan's events, each as a Kubernetes Event and as a CloudEvent, and the change that its status
// makes, all at the same time. The function that it returns waits for them.
func (a *EventRecorder) begin(ctx context.Context, resource *unstructured.Unstructured, p plan.Plan) func() {
	if a == nil {
		return func() {}
	}
	var group sync.WaitGroup
	for _, e := range p.Events {
		group.Go(func() {
			written, err := a.record(ctx, resource, e)
			if a.note(string(e.Reason), err); written {
				auditEvent(resource, e).write(ctx, a.Audit, resource)
			}
		})
		group.Go(func() {
			a.note(string(e.Reason), a.post(ctx, resource, event.TypeEvent, string(e.Reason)+"/"+e.Key, event.Notice{
				Type: kind(e), Reason: string(e.Reason), Component: e.Component, Message: e.Message,
			}))
		})
	}
	if c, changes := a.change(resource, p.Status); changes {
		group.Go(func() { a.note("status", a.post(ctx, resource, event.TypeStatus, "status", c)) })
	}
	return group.Wait // failures are noted where they happen
}

// change is what a status changes of lifecycle state, job state and error, and whether any of them moves.
func (a *EventRecorder) change(resource *unstructured.Unstructured, status any) (event.Change, bool) {
	if status == nil {
		return event.Change{}, false
	}
	text, err := json.Marshal(status)
	if err != nil {
		return event.Change{}, false // the write will say so
	}
	var next struct {
		LifecycleState, Error string
		JobStatus             struct{ State string }
	}
	if err := json.Unmarshal(text, &next); err != nil {
		return event.Change{}, false
	}
	old := func(path ...string) string {
		value, _, _ := unstructured.NestedString(resource.Object, append([]string{"status"}, path...)...)
		return value
	}
	c := event.Change{
		Generation:        resource.GetGeneration(),
		OldLifecycleState: old("lifecycleState"), LifecycleState: next.LifecycleState,
		OldJobState: old("jobStatus", "state"), JobState: next.JobStatus.State,
		Error: next.Error,
	}
	return c, c.OldLifecycleState != c.LifecycleState || c.OldJobState != c.JobState || old("error") != c.Error
}

func (a *EventRecorder) post(
	ctx context.Context, resource *unstructured.Unstructured, eventType, reason string, data any,
) error {
	ctx, cancel := context.WithTimeout(ctx, brokerTimeout)
	defer cancel()
	e, err := event.Make(eventType, event.Head{
		ID: fmt.Sprintf(
			"%s-%s-%08x", resource.GetUID(), resource.GetResourceVersion(), syntax.JavaHash(eventType+reason),
		),
		Key:    event.Key{Kind: resource.GetKind(), Namespace: resource.GetNamespace(), Name: resource.GetName()},
		Source: a.Source, Time: a.Now(),
	}, data)
	if err != nil {
		return err
	}
	return a.Listeners.Publish(ctx, e)
}

// record makes the Kubernetes Event, or counts the one that is there: equal content has an equal name. It reports
// whether it did.
func (a *EventRecorder) record(
	ctx context.Context, resource *unstructured.Unstructured, e plan.Event,
) (written bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, brokerTimeout)
	defer cancel()
	now := metav1.NewTime(a.Now().Truncate(time.Second))
	object := kube.Object{Resource: kube.Events, Namespace: resource.GetNamespace(), Name: eventName(resource, e)}
	_, err = a.Kube.Create(ctx, object, &corev1.Event{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Event"},
		ObjectMeta: metav1.ObjectMeta{Name: object.Name, Namespace: object.Namespace, Annotations: e.Annotations},
		InvolvedObject: corev1.ObjectReference{
			APIVersion: resource.GetAPIVersion(), Kind: resource.GetKind(), Namespace: resource.GetNamespace(),
			Name: resource.GetName(),
			UID:  resource.GetUID(),
		},
		Type: kind(e), Reason: string(e.Reason), Message: e.Message, Source: corev1.EventSource{Component: e.Component},
		ReportingController: "kn-flink", FirstTimestamp: now, LastTimestamp: now, Count: 1,
	})
	if !apierrors.IsAlreadyExists(err) || e.Once {
		return err == nil, ignoreExisting(err)
	}
	there, found, err := a.Kube.Get(ctx, object)
	if err != nil || !found {
		return false, err
	}
	count, _, _ := unstructured.NestedInt64(there.Object, "count")
	patch := map[string]any{"count": count + 1, "lastTimestamp": now.UTC().Format(time.RFC3339), "message": e.Message}
	if e.Annotations != nil {
		patch["metadata"] = map[string]any{"annotations": replaced(there.GetAnnotations(), e.Annotations)}
	}
	_, err = a.Kube.MergePatch(ctx, object, patch)
	return err == nil, err
}

// replaced is the patch that leaves these annotations and no others.
func replaced(old, wanted map[string]string) map[string]any {
	patch := map[string]any{}
	for name := range old {
		patch[name] = nil
	}
	for name, value := range wanted {
		patch[name] = value
	}
	return patch
}

func ignoreExisting(err error) error {
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

func (a *EventRecorder) note(reason string, err error) {
	if err != nil {
		a.Log.Infow(
			"an event could not be published, skipped", telemetry.Reason, reason, telemetry.Error, fail.Message(err),
		)
	}
}

func kind(e plan.Event) string {
	if e.Warning {
		return corev1.EventTypeWarning
	}
	return corev1.EventTypeNormal
}

// eventName is "<component>.<hash>", as users of the Java operator know it.
func eventName(resource *unstructured.Unstructured, e plan.Event) string {
	text := e.Key
	if text == "" {
		text = e.Message
	}
	h := syntax.JavaHash(
		string(e.Reason) + text + kind(e) + resource.GetKind() + resource.GetName() + string(resource.GetUID()),
	)
	return fmt.Sprintf("%s.%d", e.Component, h&0x7fffffff)
}
