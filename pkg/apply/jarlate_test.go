package apply

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/fail"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/plan"
)

// openStart answers for a resource with an open start. It writes nothing.
type openStart struct {
	Writer
	operation string
}

// Get is the resource.
func (o openStart) Get(context.Context, kube.Object) (*unstructured.Unstructured, bool, error) {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	return u, true, unstructured.SetNestedField(u.Object, o.operation, "status", "intent", "operationID")
}

// The pass that uploaded it has not seen that its start is over, and ends: it would upload it again.
func TestAJarThatComesTooLateIsDeleted(t *testing.T) {
	rows := map[string]struct {
		open string
		want []string
		err  fail.Kind
	}{
		"its start is open": {"op", nil, ""},
		"its start is over": {"another", []string{"DELETE /v1/jars/1_op.jar"}, fail.Conflict},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			var file, content string
			jm := newJobManager(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					takeJar(t, &file, &content)(w, r)
					return
				}
				_, _ = w.Write([]byte("{}"))
			})
			c := jarCarrier(nil)
			c.Kube = openStart{operation: row.open}
			err := c.act(t.Context(), plan.UploadJar{Endpoint: plan.Endpoint{URL: jm.URL}, Name: "op.jar"})
			deleted := slices.DeleteFunc(jm.requests(), func(r string) bool { return !strings.HasPrefix(r, "DELETE") })
			if !slices.Equal(deleted, row.want) || err == nil != (row.err == "") || err != nil && fail.KindOf(err) != row.err {
				t.Errorf("%v: %q, want %q and %q", err, deleted, row.want, row.err)
			}
		})
	}
}
