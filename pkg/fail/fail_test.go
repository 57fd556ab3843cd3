package fail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"pgregory.net/rapid"
)

var deployments = schema.GroupResource{Group: "apps", Resource: "deployments"}

func namespaceTerminating() error {
	err := apierrors.NewForbidden(deployments, "a", errors.New("namespace is being terminated"))
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	return err
}

func immutable(fields ...string) error {
	var errs field.ErrorList
	for _, name := range fields {
		errs = append(errs, field.Invalid(field.NewPath("metadata", name), "x", "field is immutable"))
	}
	return apierrors.NewInvalid(schema.GroupKind{Kind: "Deployment"}, "a", errs)
}

func missingType() error {
	return apierrors.NewGenericServerResponse(
		404, "list", schema.GroupResource{Resource: "flinkdeployments"}, "", "", 0, true,
	)
}

func TestKindOf(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	untrusted := &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}
	rows := map[string]struct {
		err    error
		kind   Kind
		reason string
		why    string
	}{
		"nil":       {nil, None, "", "no error has no kind"},
		"plain":     {errors.New("x"), Unknown, ReasonInternal, "nobody classified it"},
		"invalid":   {Invalidf("op", "BadSpec", "x"), Invalid, "BadSpec", "said on purpose"},
		"denied":    {Deniedf("op", "NoRights", "x"), Denied, "NoRights", "said on purpose"},
		"waiting":   {Waitingf("op", "NotReady", "x"), Waiting, "NotReady", "said on purpose"},
		"conflict":  {Conflictf("op", "Stale", "x"), Conflict, "Stale", "said on purpose"},
		"transient": {Transientf("op", "Down", "x"), Transient, "Down", "said on purpose"},
		"bug":       {Bugf("op", "Broken", "x"), Bug, "Broken", "said on purpose"},
		"wrapped by fmt": {
			fmt.Errorf("y: %w", Waitingf("op", "NotReady", "x")), Waiting, "NotReady", "the kind shines through",
		},
		"own beats cause": {Bugf("op", "Broken", "y: %w", io.EOF), Bug, "Broken", "the outermost purpose wins"},
		"outer beats inner": {
			As(Invalid, "op", "Outer", Bugf("op", "Inner", "x")), Invalid, "Outer", "the outermost purpose wins",
		},
		"zero kind":  {&Error{Op: "op", Err: io.EOF}, Transient, ReasonUnreachable, "an empty kind is derived"},
		"zero error": {&Error{}, Unknown, ReasonInternal, "nothing was said at all"},
		"foreign kind": {
			&Error{Kind: "Purple", Reason: "R", Err: io.EOF}, Unknown, "R", "text that is no kind is Unknown",
		},
		"wrap keeps": {
			Wrap("op", Waitingf("in", "NotReady", "x")), Waiting, "NotReady", "Wrap adds only the operation",
		},
		"wrap derives": {Wrap("op", context.DeadlineExceeded), Transient, ReasonTimeout, "Wrap classifies the cause"},
		"joined": {
			errors.Join(Waitingf("op", "A", "x"), Deniedf("op", "B", "y")), Denied, "B", "the gravest counts",
		},
		"joined with plain": {
			errors.Join(Transientf("op", "A", "x"), errors.New("y")), Unknown, ReasonInternal, "an unclassified one is grave",
		},
		"panic text":  {Recovered("op", "boom"), Bug, ReasonPanic, "a panic is a bug"},
		"panic error": {Recovered("op", io.EOF), Bug, ReasonPanic, "a panic is a bug whatever it carries"},
		"k8s conflict": {
			apierrors.NewConflict(deployments, "a", errors.New("x")), Conflict, "Conflict", "stale resourceVersion",
		},
		"k8s exists": {
			apierrors.NewAlreadyExists(deployments, "a"), Conflict, "AlreadyExists", "somebody created it first",
		},
		"k8s gone object":    {apierrors.NewNotFound(deployments, "a"), Conflict, "NotFound", "it went away under us"},
		"k8s missing type":   {missingType(), Transient, "NotFound", "a CRD that is not there may come"},
		"k8s forbidden":      {apierrors.NewForbidden(deployments, "a", errors.New("x")), Denied, "Forbidden", "RBAC"},
		"k8s unauthorized":   {apierrors.NewUnauthorized("x"), Denied, "Unauthorized", "credentials"},
		"k8s ns terminating": {namespaceTerminating(), Waiting, "NamespaceTerminating", "the whole namespace goes away"},
		"k8s invalid": {
			apierrors.NewInvalid(schema.GroupKind{Kind: "Deployment"}, "a", nil), Invalid, "Invalid",
			"the server refuses the object",
		},
		"k8s patched uid": {immutable("uid"), Conflict, "Conflict", "a patch's uid precondition did not hold"},
		"k8s json patch": {
			apierrors.NewGenericServerResponse(422, "", schema.GroupResource{}, "", "test failed", 0, false), Conflict,
			"Conflict", "a test operation did not hold",
		},
		"k8s more than uid": {immutable("uid", "name"), Invalid, "Invalid", "something else is wrong, too"},
		"k8s bad request":   {apierrors.NewBadRequest("x"), Invalid, "BadRequest", "a pod template of the wrong type"},
		"k8s webhook": {&apierrors.StatusError{
			ErrStatus: metav1.Status{Code: 400, Message: `webhook "x" denied the request`},
		},
			Invalid, "BadRequest", "the API server gives a denial without a code no reason"},
		"k8s too large": {apierrors.NewRequestEntityTooLargeError("x"), Invalid, "ObjectTooLarge", "a body above 3 MiB"},
		"etcd too large": {&apierrors.StatusError{
			ErrStatus: metav1.Status{Code: 500, Message: "etcdserver: request is too large"},
		},
			Invalid, "ObjectTooLarge", "sending it again changes nothing"},
		"etcd's client": {&apierrors.StatusError{ErrStatus: metav1.Status{Code: 500,
			Message: "rpc error: code = ResourceExhausted desc = trying to send message larger than max (2097175 vs. " +
				"2097152)"}},
			Invalid, "ObjectTooLarge", "the same, from 2 MiB on"},
		"etcd otherwise": {&apierrors.StatusError{
			ErrStatus: metav1.Status{Code: 500, Message: "etcdserver: request timed out"},
		},
			Transient, "InternalError", "it may go through a moment later"},
		"k8s throttled": {apierrors.NewTooManyRequests("x", 1), Transient, "TooManyRequests", "priority and fairness"},
		"k8s timeout":   {apierrors.NewTimeoutError("x", 1), Transient, "Timeout", "the server gave up"},
		"k8s server timeout": {
			apierrors.NewServerTimeout(deployments, "get", 1), Transient, "ServerTimeout", "the server gave up",
		},
		"k8s internal":    {apierrors.NewInternalError(errors.New("x")), Transient, "InternalError", "etcd or a webhook"},
		"k8s unavailable": {apierrors.NewServiceUnavailable("x"), Transient, "ServiceUnavailable", "it starts"},
		"k8s expired":     {apierrors.NewResourceExpired("x"), Transient, "Expired", "the list must start again"},
		"k8s wrapped": {
			fmt.Errorf("y: %w", apierrors.NewForbidden(deployments, "a", errors.New("x"))), Denied, "Forbidden",
			"found below a wrapper",
		},
		"deadline": {context.DeadlineExceeded, Transient, ReasonTimeout, "the pass budget ran out"},
		"canceled": {context.Canceled, Transient, ReasonCanceled, "the sender went away"},
		"refused": {
			&url.Error{Op: "Get", URL: "http://a", Err: refused}, Transient, ReasonUnreachable, "nobody listens",
		},
		"reset": {os.NewSyscallError("read", syscall.ECONNRESET), Transient, ReasonUnreachable, "the peer died"},
		"dns": {
			&net.DNSError{Err: "no such host", Name: "a"}, Transient, ReasonUnreachable, "the Service is not there yet",
		},
		"dns timeout": {
			&net.DNSError{Err: "x", Name: "a", IsTimeout: true}, Transient, ReasonTimeout, "the resolver is slow",
		},
		"untrusted": {
			&url.Error{Op: "Get", URL: "https://a", Err: untrusted}, Denied, ReasonUntrusted,
			"a wrong CA does not fix itself",
		},
		"untrusted in op": {
			&net.OpError{Op: "dial", Err: untrusted}, Denied, ReasonUntrusted, "a wrong CA below a dial error",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if got := KindOf(row.err); got != row.kind {
				t.Errorf("KindOf = %q, want %q: %s", got, row.kind, row.why)
			}
			if got := ReasonOf(row.err); got != row.reason {
				t.Errorf("ReasonOf = %q, want %q: %s", got, row.reason, row.why)
			}
			if !Is(row.err, row.kind) {
				t.Errorf("Is(%q) = false: %s", row.kind, row.why)
			}
		})
	}
}

