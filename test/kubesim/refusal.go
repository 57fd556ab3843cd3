package kubesim

import (
	"errors"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Write names a write of a client that is about to be stored.
type Write struct {
	// Verb is create, update or delete. An update is also a patch and an apply.
	Verb string
	// Resource is the group, version and plural.
	Resource schema.GroupVersionResource
	// Subresource is "status" or empty.
	Subresource string
	// Namespace is empty for cluster-scoped objects.
	Namespace string
	// Name is that of the object.
	Name string
	// Dry is true for a dry run: nothing is stored, whatever is answered.
	Dry bool
}

// judge asks the policy. Called with the lock.
func (s *Server) judge(w write, verb string) error {
	if s.Policy == nil || !w.client {
		return nil
	}
	named := Write{Verb: verb, Resource: w.resource.GVR, Namespace: w.namespace, Name: w.name, Dry: w.dry}
	if w.status {
		named.Subresource = "status"
	}
	return s.Policy(named)
}

// OverQuota is the refusal of a quota that is used up. A quota refuses creates only.
func OverQuota(w Write) error {
	counted := "count/" + w.Resource.GroupResource().String()
	return apierrors.NewForbidden(w.Resource.GroupResource(), w.Name,
		fmt.Errorf("exceeded quota: full, requested: %s=1, used: %s=0, limited: %s=0", counted, counted, counted))
}

// DeniedByWebhook is the refusal of an admission webhook that tells people why and gives no code: the API server makes
// it a 400 without a reason for machines.
func DeniedByWebhook() error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusBadRequest,
		Message: `admission webhook "policy.example.com" denied the request: not on Fridays`,
	}}
}

// ForbiddenByWebhook is the refusal of an admission webhook that says 403 itself, as most do.
func ForbiddenByWebhook() error {
	err := &apierrors.StatusError{}
	errors.As(DeniedByWebhook(), &err)
	err.ErrStatus.Code, err.ErrStatus.Reason = http.StatusForbidden, metav1.StatusReasonForbidden
	return err
}

// WebhookAway is the answer when an admission webhook that counts cannot be asked.
func WebhookAway() error {
	return apierrors.NewInternalError(errors.New(`failed calling webhook "policy.example.com": failed to call webhook: ` +
		`Post "https://127.0.0.1:1/?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused`))
}

// tooManyRequests is what client-go makes of the plain text with which priority and fairness turns requests away.
func tooManyRequests() error {
	return apierrors.NewGenericServerResponse(http.StatusTooManyRequests, "", schema.GroupResource{}, "",
		"Too many requests, please try again later.", 1, true)
}

// timedOut is the answer when a request takes too long. It may take effect all the same.
func timedOut() error {
	return apierrors.NewTimeoutError("request did not complete within requested timeout - context deadline exceeded", 0)
}

const (
	largestObject  = 3 << 19 // etcd's --max-request-bytes, 1.5 MiB
	largestRequest = 3 << 20
)

func requestTooLarge() error {
	return apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", largestRequest))
}

// fits refuses an object that a client makes larger than etcd takes. That is an error of the server, without a reason
// for machines. An object that is marked to go and loses its last finalizer is removed, not written.
func (s *Server) fits(w write, u *unstructured.Unstructured) error {
	limit := s.ObjectLimit
	if limit == 0 {
		limit = largestObject
	}
	removed := u.GetDeletionTimestamp() != nil && len(u.GetFinalizers()) == 0
	if !w.client || removed || Size(u) <= limit {
		return nil
	}
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: "etcdserver: request is too large",
	}}
}

// Size is about how many bytes an object has as JSON; what is escaped counts once.
func Size(u *unstructured.Unstructured) int { return size(u.Object) }

func size(value any) int {
	const about = 8 // a number, a truth, or what surrounds a value
	total := about
	switch v := value.(type) {
	case string:
		total += len(v)
	case map[string]any:
		for name, inner := range v {
			total += len(name) + size(inner)
		}
	case []any:
		for _, inner := range v {
			total += size(inner)
		}
	}
	return total
}
