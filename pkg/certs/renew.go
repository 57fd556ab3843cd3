package certs

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kn-flink/kn-flink/pkg/kube"
)

// maxTries bounds how often one renewal starts over because somebody else wrote first. Each such writer is another
// renewal, and the first of them to store a pair ends the work of all, so two tries are usual.
const maxTries = 5

// API is what a renewal needs of the API server. kube.Client has it.
type API interface {
	// Get reads one object; found is false when there is none.
	Get(ctx context.Context, o kube.Object) (u *unstructured.Unstructured, found bool, err error)
	// Create makes an object; an existing one is an AlreadyExists error.
	Create(ctx context.Context, o kube.Object, object any) (*unstructured.Unstructured, error)
	// MergePatch applies a JSON merge patch; the resourceVersion in it is a precondition, and a Conflict error if it is
	// stale.
	MergePatch(ctx context.Context, o kube.Object, patch map[string]any) (*unstructured.Unstructured, error)
	// Delete removes the object with that UID; one that is gone is a success, another one a Conflict error.
	Delete(ctx context.Context, o kube.Object, uid types.UID, options ...func(*metav1.DeleteOptions)) error
}

// Renewer keeps one serving certificate good and trusted. Safe for concurrent use, in one process and in several.
type Renewer struct {
	// API reads and writes the three objects.
	API API
	// Namespace is that of the Secret: where the DomainMapping that serves the certificate lives.
	Namespace string
	// Secret is the Secret's name, DomainMapping spec.tls.secretName.
	Secret string
	// Webhooks is the name that the validating and the mutating webhook configuration share. One of them may be absent.
	Webhooks string
	// Beside is the name of others that call the same Service, and may be absent or empty. No name is none.
	Beside string
	// EventKey is the name of the Secret with the key by which the functions sign their events. No name is none.
	EventKey string
	// Calls maps the name of a webhook to the first part of the path that it calls, as "/validate".
	Calls map[string]string
	// Now is the clock.
	Now func() time.Time
}

// Result says what a renewal found and did.
type Result struct {
	// Renewed is why a new certificate was made; empty when the stored one is good.
	Renewed string
	// Written counts the writes of webhook configurations: of caBundles, and of paths.
	Written int
	// Moved is whether another path is called from now on.
	Moved bool
	// NotAfter is the end of the life of the certificate that is now stored.
	NotAfter time.Time
}

// Renew makes the stored certificate good, if it is not, and the webhook configurations trust it. It is idempotent:
// with nothing to do it only reads. A failure in the middle leaves a served and trusted certificate, or none at all as
// before. Errors are those of the API server, or say that no configuration names a Service.
func (r Renewer) Renew(ctx context.Context) (Result, error) {
	var result Result
	var err error
	for range maxTries {
		if result, err = r.once(ctx); !overtaken(err) {
			return result, err
		}
	}
	return result, fmt.Errorf(
		"renew the certificate in Secret %s/%s: overtaken %d times: %w", r.Namespace, r.Secret, maxTries, err,
	)
}

// overtaken says whether somebody else wrote between our read and our write.
func overtaken(err error) bool { return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) }

// once is one renewal over one reading of the world: trust, serve, and call the path last, when it is open.
func (r Renewer) once(ctx context.Context) (Result, error) {
	configurations, err := r.configurations(ctx)
	if err != nil {
		return Result{}, err
	}
	names, err := serverNames(configurations)
	if err != nil {
		return Result{}, fmt.Errorf("renew the certificate: webhook configurations %q: %w", r.Webhooks, err)
	}
	stored, err := r.read(ctx)
	if err != nil {
		return Result{}, err
	}
	var result Result
	pair, trusted := stored.pair, [][]byte{stored.pair.CA}
	if wrong := stored.usable(names, r.Now()); wrong != nil {
		if pair, err = Make(names, r.Now()); err != nil {
			return Result{}, err
		}
		result.Renewed, trusted = wrong.Error(), [][]byte{pair.CA, stored.pair.CA}
	}
	result.NotAfter = pair.NotAfter()
	paths, err := stored.tokens.next(result.Renewed != "", r.called(configurations, stored.tokens.now), r.Now())
	if err != nil {
		return Result{}, err
	}
	result.Moved = paths.now != stored.tokens.now
	if result.Written, err = r.trust(ctx, configurations, trusted); err != nil {
		return Result{}, err
	}
	if result.Renewed != "" || paths != stored.tokens {
		if err := r.store(ctx, stored, pair, paths); err != nil {
			return Result{}, err
		}
	}
	pointed, err := r.point(ctx, configurations, paths.now)
	if result.Written += pointed; err != nil {
		return result, err
	}
	return result, r.renewEventKey(ctx)
}
