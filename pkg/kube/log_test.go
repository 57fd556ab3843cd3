package kube

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
)

func TestLog(t *testing.T) {
	asked := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.String()
		if strings.Contains(asked, "/forbidden/") {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(
				`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"pods is forbidden","reason":"Forbidden",` +
					`"code":403}`,
			))
			return
		}
		_, _ = w.Write([]byte("one\ntwo\n"))
	}))
	defer server.Close()
	client, err := ForConfig(&rest.Config{Host: server.URL}, "test")
	if err != nil {
		t.Fatal(err)
	}
	got, err := client.Log(
		t.Context(), Log{Namespace: "flink", Pod: "demo-1", Container: "main", Previous: true, Lines: 200},
	)
	if err != nil || got != "one\ntwo\n" {
		t.Errorf("%q, %v", got, err)
	}
	if want := "/api/v1/namespaces/flink/pods/demo-1/log?container=main&limitBytes=262144&previous=true&tailLines=200&" +
		"timeout=10s"; asked != want {
		t.Errorf("asked for %s, want %s", asked, want)
	}
	_, err = client.Log(t.Context(), Log{Namespace: "flink", Pod: "forbidden", Container: "main"})
	if err == nil || !strings.Contains(err.Error(), "container main of pod flink/forbidden: pods is forbidden") {
		t.Errorf("%v", err)
	}
}
