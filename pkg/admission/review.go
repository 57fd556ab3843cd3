package admission

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/bounded"
)

// MaxBody bounds an AdmissionReview. The API server takes request bodies of up to 3 MiB (MaxRequestBodyBytes of
// k8s.io/apiserver) and etcd stores objects of up to 1.5 MiB (--max-request-bytes); a review carries the new and the
// old object, the user and the options. What is larger did not come from an API server.
const MaxBody = 5 << 20

// AtOnce is how many reviews are in memory at the same time.
const AtOnce = 2

// Limit has at most AtOnce requests answered at the same time. The others wait before their body is read, and are
// refused when their caller has gone.
func Limit(next http.Handler) http.Handler {
	places := make(chan struct{}, AtOnce)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
			next.ServeHTTP(w, r)
		case <-r.Context().Done():
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
}

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
	body, err := readAll(http.MaxBytesReader(w, r.Body, MaxBody), r.ContentLength)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, errTooLarge
	case err != nil:
		return nil, fmt.Errorf("read the body: %w", err)
	}
	return Parse(body)
}

// readAll reads a body whose length was told; it may be wrong.
func readAll(from io.Reader, length int64) ([]byte, error) {
	var body bytes.Buffer
	if length > 0 && length <= MaxBody {
		body.Grow(int(length) + bytes.MinRead)
	}
	_, err := body.ReadFrom(from)
	return body.Bytes(), err
}

// rest bounds what a review has beside its objects: who asks, for what, with which options.
var rest = bounded.Limits{Bytes: 1 << 20, Values: 5_000, Depth: 50}

// counted is a review whose objects are without what is too large of them: a pass would not read that either.
// Validation says so.
func counted(body []byte) ([]byte, error) {
	in, out := bounded.NewStream(bytes.NewReader(body)), make([]byte, 0, len(body))
	object := func(member func(name string) error) error {
		before := byte('{')
		err := in.Object(func(name string) error {
			text, err := json.Marshal(name)
			if err != nil {
				return err
			}
			out = append(append(append(out, before), text...), ':')
			before = ','
			return member(name)
		})
		if before == '{' {
			out = append(out, '{')
		}
		out = append(out, '}')
		return err
	}
	value := func() (err error) {
		out, _, err = in.Value(out, rest)
		return err
	}
	err := object(func(name string) error {
		if first, _ := in.Peek(); name != "request" || first != '{' {
			return value()
		}
		return object(func(name string) (err error) {
			if first, _ := in.Peek(); (name == "object" || name == "oldObject") && first == '{' {
				out, _, err = in.Resource(out)
				return err
			}
			return value()
		})
	})
	return out, err
}

// Parse returns the request in the JSON of an AdmissionReview. The error says what is wrong with it: not JSON, another
// kind or version, no request, or no uid to answer to.
func Parse(body []byte) (*admissionv1.AdmissionRequest, error) {
	counted, err := counted(body)
	if nothing := struct{}{}; err == nil || !errors.As(err, new(*bounded.TooLarge)) {
		err = cmp.Or(json.Unmarshal(body, &nothing), err) // it says where, and keeps nothing
	}
	if err != nil {
		return nil, fmt.Errorf("the body is not an AdmissionReview: %w", err)
	}
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(counted, &review); err != nil {
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
