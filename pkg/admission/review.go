package admission

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MaxBody bounds an AdmissionReview. The API server takes request bodies of up to 3 MiB (MaxRequestBodyBytes of
// k8s.io/apiserver) and a review carries the new and the old object: 6 MiB, and as much again as a third of that for
// the user, the options and the escapes of JSON. What is larger did not come from an API server.
const MaxBody = 8 << 20

// reviewKind and reviewVersion are what the webhook configurations ask the API server to send
// (admissionReviewVersions).
const (
	reviewKind    = "AdmissionReview"
	reviewVersion = "admission.k8s.io/v1"
)

// errTooLarge is a body beyond MaxBody.
var errTooLarge = fmt.Errorf("the body is larger than %d bytes; an API server sends no such AdmissionReview", MaxBody)

// read returns the request in an AdmissionReview. Its errors say what is wrong with the body, for the one who sent it.
func read(w http.ResponseWriter, r *http.Request) (*admissionv1.AdmissionRequest, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, errTooLarge
	case err != nil:
		return nil, fmt.Errorf("read the body: %w", err)
	}
	return Parse(body)
}

// Parse returns the request in the JSON of an AdmissionReview. The error says what is wrong with it: not JSON, another
// kind or version, no request, or no uid to answer to.
func Parse(body []byte) (*admissionv1.AdmissionRequest, error) {
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(body, &review); err != nil {
		return nil, fmt.Errorf("the body is not an AdmissionReview: %w", err)
	}
	switch {
	case review.Kind != reviewKind || review.APIVersion != reviewVersion:
		return nil, fmt.Errorf(
			"the body is %q of %q; send %s of %s", review.Kind, review.APIVersion, reviewKind, reviewVersion,
		)
	case review.Request == nil:
		return nil, errors.New("the AdmissionReview has no request")
	case review.Request.UID == "":
		return nil, errors.New("the request of the AdmissionReview has no uid")
	}
	return review.Request, nil
}

// write answers with the response in an AdmissionReview.
func write(w http.ResponseWriter, response *admissionv1.AdmissionResponse) error {
	body, err := json.Marshal(admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{Kind: reviewKind, APIVersion: reviewVersion},
		Response: response,
	})
	if err != nil {
		return fmt.Errorf("encode the response: %w", err)
	}
	w.Header().Set("Content-Type", "application/json")
	// A caller that is gone cannot be told.
	_, _ = w.Write(body)
	return nil
}

// allowed is the answer that lets the object pass.
func allowed() *admissionv1.AdmissionResponse { return &admissionv1.AdmissionResponse{Allowed: true} }

// denied is the answer that does not; the message is what kubectl prints.
func denied(message string) *admissionv1.AdmissionResponse {
	return &admissionv1.AdmissionResponse{Result: &metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden, Message: message,
	}}
}
