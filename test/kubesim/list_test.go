package kubesim

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func names(list *unstructured.UnstructuredList) []string {
	found := []string{}
	for _, item := range list.Items {
		found = append(found, item.GetNamespace()+"/"+item.GetName())
	}
	return found
}

func TestSelectors(t *testing.T) {
	s, c := start(t)
	for i, pace := range []string{"fast", "slow", "fast"} {
		u := flinkDeployment(fmt.Sprintf("f%d", i))
		u.SetLabels(map[string]string{"team": pace[:1]})
		create(t, c, u)
		if _, err := s.UpdateStatus(
			FlinkDeployments, "flink", u.GetName(), map[string]any{"pace": pace, "lifecycleState": "STABLE"},
		); err != nil {
			t.Fatal(err)
		}
	}
	far := flinkDeployment("f9")
	far.SetNamespace("default")
	create(t, c, far)
	event := object("v1", "Event", "flink", "e1")
	event.Object["involvedObject"] = map[string]any{"kind": "Pod", "name": "p", "uid": "u1"}
	event.Object["reason"] = "FailedMount"
	create(t, c, event)

	rows := map[string]struct {
		resource  string
		namespace string
		options   metav1.ListOptions
		want      []string
		why       string
	}{
		"all namespaces": {
			"f", "", metav1.ListOptions{}, []string{"default/f9", "flink/f0", "flink/f1", "flink/f2"},
			"ordered by namespace and name",
		},
		"one namespace": {"f", "flink", metav1.ListOptions{}, []string{"flink/f0", "flink/f1", "flink/f2"}, "no other"},
		"by label": {
			"f", "", metav1.ListOptions{LabelSelector: "team=f"}, []string{"flink/f0", "flink/f2"}, "equality",
		},
		"by label set": {
			"f", "", metav1.ListOptions{LabelSelector: "team notin (f),team"}, []string{"flink/f1"}, "sets and existence",
		},
		"by name": {
			"f", "flink", metav1.ListOptions{FieldSelector: "metadata.name=f1"}, []string{"flink/f1"},
			"every kind knows its name",
		},
		"by pace": {
			"f", "", metav1.ListOptions{FieldSelector: "status.pace=fast"}, []string{"flink/f0", "flink/f2"},
			"a selectable field of the CRD",
		},
		"by state": {
			"f", "", metav1.ListOptions{FieldSelector: "status.lifecycleState!=STABLE"}, []string{"default/f9"},
			"absent is empty",
		},
		"by involved": {
			"e", "flink", metav1.ListOptions{FieldSelector: "involvedObject.uid=u1,reason=FailedMount"}, []string{"flink/e1"},
			"the Events of an object",
		},
		"nothing": {
			"e", "", metav1.ListOptions{FieldSelector: "involvedObject.uid=u2"}, []string{}, "an empty list, not an error",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			gvr := FlinkDeployments
			if row.resource == "e" {
				gvr = Events
			}
			list, err := c.Resource(gvr).Namespace(row.namespace).List(t.Context(), row.options)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, names(list)); diff != "" {
				t.Errorf("%s\n%s", row.why, diff)
			}
			if list.GetResourceVersion() == "" || !strings.HasSuffix(list.GetKind(), "List") {
				t.Errorf("kind %q, version %q: a list has both", list.GetKind(), list.GetResourceVersion())
			}
		})
	}
	for _, selector := range []string{"spec.flinkVersion=v1_20", "nonsense"} {
		if _, err := c.Resource(FlinkDeployments).List(
			t.Context(), metav1.ListOptions{FieldSelector: selector},
		); !apierrors.IsBadRequest(err) {
			t.Errorf("field selector %q: %v, want 400", selector, err)
		}
	}
}

func TestPaging(t *testing.T) {
	s, c := start(t)
	for i := range 5 {
		create(t, c, configMap(fmt.Sprintf("c%d", i)))
	}
	client := c.Resource(ConfigMaps)
	var pages [][]string
	options := metav1.ListOptions{Limit: 2}
	for {
		list, err := client.List(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		if pages = append(pages, names(list)); list.GetContinue() == "" {
			break
		}
		if len(pages) == 1 && *list.GetRemainingItemCount() != 3 {
			t.Errorf("remaining = %d, want 3", *list.GetRemainingItemCount())
		}
		if err := s.Delete(ConfigMaps, "flink", list.Items[1].GetName(), DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		options.Continue = list.GetContinue()
	}
	want := [][]string{{"flink/c0", "flink/c1"}, {"flink/c2", "flink/c3"}, {"flink/c4"}}
	if diff := cmp.Diff(want, pages); diff != "" {
		t.Errorf("a deleted last item must not lose or repeat another\n%s", diff)
	}
	s.ExpireLists()
	if _, err := client.List(t.Context(), options); !apierrors.IsResourceExpired(err) {
		t.Errorf("an old token: %v, want 410", err)
	}
	if _, err := client.List(t.Context(), metav1.ListOptions{Continue: "%%"}); !apierrors.IsBadRequest(err) {
		t.Errorf("a broken token: %v, want 400", err)
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
