package certs

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/kube"
)

// The label by which a Kourier with ENABLE_SECRET_INFORMER_FILTERING_BY_CERT_UID finds the Secrets it may serve. Only
// the presence of the key counts.
const certificateLabel = "networking.internal.knative.dev/certificate-uid"

// authorityFile is the Secret key of the authority, as cert-manager names it, too.
const authorityFile = "ca.crt"

// storedSecret is the Secret as it was read.
type storedSecret struct {
	// secret is nil when there is none.
	secret *corev1.Secret
	// pair is what the Secret holds, good or not.
	pair Pair
	// tokens are the paths that it holds.
	tokens tokens
}

func (r Renewer) secretObject() kube.Object {
	return kube.Object{Resource: kube.Secrets, Namespace: r.Namespace, Name: r.Secret}
}

func (r Renewer) readSecret(ctx context.Context) (storedSecret, error) {
	u, found, err := r.API.Get(ctx, r.secretObject())
	if err != nil || !found {
		return storedSecret{}, err
	}
	secret := &corev1.Secret{}
	if err := kube.Typed(u, secret); err != nil {
		return storedSecret{}, err
	}
	data := secret.Data
	return storedSecret{
		secret, Pair{CA: data[authorityFile], Cert: data[corev1.TLSCertKey], Key: data[corev1.TLSPrivateKeyKey]},
		readTokens(data),
	}, nil
}

// usable returns why the Secret cannot stay as it is, or nil. Who made it does not matter: a good pair of somebody
// else's, such as cert-manager's, is used for as long as it is good.
func (s storedSecret) usable(names []string, now time.Time) error {
	switch {
	case s.secret == nil:
		return errors.New("no Secret")
	case s.secret.Type != corev1.SecretTypeTLS:
		return fmt.Errorf("the Secret has type %q", s.secret.Type)
	}
	return s.pair.Check(names, now)
}

// writable says whether the Secret can take our pair. Neither a Secret's type nor an immutable one can be changed.
func (s storedSecret) writable() bool {
	return s.secret.Type == corev1.SecretTypeTLS && (s.secret.Immutable == nil || !*s.secret.Immutable)
}

// storeSecret writes the pair and the paths over what was read, or where nothing was. What cannot be written over is
// deleted first.
func (r Renewer) storeSecret(ctx context.Context, old storedSecret, pair Pair, paths tokens) error {
	data := paths.data()
	data[authorityFile], data[corev1.TLSCertKey], data[corev1.TLSPrivateKeyKey] = pair.CA, pair.Cert, pair.Key
	labels := map[string]string{
		certificateLabel: r.Secret, "app.kubernetes.io/part-of": "kn-flink", "app.kubernetes.io/component": "admit",
	}
	if old.secret != nil && old.writable() {
		_, err := r.API.MergePatch(ctx, r.secretObject(), map[string]any{
			"metadata": map[string]any{"resourceVersion": old.secret.ResourceVersion, "labels": labels},
			"data":     data,
		})
		return err
	}
	if old.secret != nil {
		version := kube.AtVersion(old.secret.ResourceVersion)
		if err := r.API.Delete(ctx, r.secretObject(), old.secret.UID, version); err != nil {
			return err
		}
	}
	_, err := r.API.Create(ctx, r.secretObject(), &corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{Namespace: r.Namespace, Name: r.Secret, Labels: labels},
		Type:       corev1.SecretTypeTLS,
		Data:       data,
	})
	return err
}
