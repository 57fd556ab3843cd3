package controlplane

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/kn-flink/kn-flink/local/testsuite"
)

// observe writes samples of the autoscaler into its ConfigMaps, and nothing else into any ConfigMap.
func TestObserveWritesSamplesAlone(t *testing.T) {
	t.Parallel()
	rights, err := os.ReadFile("../../config/knative/020-rbac-observe.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for document := range strings.SplitSeq(string(rights), "\n---\n") {
		if strings.Contains(document, "kind: ClusterRole") { // and its binding: they need no namespace
			kubectl(t, document, "apply", "--server-side", "-f", "-")
		}
	}
	kubectl(t, "", "apply", "--server-side", "-f", "../../config/knative/095-samples-policy.yaml")
	in := namespace(t)
	as := rest.CopyConfig(plane.Config())
	as.Impersonate.UserName = "system:serviceaccount:flink-system:observe"
	observe := kubernetes.NewForConfigOrDie(as).CoreV1().ConfigMaps(in)
	anybody := kubernetes.NewForConfigOrDie(plane.Config()).CoreV1().ConfigMaps(in)
	made := func(name string, change func(*corev1.ConfigMap)) *corev1.ConfigMap {
		c := &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"component": "autoscaler", "app": "job"}},
			BinaryData: map[string][]byte{"kn-flink.samples": {1, 2}},
		}
		if change != nil {
			change(c)
		}
		return c
	}
	create := func(c *corev1.ConfigMap) error {
		_, err := observe.Create(t.Context(), c, metav1.CreateOptions{})
		return err
	}
	refused := func(err error) bool {
		return err != nil && strings.Contains(err.Error(), "kn-flink-samples") && apierrors.IsInvalid(err)
	}
	testsuite.Eventually(t, time.Minute, "the policy is in force", func(context.Context) (bool, error) {
		err := create(made("autoscaler-probe", func(c *corev1.ConfigMap) { c.Data = map[string]string{"a": "b"} }))
		if err == nil {
			err = anybody.Delete(t.Context(), "autoscaler-probe", metav1.DeleteOptions{})
		}
		return refused(err), nil
	})
	if err := create(made("autoscaler-job", nil)); err != nil {
		t.Fatalf("samples of a job that has none: %v", err)
	}
	_, err = anybody.Patch(
		t.Context(), "autoscaler-job", types.MergePatchType,
		[]byte(`{"data":{"parallelismOverrides":"a:2"},"binaryData":{"other":"AQI="}}`), metav1.PatchOptions{},
	)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]*corev1.ConfigMap{
		"a ConfigMap of another name": made("settings", nil),
		"one without the label":       made("autoscaler-x", func(c *corev1.ConfigMap) { c.Labels = nil }),
		"one with a decision": made("autoscaler-y", func(c *corev1.ConfigMap) {
			c.Data = map[string]string{"parallelismOverrides": "a:3"}
		}),
		"one with another key": made("autoscaler-z", func(c *corev1.ConfigMap) { c.BinaryData["b"] = []byte{1} }),
	} {
		if err := create(c); !refused(err) {
			t.Errorf("%s: %v, want a refusal", name, err)
		}
	}
	for name, row := range map[string]struct {
		patch   string
		refused bool
	}{
		"newer samples":      {`{"binaryData":{"kn-flink.samples":"AwQ="}}`, false},
		"no samples":         {`{"binaryData":{"kn-flink.samples":null}}`, false},
		"a decision":         {`{"data":{"parallelismOverrides":"a:9"}}`, true},
		"a decision gone":    {`{"data":null}`, true},
		"another key":        {`{"binaryData":{"other":"AwQ="}}`, true},
		"another key gone":   {`{"binaryData":{"other":null}}`, true},
		"another label":      {`{"metadata":{"labels":{"app":"other"}}}`, true},
		"another owner":      {`{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"A","name":"b","uid":"c"}]}}`, true},
		"both, the new ones": {`{"binaryData":{"kn-flink.samples":"AwQ="},"data":{"a":"b"}}`, true},
	} {
		_, err := observe.Patch(t.Context(), "autoscaler-job", types.MergePatchType, []byte(row.patch), metav1.PatchOptions{})
		if refused(err) != row.refused || (err != nil) != row.refused {
			t.Errorf("%s: %v, want a refusal: %t", name, err, row.refused)
		}
	}
	if _, err := anybody.Patch(
		t.Context(), "autoscaler-job", types.MergePatchType, []byte(`{"data":{"x":"y"}}`), metav1.PatchOptions{},
	); err != nil {
		t.Errorf("others are not held to it: %v", err)
	}
}
