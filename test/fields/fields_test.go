package fields

import "testing"

func TestSet(t *testing.T) {
	type questions struct {
		Pods, Nodes bool
		Services    []string
		Stop        *int
	}
	for want, of := range map[string]questions{
		"":              {},
		"Nodes":         {Nodes: true},
		"Pods Services": {Pods: true, Services: []string{"rest"}},
		"Stop":          {Stop: new(int)},
	} {
		if got := Set(of); got != want {
			t.Errorf("%+v: got %q, want %q", of, got, want)
		}
	}
}