func TestTable(t *testing.T) {
	rows := map[Kind]struct {
		want Result
		why  string
	}{
		None:      {Result{http.StatusOK, LevelDebug}, "a good pass"},
		Invalid:   {Result{http.StatusOK, LevelInfo}, "sending it again changes nothing"},
		Denied:    {Result{http.StatusOK, LevelError}, "a person must act"},
		Waiting:   {Result{http.StatusOK, LevelDebug}, "the clock brings us back"},
		Conflict:  {Result{http.StatusOK, LevelDebug}, "the winner's write has its own event"},
		Transient: {Result{http.StatusServiceUnavailable, LevelInfo}, "try again"},
		Bug:       {Result{http.StatusInternalServerError, LevelError}, "loud"},
		Unknown:   {Result{http.StatusInternalServerError, LevelError}, "unclassified is a bug"},
		"Purple":  {Result{http.StatusInternalServerError, LevelError}, "foreign text is a bug"},
	}
	for kind, row := range rows {
		t.Run(string(kind), func(t *testing.T) {
			got := Of(kind)
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("%s\n%s", row.why, diff)
			}
		})
	}
	for _, kind := range Kinds() {
		if _, ok := rows[kind]; !ok {
			t.Errorf("kind %q has no row here", kind)
		}
	}
}

