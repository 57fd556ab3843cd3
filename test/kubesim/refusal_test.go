package kubesim

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/test/kubesim/wire"
)

// The API server of Kubernetes answered what testdata/refusals holds, and local/controlplane holds that it still does.
func TestRefusalsAreThoseOfTheAPIServer(t *testing.T) {
	long := func(bytes int) *unstructured.Unstructured {
		u := flinkDeployment("demo")
		u.Object["spec"].(map[string]any)["flinkConfiguration"] = map[string]any{"a": strings.Repeat("x", bytes)}
		return u
	}
	mine := configMap("mine")
	rows := map[string]struct {
		policy func(Write) error
		create *unstructured.Unstructured
	}{
		"quota":                      {OverQuota, mine},
		"webhook-denies":             {func(Write) error { return DeniedByWebhook() }, mine},
		"webhook-denies-with-a-code": {func(Write) error { return ForbiddenByWebhook() }, mine},
		"webhook-away":               {func(Write) error { return WebhookAway() }, mine},
		"object-too-large":           {nil, long(1700 << 10)},
		"request-too-large":          {nil, long(4 << 20)},
	}
	files, err := filepath.Glob("testdata/refusals/*.json")
	if err != nil || len(files) != len(rows) {
		t.Fatalf("%d answers are recorded for %d rows: %v", len(files), len(rows), err)
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			s, c := start(t)
			s.Policy = row.policy
			gvr := FlinkDeployments
			if row.create == mine {
				gvr = ConfigMaps
			}
			_, err := c.Resource(gvr).Namespace("flink").Create(t.Context(), row.create, metav1.CreateOptions{})
			var refusal apierrors.APIStatus
			if !errors.As(err, &refusal) {
				t.Fatalf("%v is no answer of an API server", err)
			}
			text, err := os.ReadFile("testdata/refusals/" + name + ".json")
			if err != nil {
				t.Fatal(err)
			}
			var want metav1.Status
			if err := json.Unmarshal(text, &want); err != nil {
				t.Fatal(err)
			}
			got := refusal.Status()
			got.TypeMeta = want.TypeMeta
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("another answer (-API server +model)\n%s", diff)
			}
		})
	}
}

func TestAPolicySeesEveryWriteOfAClient(t *testing.T) {
	s, c := start(t)
	var asked []Write
	s.Policy = func(w Write) error {
		asked = append(asked, w)
		return nil
	}
	create(t, c, flinkDeployment("a"))
	there := c.Resource(FlinkDeployments).Namespace("flink")
	u := s.Get(FlinkDeployments, "flink", "a")
	u.Object["status"] = map[string]any{"lifecycleState": "STABLE"}
	if _, err := there.UpdateStatus(t.Context(), u, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	labelled := flinkDeployment("a")
	labelled.SetLabels(map[string]string{"k": "v"})
	if _, err := there.Apply(
		t.Context(), "a", labelled, metav1.ApplyOptions{FieldManager: "us", Force: true},
	); err != nil {
		t.Fatal(err)
	}
	if err := there.Delete(t.Context(), "a", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := there.Delete(t.Context(), "a", metav1.DeleteOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("a delete of nothing: %v", err)
	}
	want := []Write{
		{Verb: "create", Resource: FlinkDeployments, Namespace: "flink", Name: "a"},
		{Verb: "update", Resource: FlinkDeployments, Subresource: "status", Namespace: "flink", Name: "a"},
		{Verb: "update", Resource: FlinkDeployments, Namespace: "flink", Name: "a"},
		{Verb: "delete", Resource: FlinkDeployments, Namespace: "flink", Name: "a"},
	}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("asked about (-want +got)\n%s", diff)
	}
}

// A request that takes too long may have taken effect, and one too many has none.
func TestATimeOutAfterTheEffect(t *testing.T) {
	for status, effects := range map[int]int{504: 1, 429: 0} {
		s, c := start(t)
		s.Tap.Inject(wire.Fault{Status: status, After: effects > 0})
		_, err := c.Resource(ConfigMaps).Namespace("flink").Create(t.Context(), configMap("a"), metav1.CreateOptions{})
		if !apierrors.IsTimeout(err) && !apierrors.IsTooManyRequests(err) {
			t.Errorf("%d: %v", status, err)
		}
		if got := len(s.Tap.Effects()); got != effects {
			t.Errorf("%d: %d effects, want %d", status, got, effects)
		}
	}
}
