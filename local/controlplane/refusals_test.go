package controlplane

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/kn-flink/kn-flink/test/kubesim/conformance"
)

// update writes the answers anew instead of comparing them.
var update = flag.Bool("update", false, "write the recorded answers of the API server")

// policies are the answers of quotas and webhooks that the model of the API server is held to, by test/kubesim.
const policies = "../../test/kubesim/testdata/refusals"

// records holds that the API server still answers as it is recorded. What differs from run to run is replaced first.
func records(t *testing.T, name string, err error, replace ...string) {
	t.Helper()
	answer, err := conformance.Answer(err, replace...)
	if err != nil {
		t.Fatal(err)
	}
	isRecorded(t, filepath.Join(policies, name+".json"), answer)
}

func isRecorded(t *testing.T, file, answer string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(answer), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if answer != string(want) {
		t.Errorf("the API server answers\n%s, recorded is\n%s", answer, want)
	}
}

func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// A quota that is used up refuses each create, and nothing else.
func TestAQuotaThatIsUsedUp(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	none := corev1.ResourceList{"count/configmaps": resource.MustParse("0")}
	quota := &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "full"}, Spec: corev1.ResourceQuotaSpec{Hard: none},
	}
	made, err := client.CoreV1().ResourceQuotas(ns).Create(t.Context(), quota, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	made.Status = corev1.ResourceQuotaStatus{Hard: none, Used: none}
	if _, err := client.CoreV1().ResourceQuotas(ns).UpdateStatus(t.Context(), made, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	var refusal error
	eventually(t, "the quota refuses", func(ctx context.Context) (bool, error) {
		_, refusal = client.CoreV1().ConfigMaps(ns).Create(ctx, configMap("mine"), metav1.CreateOptions{})
		if apierrors.IsForbidden(refusal) {
			return true, nil
		}
		_ = client.CoreV1().ConfigMaps(ns).Delete(ctx, "mine", metav1.DeleteOptions{}) // as before
		return false, nil
	})
	records(t, "quota", refusal, ns, "flink")
}

// webhook makes one that judges ConfigMaps of a namespace.
func webhook(t *testing.T, ns, url string, authority []byte) {
	t.Helper()
	fails, none := admissionregistrationv1.Fail, admissionregistrationv1.SideEffectClassNone
	configMaps := admissionregistrationv1.Rule{
		APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"},
	}
	configuration := &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: ns},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name:          "policy.example.com",
			ClientConfig:  admissionregistrationv1.WebhookClientConfig{URL: &url, CABundle: authority},
			FailurePolicy: &fails, SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": ns}},
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.OperationAll},
				Rule:       configMaps,
			}},
		}},
	}
	webhooks := client.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	if _, err := webhooks.Create(t.Context(), configuration, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = webhooks.Delete(t.Context(), ns, metav1.DeleteOptions{}) })
}

// refusedByWebhook is the first refusal once a webhook counts.
func refusedByWebhook(t *testing.T, ns string) (refusal error) {
	t.Helper()
	eventually(t, "the webhook refuses", func(ctx context.Context) (bool, error) {
		dry := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
		_, refusal = client.CoreV1().ConfigMaps(ns).Create(ctx, configMap("mine"), dry)
		return refusal != nil && strings.Contains(refusal.Error(), "webhook"), nil
	})
	return refusal
}

// A webhook of somebody else may refuse what a pass wants to write, or be away.
func TestAWebhookOfSomebodyElse(t *testing.T) {
	for name, result := range map[string]metav1.Status{
		"webhook-denies": {Message: "not on Fridays"},
		"webhook-denies-with-a-code": {
			Message: "not on Fridays", Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				review := admissionv1.AdmissionReview{}
				if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
					return // the check of the answer tells
				}
				review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Result: &result}
				_ = json.NewEncoder(w).Encode(review)
			}))
			t.Cleanup(server.Close)
			ns := namespace(t)
			authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
			webhook(t, ns, server.URL, authority)
			records(t, name, refusedByWebhook(t, ns), ns, "flink")
		})
	}
	t.Run("webhook-away", func(t *testing.T) {
		t.Parallel()
		ns := namespace(t)
		webhook(t, ns, "https://127.0.0.1:1", nil)
		records(t, "webhook-away", refusedByWebhook(t, ns), ns, "flink")
	})
}

// An object has a limit in etcd, and a request has one before it. From 2 MiB on the API server does not even ask etcd,
// and its answer names the length of its own request.
func TestWhatIsTooLarge(t *testing.T) {
	installKinds(t)
	ns := namespace(t)
	deployments := dynamic.NewForConfigOrDie(plane.Config()).
		Resource(schema.GroupVersionResource{
			Group: "flink.apache.org", Version: "v1beta1", Resource: "flinkdeployments",
		}).Namespace(ns)
	for name, size := range map[string]int{"object-too-large": 1700 << 10, "request-too-large": 4 << 20} {
		t.Run(name, func(t *testing.T) {
			_, err := deployments.Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkDeployment", "metadata": map[string]any{"name": "demo"},
				"spec": map[string]any{
					"flinkVersion": "v1_20", "serviceAccount": "flink", "image": "flink:1.20",
					"jobManager":         map[string]any{"resource": map[string]any{"memory": "1g"}},
					"taskManager":        map[string]any{"resource": map[string]any{"memory": "1g"}},
					"flinkConfiguration": map[string]any{"a": strings.Repeat("x", size)},
				},
			}}, metav1.CreateOptions{})
			records(t, name, err, ns, "flink")
		})
	}
}
