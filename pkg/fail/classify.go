package fail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Reasons for errors that carry none of their own.
const (
	// ReasonPanic: a recovered panic.
	ReasonPanic = "Panic"
	// ReasonTimeout: a deadline passed before the answer came.
	ReasonTimeout = "Timeout"
	// ReasonCanceled: the caller gave up.
	ReasonCanceled = "Canceled"
	// ReasonTooLarge: the API server or etcd takes no object of that size.
	ReasonTooLarge = "ObjectTooLarge"
	// ReasonUntrusted: a TLS certificate does not verify.
	ReasonUntrusted = "CertificateUntrusted"
	// ReasonUnreachable: no connection, or it broke.
	ReasonUnreachable = "Unreachable"
	// ReasonInternal: nobody classified the error.
	ReasonInternal = "InternalError"
)

// KindOf returns the kind of an error. The outermost Error that names a kind wins; then Kubernetes API errors, TLS,
// context and network errors are known; several joined errors count as the gravest of them; anything else is Unknown.
func KindOf(err error) Kind {
	kind, _ := classify(err)
	return kind
}

// ReasonOf returns the CamelCase reason of an error: its own, or one derived from the cause. Nil gives "".
func ReasonOf(err error) string {
	_, reason := classify(err)
	return reason
}

// gravity orders kinds for joined errors: the later one wins. What needs a person outranks what fixes itself.
var gravity = map[Kind]int{Waiting: 1, Conflict: 2, Transient: 3, Invalid: 4, Denied: 5, Unknown: 6, Bug: 7}

// classify walks from the outside in, so that what was said on purpose beats what is derived from the cause.
func classify(err error) (Kind, string) {
	if err == nil {
		return None, ""
	}
	if own, ok := err.(*Error); ok && own != nil {
		return classifyOwn(own)
	}
	if kind, reason := classifyForeign(err); kind != Unknown {
		return kind, reason
	}
	if wrapper, ok := err.(interface{ Unwrap() error }); ok {
		if cause := wrapper.Unwrap(); cause != nil {
			return classify(cause)
		}
		return Unknown, ReasonInternal
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return gravest(joined.Unwrap())
	}
	return Unknown, ReasonInternal
}

func classifyOwn(own *Error) (Kind, string) {
	kind, reason := own.Kind, own.Reason
	if kind == None || reason == "" {
		derived, why := classify(own.Err)
		if derived == None {
			derived, why = Unknown, ReasonInternal
		}
		if kind == None {
			kind = derived
		}
		if reason == "" {
			reason = why
		}
	}
	if _, known := gravity[kind]; !known {
		kind = Unknown
	}
	return kind, reason
}

func gravest(errs []error) (Kind, string) {
	kind, reason := Unknown, ReasonInternal
	top := 0
	for _, err := range errs {
		if k, r := classify(err); gravity[k] > top {
			kind, reason, top = k, r, gravity[k]
		}
	}
	return kind, reason
}

// classifyForeign looks at this one error, not at its causes.
func classifyForeign(err error) (Kind, string) {
	switch e := err.(type) {
	case apierrors.APIStatus:
		return classifyAPI(e.Status(), err)
	case *tls.CertificateVerificationError, x509.UnknownAuthorityError, x509.HostnameError, x509.CertificateInvalidError:
		return Denied, ReasonUntrusted
	case *net.OpError, *net.DNSError:
		if deeper, reason := classify(errors.Unwrap(err)); deeper == Denied {
			return deeper, reason
		}
		return Transient, networkReason(e.(net.Error))
	}
	switch err {
	case context.DeadlineExceeded:
		return Transient, ReasonTimeout
	case context.Canceled:
		return Transient, ReasonCanceled
	case io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, http.ErrServerClosed:
		return Transient, ReasonUnreachable
	}
	if errno, ok := err.(syscall.Errno); ok && connectionErrno[errno] {
		return Transient, ReasonUnreachable
	}
	if timeout, ok := err.(interface{ Timeout() bool }); ok && timeout.Timeout() {
		return Transient, ReasonTimeout
	}
	return Unknown, ReasonInternal
}

