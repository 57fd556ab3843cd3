package kube

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

var flinks = schema.GroupVersionResource{Group: "flink.apache.org", Version: "v1beta1", Resource: "flinkdeployments"}

// answering is a client of an API server that answers each request in one way, and what it was asked.
func answering(t *testing.T, code int, contentType string, body []byte) (*Client, *http.Request) {
	t.Helper()
	asked := &http.Request{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = *r
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(code)
		_, _ = w.Write(body)
	}))
	t.Cleanup(server.Close)
	client, err := ForConfig(&rest.Config{Host: server.URL}, "test")
	if err != nil {
		t.Fatal(err)
	}
	return client, asked
}

func TestATableIsAskedForAndRead(t *testing.T) {
	const table = `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"continue":"next"},` +
		`"columnDefinitions":[{"name":"Name"},{"name":"Pace"},{"name":"Situation"}],` +
		`"rows":[{"cells":["a","slow","Steady"]},{"cells":["b",null,null]}]}`
	client, asked := answering(t, http.StatusOK, "application/json", []byte(table))
	columns := Columns{"Pace": nil, "Situation": nil}
	query := Query{Resource: flinks, Namespace: "there", Limit: 2, Continue: "x"}
	page, rows, err := client.Table(t.Context(), query, columns, Columns{"Of a newer definition": nil})
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 2 || rows[0].Text("Situation") != "Steady" || rows[1].Text("Pace") != "" || page.Continue != "next" {
		t.Errorf("rows %v, page %v", rows, page)
	}
	if got := asked.URL.String(); got !=
		"/apis/flink.apache.org/v1beta1/namespaces/there/flinkdeployments?continue=x&includeObject=None&limit=2&timeout=10s" {
		t.Errorf("asked %s", got)
	}
	if !strings.Contains(asked.Header.Get("Accept"), "as=Table") {
		t.Errorf("Accept: %s", asked.Header.Get("Accept"))
	}
	columns["Canary"] = nil
	if _, _, err := client.Table(t.Context(), Query{Resource: flinks}, columns, nil); err == nil ||
		!strings.Contains(err.Error(), `no column "Canary"`) {
		t.Errorf("%v, want an error that says which column is missing: an old definition is not an empty fleet", err)
	}
}

func TestABinaryListIsRead(t *testing.T) {
	list := appsv1.DeploymentList{Items: []appsv1.Deployment{{ObjectMeta: metav1.ObjectMeta{Name: "one"}}}}
	list.Continue = "next"
	raw, err := list.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	envelope, err := (&runtime.Unknown{Raw: raw, ContentType: runtime.ContentTypeProtobuf}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	for contentType, body := range map[string][]byte{
		runtime.ContentTypeProtobuf: append([]byte("k8s\x00"), envelope...), runtime.ContentTypeJSON: text,
	} {
		client, _ := answering(t, http.StatusOK, contentType, body)
		var got appsv1.DeploymentList
		if err := client.ListBinary(t.Context(), Query{Resource: Deployments}, &got); err != nil {
			t.Fatalf("%s: %v", contentType, err)
		}
		if len(got.Items) != 1 || got.Items[0].Name != "one" || got.Continue != "next" {
			t.Errorf("%s: %+v", contentType, got)
		}
	}
}

func TestARefusedListSaysWhy(t *testing.T) {
	status := `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"you may not","reason":"Forbidden","code":403}`
	client, _ := answering(t, http.StatusForbidden, "application/json", []byte(status))
	_, err := client.ListEach(t.Context(), Query{Resource: flinks}, func(map[string]any) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "you may not") {
		t.Errorf("%v, want what the API server says", err)
	}
}