func TestNilStaysNil(t *testing.T) {
	for name, err := range map[string]error{
		"Wrap": Wrap("op", nil), "As": As(Bug, "op", "R", nil), "Recovered": Recovered("op", nil),
	} {
		if err != nil {
			t.Errorf("%s of nil = %v, want nil: a typed nil would read as a failure", name, err)
		}
	}
	if got := Message(nil); got != "" {
		t.Errorf("Message(nil) = %q, want empty", got)
	}
	if got := ResultOf(nil).HTTP; got != 200 {
		t.Errorf("ResultOf(nil).HTTP = %d, want 200", got)
	}
}

func TestMessage(t *testing.T) {
	rows := map[string]struct {
		err       error
		want, why string
	}{
		"operation first": {
			Transientf("get Deployment ns/a", "R", "no answer"), "get Deployment ns/a: no answer",
			"what, for which object, then why",
		},
		"no operation": {Transientf("", "R", "no answer"), "no answer", "no stray colon"},
		"no cause":     {&Error{Op: "get x"}, "get x", "no stray colon"},
		"one line":     {Transientf("op", "R", "a\n\tb\r\nc\x00d"), "op: a b c d", "conditions and logs are lines"},
		"bad utf-8":    {errors.New("a\xffb"), "a?b", "the API server refuses invalid UTF-8"},
		"foreign":      {errors.New("x  y"), "x y", "Message bounds any error"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if got := Message(row.err); got != row.want {
				t.Errorf("got %q, want %q: %s", got, row.want, row.why)
			}
		})
	}
	if got := OpOf(fmt.Errorf("x: %w", Bugf("the op", "R", "y"))); got != "the op" {
		t.Errorf("OpOf = %q", got)
	}
	if got := OpOf(errors.New("x")); got != "" {
		t.Errorf("OpOf of a foreign error = %q, want empty", got)
	}
}

func TestMessageIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		err := Bugf(rapid.String().Draw(t, "op"), "R", "%s", strings.Repeat(text, rapid.IntRange(0, 400).Draw(t, "times")))
		got := Message(err)
		if len(got) > MaxMessage || !utf8.ValidString(got) || strings.ContainsAny(got, "\r\n\t\x00") {
			t.Fatalf("message of %d bytes is not a bounded line: %q", len(got), got)
		}
		if again := Message(errors.New(got)); again != got {
			t.Fatalf("folding twice differs: %q, %q", got, again)
		}
	})
}

func TestDeadlineOfARealContext(t *testing.T) {
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	if got := KindOf(fmt.Errorf("get: %w", ctx.Err())); got != Transient {
		t.Errorf("KindOf(expired context) = %q, want Transient", got)
	}
}

func TestDiscreetHidesTextAndKeepsTheRest(t *testing.T) {
	cause := errors.New("quota of hunter2 exceeded")
	err := Discreet(Deniedf("create Deployment", "Quota", "%w", cause), func(text string) string {
		return strings.ReplaceAll(text, "hunter2", "******")
	})
	if got := Message(err); got != "create Deployment: quota of ****** exceeded" {
		t.Errorf("message %q", got)
	}
	if KindOf(err) != Denied || ReasonOf(err) != "Quota" || OpOf(err) != "create Deployment" || !errors.Is(err, cause) {
		t.Errorf("kind %s, reason %s, operation %q", KindOf(err), ReasonOf(err), OpOf(err))
	}
	if Discreet(nil, nil) != nil {
		t.Error("no error becomes one")
	}
}