var connectionErrno = map[syscall.Errno]bool{
	syscall.ECONNREFUSED: true, syscall.ECONNRESET: true, syscall.ECONNABORTED: true, syscall.EPIPE: true,
	syscall.EHOSTUNREACH: true, syscall.ENETUNREACH: true, syscall.ETIMEDOUT: true,
}

func networkReason(err net.Error) string {
	if err.Timeout() {
		return ReasonTimeout
	}
	return ReasonUnreachable
}

// classifyAPI maps an answer of the Kubernetes API server.
//
//	409 AlreadyExists, Conflict            Conflict   somebody wrote first
//	422 only about metadata.uid            Conflict   a patch with a uid precondition met another incarnation
//	422 about no kind                      Conflict   a JSON patch did not apply: its test did not hold, or its path is
//	                                                  gone
//	404 of a named object                  Conflict   it went away under us; a read turns this into Absent itself
//	404 of a resource type                 Transient  the CRD or API is not served (yet)
//	410 Gone, Expired                      Transient  a list or watch must start again
//	401, 403                               Denied     but a namespace being deleted is Waiting
//	400, 405, 406, 415, 422                Invalid    the server refuses what the spec asks for
//	413, or what tooLarge says             Invalid    ObjectTooLarge, whatever was written
//	408, 429, 5xx, anything else           Transient
func classifyAPI(status metav1.Status, err error) (Kind, string) {
	reason := string(status.Reason)
	switch {
	case tooLarge(status):
		return Invalid, ReasonTooLarge
	case reason == "" && status.Code == http.StatusBadRequest: // a webhook that refuses without a code of its own
		reason = string(metav1.StatusReasonBadRequest)
	case reason == "":
		reason = ReasonInternal
	}
	if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		return Waiting, string(corev1.NamespaceTerminatingCause)
	}
	switch status.Code {
	case http.StatusConflict:
		return Conflict, reason
	case http.StatusNotFound:
		if status.Details != nil && status.Details.Name != "" {
			return Conflict, reason
		}
		return Transient, reason
	case http.StatusUnauthorized, http.StatusForbidden:
		return Denied, reason
	case http.StatusUnprocessableEntity:
		if isStalePatch(status.Details) {
			return Conflict, string(metav1.StatusReasonConflict)
		}
		return Invalid, reason
	case http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusNotAcceptable, http.StatusUnsupportedMediaType:
		return Invalid, reason
	}
	return Transient, reason
}

// tooLarge says whether an object does not fit: the API server's own limit (3 MiB), etcd's --max-request-bytes (1.5
// MiB) or that of the client between them (2 MiB). Of the latter two the API server makes a 500 with etcd's words and
// no reason for machines (test/kubesim/testdata/refusals/object-too-large.json), so here the text decides.
func tooLarge(status metav1.Status) bool {
	etcd := strings.Contains(status.Message, "etcdserver: request is too large") ||
		strings.Contains(status.Message, "trying to send message larger than max")
	return status.Code == http.StatusRequestEntityTooLarge || (status.Code == http.StatusInternalServerError && etcd)
}

// isStalePatch says whether a 422 means that the patch was made for another state of the object. A PUT or DELETE with a
// foreign uid is a 409; in a PATCH the uid is an immutable field (ValidateObjectMetaAccessorUpdate). A JSON patch that
// does not apply is a 422 without a kind (apiserver's patch handler); what validation refuses always names one.
func isStalePatch(details *metav1.StatusDetails) bool {
	if details == nil || details.Kind == "" {
		return true
	}
	if len(details.Causes) == 0 {
		return false
	}
	for _, cause := range details.Causes {
		if cause.Field != "metadata.uid" {
			return false
		}
	}
	return true
}
