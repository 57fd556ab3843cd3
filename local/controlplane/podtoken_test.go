package controlplane

import (
	"context"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/kn-flink/kn-flink/local/testsuite"
)

// A JobManager whose pod was deleted by force may still run, on a node whose kubelet is dead. It cannot lead again: the
// API server refuses the token of its pod, so it writes no high-availability data. The model of Flink relies on that.
func TestTheTokenOfADeletedPodIsRefused(t *testing.T) {
	t.Parallel()
	in := namespace(t)
	pod, err := client.CoreV1().Pods(in).Create(t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "jobmanager"},
		Spec: corev1.PodSpec{
			NodeName: "a-node-that-is-silent", Containers: []corev1.Container{{Name: "main", Image: "flink"}},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	token, err := client.CoreV1().ServiceAccounts(in).CreateToken(t.Context(), "default", &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{BoundObjectRef: &authenticationv1.BoundObjectReference{
			Kind: "Pod", APIVersion: "v1", Name: pod.Name, UID: pod.UID,
		}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	as := rest.AnonymousClientConfig(plane.Config())
	as.BearerToken = token.Status.Token
	process := kubernetes.NewForConfigOrDie(as)
	who := func(ctx context.Context) error {
		_, err := process.AuthenticationV1().SelfSubjectReviews().Create(
			ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{},
		)
		return err
	}
	if err := who(t.Context()); err != nil {
		t.Fatalf("the token of a pod that is there: %v", err)
	}
	now := int64(0)
	if err := client.CoreV1().Pods(in).Delete(
		t.Context(), pod.Name, metav1.DeleteOptions{GracePeriodSeconds: &now},
	); err != nil {
		t.Fatal(err)
	}
	// The API server keeps the answer for a known token for 10 s.
	testsuite.Eventually(t, time.Minute, "the token is refused", func(ctx context.Context) (bool, error) {
		return apierrors.IsUnauthorized(who(ctx)), nil
	})
}
