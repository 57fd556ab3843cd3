package kubesim

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestAnOldListExpires(t *testing.T) {
	s, c := start(t)
	create(t, c, configMap("a"))
	create(t, c, configMap("b"))
	list, err := c.Resource(ConfigMaps).List(t.Context(), metav1.ListOptions{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	s.ExpireLists()
	if _, err := c.Resource(ConfigMaps).List(
		t.Context(), metav1.ListOptions{Limit: 1, Continue: list.GetContinue()},
	); !apierrors.IsResourceExpired(err) {
		t.Errorf("%v, want 410", err)
	}
}

func TestOverASocket(t *testing.T) {
	s, c := start(t)
	create(t, c, configMap("a"))
	response, err := http.Get(s.URL() + "/api/v1/namespaces/flink/configmaps/a")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != 200 || !strings.Contains(string(text), `"k":"v"`) {
		t.Errorf("got %d %s %v, want the ConfigMap", response.StatusCode, text, err)
	}
}

func TestFeed(t *testing.T) {
	s, c := start(t)
	create(t, c, flinkDeployment("a"))
	create(t, c, configMap("a"))
	create(t, c, deployment("a", "x"))
	if _, err := s.Update(Deployments, "flink", "a", func(u *unstructured.Unstructured) {
		u.SetLabels(nil)
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.UpdateStatus(FlinkDeployments, "flink", "a", map[string]any{"x": "y"}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range s.Feed.Take() {
		got = append(got, e.CloudEventType()+" "+e.Subject())
	}
	want := []string{
		"dev.knative.apiserver.ref.add /apis/flink.apache.org/v1beta1/namespaces/flink/flinkdeployments/a",
		"dev.knative.apiserver.ref.add /apis/apps/v1/namespaces/flink/deployments/a",
		"dev.knative.apiserver.ref.delete /apis/apps/v1/namespaces/flink/deployments/a",
		"dev.knative.apiserver.ref.update /apis/flink.apache.org/v1beta1/namespaces/flink/flinkdeployments/a",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("only watched objects; losing the label reads as a delete\n%s", diff)
	}
}
