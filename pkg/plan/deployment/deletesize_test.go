package deployment

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// etcd takes objects of up to 1.5 MiB. What is as large as that can be deleted all the same: a deletion adds no copy of
// the spec.
func TestTheIntentOfADeletionIsSmall(t *testing.T) {
	rows := map[string]string{
		"at once":          "",
		"with a savepoint": `"kubernetes.operator.job.savepoint-on-deletion":"true",`,
	}
	for name, options := range rows {
		t.Run(name, func(t *testing.T) {
			w := stable(
				t,
				with(
					stateful, `"flinkConfiguration":{`,
					`"flinkConfiguration":{`+options+`"large":"`+strings.Repeat("x", 200_000)+`",`,
				),
			)
			before := w.size()
			w.delete()
			w.run()
			if i := w.status().Intent; i == nil || i.Purpose != v1beta1.PurposeDelete {
				t.Fatalf("intent %+v, rounds %q", i, w.log)
			}
			if grown := w.size() - before; grown > 20_000 {
				t.Errorf("the resource of %d bytes grew by %d", before, grown)
			}
		})
	}
}

func (w *world) size() int {
	w.t.Helper()
	text, err := json.Marshal(w.s.Resource)
	if err != nil {
		w.t.Fatal(err)
	}
	return len(text)
}
