package autoscaler_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/autoscaler"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
)

func TestStoredParallelismIsLaidOverTheUsers(t *testing.T) {
	type parallelism = map[string]string
	for name, row := range map[string]struct {
		stored, user parallelism
		excluded     []string
		want         parallelism
		reason       string
	}{
		"stored": {parallelism{"v1": "2"}, nil, nil, parallelism{"v1": "2"}, "G22"},
		"both":   {parallelism{"v1": "2"}, parallelism{"v1": "1"}, nil, parallelism{"v1": "2"}, "G22: stored wins"},
		"another": {
			parallelism{"v1": "2"}, parallelism{"v1": "1", "v2": "4"}, nil, parallelism{"v1": "2", "v2": "4"}, "G22",
		},
		"excluded": {
			parallelism{"v1": "2"}, parallelism{"v1": "1"}, []string{"v1"}, parallelism{"v1": "1"}, "G22: his wins",
		},
		"excluded alone": {parallelism{"v1": "2"}, nil, []string{"v1"}, parallelism{"v1": "2"}, "he says nothing of it"},
		"nothing stored": {nil, parallelism{"v1": "1"}, nil, nil, "G22: the spec is not touched"},
	} {
		if got := autoscaler.Parallelism(row.stored, row.user, row.excluded); !cmp.Equal(row.want, got) {
			t.Errorf("%s: %v, want %v: %s", name, got, row.want, row.reason)
		}
	}
}

func TestTheDeployedTextIsUsedAgain(t *testing.T) {
	wanted := map[string]string{"a": "1", "b": "2"}
	for deployed, want := range map[string]string{
		"b:2,a:1": "b:2,a:1", "a:1,b:2": "a:1,b:2", "{b: '2', a: '1'}": "{b: '2', a: '1'}", "a:1": "a:1,b:2",
		"": "a:1,b:2", "a:b:c": "a:1,b:2",
	} {
		if got := autoscaler.ParallelismText(wanted, deployed); got != want {
			t.Errorf("deployed %q: %q, want %q", deployed, got, want)
		}
	}
}

func TestTunedMemoryIsWrittenIntoTheSpec(t *testing.T) {
	const tuned = 4 << 30
	quantities := func(memory string) map[string]v1beta1.Quantity {
		if memory == "" {
			return nil
		}
		return map[string]v1beta1.Quantity{"memory": v1beta1.Quantity(memory)}
	}
	for name, row := range map[string]struct {
		resource, request, limit string
		wantResource             string
		wantRequest, wantLimit   string
		set                      bool
	}{
		"deprecated resource": {resource: "2g", wantResource: "4294967296", set: true},
		"request":             {request: "2Gi", wantRequest: "4294967296", set: true},
		"request and limit":   {request: "2Gi", limit: "4Gi", wantRequest: "4294967296", wantLimit: "8589934592", set: true},
		"limit only":          {limit: "2Gi", wantLimit: "4294967296", set: true},
		"nothing":             {},
	} {
		spec := &v1beta1.TaskManagerSpec{Resource: &v1beta1.Resource{Memory: row.resource}}
		if row.request+row.limit != "" {
			spec.Resources = &v1beta1.ResourceRequirements{Requests: quantities(row.request), Limits: quantities(row.limit)}
		}
		if got := autoscaler.SetMemory(spec, 2<<30, tuned); got != row.set {
			t.Errorf("%s: set %t", name, got)
		}
		var request, limit v1beta1.Quantity
		if spec.Resources != nil {
			request, limit = spec.Resources.Requests["memory"], spec.Resources.Limits["memory"]
		}
		got := [3]string{spec.Resource.Memory, string(request), string(limit)}
		if want := [3]string{row.wantResource, row.wantRequest, row.wantLimit}; got != want {
			t.Errorf("%s: resource, request, limit %q, want %q", name, got, want)
		}
	}
	if autoscaler.SetMemory(nil, 1, 1) || autoscaler.SetMemory(&v1beta1.TaskManagerSpec{}, 0, 1) {
		t.Error("memory was set where none is known")
	}
}

func TestTunedOptionsAreLaidOverTheConfiguration(t *testing.T) {
	c := conf.Config{"taskmanager.memory.flink.size": "2g", "kept": "1"}
	autoscaler.Tune(c, model.ConfigChanges{
		Overrides: map[string]string{"taskmanager.memory.process.size": "1 gb"},
		Removals:  []string{"taskmanager.memory.flink.size"},
	})
	want := conf.Config{"taskmanager.memory.process.size": "1 gb", "kept": "1"}
	if !cmp.Equal(want, c) {
		t.Error(cmp.Diff(want, c))
	}
	if got := autoscaler.TunedMemory(c, 5); got != 1<<30 {
		t.Errorf("memory %d", got)
	}
	if got := autoscaler.TunedMemory(conf.Config{}, 5); got != 5 {
		t.Errorf("memory %d, want that of the context", got)
	}
}
