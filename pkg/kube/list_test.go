package kube

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestAListIsReadObjectByObject(t *testing.T) {
	rows := map[string]struct {
		body     string
		names    []string
		next     string
		problem  string
		lastKind string
	}{
		"as the API server writes it": {
			body: `{"kind":"FlinkDeploymentList","apiVersion":"flink.apache.org/v1beta1","metadata":{"continue":"next"},` +
				`"items":[{"kind":"FlinkDeployment","metadata":{"name":"a"},"spec":{"n":1}},{"kind":"FlinkDeployment",` +
				`"metadata":{"name":"b"},"spec":{"n":1}}]}`,
			names: []string{"a", "b"}, next: "next", lastKind: "FlinkDeployment",
		},
		"of a kind of Kubernetes": {
			body:  `{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"a"},"spec":{"n":1}}]}`,
			names: []string{"a"}, lastKind: "Pod",
		},
		"in another order": {body: `{"items":[{"metadata":{"name":"a"},"spec":{"n":1}}],"kind":"PodList"}`,
			names: []string{"a"}, lastKind: "Pod"},
		"empty":             {body: `{"kind":"PodList","items":[]}`},
		"cut in an object":  {body: `{"kind":"PodList","items":[{"metadata":{"name":"a"}`, problem: "unexpected EOF"},
		"cut after one":     {body: `{"kind":"PodList","items":[{"metadata":{"name":"a"},"spec":{"n":1}}`, problem: "EOF"},
		"cut after all":     {body: `{"kind":"PodList","items":[{"metadata":{"name":"a"},"spec":{"n":1}}]`, problem: "EOF"},
		"no list":           {body: `[]`, problem: "[ is there instead of {"},
		"no list of items":  {body: `{"items":{}}`, problem: "{ is there instead of ["},
		"an item no object": {body: `{"items":[1]}`, problem: "1 is there instead of {"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			client, _ := answering(t, http.StatusOK, "application/json", []byte(row.body))
			var names []string
			page, err := client.ListEach(t.Context(), Query{Resource: flinks}, func(content map[string]any) error {
				u := unstructured.Unstructured{Object: content}
				names = append(names, u.GetName())
				if n, _, err := unstructured.NestedInt64(content, "spec", "n"); n != 1 || err != nil {
					t.Errorf("%d, %v, want the number as an integer", n, err)
				}
				return nil
			})
			list, wholeErr := client.List(t.Context(), Query{Resource: flinks})
			if row.problem != "" {
				for _, err := range []error{err, wholeErr} {
					if err == nil || !strings.Contains(err.Error(), row.problem) {
						t.Errorf("%v, want an error with %q: half a list is none", err, row.problem)
					}
				}
				return
			}
			if err != nil || wholeErr != nil {
				t.Fatal(err, wholeErr)
			}
			if !slices.Equal(names, row.names) || page.Continue != row.next || list.GetContinue() != row.next ||
				len(list.Items) != len(row.names) {
				t.Errorf("%q, then %q; as a whole %+v", names, page.Continue, list)
			}
			if n := len(list.Items); n > 0 && list.Items[n-1].GetKind() != row.lastKind {
				t.Errorf("kind %q, want %q", list.Items[n-1].GetKind(), row.lastKind)
			}
		})
	}
}
