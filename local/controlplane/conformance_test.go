package controlplane

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"

	"github.com/kn-flink/kn-flink/local/mesh/crds"
	"github.com/kn-flink/kn-flink/local/testsuite"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/kubesim/conformance"
)

// The model of the API server passes the same tests, in test/kubesim/conformance. With -update the answers that it is
// held to are recorded anew.
func TestConformance(t *testing.T) {
	installKinds(t)
	objects := dynamic.NewForConfigOrDie(plane.Config())
	installPingSources(t, objects)
	t.Parallel() // from here on no other test looks at all resources
	conformance.Run(t, func(*testing.T) conformance.Cluster {
		node := &aNode{}
		return conformance.Cluster{
			Client: objects, Namespace: node.namespace,
			Recorded: func(t *testing.T, name, answer string) {
				t.Helper()
				isRecorded(t, filepath.Join("../../test/kubesim/conformance/testdata", name+".json"), answer)
			},
			Eventually: func(t *testing.T, what string, holds func() bool) {
				t.Helper()
				testsuite.Eventually(t, time.Minute, what, func(ctx context.Context) (bool, error) {
					return holds(), node.step(ctx)
				})
			},
		}
	})
}

func installPingSources(t *testing.T, objects dynamic.Interface) {
	t.Helper()
	installKnative(t, objects, func(plural string) bool { return plural == kubesim.PingSources.Resource })
	testsuite.Eventually(t, time.Minute, "PingSources are served", func(ctx context.Context) (bool, error) {
		_, err := objects.Resource(kubesim.PingSources).List(ctx, metav1.ListOptions{})
		return err == nil, nil
	})
}

// installKnative makes the definitions of some of Knative's kinds, where they are not there yet.
func installKnative(t *testing.T, objects dynamic.Interface, wanted func(plural string) bool) {
	t.Helper()
	for _, definition := range crds.All() {
		if !wanted(definition.Spec.Names.Plural) {
			continue
		}
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(definition)
		if err != nil {
			t.Fatal(err)
		}
		_, err = objects.Resource(served[definition.Kind]).Create(
			t.Context(), &unstructured.Unstructured{Object: content}, metav1.CreateOptions{},
		)
		if err != nil && !apierrors.IsAlreadyExists(err) {
			t.Fatal(err)
		}
	}
}

// aNode does what the kubelet of node-1 would do, as far as a test of controllers needs it.
type aNode struct{ namespaces []string }

func (n *aNode) namespace(t *testing.T) string {
	t.Helper()
	n.namespaces = append(n.namespaces, namespace(t))
	return n.namespaces[len(n.namespaces)-1]
}

func (n *aNode) step(ctx context.Context) error {
	for _, namespace := range n.namespaces {
		pods := client.CoreV1().Pods(namespace)
		list, err := pods.List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=node-1"})
		if err != nil {
			return err
		}
		for _, pod := range list.Items {
			err := error(nil)
			switch ended := pod.Status.Phase == corev1.PodFailed; {
			case pod.DeletionTimestamp != nil && !ended:
				pod.Status.Phase = corev1.PodFailed
				_, err = pods.UpdateStatus(ctx, &pod, metav1.UpdateOptions{})
			case pod.DeletionTimestamp != nil && *pod.DeletionGracePeriodSeconds > 0:
				options := metav1.NewPreconditionDeleteOptions(string(pod.UID))
				options.GracePeriodSeconds = new(int64)
				err = pods.Delete(ctx, pod.Name, *options)
			case pod.Status.Phase == corev1.PodPending:
				ready := corev1.ConditionTrue
				if strings.HasPrefix(pod.Spec.Containers[0].Image, conformance.NeverReady) {
					ready = corev1.ConditionFalse
				}
				pod.Status.Phase = corev1.PodRunning
				pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: corev1.PodReady, Status: ready})
				_, err = pods.UpdateStatus(ctx, &pod, metav1.UpdateOptions{})
			}
			if err != nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) { // the next look tells
				return err
			}
		}
	}
	return nil
}
