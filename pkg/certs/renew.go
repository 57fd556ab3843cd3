package certs

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// maxTries bounds how often one renewal starts over because somebody else wrote first. Each such writer is another
// renewal, and the first of them to store a pair ends the work of all, so two tries are usual.
const maxTries = 5

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
	stored, err := r.readSecret(ctx)
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
		if err := r.storeSecret(ctx, stored, pair, paths); err != nil {
			return Result{}, err
		}
	}
	pointed, err := r.point(ctx, configurations, paths.now)
	if result.Written += pointed; err != nil {
		return result, err
	}
	return result, r.renewEventKey(ctx)
}
