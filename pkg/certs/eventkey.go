package certs

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/kube"
)

// renewEventKey makes the key of the events where there is none, and another one each tokenLife. The functions mount
// the Secret, and both keys are good until the one before is retired (package event).
func (r Renewer) renewEventKey(ctx context.Context) error {
	if r.EventKey == "" {
		return nil
	}
	object := kube.Object{Resource: kube.Secrets, Namespace: r.Namespace, Name: r.EventKey}
	u, found, err := r.API.Get(ctx, object)
	if err != nil {
		return err
	}
	var secret corev1.Secret
	if found {
		if err := kube.Typed(u, &secret); err != nil {
			return err
		}
	}
	old := readTokens(secret.Data)
	fresh, err := old.next(false, true, r.Now())
	if err != nil || fresh == old {
		return err
	}
	if !found {
		data := fresh.data()
		delete(data, tokenBeforeKey)
		_, err := r.API.Create(ctx, object, &corev1.Secret{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
			ObjectMeta: metav1.ObjectMeta{
				Namespace: r.Namespace, Name: r.EventKey, Labels: map[string]string{"app.kubernetes.io/part-of": "kn-flink"},
			},
			Data: data,
		})
		return err
	}
	_, err = r.API.MergePatch(ctx, object, map[string]any{
		"metadata": map[string]any{"resourceVersion": secret.ResourceVersion}, "data": fresh.data(),
	})
	return err
}
