package specdiff

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// A new field of a spec type must get a row: without one its change would go unnoticed.
func TestEveryFieldHasOneRow(t *testing.T) {
	checkRows(t, deploymentTable)
	checkRows(t, sessionJobTable)
	checkRows(t, taskManagerTable)
	checkRows(t, jobTable)
}

func checkRows[S any](t *testing.T, rows []field[S]) {
	t.Helper()
	var want, got []string
	spec := reflect.TypeFor[S]()
	for i := range spec.NumField() {
		name, _, _ := strings.Cut(spec.Field(i).Tag.Get("json"), ",")
		want = append(want, name)
	}
	for _, row := range rows {
		got = append(got, row.name)
		readers := 0
		for _, set := range []bool{row.value != nil, row.part != nil, row.config != nil} {
			if set {
				readers++
			}
		}
		if readers != 1 {
			t.Errorf("row %s of %s has %d ways to read it, want one", row.name, spec, readers)
		}
		if known := row.effect != (effect{}); known != (row.value != nil) {
			t.Errorf("row %s of %s: an effect belongs to a plain value, and only there", row.name, spec)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		t.Errorf("rows of %s are %v, its fields %v", spec, got, want)
	}
}

// The comparison knows the two types of ours whose Go representation says more than their meaning.
func TestComparisonFunctions(t *testing.T) {
	var written, plain v1beta1.PodTemplate
	if err := written.UnmarshalJSON([]byte(`{"kind":"Pod"}`)); err != nil {
		t.Fatal(err)
	}
	if !same.DeepEqual(written, plain) {
		t.Error("pod templates are not compared by what they mean")
	}
	if same.DeepEqual(v1beta1.Quantity("0"), v1beta1.Quantity("much")) ||
		same.DeepEqual(v1beta1.Quantity("much"), v1beta1.Quantity("0")) {
		t.Error("a quantity that cannot be read equals 0")
	}
	if !same.DeepEqual(v1beta1.Quantity("1"), v1beta1.Quantity("1000m")) {
		t.Error("quantities are not compared by value")
	}
}

func TestKindsAreRanked(t *testing.T) {
	ordered := []Kind{None, Ignore, Scale, Upgrade, SavepointRedeploy}
	for i, kind := range ordered {
		if severity[kind] != i {
			t.Errorf("%s has rank %d, want %d", kind, severity[kind], i)
		}
		if kind.Effective() != (i >= 2) {
			t.Errorf("%s: effective is %v", kind, kind.Effective())
		}
	}
}
