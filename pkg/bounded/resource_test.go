package bounded_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kn-flink/kn-flink/pkg/bounded"
)

// many is a list of so many small objects.
func many(n int) string { return `[` + strings.Repeat(`{},`, n) + `{}]` }

func TestAResourceKeepsAllButWhatIsTooLarge(t *testing.T) {
	for name, row := range map[string]struct {
		text, want string
		// why are the marks of spec and status.
		spec, status string
	}{
		"a usual one": {
			`{"kind":"K","metadata":{"name":"n","labels":{"a":"b"}},"spec":{"a":[1,"x"]},"status":{"c":{}}}`,
			`{"kind":"K","metadata":{"name":"n","labels":{"a":"b"}},"spec":{"a":[1,"x"]},"status":{"c":{}}}`, "", "",
		},
		"who wrote what": {
			`{"metadata":{"managedFields":[{"manager":"m","time":"t","fieldsV1":{"f:spec":{}}},{"manager":"o"}]}}`,
			`{"metadata":{"managedFields":[{"manager":"m","time":"t","fieldsV1":{}},{"manager":"o"}]}}`, "", "",
		},
		"no fields": {
			`{"metadata":{"managedFields":null,"name":"n"}}`, `{"metadata":{"managedFields":[],"name":"n"}}`, "", "",
		},
		"a wide spec": {
			`{"metadata":{"name":"n"},"spec":{"podTemplate":` + many(30_000) + `},"status":{"a":1}}`,
			`{"metadata":{"name":"n"},"status":{"a":1}}`, "spec is too large: more than 20000 values", "",
		},
		"a wide status": {
			`{"metadata":{"name":"n"},"spec":{"a":1},"status":{"x":` + many(30_000) + `}}`,
			`{"metadata":{"name":"n"},"spec":{"a":1}}`, "", "status is too large: more than 10000 values",
		},
		"wide metadata": {
			`{"metadata":{"name":"n","ownerReferences":` + many(50_000) + `},"spec":{"a":1}}`,
			`{"metadata":{"name":"n","ownerReferences":null}}`,
			"metadata.ownerReferences is too large: more than 30000 values", "",
		},
		"a deep spec": {
			`{"spec":` + strings.Repeat(`[`, 300) + strings.Repeat(`]`, 300) + `,"metadata":{"name":"n"}}`,
			`{"metadata":{"name":"n"}}`, "spec is too large: more than 200 levels of nesting", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			text, size, err := bounded.NewStream(strings.NewReader(row.text)).Resource(nil)
			if err != nil {
				t.Fatal(err)
			}
			var got, want map[string]any
			if err := json.Unmarshal(text, &got); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if err := json.Unmarshal([]byte(row.want), &want); err != nil {
				t.Fatal(err)
			}
			spec, status := bounded.Marked(got["spec"]), bounded.Marked(got["status"])
			if spec != row.spec || status != row.status {
				t.Errorf("spec: %q, want %q; status: %q, want %q", spec, row.spec, status, row.status)
			}
			for part, why := range map[string]string{"spec": spec, "status": status} {
				if why != "" {
					delete(got, part)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if size.Bytes > len(row.text) {
				t.Errorf("%d bytes are left of %d", size.Bytes, len(row.text))
			}
		})
	}
}
