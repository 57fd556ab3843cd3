package chaos

import (
	"fmt"
	"testing"
)

func TestEveryPairOfTheMatrixMeets(t *testing.T) {
	met := map[string]bool{}
	rows := Matrix()
	for _, row := range rows {
		for i, v := range row.Values {
			for k, w := range row.Values[:i] {
				met[fmt.Sprint(k, w, i, v)] = true
			}
		}
		if again, err := Parse(Text(row.Script)); err != nil || len(again) != len(row.Script) {
			t.Errorf("%v: %v", row.Values, err)
		}
	}
	for i, f := range Factors {
		for _, v := range f.Values {
			for k, g := range Factors[:i] {
				for _, w := range g.Values {
					if !met[fmt.Sprint(k, w, i, v)] {
						t.Errorf("no row has %s %s with %s %s", f.Title, v, g.Title, w)
					}
				}
			}
		}
	}
	if len(rows) < 24 || len(rows) > 35 {
		t.Errorf("%d rows, want about 30", len(rows))
	}
	t.Logf("%d rows", len(rows))
}
