package admission

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"knative.dev/pkg/apis"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/extension"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/redact"
	"github.com/kn-flink/kn-flink/pkg/telemetry"
	"github.com/kn-flink/kn-flink/pkg/telemetry/metrics"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

// The two paths, those of the Java operator's webhook.
const (
	// ValidatePath answers whether an object may be stored.
	ValidatePath = "/validate"
	// MutatePath answers what to change in an object first.
	MutatePath = "/mutate"
)

// refused is the status of a request that is no review, and of our own failures. The Java operator answers 500 to both,
// too, and the API server treats every status but 200 alike.
const refused = http.StatusInternalServerError

// Judge decides about one object that is to be stored. Nil means that nothing is wrong with it. An error is a request
// that cannot be judged.
type Judge func(ctx context.Context, r *admissionv1.AdmissionRequest) (*apis.FieldError, error)

// Handler answers AdmissionReviews. Safe for concurrent use.
type Handler struct {
	// Judge decides /validate.
	Judge Judge
	// Watches says whether resources of a namespace are this installation's; others pass as they are. Nil means all are.
	Watches func(namespace string) bool
	// Selects says the same of the labels of a resource in such a namespace. Nil means all are.
	Selects func(labels map[string]string) bool
	// Extensions are the validators and mutators of the settings.
	Extensions flinkconf.Extensions
	// Asker asks them.
	Asker extension.Asker
	// Log gets one line for each denial, mutation and failure.
	Log *zap.SugaredLogger
	// Metrics count reviews; nil counts none.
	Metrics *metrics.Metrics
}

// ServeHTTP answers one review:
//
//	path       request                                    answer
//	/validate  nothing to store (DELETE, no object)       200, allowed
//	           a canary, or an object that is going away  200, allowed
//	           namespace that is not watched              200, allowed
//	           nothing wrong                              200, allowed, warnings if any
//	           something wrong                            200, denied: 403 with every problem
//	/mutate    nothing to change, or not ours to change   200, allowed, patch []
//	           a session job whose label is wrong         200, allowed, patch of that label
//	/validators, /mutators: see the two
//	all        no AdmissionReview                         500, text that says what is wrong with it
//	other                                                 500, text that names the two paths
func (h Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if value := recover(); value != nil {
			h.Log.Errorw("a review panicked", telemetry.Error, fmt.Sprint(value), "stack", string(debug.Stack()))
			h.measure(r, nil, nil, 0)
			http.Error(w, "admit failed on this review; see its log", refused)
		}
	}()
	started := time.Now()
	var answer func(context.Context, *admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error)
	switch r.URL.Path {
	case ValidatePath:
		answer = h.validate
	case MutatePath:
		answer = h.mutate
	case ValidatorsPath:
		answer = h.validators
	case MutatorsPath:
		answer = h.mutators
	default:
		http.Error(w, fmt.Sprintf("no such path %q; there are %s and %s", r.URL.Path, ValidatePath, MutatePath), refused)
		return
	}
	var response *admissionv1.AdmissionResponse
	request, err := read(w, r)
	if err == nil {
		ctx := telemetry.WithTrace(r.Context(), r.Header.Get("traceparent"), "admission", string(request.UID))
		ctx, end := telemetry.Begin(
			ctx, "review "+strings.TrimPrefix(r.URL.Path, "/"), trace.SpanKindServer,
			attribute.String(telemetry.Key, request.Namespace+"/"+request.Kind.Kind+"/"+request.Name),
		)
		response, err = answer(ctx, request)
		end(err)
	}
	if err == nil {
		response.UID = request.UID
		err = write(w, response)
	}
	h.measure(r, request, response, time.Since(started))
	if err != nil {
		h.refuse(w, r, err)
	}
}

// measure counts a review by its outcome; request and response are nil where there was none.
func (h Handler) measure(
	r *http.Request, request *admissionv1.AdmissionRequest, response *admissionv1.AdmissionResponse, took time.Duration,
) {
	var kind, operation string
	if request != nil {
		kind, operation = request.Kind.Kind, string(request.Operation)
	}
	outcome := "failed"
	switch {
	case response != nil && response.Allowed:
		outcome = "allowed"
	case response != nil:
		outcome = "denied"
	}
	h.Metrics.Time(
		r.Context(), metrics.ReviewDuration, took, metrics.Kind(kind), metrics.Operation(operation),
		metrics.Review(r.URL.Path), metrics.Outcome(outcome),
	)
}

func (h Handler) refuse(w http.ResponseWriter, r *http.Request, err error) {
	h.Log.Warnw("a request that is no review", "path", r.URL.Path, telemetry.Error, err.Error())
	http.Error(w, redact.Text(err.Error()), refused)
}

func (h Handler) validate(
	ctx context.Context, r *admissionv1.AdmissionRequest,
) (*admissionv1.AdmissionResponse, error) {
	if len(r.Object.Raw) == 0 {
		return withoutObject(r)
	}
	if skip, err := h.leaves(r); err != nil || skip {
		return allowed(), err
	}
	found, err := h.Judge(ctx, r)
	if err != nil {
		return nil, err
	}
	response := allowed()
	if problems := validation.Problems(found); problems != nil {
		response = denied(redact.Text(validation.Message(problems)))
		h.Log.Infow("denied", telemetry.Key, key(r), telemetry.Reason, response.Result.Message)
	}
	if warnings := found.Filter(apis.WarningLevel); warnings != nil {
		response.Warnings = []string{redact.Text(validation.Message(warnings))}
	}
	return response, nil
}

func (h Handler) mutate(_ context.Context, r *admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error) {
	patch := noPatch
	if !h.foreign(r) {
		var err error
		if patch, err = Patch(r); err != nil {
			return nil, err
		}
	}
	response, kind := allowed(), admissionv1.PatchTypeJSONPatch
	response.PatchType, response.Patch = &kind, patch
	if string(patch) != string(noPatch) {
		h.Log.Infow("mutated", telemetry.Key, key(r), "patch", string(patch))
	}
	return response, nil
}

// withoutObject answers a review that asks for no object to be stored.
func withoutObject(r *admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error) {
	switch r.Operation {
	case admissionv1.Delete, admissionv1.Connect:
		return allowed(), nil
	}
	return nil, fmt.Errorf("the AdmissionReview of operation %q has no object", r.Operation)
}

// metadataOf fails when the object has no metadata that can be read.
func metadataOf(r *admissionv1.AdmissionRequest) (object metav1.PartialObjectMetadata, err error) {
	if err := json.Unmarshal(r.Object.Raw, &object); err != nil {
		return object, fmt.Errorf("read the metadata of %s: %w", key(r), err)
	}
	return object, nil
}

// exempt says whether an object is not to be judged: a canary is not, whatever its kind, and nor is one that is being
// deleted, because a wrong spec must not keep it alive.
func exempt(object metav1.PartialObjectMetadata) bool {
	return object.DeletionTimestamp != nil || strings.EqualFold(object.Labels[v1beta1.LabelCanary], "true")
}

// foreign says whether the object is another installation's.
func (h Handler) foreign(r *admissionv1.AdmissionRequest) bool {
	return h.Watches != nil && r.Namespace != "" && !h.Watches(r.Namespace)
}

// key is "<namespace>/<Kind>/<name>", as everywhere in the logs. The name is empty while the API server is to make it
// up.
func key(r *admissionv1.AdmissionRequest) string {
	return r.Namespace + "/" + r.Kind.Kind + "/" + r.Name
}
