package history

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

var owner = metav1.OwnerReference{APIVersion: v1beta1.APIVersion, Kind: "FlinkDeployment", Name: "orders", UID: "u1"}

func at(minute int) metav1.Time {
	return metav1.NewTime(time.Date(2026, 1, 1, 12, minute, 0, 0, time.UTC))
}

// stored is what the API server has of an object.
func stored(t *testing.T, object any) *unstructured.Unstructured {
	t.Helper()
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(text); err != nil {
		t.Fatal(err)
	}
	return u
}

func full() Revision {
	taken, stable := at(1), at(5)
	return Revision{
		Name: NameOf("orders", "0123456789abcdef"), Number: 7, Kind: "FlinkDeployment", Operation: "0123456789abcdef",
		Generation: 3, Started: at(2), ChangedBy: "kubectl-edit", Stable: &stable,
		From: v1beta1.StartPoint{Kind: v1beta1.StartSavepoint, Path: "s3://a", Taken: &taken, Reason: "RecordedPath"},
		Spec: map[string]any{"image": "flink:1.20", "job": map[string]any{"parallelism": int64(4)}},
		Ended: &v1beta1.RevisionEnd{
			At: at(9), By: "Rollback", Why: "it was not stable", Left: &v1beta1.StateLeft{
				Kind: v1beta1.StartSavepoint, Path: "s3://b", Taken: &taken,
			},
		},
	}
}

func TestARevisionIsReadAsItWasStored(t *testing.T) {
	bare := full()
	bare.ChangedBy, bare.Stable, bare.Ended, bare.From = "", nil, nil, v1beta1.StartPoint{Kind: v1beta1.StartEmpty}
	unknown := full()
	unknown.Ended.Left = nil
	for name, want := range map[string]Revision{"all of it": full(), "one that runs": bare, "no state": unknown} {
		t.Run(name, func(t *testing.T) {
			object, err := want.Object(owner, "flink")
			if err != nil {
				t.Fatal(err)
			}
			got, err := Read(stored(t, object))
			if err != nil {
				t.Fatal(err)
			}
			a, b := fmt.Sprintf("%+v %v", printed(got), got.Spec), fmt.Sprintf("%+v %v", printed(want), want.Spec)
			if a != b || !reflect.DeepEqual(got.Spec, want.Spec) {
				t.Errorf("it is read as\n%s\nwant\n%s", a, b)
			}
			if object.Name != "orders-0123456789" || object.Labels[LabelUID] != "u1" || object.Labels[LabelName] != "orders" {
				t.Errorf("it is stored as %s with labels %v", object.Name, object.Labels)
			}
		})
	}
}

// printed is a revision as text, with the times of one form.
func printed(r Revision) string {
	text, err := json.Marshal(r)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func TestASpecThatIsTooLargeIsToldAndNotStored(t *testing.T) {
	r := full()
	r.Spec["large"] = strings.Repeat("x", MostBytes)
	object, err := r.Object(owner, "flink")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Read(stored(t, object))
	if err != nil || got.Spec != nil || got.Omitted <= MostBytes || len(object.Data.Raw) > 1000 {
		t.Errorf("%v: the spec is %v of %d bytes, %d are stored", err, got.Spec, got.Omitted, len(object.Data.Raw))
	}
}

// What somebody else wrote does no harm.
func TestOddRevisions(t *testing.T) {
	r := full()
	object, err := r.Object(owner, "flink")
	if err != nil {
		t.Fatal(err)
	}
	object.Annotations[AnnotationEnded], object.Annotations[AnnotationStable] = "yesterday", ""
	got, err := Read(stored(t, object))
	if err != nil || got.Ended != nil || got.Stable != nil {
		t.Errorf("%v: it ended %v, and is stable since %v", err, got.Ended, got.Stable)
	}
	object.Data.Raw = []byte(`["x"]`)
	if _, err := Read(stored(t, object)); err == nil {
		t.Error("data of another form is read")
	}
}

func TestNamesAndLabelsFit(t *testing.T) {
	long := owner
	long.Name = strings.Repeat("a", 253)
	r := full()
	r.Name = NameOf(long.Name, r.Operation)
	object, err := r.Object(long, "flink")
	if err != nil || len(object.Name) != 253 || object.Labels[LabelName] != "" || object.Labels[LabelUID] == "" {
		t.Errorf("%v: name of %d characters, labels %v", err, len(object.Name), object.Labels)
	}
}

func TestWhichRevisionsGo(t *testing.T) {
	for name, row := range map[string]struct {
		n, limit int
		stable   []int64
		gone     string
	}{
		"few":                           {3, 5, nil, "[]"},
		"the oldest":                    {7, 5, []int64{7, 6}, "[2 1]"},
		"the newest stable one stays":   {7, 5, []int64{1, 2}, "[1]"},
		"one less":                      {4, 3, []int64{3}, "[1]"},
		"the newest and the one before": {4, 1, []int64{4}, "[2 1]"},
		"none is stable":                {4, 1, nil, "[2 1]"},
	} {
		t.Run(name, func(t *testing.T) {
			var all []Revision
			for number := int64(1); number <= int64(row.n); number++ {
				r := Revision{Number: number}
				for _, stable := range row.stable {
					if stable == number {
						since := at(1)
						r.Stable = &since
					}
				}
				all = append(all, r)
			}
			numbers := []int64{}
			for _, r := range Excess(all, row.limit) {
				numbers = append(numbers, r.Number)
			}
			if got := fmt.Sprint(numbers); got != row.gone {
				t.Errorf("%s go, want %s", got, row.gone)
			}
		})
	}
}

func TestWhoChangedTheSpec(t *testing.T) {
	entry := func(manager, fields, subresource string, minute int) metav1.ManagedFieldsEntry {
		when := at(minute)
		return metav1.ManagedFieldsEntry{
			Manager: manager, Subresource: subresource, Time: &when, FieldsV1: &metav1.FieldsV1{Raw: []byte(fields)},
		}
	}
	spec := `{"f:spec":{"f:image":{}}}`
	got := ChangedBy([]metav1.ManagedFieldsEntry{
		entry("helm", spec, "", 1), entry("kubectl-edit", spec, "", 3), entry("other", `{"f:metadata":{}}`, "", 4),
		entry("reconcile", spec, "status", 5), {Manager: "no time"}, entry("broken", `{`, "", 6),
	})
	if got != "kubectl-edit" {
		t.Errorf("it was %q", got)
	}
	if got := ChangedBy(nil); got != "" {
		t.Errorf("of nothing it was %q", got)
	}
}
